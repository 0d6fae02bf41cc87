//! Web actions: calls of the upload screen that are plain JSON instead of GraphQL.
//!
//! They take the bearer like the graph does. The upload service does the work and decides who may.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use http::{Extensions, HeaderMap, StatusCode};
use kit::rpc::Client;
use kit::{Error, Result};
use proto::upload::v1::upload_service_client::UploadServiceClient;
use proto::upload::v1::{RequestLinkRequest, StartImportRequest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shape;
use crate::session;
use crate::state::App;

const SHAPE: Shape = Shape::Action;
const MAX_BODY: usize = 16 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    #[serde(default)]
    url: String,
    #[serde(default)]
    filename: String,
    #[serde(default)]
    source_id: String,
}

/// `POST /request-upload-link`: the file's name in the body, or in the query string.
pub async fn request_upload_link(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let mut uploads = match uploads(&app, &parts.headers, &parts.extensions).await {
        Ok(uploads) => uploads,
        Err(error) => return SHAPE.fail(&error),
    };
    let body = match super::body(SHAPE, &parts.headers, body, MAX_BODY).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let named = serde_json::from_slice::<Value>(&body)
        .ok()
        .and_then(|body| body.get("filename")?.as_str().map(str::to_owned))
        .or_else(|| ask.ok().map(|Query(ask)| ask.filename).filter(|name| !name.is_empty()));
    let Some(filename) = named else {
        return SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", "filename is required");
    };
    match uploads.request_link(RequestLinkRequest { filename }).await {
        Ok(answer) => Json(json!({ "ok": true, "url": answer.into_inner().url })).into_response(),
        Err(status) => SHAPE.fail(&Error::from(status)),
    }
}

/// `POST /upload-deliveries?url=&filename=&sourceId=`: starts the import, answers its upload log.
pub async fn upload_deliveries(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    let mut uploads = match uploads(&app, request.headers(), request.extensions()).await {
        Ok(uploads) => uploads,
        Err(error) => return SHAPE.fail(&error),
    };
    let Ok(Query(Ask { url, filename, source_id })) = ask else {
        return SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", "url and filename are required");
    };
    match uploads.start_import(StartImportRequest { url, filename, source_id }).await {
        Ok(answer) => Json(json!({ "ok": true, "uploadLog": answer.into_inner().id })).into_response(),
        Err(status) => SHAPE.fail(&Error::from(status)),
    }
}

async fn uploads(
    app: &App,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Result<UploadServiceClient<Client>> {
    let identity = session::identify(app, headers, extensions).await;
    Ok(UploadServiceClient::new(identity.session()?.client(&app.upload)))
}
