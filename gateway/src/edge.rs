//! Handles what all requests and responses of the public port have in common: limits on their duration and
//! number, panics, CORS, compression and security headers. Trace, metric and log line are in [`crate::observe`].

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use futures::FutureExt;
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use kit::Principal;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::budgets::{Place, Refusal};
use crate::http::{Shape, analytics, auth, export, is_analytics, objects};
use crate::observe::{REQUEST_ID, observe};
use crate::state::App;
use crate::{ingest, session};

/// Makes browsers use only https for two years.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=63072000");
const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

pub fn wrap(router: Router<Arc<App>>, app: Arc<App>) -> Router<Arc<App>> {
    router
        .layer(CompressionLayer::new().compress_when(SizeAbove::new(1024).and(Compressible)))
        .layer(from_fn_with_state(app.clone(), bound))
        .layer(cors(&app))
        .layer(from_fn_with_state(app, enter))
}

fn cors(app: &App) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(app.origins.clone()))
        .allow_credentials(true)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::OPTIONS])
        .allow_headers([
            CONTENT_TYPE,
            // The driver API takes bodies compressed with gzip.
            CONTENT_ENCODING,
            AUTHORIZATION,
            HeaderName::from_static("auth-provider"),
            analytics::OWN_HEADER,
            analytics::LAB_HEADER,
            HeaderName::from_static("idempotency-key"),
            REQUEST_ID,
            HeaderName::from_static("traceparent"),
        ])
        .expose_headers([REQUEST_ID, CONTENT_DISPOSITION, RETRY_AFTER])
        .max_age(Duration::from_secs(600))
}

/// Selects the responses to compress: our own texts. `text/plain` is deliberately left out, because the
/// access token has that type: a secret must not be compressed together with text that others choose.
#[derive(Clone, Copy)]
struct Compressible;

impl Predicate for Compressible {
    fn should_compress<B: axum::body::HttpBody>(&self, response: &http::Response<B>) -> bool {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
        matches!(
            kind,
            "application/json"
                | "application/manifest+json"
                | "image/svg+xml"
                | "text/css"
                | "text/html"
                | "text/javascript"
        )
    }
}

/// Adds the headers, and records the request. This is the outermost layer, so that refusals by the layers below
/// have them, too.
async fn enter(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let is_quiet = route.as_deref().is_none_or(|route| route == "/health" || ingest::is_public(route));
    let https = app.is_https(request.headers());
    let mut response = observe(route, is_quiet, request, next).await;
    secure(&app, https, &mut response);
    response
}

/// Returns the place that a request needs, and whose share it uses. `/health` and the application's files
/// need no place. Positions of devices have their own limits (`ingest`).
fn place<'a>(app: &'a App, request: &Request) -> Place<'a> {
    let (headers, extensions) = (request.headers(), request.extensions());
    let route = extensions.get::<MatchedPath>().map(MatchedPath::as_str);
    match route {
        None | Some("/health") => Place::Free,
        Some(path) if ingest::is_public(path) => Place::Free,
        Some(path) if path.starts_with("/objects/") => {
            Place::Transfer(session::network(app, headers, extensions))
        }
        Some(path) => match token(path, headers).and_then(|it| app.verifier.recognize(it)) {
            Some(Principal::User { id, .. }) => app.budgets.person(id),
            _ => app.budgets.stranger(session::network(app, headers, extensions)),
        },
    }
}

fn token<'a>(path: &str, headers: &'a HeaderMap) -> Option<&'a str> {
    if is_analytics(path) { analytics::token(headers) } else { session::bearer(headers) }
}

/// Refuses excess requests, ends slow ones, and survives a panic. The response to a sign-out that has arrived deletes the
/// session's cookie, whatever becomes of it.
async fn bound(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let shape = Shape::of(request.method(), path);
    // Large files may take longer. Their handlers watch the progress, and end a slow transfer with their own
    // message.
    let limit = match path {
        path if path.starts_with("/objects/") => objects::LONGEST,
        path if path.starts_with("/export/") => export::LONGEST + Duration::from_secs(10),
        _ => Duration::from_secs(app.config.http.timeout_seconds),
    };
    let place = place(&app, &request);
    let within = Duration::from_secs(app.config.http.body_timeout_seconds);
    let request = match app.budgets.arrive(request, &place, within).await {
        Ok(request) => request,
        Err(refusal) => return refused(refusal, shape),
    };
    let (request, cookies) = auth::sign_out(&app, request).await;
    let response = match app.budgets.enter(place) {
        // The request stays in progress until a slow reader has received everything.
        Ok(permit) => kit::connections::hold(run(request, next, limit, shape).await, permit),
        Err(refusal) => refused(refusal, shape),
    };
    auth::with_cookies(response, cookies)
}

fn refused(refusal: Refusal, shape: Shape) -> Response {
    tracing::warn!(?refusal, "a request was not let in");
    refusal.answer(shape)
}

/// Runs the handler of a request, until the time limit.
async fn run(request: Request, next: Next, limit: Duration, shape: Shape) -> Response {
    let work = AssertUnwindSafe(next.run(request)).catch_unwind();
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(response)) => response,
        Ok(Err(panic)) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            tracing::error!("a handler panicked: {}", text.unwrap_or("no text"));
            shape.refuse(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", "Something went wrong")
        }
        Err(_) => {
            tracing::warn!("took longer than {limit:?}");
            shape.refuse(
                StatusCode::GATEWAY_TIMEOUT,
                "UNAVAILABLE",
                "This took too long. Try again in a moment.",
            )
        }
    }
}

/// Sets the headers of every response. A handler's own headers stay: objects have a stricter policy, assets
/// may be cached.
fn secure(app: &App, https: bool, response: &mut Response) {
    let headers = response.headers_mut();
    let mut default = |name: HeaderName, value: HeaderValue| {
        headers.entry(name).or_insert(value);
    };
    default(CONTENT_SECURITY_POLICY, app.content_security.clone());
    default(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    default(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Not no-referrer: some browsers then send Origin: null with our own requests.
    default(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    default(HeaderName::from_static("permissions-policy"), HeaderValue::from_static(PERMISSIONS));
    default(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
    default(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
    if https {
        default(STRICT_TRANSPORT_SECURITY, HSTS);
    }
}
