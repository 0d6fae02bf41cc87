//! Handles what all requests and responses have in common: the trace and the log line, limits on their
//! duration and number, panics, CORS, compression and security headers.
//!
//! Log lines name the route, never the URL, because query strings contain filters and links.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
use tracing::Instrument;

use crate::budgets::Place;
use crate::http::{Shape, analytics, export, is_analytics, objects};
use crate::state::App;
use crate::{ingest, session};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Makes browsers use only https for two years.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=63072000");
const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()";

/// The id of a request in logs and traces; responses carry it.
#[derive(Clone)]
pub struct RequestId(pub Arc<str>);

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

/// Adds the trace, the log line and the headers. This is the outermost layer, so that refusals by the layers
/// below have them, too.
async fn enter(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let span = tracing::info_span!(
        "http.request",
        otel.kind = "server",
        http.request.method = %method,
        http.route = route.as_deref().unwrap_or("page"),
        http.response.status_code = tracing::field::Empty,
        trace_id = tracing::field::Empty,
        request_id = tracing::field::Empty,
    );
    kit::trace::begin(&span, request.headers());
    let id = span.in_scope(kit::trace::id).unwrap_or_else(|| kit::clock::new_id().simple().to_string());
    span.record("request_id", &id);
    let id: Arc<str> = id.into();
    request.extensions_mut().insert(RequestId(id.clone()));
    let https = app.is_https(request.headers());

    let mut response = next.run(request).instrument(span.clone()).await;
    secure(&app, https, &mut response);
    if let Ok(value) = HeaderValue::try_from(&*id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }

    let status = response.status().as_u16();
    let took = begun.elapsed();
    kit::metrics::http_request(&method, route.as_deref(), status, took);
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    span.record("http.response.status_code", status);
    span.in_scope(|| match route.as_deref() {
        None | Some("/health") => tracing::debug!(status, millis, "answered"),
        Some(_) => tracing::info!(status, millis, "answered"),
    });
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

/// Refuses excess requests, ends slow ones, and survives a panic.
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
    let (request, permit) = match app.budgets.admit(request, place, within).await {
        Ok(admitted) => admitted,
        Err(refusal) => {
            tracing::warn!(?refusal, "a request was not let in");
            return refusal.answer(shape);
        }
    };
    let work = AssertUnwindSafe(next.run(request)).catch_unwind();
    let response = match tokio::time::timeout(limit, work).await {
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
    };
    // The request stays in progress until a slow reader has received everything.
    kit::connections::hold(response, permit)
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
