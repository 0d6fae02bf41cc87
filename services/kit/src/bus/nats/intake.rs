//! Reads the reports that other systems publish, in batches that are acknowledged after their commit.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{Consumer as JsConsumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures::{FutureExt, StreamExt};
use tokio_util::sync::CancellationToken;

use super::unreadable::Floor;
use super::{NatsBus, unavailable};
use crate::bus::intake::{Intake, MOST, Reported, SERVICE, key, subject};
use crate::clock::Clock;
use crate::metrics::{self, Gauge, Reading};
use crate::{Error, Kind, Result};

/// How long to wait for more messages while a batch is not full.
const WAIT: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(10);

impl NatsBus {
    /// Reads until stopped; reconnects whenever the server fails.
    pub(in crate::bus) async fn take_in(self, intake: Intake, stop: CancellationToken) -> Result<()> {
        let mut failures = 0u32;
        // Kept across reconnections, because unread messages get older in the meantime.
        let backlog = Backlog::of(&intake);
        let mut floor = Floor::new();
        while !stop.is_cancelled() {
            let reading = async {
                let pulled = self.ensure_intake(&intake).await?;
                loop {
                    if stop.is_cancelled() {
                        return Ok(());
                    }
                    self.take_some(&intake, &pulled, &backlog, &mut floor, &stop).await?;
                    self.take_unreadable(&intake, &pulled, &mut floor).await?;
                    failures = 0;
                }
            };
            let result: Result<()> = reading.await;
            if let Err(error) = result {
                failures += 1;
                tracing::warn!(consumer = intake.name, error = %format_args!("{error:#}"), "what producers report cannot be taken in, will be tried again");
                let pause = Duration::from_millis(250).saturating_mul(1 << failures.min(6)).min(MAX_PAUSE);
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = stop.cancelled() => {}
                }
            }
        }
        Ok(())
    }

    async fn ensure_intake(&self, intake: &Intake) -> Result<JsConsumer<pull::Config>> {
        self.ensure_stream(SERVICE).await?;
        let config = pull::Config {
            durable_name: Some(intake.name.to_owned()),
            filter_subject: self.on_the_wire(&subject("*")),
            ack_wait: self.0.config.ack_wait,
            max_ack_pending: 10 * MOST as i64,
            max_deliver: -1,
            ..pull::Config::default()
        };
        let name = self.stream_name(SERVICE);
        self.0.context.create_consumer_on_stream(config, name).await.map_err(unavailable)
    }

    /// Takes the messages that are available, in one commit.
    async fn take_some(
        &self,
        intake: &Intake,
        pulled: &JsConsumer<pull::Config>,
        backlog: &Backlog,
        floor: &mut Floor,
        stop: &CancellationToken,
    ) -> Result<()> {
        let pulling = pulled.batch().max_messages(MOST).expires(super::PULL_EXPIRES).messages();
        let mut batch = pulling.await.map_err(unavailable)?;
        let mut messages: Vec<Message> = Vec::new();
        loop {
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                next = batch.next() => next,
                () = tokio::time::sleep(WAIT), if !messages.is_empty() => break,
            };
            match next {
                Some(Ok(message)) => messages.push(message),
                Some(Err(error)) => return Err(unavailable(error)),
                None => break,
            }
        }
        if messages.is_empty() {
            // Check the consumer, because the server does not inform waiting readers when it has lost their
            // consumer.
            if !stop.is_cancelled() {
                let info = pulled.get_info().await.map_err(unavailable)?;
                backlog.look(info.num_pending + info.num_ack_pending as u64);
            }
            return Ok(());
        }
        backlog.begin(&messages);
        let reported = messages.iter().map(|message| self.reported(message)).collect();
        let taking = AssertUnwindSafe(intake.taker.take(reported)).catch_unwind();
        let taken = match tokio::time::timeout(self.0.config.ack_wait / 2, taking).await {
            Ok(Ok(taken)) => taken,
            Ok(Err(_)) => Err(Error::new(Kind::Internal, "HANDLER_PANICKED", "The handler panicked")),
            Err(_) => Err(Error::unavailable("HANDLER_TIMEOUT", "The handler took too long")),
        };
        if taken.is_err() {
            floor.restart();
        }
        for message in &messages {
            let kind = if taken.is_ok() { AckKind::Ack } else { AckKind::Nak(Some(Duration::from_secs(1))) };
            // If the acknowledgement is lost, the message comes again, and [`Take`] recognizes its key.
            message.ack_with(kind).await.map_err(unavailable)?;
        }
        taken?;
        backlog.look(behind(&messages));
        Ok(())
    }

    fn reported(&self, message: &Message) -> Reported {
        let headers = message.headers.iter().flat_map(HeaderMap::iter).flat_map(|(name, values)| {
            let name: &str = name.as_ref();
            values.iter().map(move |value| (name, value.as_str()))
        });
        let headers: Vec<(&str, &str)> = headers.collect();
        let subject = self.our_subject(&message.subject).unwrap_or_default();
        Reported::new(&subject, key(&headers), &message.payload)
    }
}

/// Messages that other systems have published and that are not stored yet, for metrics.
struct Backlog {
    waiting: Reading,
    oldest: Reading,
}

impl Backlog {
    fn of(intake: &Intake) -> Self {
        let labels = [("consumer", intake.name), ("service", SERVICE)];
        Self {
            waiting: metrics::reading(Gauge::ConsumerWaiting, &labels),
            oldest: metrics::reading(Gauge::IntakeOldest, &labels[..1]),
        }
    }

    /// Notes that these messages are about to be stored.
    fn begin(&self, messages: &[Message]) {
        let published = messages.iter().filter_map(|it| Some(it.info().ok()?.published.unix_timestamp()));
        if let Some(first) = published.min() {
            self.oldest.set((Clock::system().now().timestamp() - first).max(0) as f64);
        }
        self.waiting.set((messages.len() as u64 + behind(messages)) as f64);
    }

    /// Records how many messages are left. Resets the age of the oldest message only if none are left. If
    /// some are left, the next read updates the age.
    fn look(&self, waiting: u64) {
        self.waiting.set(waiting as f64);
        if waiting == 0 {
            self.oldest.set(0.0);
        }
    }
}

/// Returns how many messages were still waiting when the last of these was received.
fn behind(messages: &[Message]) -> u64 {
    messages.last().and_then(|it| Some(it.info().ok()?.pending)).unwrap_or_default()
}
