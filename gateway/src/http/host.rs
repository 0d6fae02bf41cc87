//! Checks the host names of requests to an installation that only listens on its own machine.
//!
//! A foreign site can point its own name at 127.0.0.1. A visitor's browser then takes Waybill for that site's
//! server (DNS rebinding), and on a fresh installation the site could create the first administrator. The
//! browser still sends the site's name, which is checked here. Behind a proxy, or on an address that others
//! can reach, no name is checked, and creating the first account requires the setup token instead.
//!
//! A proxy that Waybill is not configured for may send our loopback address as the host. Its visitors would
//! then need no setup token, so requests with a proxy's headers are refused.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{FORWARDED, HOST, HeaderName, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode, Uri};
use kit::config::{Http, is_this_machine};

use super::Shape;
use crate::state::App;

/// Headers that proxies add and browsers never send.
const OF_PROXIES: [HeaderName; 3] =
    [FORWARDED, HeaderName::from_static("x-forwarded-for"), HeaderName::from_static("x-real-ip")];

/// Refuses requests from elsewhere, on an installation that only serves its own machine.
pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let config = &app.config.http;
    let (method, path, headers) = (request.method(), request.uri().path(), request.headers());
    // Exempt `/health`: monitoring may use any host name, and the response is only "ok".
    if !config.is_local() || path == "/health" {
        return next.run(request).await;
    }
    let shape = Shape::of(method, path);
    let named = request.uri().host().map(str::to_owned).or_else(|| host(headers));
    // A client that sends no host name is not a browser.
    if named.is_some_and(|name| !is_this_machine(&name)) {
        tracing::warn!("refused: the request came for another host, see http.public_url");
        let text = "Waybill doesn't answer at this address. Open it as http://localhost, or have http.public_url \
                    set to the address that people use.";
        return shape.refuse(StatusCode::MISDIRECTED_REQUEST, "FORBIDDEN", text);
    }
    if OF_PROXIES.iter().any(|name| headers.contains_key(name)) {
        tracing::warn!("refused: the request came through a proxy, see http.trusted_proxies");
        let text = "Waybill is configured for this machine only, but this request came through a proxy. Set \
                    http.trusted_proxies to the number of proxies in front of Waybill, and restart it.";
        return shape.refuse(StatusCode::MISDIRECTED_REQUEST, "FORBIDDEN", text);
    }
    let read_only = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    if !read_only && !is_our_page(config, headers) {
        return shape.refuse(StatusCode::FORBIDDEN, "FORBIDDEN", "This request came from another site.");
    }
    next.run(request).await
}

/// Returns the requested host; an empty string, which is never ours, if the header is unreadable.
fn host(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(HOST)?;
    let authority = value.to_str().ok().and_then(|text| text.parse::<Authority>().ok());
    Some(authority.map(|it| it.host().to_owned()).unwrap_or_default())
}

/// Returns whether a request that changes something comes from a page of ours, or not from a page at all.
fn is_our_page(config: &Http, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let host = origin.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    config.allowed_origins.iter().any(|allowed| allowed == origin)
        || host.is_some_and(|name| is_this_machine(&name))
}
