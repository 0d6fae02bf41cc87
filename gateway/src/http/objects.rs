//! Objects in the local folder, behind links signed by `kit::blob`. With S3 these addresses do not exist,
//! because browsers talk to the bucket.
//!
//! The link is the permission: no bearer token, no cookie. A stored file is never shown as a page of ours.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use kit::blob::{self, Blob, Key, LocalBlob};
use kit::download::saved_as;
use kit::{Error, Result};
use serde::Deserialize;
use tokio::time::Instant;

use super::{Shape, content_length, not_found, resource_policy};
use crate::state::App;

/// Maximum duration of one transfer.
pub const LONGEST: Duration = Duration::from_secs(15 * 60);
/// How often an upload's progress is checked, and the minimum progress in between: 8 KiB per second, which a
/// phone manages even at the edge of its network.
const LOOK: Duration = Duration::from_secs(15);
const LEAST: usize = 120 << 10;
const SHAPE: Shape = Shape::Plain;

#[derive(Deserialize)]
pub struct Link {
    expires: i64,
    max: Option<u64>,
    signature: String,
    name: Option<String>,
    name_signature: Option<String>,
}

/// `PUT /objects/…`: responds with 200, as S3 does.
pub async fn write(
    State(app): State<Arc<App>>,
    key: Result<Path<String>, PathRejection>,
    link: Result<Query<Link>, QueryRejection>,
    request: Request,
) -> Response {
    let Ok(Path(key)) = key else { return not_found(SHAPE) };
    let opened = opened(&app, &key, &link)
        .and_then(|(blob, key, link)| Ok((blob, blob.verify_put(&key, &link, app.clock.now())?, key)));
    let (blob, max, key) = match opened {
        Ok(opened) => opened,
        Err(error) => return SHAPE.fail(&error),
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
    key: Result<Path<String>, PathRejection>,
    link: Result<Query<Link>, QueryRejection>,
) -> Response {
    let Ok(Path(key)) = key else { return not_found(SHAPE) };
    let opened = opened(&app, &key, &link).and_then(|(blob, key, link)| {
        blob.verify_get(&key, &link, app.clock.now())?;
        Ok((key, link.name.map_or(HeaderValue::from_static("attachment"), |it| saved_as(it.name))))
    });
    let (key, disposition) = match opened {
        Ok(opened) => opened,
        Err(error) => return SHAPE.fail(&error),
    };
    let (info, content) = match app.blob.read(&key).await {
        Ok(found) => found,
        Err(error) => return SHAPE.fail(&error),
    };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (CONTENT_DISPOSITION, disposition),
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'"),
        ),
        (CONTENT_LENGTH, HeaderValue::from(info.size)),
        resource_policy(&app),
    ];
    (headers, Body::from_stream(content)).into_response()
}

/// Parses the object's key and the parameters of a link, without verifying the signature.
fn opened<'a>(
    app: &'a App,
    key: &str,
    link: &'a Result<Query<Link>, QueryRejection>,
) -> Result<(&'a LocalBlob, Key, blob::Link<'a>)> {
    let Blob::Local(blob) = &app.blob else {
        return Err(Error::not_found("OBJECT_NOT_FOUND", "The file does not exist."));
    };
    let key = Key::parse(key)?;
    let Ok(Query(Link { expires, max, signature, name, name_signature })) = link else {
        return Err(Error::forbidden("LINK_INVALID"));
    };
    let name = name.as_deref().zip(name_signature.as_deref());
    let name = name.map(|(name, signature)| blob::SignedName { name, signature });
    Ok((blob, key, blob::Link { expires: *expires, max: *max, signature, name }))
}

/// Returns the body as it arrives; fails if it arrives too slowly.
fn content(body: Body) -> impl Stream<Item = Result<Bytes, axum::BoxError>> {
    let state = Some((body.into_data_stream(), Instant::now() + LOOK, 0));
    futures::stream::unfold(state, |state| async move {
        let (mut stream, due, came) = state?;
        match tokio::time::timeout_at(due, stream.next()).await {
            Ok(Some(Ok(chunk))) => {
                let came = came + chunk.len();
                let next = if came >= LEAST { (Instant::now() + LOOK, 0) } else { (due, came) };
                Some((Ok(chunk), Some((stream, next.0, next.1))))
            }
            Ok(Some(Err(error))) => Some((Err(error.into()), None)),
            Ok(None) => None,
            Err(_) => Some((Err("it came too slowly".into()), None)),
        }
    })
}
