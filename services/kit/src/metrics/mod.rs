//! Metrics of the process, for Prometheus at `/metrics` and for a collector over OTLP.
//!
//! Telemetry belongs to the process: there is one set of instruments, created on first use, and recording
//! needs no handle. Label values come from lists that we wrote (routes, contract methods, schema fields,
//! consumers), never from a request, so their number is bounded. docs/telemetry.md says what each metric
//! means, docs/adr/0068 why it is done this way.
//!
//! Here: counters and histograms. Values that have to be looked up are gauges, in `gauges`.

mod gauges;
mod process;

use std::collections::HashSet;
use std::sync::OnceLock;
use std::time::Duration;

use http::Method;
use opentelemetry::metrics::{Counter, Histogram, Meter, MeterProvider};
use opentelemetry::{Key, KeyValue, Value};
use opentelemetry_otlp::MetricExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use prometheus::{Registry, TextEncoder};
use tonic::Code;

use gauges::Gauges;
pub use gauges::{Gauge, Reading};

/// Buckets for requests and calls, in seconds.
const FAST: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0];
/// Buckets for jobs and event ages, in seconds.
const SLOW: [f64; 10] = [0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 14_400.0];

/// Push interval; equals the usual scrape interval.
const EXPORT_EVERY: Duration = Duration::from_secs(15);

/// An error of the metrics library. Not named `Error`, which is the crate's own type.
type Failure = Box<dyn std::error::Error + Send + Sync>;

static METRICS: OnceLock<Metrics> = OnceLock::new();

struct Metrics {
    provider: SdkMeterProvider,
    registry: Registry,
    http: Histogram<f64>,
    graphql: Histogram<f64>,
    rpc: Histogram<f64>,
    event: Histogram<f64>,
    event_age: Histogram<f64>,
    job: Histogram<f64>,
    refused: Counter<u64>,
    unreachable: Counter<u64>,
    streams_broken: Counter<u64>,
    driver_links: Counter<u64>,
    mails_given_up: Counter<u64>,
    log_lines_dropped: Counter<u64>,
    gauges: Gauges,
}

/// Starts metrics with a push exporter. Without this call, metrics are only at `/metrics`.
///
/// # Errors
///
/// Fails when something was recorded before.
pub(crate) fn init(resource: Resource, exporter: Option<MetricExporter>) -> Result<(), Failure> {
    let again = |_| "metrics were recorded before telemetry was started";
    Ok(METRICS.set(Metrics::new(resource, exporter)?).map_err(again)?)
}

/// Sends the remaining metrics to the collector. Blocks for some seconds when the collector is down.
pub(crate) fn shutdown() {
    if let Some(metrics) = METRICS.get() {
        let _ = metrics.provider.shutdown();
    }
}

fn metrics() -> &'static Metrics {
    METRICS.get_or_init(|| {
        Metrics::new(Resource::builder_empty().build(), None).unwrap_or_else(|error| {
            tracing::error!("there are no metrics: {error}");
            Metrics::with(SdkMeterProvider::builder().build(), Registry::new())
        })
    })
}

impl Metrics {
    fn new(resource: Resource, exporter: Option<MetricExporter>) -> Result<Self, Failure> {
        let registry = Registry::new();
        let prometheus = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            .scope_info_enabled(false)
            // As the collector does with what it gets, so that queries can group by process in both ways.
            .with_resource_selector(HashSet::from([Key::from_static_str("service.name")]))
            .build()?;
        let mut provider = SdkMeterProvider::builder().with_resource(resource).with_reader(prometheus);
        if let Some(exporter) = exporter {
            provider =
                provider.with_reader(PeriodicReader::builder(exporter).with_interval(EXPORT_EVERY).build());
        }
        Ok(Self::with(provider.build(), registry))
    }

    fn with(provider: SdkMeterProvider, registry: Registry) -> Self {
        let meter = provider.meter("waybill");
        let seconds = |name: &'static str, buckets: &[f64], text: &'static str| {
            let histogram = meter.f64_histogram(name).with_unit("s").with_description(text);
            histogram.with_boundaries(buckets.to_vec()).build()
        };
        let count = |name: &'static str, text: &'static str| counter(&meter, name, text);
        process::watch(&meter);
        Self {
            http: seconds("http.server.request.duration", &FAST, "HTTP requests"),
            graphql: seconds("waybill.graphql.duration", &FAST, "GraphQL operations by their first field"),
            rpc: seconds("rpc.server.call.duration", &FAST, "Calls that a service answered"),
            event: seconds("waybill.event.duration", &FAST, "Handling an event, by consumer and outcome"),
            event_age: seconds("waybill.event.age", &SLOW, "From a change to the end of handling its event"),
            job: seconds("waybill.job.duration", &SLOW, "Attempts at a job, by kind and outcome"),
            refused: count("waybill.refused", "What was sent away because of a limit"),
            unreachable: count("waybill.unreachable", "Calls of a service that got no answer"),
            streams_broken: count(
                "waybill.streams.broken",
                "Streamed responses that broke off after their head",
            ),
            driver_links: count("waybill.driver.links", "Reset links that were created for drivers"),
            mails_given_up: count(
                "waybill.mails.given.up",
                "Mails that were not sent and are not tried again",
            ),
            log_lines_dropped: count(
                "waybill.log.lines.dropped",
                "Log lines that were not read in time or could not be written",
            ),
            gauges: Gauges::new(&meter),
            provider,
            registry,
        }
    }
}

fn counter(meter: &Meter, name: &'static str, text: &'static str) -> Counter<u64> {
    meter.u64_counter(name).with_description(text).build()
}

fn label(key: &'static str, value: impl Into<Value>) -> KeyValue {
    KeyValue::new(key, value)
}

/// Returns the metrics of the process in the text format of Prometheus.
pub(crate) fn text() -> Result<String, Failure> {
    Ok(TextEncoder::new().encode_to_string(&metrics().registry.gather())?)
}

/// Records a request on the public port or the port for devices. `route` is the pattern of the router, `None` for files
/// of the browser application.
pub fn http_request(method: &Method, route: Option<&str>, status: u16, took: Duration) {
    // A client may send any word as the method.
    let method = match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        _ => "_OTHER",
    };
    let labels = [
        label("http.request.method", method),
        label("http.route", route.unwrap_or("page").to_owned()),
        label("http.response.status_code", i64::from(status)),
    ];
    metrics().http.record(took.as_secs_f64(), &labels);
}

/// Records a GraphQL operation. `field` must be a schema field or a fixed word.
pub fn graphql_operation(kind: &'static str, field: &str, outcome: &'static str, took: Duration) {
    let labels = [
        label("graphql.operation.type", kind),
        label("graphql.field", field.to_owned()),
        label("outcome", outcome),
    ];
    metrics().graphql.record(took.as_secs_f64(), &labels);
}

/// Records a call that a service answered; `path` is the path of the call.
pub fn rpc_call(path: &str, code: Code, took: Duration) {
    // Only methods of a contract become labels.
    let method = match code {
        Code::Unimplemented => "_OTHER",
        _ => path.trim_start_matches('/'),
    };
    let labels = [label("rpc.method", method.to_owned()), label("rpc.response.status_code", code_name(code))];
    metrics().rpc.record(took.as_secs_f64(), &labels);
}

/// Records one attempt of a consumer at an event, and the event's age once the event is done.
pub fn event(consumer: &'static str, outcome: &'static str, took: Duration, age: Option<Duration>) {
    let by_consumer = label("consumer", consumer);
    metrics().event.record(took.as_secs_f64(), &[by_consumer.clone(), label("outcome", outcome)]);
    if let Some(age) = age {
        metrics().event_age.record(age.as_secs_f64(), &[by_consumer]);
    }
}

/// Records one attempt at a job of a service.
pub fn job(service: &'static str, kind: &'static str, outcome: &'static str, took: Duration) {
    let labels = [label("service", service), label("kind", kind), label("outcome", outcome)];
    metrics().job.record(took.as_secs_f64(), &labels);
}

/// Counts a request refused by a limit. `limit` must be a fixed word.
pub fn refused(limit: &str) {
    refusals(limit, 1);
}

/// Counts requests refused by a limit. Count none when the limit is created: a rise is seen only from a value
/// that was shown before.
pub(crate) fn refusals(limit: &str, count: u64) {
    metrics().refused.add(count, &[label("limit", limit.to_owned())]);
}

/// Counts calls of a service in another process that got no response. Count none when the service's address is known,
/// as for [`refusals`].
pub(crate) fn unreachable(service: &'static str, count: u64) {
    metrics().unreachable.add(count, &[label("service", service)]);
}

/// Counts streamed responses that broke off through a fault of ours, after a status of success had been sent. `stream`
/// must be a fixed word. Count none at the start, as for [`driver_links`].
pub fn streams_broken(stream: &'static str, count: u64) {
    metrics().streams_broken.add(count, &[label("stream", stream)]);
}

/// Counts reset links of drivers. Count none at the start: a rise is seen only from a value that was shown
/// before.
pub fn driver_links(count: u64) {
    metrics().driver_links.add(count, &[]);
}

/// Counts mails that were not sent and are not tried again. Count none at the start, as for [`driver_links`].
pub fn mails_given_up(count: u64) {
    metrics().mails_given_up.add(count, &[]);
}

/// Counts log lines that were dropped. Count none at the start, as for [`driver_links`].
pub(crate) fn log_lines_dropped(count: u64) {
    metrics().log_lines_dropped.add(count, &[]);
}

/// Creates a gauge that is set from time to time, and shown until the reading is dropped.
pub fn reading(gauge: Gauge, labels: &[(&'static str, &str)]) -> Reading {
    metrics().gauges.reading(gauge, labels)
}

/// Creates a gauge that is read whenever metrics are collected, until `read` returns `None`. `read` must
/// not block.
pub fn watch<F>(gauge: Gauge, labels: &[(&'static str, &str)], read: F)
where
    F: Fn() -> Option<f64> + Send + Sync + 'static,
{
    metrics().gauges.watch(gauge, labels, Box::new(read));
}

fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOK: Duration = Duration::from_millis(30);

    fn lines(of: &str) -> Vec<String> {
        let text = text().unwrap();
        text.lines().filter(|line| line.starts_with(of)).map(str::to_owned).collect()
    }

    #[test]
    fn what_is_recorded_is_shown_with_its_labels_and_its_unit() {
        http_request(&Method::GET, Some("/logo"), 200, TOOK);
        rpc_call("/waybill.auth.v1.AuthService/Login", Code::Unauthenticated, TOOK);
        event("test-consumer", "handled", TOOK, Some(Duration::from_secs(4)));
        refused("test_limit");
        let http = lines("http_server_request_duration_seconds_bucket{");
        let fast = http.iter().find(|line| line.contains("le=\"0.05\"")).unwrap();
        for part in ["http_route=\"/logo\"", "http_request_method=\"GET\"", "status_code=\"200\"", "} 1"] {
            assert!(fast.contains(part), "{fast}");
        }
        assert!(http.iter().any(|line| line.contains("le=\"0.025\"") && line.ends_with("} 0")));
        let rpc = lines("rpc_server_call_duration_seconds_count{").join("\n");
        assert!(rpc.contains("rpc_method=\"waybill.auth.v1.AuthService/Login\""), "{rpc}");
        assert!(rpc.contains("rpc_response_status_code=\"UNAUTHENTICATED\""), "{rpc}");
        assert!(lines("waybill_event_age_seconds_sum{").join("").ends_with(" 4"));
        let limit = "waybill_refused_total{limit=\"test_limit\"}";
        assert_eq!(lines(limit), [format!("{limit} 1")]);
    }

    #[test]
    fn every_metric_has_the_name_of_its_process() {
        let resource = Resource::builder_empty().with_service_name("waybill-test").build();
        let metrics = Metrics::new(resource, None).unwrap();
        metrics.driver_links.add(0, &[]);
        metrics.refused.add(0, &[label("limit", "test_limit")]);
        let text = TextEncoder::new().encode_to_string(&metrics.registry.gather()).unwrap();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.matches("service_name=\"waybill-test\"").count(), 1, "{line}");
        }
        assert!(text.contains("waybill_driver_links_total{"), "{text}");
    }

    /// Whatever strangers send, only our own words become labels.
    #[test]
    fn words_of_strangers_are_no_labels() {
        http_request(&Method::from_bytes(b"BREW").unwrap(), None, 405, TOOK);
        rpc_call("/waybill.auth.v1.AuthService/Guess", Code::Unimplemented, TOOK);
        let text = text().unwrap();
        assert!(!text.contains("BREW") && !text.contains("Guess"), "{text}");
        assert!(text.contains("http_request_method=\"_OTHER\"") && text.contains("rpc_method=\"_OTHER\""));
    }

    #[test]
    fn gauges_show_what_is_now_and_go_with_their_owner() {
        let mine = reading(Gauge::OutboxWaiting, &[("service", "test")]);
        assert!(lines("waybill_outbox_waiting").is_empty(), "nothing is known yet");
        mine.set(7.0);
        assert_eq!(lines("waybill_outbox_waiting"), ["waybill_outbox_waiting{service=\"test\"} 7"]);
        drop(mine);
        assert!(lines("waybill_outbox_waiting").is_empty());
        watch(Gauge::DependencyUp, &[("dependency", "test"), ("needed", "true")], || Some(1.0));
        assert_eq!(lines("waybill_dependency_up").len(), 1);
        assert!(lines("process_memory_usage_bytes")[0].split(' ').next_back().unwrap() != "0");
    }

    /// Recording must not slow requests down.
    #[test]
    fn a_record_costs_microseconds_at_most() {
        let begun = std::time::Instant::now();
        for _ in 0..10_000 {
            http_request(&Method::GET, Some("/logo"), 200, TOOK);
        }
        let each = begun.elapsed() / 10_000;
        println!("a record takes {each:?}");
        assert!(each < Duration::from_micros(50), "a record takes {each:?}");
    }
}
