//! Carries the trace of a request over HTTP, gRPC and events, in the W3C format, so that handlers need not
//! care.

use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

struct Outgoing<'a>(&'a mut HeaderMap);

impl Injector for Outgoing<'_> {
    fn set(&mut self, key: &str, value: String) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(key), HeaderValue::try_from(value)) {
            self.0.insert(name, value);
        }
    }
}

struct Incoming<'a>(&'a HeaderMap);

impl Extractor for Incoming<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

/// Writes the current trace into the headers of an outgoing call.
pub fn inject(headers: &mut HeaderMap) {
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut Outgoing(headers));
}

/// Makes `span` a child of the trace in the headers, and stores the trace id for the log. Only for calls of
/// our own services.
pub fn adopt(span: &Span, headers: &HeaderMap) {
    let parent = TraceContextPropagator::new().extract(&Incoming(headers));
    // This fails only if there is no tracer, and then there is no trace to join.
    let _ = span.set_parent(parent);
    note_id(span);
}

/// Begins a new trace for a request from outside, linked to the trace in its headers.
///
/// The trace id is the id of the request in the log and in the audit log: a stranger must not choose it,
/// because then two requests could share one.
pub fn begin(span: &Span, headers: &HeaderMap) {
    let _ = span.set_parent(Context::new());
    let theirs = TraceContextPropagator::new().extract(&Incoming(headers));
    add_link(span, &theirs);
    note_id(span);
}

/// Stores the trace id of `span` in its field `trace_id`, for the log. Also begins the trace of a root span, so
/// set a parent and links first.
pub fn note_id(span: &Span) {
    if let Some(id) = id_of(span) {
        span.record("trace_id", id);
    }
}

fn add_link(span: &Span, origin: &Context) {
    let origin = origin.span().span_context().clone();
    if origin.is_valid() {
        span.add_link(origin);
    }
}

fn id_of(span: &Span) -> Option<String> {
    let context = span.context();
    let id = context.span().span_context().trace_id();
    (id != opentelemetry::trace::TraceId::INVALID).then(|| id.to_string())
}

/// Returns the current trace id, 32 hex digits.
pub fn id() -> Option<String> {
    id_of(&Span::current())
}

/// Returns the current trace in the format of the header `traceparent`; empty when there is none.
pub fn parent() -> String {
    let mut headers = HeaderMap::new();
    inject(&mut headers);
    headers.get("traceparent").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Links `span` to the trace in which an event was committed, because a consumer's span is not a child of
/// the request's.
pub fn link(span: &Span, traceparent: &str) {
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::try_from(traceparent) {
        headers.insert("traceparent", value);
    }
    add_link(span, &TraceContextPropagator::new().extract(&Incoming(&headers)));
}
