//! `GET /third-party-notices.txt`: third-party software in this program, with licenses.
//!
//! `scripts/notices.mjs` writes the text, `build.rs` compresses it. Takes the bearer token, because the
//! versions of our dependencies are nobody else's business.

use std::io::{self, Read};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use kit::Error;

use super::Shape;
use super::spa::accepts_gzip;
use crate::session;
use crate::state::App;

const SHAPE: Shape = Shape::Action;
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/third-party-notices.txt.gz"));

/// Returns the notices as plain text, several hundred kilobytes.
pub fn text() -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(PACKED).read_to_string(&mut text)?;
    Ok(text)
}

pub async fn get(State(app): State<Arc<App>>, request: Request) -> Response {
    let identity = session::identify(&app, request.headers(), request.extensions()).await;
    if let Err(error) = identity.session() {
        return SHAPE.fail(&error);
    }
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "private, no-store"),
        (VARY, "accept-encoding"),
    ];
    if accepts_gzip(request.headers()) {
        return (headers, [(CONTENT_ENCODING, "gzip")], PACKED).into_response();
    }
    match text() {
        Ok(text) => (headers, text).into_response(),
        Err(error) => SHAPE.fail(&Error::internal(error)),
    }
}
