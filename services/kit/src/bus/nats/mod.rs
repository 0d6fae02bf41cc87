//! The bus of a cluster: NATS JetStream, one stream per owning service, durable pull consumers.
//!
//! Contract:
//! - A stream `<NAMESPACE>_<SERVICE>` holds the subjects `<namespace>.<service>.>` in files and deletes
//!   events after a limited time. A stream that reached its size limit refuses new events instead of dropping
//!   unread ones: they stay in the outbox, and the error goes to the log.
//! - The message id is the event's id; the server drops repetitions within two minutes. That is only a second
//!   safety net: the inbox guarantees that an event takes effect once.
//! - The server marks redelivered messages with a delivery count. It rises for many reasons, so only the
//!   failures that the consumer has stored decide when an event is given up.
//! - Each process handles one message per consumer at a time: the acknowledgement deadline starts when a
//!   message is pulled, and none waits in a buffer. More replicas share the work.
//! - On the wire, the namespace replaces the first token of a subject. The subject in the envelope stays the
//!   same.
//! - Responses and pulled messages come to `_INBOX.<user>.>`, where the user is that of the address.
//! - A stream or consumer that vanished (a wiped broker) is created again.
//! - A watch is a plain subscription to the subjects that the streams hold: it needs no stream and no
//!   JetStream permission. It continues after a lost connection, and shows that it missed events meanwhile.
//!
//! Deliberately absent: everything that a 2.9 server silently ignores (several filters per consumer,
//! compression, metadata), key-value buckets, publishing core NATS messages.

mod about;
mod intake;
mod streams;
#[cfg(test)]
mod tests;
mod unreadable;
mod watch;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer as JsConsumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use futures::{FutureExt, StreamExt, future};
use percent_encoding::percent_decode_str;
use proto::events::PREFIX;
use tokio::sync::watch::Sender;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::attempt::{self, Outcome};
use super::{Consumer, EncodedEvent, RawMessage, Retry};
use crate::metrics::{self, Gauge, Reading};
use crate::{Error, Kind, Result, trace};
pub use about::About;
pub use streams::StreamLimits;

/// Maximum wait for any response of the server.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval of pings. The client reconnects at the third ping without a response, so a silent connection lasts
/// about 15 seconds.
const PING_INTERVAL: Duration = Duration::from_secs(5);
/// A pull that got no message ends after this time. Then the consumer is checked and pulled from again.
const PULL_EXPIRES: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct NatsConfig {
    /// The server's address. It may contain credentials, so never log it.
    pub url: String,
    pub credentials_file: Option<PathBuf>,
    /// First token of subjects on the wire and prefix of stream names.
    pub namespace: String,
    pub streams: StreamLimits,
    pub retry: Retry,
    /// A message is delivered again when its consumer has shown no progress for this long.
    pub ack_wait: Duration,
    /// Maximum number of messages of one consumer that are being handled or wait for their next attempt.
    pub max_ack_pending: u32,
    /// Whether connecting fails when no server responds. A process that only watches can wait for a server.
    pub needed: bool,
}

impl NatsConfig {
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            credentials_file: None,
            namespace: PREFIX.to_owned(),
            streams: StreamLimits::default(),
            retry: Retry::default(),
            ack_wait: Duration::from_secs(60),
            max_ack_pending: 256,
            needed: true,
        }
    }
}

impl fmt::Debug for NatsConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsConfig")
            .field("namespace", &self.namespace)
            .field("streams", &self.streams)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

#[derive(Clone)]
pub struct NatsBus(Arc<Shared>);

struct Shared {
    config: NatsConfig,
    client: Client,
    context: Context,
    /// Services whose streams are known to exist. The `*` in a filter stands for these services.
    services: Mutex<BTreeSet<String>>,
    /// Changes whenever watches may have missed events.
    missed: Sender<()>,
}

impl NatsBus {
    /// Connects, or fails within seconds. A connection that is lost later is re-established, however long
    /// that takes.
    pub async fn connect(config: NatsConfig) -> Result<Self> {
        crate::install_crypto();
        if !super::is_literal(&config.namespace) {
            return Err(Error::internal("the event namespace must be one token"));
        }
        let mut options = ConnectOptions::new();
        if let Some(path) = &config.credentials_file {
            options = options.credentials_file(path).await.map_err(Error::internal)?;
        }
        // The client ignores credentials in the address, so pass them on separately.
        let address: ServerAddr =
            config.url.parse().map_err(|_| Error::internal("the address of nats is not valid"))?;
        if let (Some(user), Some(password)) = (address.username(), address.password()) {
            let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
            let user = plain(user);
            // Events are delivered to inboxes, so each account has its own and may listen to no other.
            if super::is_literal(&user) {
                options = options.custom_inbox_prefix(format!("_INBOX.{user}"));
            }
            options = options.user_and_password(user, plain(password));
        }
        if !config.needed {
            options = options.retry_on_initial_connect();
        }
        let missed = Sender::new(());
        let noting = missed.clone();
        let client = options
            .name("waybill")
            .connection_timeout(REQUEST_TIMEOUT)
            .request_timeout(Some(REQUEST_TIMEOUT))
            .ping_interval(PING_INTERVAL)
            .max_reconnects(None)
            .event_callback(move |event| {
                note(&event, &noting);
                future::ready(())
            })
            .connect(address)
            .await
            .map_err(unavailable)?;
        let context = async_nats::jetstream::ContextBuilder::new()
            .timeout(REQUEST_TIMEOUT)
            .ack_timeout(REQUEST_TIMEOUT)
            .build(client.clone());
        Ok(Self(Arc::new(Shared { config, client, context, services: Mutex::default(), missed })))
    }

    pub(super) async fn ready(&self) -> Result<()> {
        match self.0.client.connection_state() {
            async_nats::connection::State::Connected => Ok(()),
            other => Err(unavailable(format!("connection is {other}"))),
        }
    }

    pub(super) async fn publish(&self, event: &EncodedEvent) -> Result<()> {
        let envelope = &event.envelope;
        let span =
            tracing::info_span!("bus.publish", event.id = %envelope.id, event.subject = %envelope.subject);
        trace::link(&span, &envelope.traceparent);
        async {
            match self.send(event).await {
                // The broker lost its store: create the stream and publish again, once.
                Err(error) if error.kind() == PublishErrorKind::StreamNotFound => {
                    self.ensure_stream(service_of(&envelope.subject)).await?;
                    self.send(event).await.map_err(unavailable)
                }
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    let error_ = Error::new(Kind::InvalidInput, "EVENT_TOO_LARGE", "The event is too large");
                    Err(error_.with_source(error))
                }
                other => other.map_err(unavailable),
            }
        }
        .instrument(span)
        .await
    }

    async fn send(&self, event: &EncodedEvent) -> Result<(), async_nats::jetstream::context::PublishError> {
        let EncodedEvent { bytes, envelope } = event;
        let mut message = PublishMessage::build().message_id(&envelope.id).payload(bytes.clone());
        if super::is_id(&envelope.traceparent) {
            message = message.header("traceparent", envelope.traceparent.as_str());
        }
        let subject = self.on_the_wire(&envelope.subject);
        self.0.context.send_publish(subject, message).await?.await?;
        Ok(())
    }

    /// Maps a subject or filter to this namespace.
    fn on_the_wire(&self, subject: &str) -> String {
        match subject.split_once('.') {
            Some((_, rest)) => format!("{}.{rest}", self.0.config.namespace),
            None => subject.to_owned(),
        }
    }

    fn our_subject(&self, subject: &str) -> Option<String> {
        let rest = subject.strip_prefix(&self.0.config.namespace)?.strip_prefix('.')?;
        Some(format!("{PREFIX}.{rest}"))
    }

    pub(super) async fn register(&self, consumers: Vec<Consumer>) -> Result<Registration> {
        let mut readers = Vec::new();
        for consumer in consumers {
            // A JetStream consumer has one filter and one stream, so a filter over all services becomes one
            // reader per stream.
            let services = match service_of(&consumer.subject) {
                "*" => {
                    self.0.services.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
                }
                one => vec![one.to_owned()],
            };
            if services.is_empty() {
                return Err(Error::internal("a filter over all services needs ensure_streams first"));
            }
            for service in services {
                self.ensure_consumer(&consumer, &service).await?;
                readers.push((consumer.clone(), service));
            }
        }
        Ok(Registration { bus: self.clone(), readers })
    }

    async fn ensure_consumer(&self, consumer: &Consumer, service: &str) -> Result<JsConsumer<pull::Config>> {
        self.ensure_stream(service).await?;
        let own = consumer.subject.replacen('*', service, usize::from(service_of(&consumer.subject) == "*"));
        let config = pull::Config {
            durable_name: Some(consumer.name.to_owned()),
            filter_subject: self.on_the_wire(&own),
            ack_wait: self.0.config.ack_wait,
            max_ack_pending: i64::from(self.0.config.max_ack_pending),
            // Unlimited, because we count attempts ourselves and make a dead letter after the last one; the
            // server would only stop delivering.
            max_deliver: -1,
            ..pull::Config::default()
        };
        let filter = config.filter_subject.clone();
        let made = self
            .0
            .context
            .create_consumer_on_stream(config, self.stream_name(service))
            .await
            .map_err(unavailable)?;
        // A server may ignore options that it does not know, or silently refuse changes, so compare the
        // filter of the consumer that it made.
        if made.cached_info().config.filter_subject != filter {
            return Err(unavailable(format!("consumer {} kept another filter", consumer.name)));
        }
        Ok(made)
    }

    /// Pulls until stopped; recreates consumer and connection whenever the server fails.
    async fn read(self, consumer: Consumer, service: String, stop: CancellationToken) {
        let mut failures = 0u32;
        while !stop.is_cancelled() {
            let reading = async {
                let pulled = self.ensure_consumer(&consumer, &service).await?;
                self.pull(&consumer, &service, pulled, &stop, &mut failures).await
            };
            if let Err(error) = reading.await {
                failures += 1;
                let delay = Duration::from_millis(250).saturating_mul(1 << failures.min(6));
                tracing::warn!(consumer = consumer.name, stream.service = %service, error = %format_args!("{error:#}"), "reading events failed, will be tried again");
                tokio::select! {
                    () = tokio::time::sleep(delay.min(Duration::from_secs(10))) => {}
                    () = stop.cancelled() => {}
                }
            }
        }
    }

    async fn pull(
        &self,
        consumer: &Consumer,
        service: &str,
        pulled: JsConsumer<pull::Config>,
        stop: &CancellationToken,
        failures: &mut u32,
    ) -> Result<()> {
        let labels = [("consumer", consumer.name), ("service", service)];
        let waiting = metrics::reading(Gauge::ConsumerWaiting, &labels);
        loop {
            // No heartbeat on purpose: the client's batch hangs for good when it receives one.
            let pulling = pulled.batch().max_messages(1).expires(PULL_EXPIRES).messages();
            let mut batch = pulling.await.map_err(unavailable)?;
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => {
                    // A message may have arrived at this very moment: hand it back to the server.
                    if let Some(Some(Ok(message))) = batch.next().now_or_never() {
                        let _ = message.ack_with(AckKind::Nak(None)).await;
                    }
                    return Ok(());
                }
                next = batch.next() => next,
            };
            match next {
                Some(Ok(message)) => {
                    // Pending counts only the messages behind this one, so add one.
                    if let Ok(info) = message.info() {
                        waiting.set(info.pending as f64 + 1.0);
                    }
                    self.take(consumer, &message, || count(&pulled, &waiting)).await?;
                }
                Some(Err(error)) => return Err(unavailable(error)),
                // Check the consumer, because the server does not inform waiting readers when it has lost
                // their consumer.
                None => count(&pulled, &waiting).await?,
            }
            *failures = 0;
        }
    }

    /// Handles one message and acknowledges it.
    async fn take<C: Future<Output = Result<()>>>(
        &self,
        consumer: &Consumer,
        message: &Message,
        count: impl Fn() -> C,
    ) -> Result<()> {
        let outcome = tokio::select! {
            outcome = self.deliver(consumer, message) => outcome,
            never = self.extend(message, count) => match never {},
        };
        let kind = match outcome {
            Outcome::Done => AckKind::Ack,
            Outcome::Again(delay) => AckKind::Nak(Some(delay)),
        };
        // If the acknowledgement is lost, the message comes again, and the inbox absorbs the repetition.
        message.ack_with(kind).await.map_err(unavailable)
    }

    /// Extends the acknowledgement deadline of a message whose handling takes long, and counts what waits.
    async fn extend<C: Future<Output = Result<()>>>(
        &self,
        message: &Message,
        count: impl Fn() -> C,
    ) -> Infallible {
        loop {
            tokio::time::sleep(self.0.config.ack_wait / 3).await;
            let _ = message.ack_with(AckKind::Progress).await;
            let _ = count().await;
        }
    }

    async fn deliver(&self, consumer: &Consumer, message: &Message) -> Outcome {
        let delivered = message.info().map(|info| info.delivered).unwrap_or(1);
        let number = u32::try_from(delivered).unwrap_or(u32::MAX).max(1);
        let subject = self.our_subject(&message.subject).unwrap_or_default();
        let id = message
            .headers
            .as_ref()
            .and_then(|headers| headers.get(async_nats::header::NATS_MESSAGE_ID))
            .map_or("", |id| id.as_str());
        let retry = &self.0.config.retry;
        let raw = RawMessage { id, subject: &subject, payload: &message.payload };
        match EncodedEvent::decode(message.payload.clone()) {
            // The right to publish depends on the subject, so the envelope must contain the subject by which
            // it arrived.
            Ok(event) if event.envelope.subject != subject || super::check(&event.envelope).is_err() => {
                attempt::refuse(consumer, raw, number, "the envelope is not of this subject", retry).await
            }
            Ok(event) => attempt::deliver(consumer, &event, number, retry).await,
            Err(_) => attempt::refuse(consumer, raw, number, "the message is no envelope", retry).await,
        }
    }
}

/// Shows how many messages wait for a consumer, those included that are being handled.
async fn count(pulled: &JsConsumer<pull::Config>, waiting: &Reading) -> Result<()> {
    let info = pulled.get_info().await.map_err(unavailable)?;
    waiting.set(info.num_pending as f64 + info.num_ack_pending as f64);
    Ok(())
}

pub(super) struct Registration {
    bus: NatsBus,
    readers: Vec<(Consumer, String)>,
}

impl Registration {
    pub(super) async fn run(self, stop: CancellationToken) -> Result<()> {
        let mut tasks = JoinSet::new();
        for (consumer, service) in self.readers {
            tasks.spawn(self.bus.clone().read(consumer, service, stop.clone()));
        }
        while let Some(ended) = tasks.join_next().await {
            ended.map_err(Error::internal)?;
        }
        // Acknowledgements are sent asynchronously: flush them before the process may end.
        if !stop.is_cancelled() {
            stop.cancelled().await;
        }
        let _ = tokio::time::timeout(REQUEST_TIMEOUT, self.bus.0.client.flush()).await;
        Ok(())
    }
}

/// Returns the second token of a subject or filter.
fn service_of(subject: &str) -> &str {
    subject.split('.').nth(1).unwrap_or_default()
}

fn note(event: &Event, missed: &Sender<()>) {
    if let Event::Connected | Event::SlowConsumer(_) = event {
        missed.send_replace(());
    }
    match event {
        Event::Connected => tracing::info!("nats connected"),
        Event::Disconnected => tracing::warn!("nats disconnected, reconnecting"),
        Event::ClientError(error) => tracing::warn!(%error, "nats client error"),
        Event::ServerError(error) => tracing::warn!(%error, "nats server error"),
        other => tracing::debug!(event = %other, "nats event"),
    }
}

fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::unavailable("EVENTS_UNAVAILABLE", "Changes cannot be passed on right now. Try again in a moment.")
        .with_source(source)
}
