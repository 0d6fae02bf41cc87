//! Web actions: calls of the screens that upload something, plain JSON instead of GraphQL.
//!
//! They take the bearer like the graph does. The services do the work and decide who may.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use http::{Extensions, HeaderMap, StatusCode};
use kit::rpc::Client;
use kit::{Error, Result};
use proto::settings::v1::RequestLogoUploadLinkRequest;
use proto::settings::v1::logo_service_client::LogoServiceClient;
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
    let filename = match filename(&parts.headers, body, ask).await {
        Ok(filename) => filename,
        Err(refusal) => return refusal,
    };
    match uploads.request_link(RequestLinkRequest { filename }).await {
        Ok(answer) => link(answer.into_inner().url),
        Err(status) => SHAPE.fail(&Error::from(status)),
    }
}

/// `POST /request-logo-upload-link`: the same, for the customer's logo.
pub async fn request_logo_upload_link(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let mut logos = match logos(&app, &parts.headers, &parts.extensions).await {
        Ok(logos) => logos,
        Err(error) => return SHAPE.fail(&error),
    };
    let filename = match filename(&parts.headers, body, ask).await {
        Ok(filename) => filename,
        Err(refusal) => return refusal,
    };
    match logos.request_logo_upload_link(RequestLogoUploadLinkRequest { filename }).await {
        Ok(answer) => link(answer.into_inner().url),
        Err(status) => SHAPE.fail(&Error::from(status)),
    }
}

async fn filename(
    headers: &HeaderMap,
    body: Body,
    ask: Result<Query<Ask>, QueryRejection>,
) -> Result<String, Response> {
    let body = super::body(SHAPE, headers, body, MAX_BODY).await?;
    serde_json::from_slice::<Value>(&body)
        .ok()
        .and_then(|body| body.get("filename")?.as_str().map(str::to_owned))
        .or_else(|| ask.ok().map(|Query(ask)| ask.filename).filter(|name| !name.is_empty()))
        .ok_or_else(|| SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", "filename is required"))
}

fn link(url: String) -> Response {
    Json(json!({ "ok": true, "url": url })).into_response()
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

async fn logos(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Result<LogoServiceClient<Client>> {
    let identity = session::identify(app, headers, extensions).await;
    Ok(LogoServiceClient::new(identity.session()?.client(&app.settings)))
}
