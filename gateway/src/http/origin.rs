//! Whether a request comes from a page of this installation, and whose pages may embed our files.

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::state::App;

/// Returns whether a request comes from our own pages or from those of an allowed origin. Call this for requests
/// that the cookie authenticates, and for WebSockets, which need no preflight. Browsers send the origin, and pages
/// cannot change it. A client that sends no origin is not a browser, so no page can have made it send the cookie.
pub fn from_our_pages(app: &App, headers: &HeaderMap) -> bool {
    let read = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("null"));
    let origin = read(ORIGIN);
    let allowed = origin.is_some_and(|it| app.config.http.allowed_origins.iter().any(|ours| ours == it));
    match (read(HeaderName::from_static("sec-fetch-site")), origin) {
        (Some("same-origin" | "none"), _) => true,
        (Some("same-site" | "cross-site"), _) => allowed,
        (Some(_), _) => false,
        (None, Some(origin)) => allowed || is_own(app, headers, origin),
        (None, None) => true,
    }
}

fn is_own(app: &App, headers: &HeaderMap, origin: &str) -> bool {
    let scheme = if app.is_https(headers) { "https" } else { "http" };
    let host = headers.get(HOST).and_then(|value| value.to_str().ok());
    app.public_origin.as_deref() == Some(origin)
        || host.is_some_and(|host| origin == format!("{scheme}://{host}"))
}

/// Returns the header that says whose pages may embed a file that is read without a cookie. Where other origins are
/// allowed, so are theirs.
pub fn resource_policy(app: &App) -> (HeaderName, HeaderValue) {
    let policy = if app.config.http.allowed_origins.is_empty() { "same-origin" } else { "cross-origin" };
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static(policy))
}
