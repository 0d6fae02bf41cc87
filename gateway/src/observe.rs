//! Observes requests: gives each a trace and an id, and records how it ended in the metrics and the log.
//!
//! Log lines name the route, never the URL, because query strings contain filters and links.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, Method};
use kit::connections::Arrival;
use tracing::{Instrument, Span};

pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The status that is recorded for a request whose client left before the response. It is never sent.
const GIVEN_UP: u16 = 499;

/// The id of a request in logs and traces; responses carry it.
#[derive(Clone)]
pub struct RequestId(pub Arc<str>);

/// Runs a request in a span of its own, and records how it ended. `route` is its pattern, `None` for files of the
/// browser application. Requests of a quiet route are logged at the level DEBUG.
pub async fn observe(route: Option<String>, is_quiet: bool, mut request: Request, next: Next) -> Response {
    let method = request.method().clone();
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
    let arrival = request.extensions().get::<Arrival>().cloned();
    let observed =
        Observed { method, route, is_quiet, span, begun: Instant::now(), arrival, status: GIVEN_UP };

    let mut response = next.run(request).instrument(observed.span.clone()).await;
    if let Ok(value) = HeaderValue::try_from(&*id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    observed.answered(response.status().as_u16());
    response
}

/// A request in progress; dropping it records how it ended.
struct Observed {
    method: Method,
    route: Option<String>,
    is_quiet: bool,
    span: Span,
    begun: Instant,
    arrival: Option<Arrival>,
    status: u16,
}

impl Observed {
    fn answered(mut self, status: u16) {
        self.status = status;
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        // Count from the last byte of the request, because how long it takes to arrive is up to the client's network.
        let arrived = self.arrival.as_ref().and_then(Arrival::at);
        let (status, took) = (self.status, arrived.unwrap_or(self.begun).elapsed());
        kit::metrics::http_request(&self.method, self.route.as_deref(), status, took);
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let text = if status == GIVEN_UP { "given up" } else { "answered" };
        self.span.record("http.response.status_code", status);
        self.span.in_scope(|| match self.is_quiet {
            true => tracing::debug!(status, millis, "{text}"),
            false => tracing::info!(status, millis, "{text}"),
        });
    }
}
