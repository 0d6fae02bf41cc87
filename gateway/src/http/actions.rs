//! Web actions: plain JSON calls that upload screens make instead of GraphQL calls.
//!
//! They take the bearer token as GraphQL does. The services do the work and check permissions.

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
use proto::upload::v1::{
    PreviewUndoRequest, RequestLinkRequest, StartImportRequest, StartUndoRequest, UploadMode, UploadUndo,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shape;
use crate::session;
use crate::state::App;

const SHAPE: Shape = Shape::Action;
const MAX_BODY: usize = 16 * 1024;
const REPEATED: &str = "Name each parameter once";
const WRONG_DRY_RUN: &str = "dryRun must be true or false";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    #[serde(default)]
    url: String,
    #[serde(default)]
    filename: String,
    #[serde(default)]
    source_id: String,
    #[serde(default)]
    mode: String,
    dry_run: Option<String>,
    choose_columns: Option<String>,
    #[serde(default)]
    upload_log: String,
}

/// `POST /request-upload-link`: returns an upload link for the file named in the body or the query string.
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

/// `POST /request-logo-upload-link`: like `request_upload_link`, for the customer's logo.
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
        .ok_or_else(|| bad_request("filename is required"))
}

fn link(url: String) -> Response {
    Json(json!({ "ok": true, "url": url })).into_response()
}

/// `POST /upload-deliveries?url=&filename=&sourceId=&mode=&dryRun=&chooseColumns=`: starts the import and
/// returns the id of its upload log.
pub async fn upload_deliveries(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    let mut uploads = match uploads(&app, request.headers(), request.extensions()).await {
        Ok(uploads) => uploads,
        Err(error) => return SHAPE.fail(&error),
    };
    let Ok(Query(Ask { url, filename, source_id, mode, dry_run, choose_columns, upload_log: _ })) = ask
    else {
        return bad_request(REPEATED);
    };
    let mode = match mode.as_str() {
        "" | "upsert" => UploadMode::Upsert,
        "create_only" => UploadMode::CreateOnly,
        "skip_existing" => UploadMode::SkipExisting,
        _ => return bad_request("mode must be upsert, create_only or skip_existing"),
    };
    let Some(dry_run) = flag(dry_run.as_deref()) else {
        return bad_request(WRONG_DRY_RUN);
    };
    let Some(choose_columns) = flag(choose_columns.as_deref()) else {
        return bad_request("chooseColumns must be true or false");
    };
    let idempotency_key = idempotency_key(request.headers());
    let start = StartImportRequest {
        url,
        filename,
        source_id,
        mode: mode.into(),
        dry_run,
        idempotency_key,
        choose_columns,
    };
    match uploads.start_import(start).await {
        Ok(answer) => Json(json!({ "ok": true, "uploadLog": answer.into_inner().id })).into_response(),
        Err(status) => SHAPE.fail(&Error::from(status)),
    }
}

/// `POST /undo-uploaded-deliveries?uploadLog=&dryRun=`: starts to reverse an import and returns the id of its
/// upload log. A dry run only counts what the undo would do.
pub async fn undo_uploaded_deliveries(
    State(app): State<Arc<App>>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    let mut uploads = match uploads(&app, request.headers(), request.extensions()).await {
        Ok(uploads) => uploads,
        Err(error) => return SHAPE.fail(&error),
    };
    let Ok(Query(Ask { upload_log: id, dry_run, .. })) = ask else {
        return bad_request(REPEATED);
    };
    let Some(dry_run) = flag(dry_run.as_deref()) else {
        return bad_request(WRONG_DRY_RUN);
    };
    if dry_run {
        return match uploads.preview_undo(PreviewUndoRequest { id: id.clone() }).await {
            Ok(answer) => {
                let UploadUndo { reversed, kept, failed, total } = answer.into_inner();
                let counts = json!({ "ok": true, "uploadLog": id, "dryRun": true, "reversed": reversed,
                                     "kept": kept, "failed": failed, "total": total });
                Json(counts).into_response()
            }
            Err(status) => SHAPE.fail(&Error::from(status)),
        };
    }
    let idempotency_key = idempotency_key(request.headers());
    match uploads.start_undo(StartUndoRequest { id, idempotency_key }).await {
        Ok(answer) => Json(json!({ "ok": true, "uploadLog": answer.into_inner().id })).into_response(),
        Err(status) => SHAPE.fail(&Error::from(status)),
    }
}

fn bad_request(text: &str) -> Response {
    SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", text)
}

/// Parses an optional boolean; `None` if it is neither true nor false.
fn flag(text: Option<&str>) -> Option<bool> {
    text.map_or(Some(false), |text| text.parse().ok())
}

/// Returns the idempotency key of a request; an empty string if it has none. The service checks the key.
fn idempotency_key(headers: &HeaderMap) -> String {
    let value = headers.get("idempotency-key");
    value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
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
