//! Objects of this machine's directory, behind the links that `kit::blob` signed. With S3 these
//! addresses do not exist: browsers talk to the bucket.
//!
//! The link is the right: no bearer, no cookie. A stored file is never shown as a page of ours.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use kit::blob::{Blob, Key, LocalBlob, MAX_LOGO_BYTES};
use kit::{Error, Result};
use serde::Deserialize;

use super::{Shape, content_length};
use crate::state::App;

/// How long one transfer may take in all, and how long nothing may come.
pub const LONGEST: Duration = Duration::from_secs(15 * 60);
const SILENCE: Duration = Duration::from_secs(30);
const SHAPE: Shape = Shape::Plain;

#[derive(Deserialize)]
pub struct Link {
    expires: i64,
    signature: String,
}

/// `PUT /objects/…`: answers 200, as S3 does.
pub async fn write(
    State(app): State<Arc<App>>,
    Path(key): Path<String>,
    link: Result<Query<Link>, QueryRejection>,
    request: Request,
) -> Response {
    let (blob, key) = match opened(&app, "PUT", &key, link) {
        Ok(opened) => opened,
        Err(error) => return SHAPE.fail(&error),
    };
    let max = match key.as_str().starts_with("logos/") {
        true => MAX_LOGO_BYTES,
        false => app.config.imports.max_file_bytes,
    };
    if content_length(request.headers()).is_some_and(|length| length > max) {
        return SHAPE.refuse(StatusCode::PAYLOAD_TOO_LARGE, "BAD_USER_INPUT", "The file is too large.");
    }
    match blob.write_stream(&key, content(request.into_body()), max).await {
        Ok(_) => StatusCode::OK.into_response(),
        Err(error) => SHAPE.fail(&error),
    }
}

/// `GET /objects/…`.
pub async fn read(
    State(app): State<Arc<App>>,
    Path(key): Path<String>,
    link: Result<Query<Link>, QueryRejection>,
) -> Response {
    let found = match opened(&app, "GET", &key, link) {
        Ok((_, key)) => app.blob.read(&key).await,
        Err(error) => Err(error),
    };
    let (info, content) = match found {
        Ok(found) => found,
        Err(error) => return SHAPE.fail(&error),
    };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (CONTENT_DISPOSITION, HeaderValue::from_static("attachment")),
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'"),
        ),
        (CONTENT_LENGTH, HeaderValue::from(info.size)),
    ];
    (headers, Body::from_stream(content)).into_response()
}

/// The object that a link opens for this method.
fn opened<'a>(
    app: &'a App,
    method: &str,
    key: &str,
    link: Result<Query<Link>, QueryRejection>,
) -> Result<(&'a LocalBlob, Key)> {
    let Blob::Local(blob) = &app.blob else {
        return Err(Error::not_found("OBJECT_NOT_FOUND", "The file does not exist."));
    };
    let key = Key::parse(key)?;
    let Ok(Query(Link { expires, signature })) = link else {
        return Err(Error::forbidden("LINK_INVALID"));
    };
    blob.verify(method, &key, expires, &signature, app.clock.now())?;
    Ok((blob, key))
}

/// The body as it arrives; ends with an error when nothing came for too long.
fn content(body: Body) -> impl Stream<Item = Result<Bytes, axum::BoxError>> {
    futures::stream::unfold(Some(body.into_data_stream()), |stream| async move {
        let mut stream = stream?;
        match tokio::time::timeout(SILENCE, stream.next()).await {
            Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(stream))),
            Ok(Some(Err(error))) => Some((Err(error.into()), None)),
            Ok(None) => None,
            Err(_) => Some((Err("nothing came for too long".into()), None)),
        }
    })
}
