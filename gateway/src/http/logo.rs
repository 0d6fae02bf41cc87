//! The customer's logo, at a URL whose content never changes, and the lookup of the current URL.
//!
//! Public, because an `<img>` carries no bearer token. The name is the digest of the content, so damage in
//! storage is noticed here. Only the settings service creates objects under such names. The content is always
//! a picture. If it is opened directly, the content security policy forbids it to do anything.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};
use kit::blob::{Key, MAX_PUBLISHED_LOGO_BYTES};
use kit::{Error, Result};
use serde_json::json;

use super::{Shape, not_found, resource_policy};
use crate::settings::logo_file;
use crate::state::App;

const SHAPE: Shape = Shape::Plain;
/// Allows what an SVG embeds: styles and pictures.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

/// `GET /logo`: URL and size of the logo, for the pages before signing in. Reveals nothing else about the
/// office.
pub async fn present(State(app): State<Arc<App>>) -> Response {
    let logo = app.office.now().await.logo;
    let mut response = Json(json!({ "logo": logo.as_deref() })).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=60"));
    response
}

/// `GET /logo/<sha256>.png` and `.svg`.
pub async fn read(
    State(app): State<Arc<App>>,
    file: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let Ok(Path(file)) = file else { return not_found(SHAPE) };
    match find(&app, &file, &headers).await {
        Ok(response) => response,
        Err(error) => SHAPE.fail(&error),
    }
}

async fn find(app: &App, file: &str, headers: &HeaderMap) -> Result<Response> {
    let unknown = || Error::not_found("OBJECT_NOT_FOUND", "The file does not exist.");
    let (digest, content_type) = logo_file(file).ok_or_else(unknown)?;
    let key = Key::parse(&format!("logos/{file}"))?;
    let tag = format!("\"{digest}\"");
    if headers.get_all(IF_NONE_MATCH).iter().any(|known| names(known, &tag)) {
        // Respond "not modified" only if the object still exists: it may have been removed.
        app.blob.head(&key).await?.ok_or_else(unknown)?;
        return Ok(with_headers(app, StatusCode::NOT_MODIFIED.into_response(), &tag, content_type));
    }
    let sha256 = hex::decode(digest).map_err(Error::internal)?;
    let content = app.blob.get_verified(&key, &sha256, MAX_PUBLISHED_LOGO_BYTES).await?;
    let response = Body::from(content).into_response();
    Ok(with_headers(app, response, &tag, content_type))
}

fn with_headers(app: &App, mut response: Response, tag: &str, content_type: &'static str) -> Response {
    let headers = response.headers_mut();
    let (name, policy) = resource_policy(app);
    headers.insert(name, policy);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    response
}

fn names(known: &HeaderValue, tag: &str) -> bool {
    let known = known.to_str().unwrap_or_default();
    known.split(',').map(str::trim).any(|it| it == "*" || it.strip_prefix("W/").unwrap_or(it) == tag)
}
