//! Logs, traces and metrics of the process. Started once, in the binary; the metrics themselves are in
//! [`crate::metrics`].
//!
//! Without an exporter spans still get ids, so that a log line can be followed through every service.
//! `writer` writes the lines and never blocks the logging code.

mod collector;
mod writer;

use std::io::IsTerminal;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt, LevelFilter, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Filter, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use crate::config::{LogFormat, Telemetry};
use crate::{Error, Result};

use writer::LogWriter;

const LINES_DROPPED: &str = "log lines were dropped: they were not read in time, or could not be written";

/// Flushes collected telemetry. Keep this guard until the very end of the process.
pub struct Guard {
    provider: SdkTracerProvider,
    log: Option<LogWriter>,
}

impl Guard {
    /// Sends collected telemetry; returns once it was sent or given up.
    pub async fn shutdown(self) {
        // The exporter blocks, so run it off the runtime's workers.
        let _ = tokio::task::spawn_blocking(move || {
            let _ = self.provider.force_flush();
            let _ = self.provider.shutdown();
            crate::metrics::shutdown();
            drop(self);
        })
        .await;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(log) = &self.log {
            log.flush();
        }
    }
}

/// Returns `<process id>@<host>`, which distinguishes the processes of a target. The host is the pod in Kubernetes and
/// the container in a composition. A collector shows it as the label `instance` of metrics.
pub fn instance() -> String {
    format!("{}@{}", std::process::id(), rustix::system::uname().nodename().to_string_lossy())
}

/// Starts logging, tracing and metrics under the name `waybill-<target>`.
pub fn init(config: &Telemetry, target: &str) -> Result<Guard> {
    let resource = Resource::builder()
        .with_service_name(format!("waybill-{target}"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        // Replicas have the same name; a collector must distinguish their metrics.
        .with_attribute(KeyValue::new("service.instance.id", instance()))
        .build();
    let address = config.otlp_endpoint.as_str();
    let metrics = if address.is_empty() { None } else { Some(collector::metrics(address)?) };
    crate::metrics::init(resource.clone(), metrics).map_err(Error::internal)?;
    crate::metrics::log_lines_dropped(0);
    let mut provider = SdkTracerProvider::builder().with_resource(resource);
    if address.is_empty() {
        // Ids are still created, for logs and responses; spans are not recorded.
        provider = provider.with_sampler(Sampler::AlwaysOff);
    } else {
        provider = provider.with_batch_exporter(collector::spans(address)?);
    }
    let provider = provider.build();

    let (writer, log) = match config.log_format {
        LogFormat::Text => {
            let writer = LogWriter::to(std::io::stderr(), |lines| format!("WARN {lines} {LINES_DROPPED}"))?;
            let layer = tracing_subscriber::fmt::layer()
                .with_target(false)
                .with_ansi(std::io::stderr().is_terminal())
                .with_writer(writer.clone());
            (writer, layer.boxed())
        }
        LogFormat::Json => {
            let writer = LogWriter::to(std::io::stdout(), |lines| {
                serde_json::json!({ "level": "WARN", "message": LINES_DROPPED, "lines": lines }).to_string()
            })?;
            (writer.clone(), json::<Registry, _>(writer).boxed())
        }
    };
    tracing_subscriber::registry()
        .with(log.with_filter(selected::<Registry>(&config.log)?))
        .with(traces(&provider))
        .try_init()
        .map_err(Error::internal)?;
    log_panics();
    Ok(Guard { provider, log: Some(writer) })
}

/// Returns the layer that writes each line as a JSON object, with the spans that the line was written in.
fn json<S, W>(writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    W: for<'writer> MakeWriter<'writer> + 'static,
{
    tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(writer)
}

/// Selects the lines that the configuration asks for, and all of our own spans: whatever its level, a line carries the
/// ids of the spans that it was written in.
fn selected<S>(lines: &str) -> Result<impl Filter<S> + use<S>> {
    let lines = EnvFilter::try_new(lines).map_err(Error::internal)?;
    Ok(FilterExt::<S>::or(lines, filter_fn(is_own_span).with_max_level_hint(LevelFilter::INFO)))
}

/// Returns whether this is one of our own spans, which have level INFO. Spans of libraries are more detailed.
fn is_own_span(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && *metadata.level() <= Level::INFO
}

/// Returns the layer that makes our own spans; the libraries' are not followed. They have the attributes that
/// `docs/telemetry.md` lists. Everything else of the layer costs time whenever a span is entered or left, also when
/// nothing is exported; its current context is not needed, because [`crate::trace`] asks the span.
fn traces<S>(provider: &SdkTracerProvider) -> impl Layer<S> + use<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("waybill"))
        .with_context_activation(false)
        .with_tracked_inactivity(false)
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_filter(filter_fn(is_own_span))
}

/// Logs panics like any other line, because the default hook would block if the reader of the log is stuck.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = std::backtrace::Backtrace::capture();
        tracing::error!(%backtrace, "{panic}");
    }));
}

/// Sets up the product's tracing for a test, writing every ended span to `sink`; nothing is exported.
#[cfg(any(test, feature = "testing"))]
pub fn init_for_test<W, M>(sink: M) -> Guard
where
    W: std::io::Write + 'static,
    M: Fn() -> W + Clone + Send + Sync + 'static,
{
    use tracing_subscriber::fmt::format::FmtSpan;
    let provider = SdkTracerProvider::builder().build();
    let log = tracing_subscriber::fmt::layer()
        .json()
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(sink)
        .with_filter(LevelFilter::INFO);
    // If another test of the process set up tracing first, its sink stays.
    let _ = tracing_subscriber::registry().with(log).with(traces(&provider)).try_init();
    Guard { provider, log: None }
}

#[cfg(test)]
mod tests {
    use tracing::field::Empty;

    use super::*;
    use crate::testing::Log;

    #[test]
    fn a_line_has_the_ids_of_all_its_spans_whatever_level_is_logged() {
        let provider = SdkTracerProvider::builder().with_sampler(Sampler::AlwaysOff).build();
        let log = Log::default();
        let sink = log.clone();
        let lines =
            json::<Registry, _>(move || sink.clone()).with_filter(selected::<Registry>("warn").unwrap());
        let subscriber = tracing_subscriber::registry().with(lines).with(traces(&provider));
        tracing::subscriber::with_default(subscriber, || {
            let job = tracing::info_span!("job.run", job.id = "j-1", trace_id = Empty);
            crate::trace::note_id(&job);
            let call = job.in_scope(|| tracing::info_span!("rpc.call"));
            call.in_scope(|| {
                tracing::info!("is not logged");
                tracing::error!("failed");
            });
        });
        let text = log.text();
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["message"], "failed", "{text}");
        assert_eq!(line["span"]["name"], "rpc.call", "{text}");
        let job = &line["spans"][0];
        assert_eq!(job["job.id"], "j-1", "{text}");
        assert_eq!(job["trace_id"].as_str().unwrap().len(), 32, "{text}");
    }
}
