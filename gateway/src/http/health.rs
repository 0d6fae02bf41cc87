//! Whether the public port responds at all. `/readyz` checks dependencies and is never on this port.

use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use http::header::ACCEPT;

use super::spa;

/// Returns `ok`, or the application's page if a browser asks.
pub async fn health(headers: HeaderMap) -> Response {
    match prefers_html(&headers) {
        true => spa::index(&headers),
        false => "ok".into_response(),
    }
}

fn prefers_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let place = |kind: &str| accept.find(kind).unwrap_or(usize::MAX);
    place("text/html") < place("text/plain").min(place("*/*"))
}
