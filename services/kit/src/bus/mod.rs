//! Events between services: published by the outbox relay, delivered at least once.
//!
//! Contract, the same for both buses:
//! - `publish` succeeds only when the event is safe: acknowledged by JetStream, or committed by every
//!   consumer of this process.
//! - An event passes through as the bytes of its outbox row: a process of the release before may be the one that
//!   publishes it or makes a dead letter of it, and must not lose what it cannot read.
//! - A consumer has a durable name and one subject filter. It may see an event twice and in any order; its
//!   inbox and the aggregate's version make that harmless.
//! - An attempt that fails because a dependency is down or slow (a database, another service) is repeated
//!   forever, after a growing delay: it doesn't count against the event.
//! - An attempt that fails for any other reason, panics or kills its process counts. After the last attempt
//!   that [`Retry`] allows, the event becomes a dead letter and counts as handled. Until the dead letter is
//!   stored, the event stays where it is.
//! - A watch sees events published while it is open: once, twice or not at all. It shows when it may have missed
//!   some. It serves open screens and must never feed state.
//!
//! Deliberately absent: publishing from a handler or an RPC (write to the outbox), request and reply. Start
//! at [`Bus`]; the failure rule is in `attempt`.

mod attempt;
mod event;
pub mod intake;
pub mod memory;
pub mod nats;

#[cfg(test)]
mod contract;
#[cfg(test)]
mod probe;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;
use proto::events::Envelope;
use tokio_util::sync::CancellationToken;

use crate::Result;
use crate::health::Check;
pub use attempt::replay;
pub use event::EncodedEvent;
pub use memory::MemoryBus;
pub use nats::{NatsBus, NatsConfig, StreamLimits};

use event::{check, check_filter, is_id, is_literal, matches};

/// Handles events. Must be idempotent and must not publish.
#[async_trait]
pub trait Handler: Send + Sync {
    async fn handle(&self, envelope: &Envelope) -> Result<()>;
}

/// Stores the failures of each consumer, and the events that it gave up.
#[async_trait]
pub trait DeadLetters: Send + Sync {
    /// Notes that an event is about to be handled again, unless another attempt may still be running. An attempt
    /// that began at least `longest` ago without an [`end`](Self::end) has died with its process, which counts
    /// as a failure.
    async fn begin(&self, consumer: &str, event_id: &str, longest: Duration) -> Result<Earlier>;

    /// Records how an attempt ended; returns the number of failures so far.
    async fn end(&self, consumer: &str, event_id: &str, how: End) -> Result<u32>;

    /// Stores the bytes of an event as a dead letter, which an administrator can retry; idempotent.
    async fn raise(
        &self,
        event: &EncodedEvent,
        consumer: &str,
        attempts: u32,
        last_error: &str,
    ) -> Result<()>;

    /// Stores a message that is not a valid envelope, unchanged.
    async fn raise_raw(
        &self,
        raw: &RawMessage<'_>,
        consumer: &str,
        attempts: u32,
        last_error: &str,
    ) -> Result<()>;
}

/// What a consumer has done with an event before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// The event is a dead letter: only an administrator can retry it.
    GivenUp,
    /// Another attempt began a short time ago and has not ended. Nothing was noted.
    Running,
    /// `died`: the last attempt never ended, so the process must have died during it.
    Tried { failures: u32, died: bool },
}

/// How handling an event ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Handled,
    /// A dependency was down; this doesn't count as a failure.
    Waiting,
    Failed,
}

/// A message as received, with its subject mapped back to our own namespace.
#[derive(Debug, Clone, Copy)]
pub struct RawMessage<'a> {
    pub id: &'a str,
    pub subject: &'a str,
    pub payload: &'a [u8],
}

/// A durable reader of events.
#[derive(Clone)]
pub struct Consumer {
    /// The durable name, unique across all services, for example `analytics-deliveries`.
    pub name: &'static str,
    /// Filter: `waybill.deliveries.>`, or `waybill.*.deadletter.raised.v1` for every service.
    pub subject: String,
    pub handler: Arc<dyn Handler>,
    pub dead_letters: Arc<dyn DeadLetters>,
}

impl Consumer {
    /// Returns the service whose events the consumer reads: the second token of its subject.
    pub fn service(&self) -> &str {
        self.subject.split('.').nth(1).unwrap_or_default()
    }
}

/// How often an event is tried, and after which pauses.
#[derive(Debug, Clone)]
pub struct Retry {
    /// Number of failures after which the event becomes a dead letter; at least one.
    pub attempts: u32,
    /// Pause after the first failed attempt; it doubles with each further one.
    pub first_delay: Duration,
    pub max_delay: Duration,
    /// Time limit of an attempt; an attempt that takes longer fails.
    pub timeout: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(60),
            timeout: Duration::from_secs(30),
        }
    }
}

impl Retry {
    /// Returns the pause after the failed attempt of this number, counted from one.
    pub fn delay(&self, attempt: u32) -> Duration {
        let doublings = attempt.saturating_sub(1).min(16);
        self.first_delay.saturating_mul(1 << doublings).min(self.max_delay)
    }

    /// Returns how long an attempt may run: handling has a time limit, and noting its end has the same.
    fn longest_attempt(&self) -> Duration {
        self.timeout.saturating_mul(2)
    }
}

/// A stream of events as they are published. It ends when the bus ends.
pub type Watch = BoxStream<'static, Watched>;

/// What a watch sees.
#[derive(Debug, Clone, PartialEq)]
pub enum Watched {
    Event(Arc<Envelope>),
    /// The watch may have missed events before now, because the connection was lost or the watch was too slow.
    Missed,
}

#[derive(Clone)]
pub enum Bus {
    Memory(MemoryBus),
    Nats(NatsBus),
}

impl Bus {
    /// Publishes one event. After an error the bus may not have stored it: publish it again later.
    pub async fn publish(&self, envelope: &Envelope) -> Result<()> {
        self.publish_again(&envelope.into(), 1).await
    }

    /// Publishes an event for the `time`th time, counted from one. When only its consumers failed, the error
    /// contains the time until the next attempt, and other events may be published in the meantime.
    pub async fn publish_again(&self, event: &EncodedEvent, time: u32) -> Result<()> {
        check(&event.envelope)?;
        match self {
            Bus::Memory(bus) => bus.publish(event, time).await,
            Bus::Nats(bus) => bus.publish(event).await,
        }
    }

    /// Returns whether the bus stores events itself and could therefore lose them.
    pub fn keeps_events(&self) -> bool {
        matches!(self, Bus::Nats(_))
    }

    /// Returns a value that distinguishes the present stream of a service from one that was lost; `None`
    /// while there is no stream.
    pub async fn incarnation(&self, service: &str) -> Result<Option<String>> {
        match self {
            Bus::Memory(_) => Ok(None),
            Bus::Nats(bus) => bus.incarnation(service).await,
        }
    }

    /// Creates missing streams of these services. Does nothing on the bus in memory.
    pub async fn ensure_streams(&self, services: &[&str]) -> Result<()> {
        match self {
            Bus::Memory(_) => Ok(()),
            Bus::Nats(bus) => bus.ensure_streams(services).await,
        }
    }

    /// Registers the consumers. Call it before any relay starts: on the bus in memory, an event is done
    /// once every consumer registered by then has committed it.
    pub async fn register(&self, consumers: Vec<Consumer>) -> Result<Registered> {
        for consumer in &consumers {
            check_filter(&consumer.subject)?;
        }
        Ok(Registered(match self {
            Bus::Memory(bus) => Inner::Memory(bus.register(consumers)),
            Bus::Nats(bus) => Inner::Nats(bus.register(consumers).await?),
        }))
    }

    /// Registers the consumers and runs them until `stop`.
    pub async fn run(&self, consumers: Vec<Consumer>, stop: CancellationToken) -> Result<()> {
        self.register(consumers).await?.run(stop).await
    }

    /// Takes in reports from other systems until `stop`. The bus in memory has no such reports, so there
    /// this call only waits.
    pub async fn take_in(&self, intake: intake::Intake, stop: CancellationToken) -> Result<()> {
        match self {
            Bus::Memory(_) => stop.cancelled().await,
            Bus::Nats(bus) => bus.clone().take_in(intake, stop.clone()).await?,
        }
        Ok(())
    }

    /// Watches events that pass any of the filters, from now on. Publishing does not wait for watchers: a slow
    /// one misses events.
    pub async fn watch(&self, filters: &[String]) -> Result<Watch> {
        for filter in filters {
            check_filter(filter)?;
        }
        match self {
            Bus::Memory(bus) => Ok(bus.watch(filters.to_vec())),
            Bus::Nats(bus) => bus.watch(filters).await,
        }
    }

    /// Checks that events can be published now, for readiness.
    pub async fn ready(&self) -> Result<()> {
        match self {
            Bus::Memory(_) => Ok(()),
            Bus::Nats(bus) => bus.ready().await,
        }
    }

    /// Returns the readiness check "bus". Its failure does not make the process unready, because the process
    /// can run without the bus for a while.
    pub fn check(&self) -> Check {
        let this = self.clone();
        Check::shown("bus", move || {
            let this = this.clone();
            async move { this.ready().await }
        })
    }
}

/// Registered consumers, ready to run.
#[must_use = "registered consumers do nothing until they are run"]
pub struct Registered(Inner);

enum Inner {
    Memory(memory::Registration),
    Nats(nats::Registration),
}

impl Registered {
    /// Runs the consumers until `stop`, then finishes the messages being handled and returns.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        match self.0 {
            Inner::Memory(registration) => registration.run(stop).await,
            Inner::Nats(registration) => registration.run(stop).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_a_limit() {
        let retry = Retry::default();
        let seconds: Vec<f32> = (1..=10).map(|n| retry.delay(n).as_secs_f32()).collect();
        assert_eq!(seconds, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
        assert_eq!(retry.delay(u32::MAX), retry.max_delay);
    }

    /// Collects ended spans.
    #[derive(Debug, Clone, Default)]
    struct Ended(Arc<std::sync::Mutex<Vec<opentelemetry_sdk::trace::SpanData>>>);

    impl opentelemetry_sdk::trace::SpanProcessor for Ended {
        fn on_start(&self, _: &mut opentelemetry_sdk::trace::Span, _: &opentelemetry::Context) {}
        fn on_end(&self, span: opentelemetry_sdk::trace::SpanData) {
            self.0.lock().unwrap().push(span);
        }
        fn force_flush(&self) -> opentelemetry_sdk::error::OTelSdkResult {
            Ok(())
        }
        fn shutdown_with_timeout(&self, _: Duration) -> opentelemetry_sdk::error::OTelSdkResult {
            Ok(())
        }
    }

    #[tokio::test]
    async fn spans_link_to_the_trace_of_the_change() {
        use opentelemetry::trace::TracerProvider;
        use tracing_subscriber::layer::SubscriberExt;

        let ended = Ended::default();
        let provider =
            opentelemetry_sdk::trace::SdkTracerProvider::builder().with_span_processor(ended.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));

        let bus = Bus::Memory(MemoryBus::new(contract::retry()));
        let probe = contract::Probe::default();
        let _registered = bus.register(vec![probe.consumer("a", "waybill.upload.>")]).await.unwrap();
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let sent = Envelope { traceparent: parent.to_owned(), ..contract::event("upload") };
        bus.publish(&sent).await.unwrap();

        let spans = ended.0.lock().unwrap();
        for name in ["bus.handle", "bus.publish"] {
            let span = spans.iter().find(|span| span.name == name).unwrap();
            let linked = &span.links.links[0].span_context;
            assert_eq!(linked.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
            assert_eq!(linked.span_id().to_string(), "b7ad6b7169203331");
            assert_ne!(span.span_context.trace_id(), linked.trace_id(), "linked, not a child");
            assert!(span.attributes.iter().any(|kv| kv.key.as_str() == "event.id"), "{name}");
        }
        let handle = spans.iter().find(|span| span.name == "bus.handle").unwrap();
        for (key, value) in [("consumer", "a"), ("attempt", "1"), ("outcome", "handled")] {
            let found = handle.attributes.iter().find(|kv| kv.key.as_str() == key).unwrap();
            assert_eq!(found.value.to_string(), value);
        }
    }
}
