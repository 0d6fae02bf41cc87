//! The names that an installation answers to while it listens on its own machine alone.
//!
//! A stranger's page can point a name of its own at 127.0.0.1, and its visitor's browser then takes us for
//! the page's own server (DNS rebinding): on a fresh installation the page would make itself
//! administrator. The browser still tells the name that it asked for, and that is checked here. With a
//! proxy in front, or on an address that others reach, names are the proxy's or the network's business, and
//! the first account wants the set-up token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode, Uri};
use kit::config::{Http, is_this_machine};

use super::Shape;
use crate::state::App;

pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let config = &app.config.http;
    let (method, path, headers) = (request.method(), request.uri().path(), request.headers());
    // Whoever watches over the process may call it what they like; the answer is "ok".
    if !config.is_local() || path == "/health" {
        return next.run(request).await;
    }
    let shape = Shape::of(method, path);
    let named = request.uri().host().map(str::to_owned).or_else(|| host(headers));
    // Whatever names no host is no browser.
    if named.is_some_and(|name| !is_this_machine(&name)) {
        tracing::warn!("refused: the request came for another host, see http.public_url");
        let text = "Waybill doesn't answer at this address. Open it as http://localhost, or have http.public_url \
                    set to the address that people use.";
        return shape.refuse(StatusCode::MISDIRECTED_REQUEST, "FORBIDDEN", text);
    }
    let read_only = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    if !read_only && !is_our_page(config, headers) {
        return shape.refuse(StatusCode::FORBIDDEN, "FORBIDDEN", "This request came from another site.");
    }
    next.run(request).await
}

/// Host of a header that cannot be read is one that is not ours.
fn host(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(HOST)?;
    let authority = value.to_str().ok().and_then(|text| text.parse::<Authority>().ok());
    Some(authority.map(|it| it.host().to_owned()).unwrap_or_default())
}

/// A change is asked for by a page of ours, or by no page.
fn is_our_page(config: &Http, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let host = origin.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    config.allowed_origins.iter().any(|allowed| allowed == origin)
        || host.is_some_and(|name| is_this_machine(&name))
}
