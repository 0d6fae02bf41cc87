//! The failure rule, shared by both buses: the outcome of delivering one event to one consumer once. This
//! module does not know how the event arrived or how it is acknowledged.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures::FutureExt;
use proto::events::Envelope;
use tracing::{Instrument, Span, field};

use super::{Consumer, Earlier, EncodedEvent, End, RawMessage, Retry};
use crate::clock::Clock;
use crate::{Error, Kind, Result, metrics, trace};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Handled, skipped or stored as a dead letter: acknowledge.
    Done,
    /// Not handled: deliver again after this pause.
    Again(Duration),
}

/// Delivers an encoded event that the bus may have lost. Returns whether the consumer is done with the event:
/// it has handled the event or stored it as a dead letter.
pub async fn replay(consumer: &Consumer, payload: &[u8], retry: &Retry) -> bool {
    let outcome = match EncodedEvent::decode(payload.to_vec()) {
        Ok(event) if super::check(&event.envelope).is_ok() => {
            // Count this as the second delivery. From the second on, `deliver` records the beginning of each
            // attempt. A beginning without an end later shows that the event killed the process.
            deliver(consumer, &event, 2, retry).await
        }
        _ => {
            let raw = RawMessage { id: "", subject: &consumer.subject, payload };
            refuse(consumer, raw, 1, "the message is no envelope", retry).await
        }
    };
    outcome == Outcome::Done
}

/// Delivers an event for the `time`th time, counted from one.
pub(super) async fn deliver(consumer: &Consumer, event: &EncodedEvent, time: u32, retry: &Retry) -> Outcome {
    let envelope = &event.envelope;
    // A root span, linked to the trace of the change instead of being part of it: the request that made the
    // change is over, and with several consumers the trace would have several endings.
    let span = tracing::info_span!(
        parent: None,
        "bus.handle",
        event.id = %envelope.id,
        event.subject = %envelope.subject,
        consumer = consumer.name,
        attempt = time,
        outcome = field::Empty,
        trace_id = field::Empty,
    );
    trace::link(&span, &envelope.traceparent);
    trace::note_id(&span);
    let begun = Instant::now();
    async {
        let (text, outcome) = Delivery { consumer, event, time, retry }.decide().await;
        Span::current().record("outcome", text);
        let age = (text == "handled").then(|| age(envelope)).flatten();
        metrics::event(consumer.name, text, begun.elapsed(), age);
        outcome
    }
    .instrument(span)
    .await
}

impl Consumer {
    /// Passes an event to the handler.
    ///
    /// # Errors
    ///
    /// `HANDLER_PANICKED` if the handler panicked; otherwise errors of the handler.
    pub async fn handle(&self, envelope: &Envelope) -> Result<()> {
        let handling = AssertUnwindSafe(self.handler.handle(envelope)).catch_unwind();
        let panicked = || Error::new(Kind::Internal, "HANDLER_PANICKED", "The handler panicked");
        handling.await.unwrap_or_else(|_| Err(panicked()))
    }
}

/// Returns how long ago the change was made, by this machine's clock.
fn age(envelope: &Envelope) -> Option<Duration> {
    let occurred = proto::instant(envelope.occurred_at?)?;
    Some((Clock::system().now() - occurred).to_std().unwrap_or_default())
}

struct Delivery<'a> {
    consumer: &'a Consumer,
    event: &'a EncodedEvent,
    time: u32,
    retry: &'a Retry,
}

type Decided = (&'static str, Outcome);

impl Delivery<'_> {
    async fn decide(&self) -> Decided {
        if self.event.envelope.payload.is_none() {
            // A newer release wrote the event; one of its processes will handle it.
            return self.wait(&Error::unavailable("EVENT_UNKNOWN", "This release doesn't know this event"));
        }
        // Do not note the first attempt before it begins: nearly all first attempts succeed.
        let again = self.time > 1;
        if again {
            let (notes, name) = (&self.consumer.dead_letters, self.consumer.name);
            let beginning = notes.begin(name, &self.event.envelope.id, self.retry.longest_attempt());
            match safely(beginning, self.retry).await {
                Err(error) => return self.wait(&error),
                Ok(Earlier::GivenUp) => return ("given_up", Outcome::Done),
                // Readers of the bus and reconciliation, here and in other replicas, may have the same event.
                Ok(Earlier::Running) => {
                    return self.wait(&Error::unavailable(
                        "EVENT_RUNNING",
                        "Another attempt to handle this event is running",
                    ));
                }
                // Give up, because another attempt could end this process too.
                Ok(Earlier::Tried { failures, died: true }) if failures >= self.retry.attempts.max(1) => {
                    return self.raise(failures, "The process ended while handling it").await;
                }
                Ok(Earlier::Tried { .. }) => {}
            }
        }
        match self.handle().await {
            Ok(()) => {
                crate::fail_point("kit.event.handled");
                if again {
                    let _ = self.note(End::Handled).await;
                }
                ("handled", Outcome::Done)
            }
            Err(error) if error.is_transient() => {
                if again {
                    let _ = self.note(End::Waiting).await;
                }
                self.wait(&error)
            }
            Err(error) => self.failed(&error).await,
        }
    }

    async fn handle(&self) -> Result<()> {
        let handling = self.consumer.handle(&self.event.envelope);
        tokio::time::timeout(self.retry.timeout, handling)
            .await
            .unwrap_or_else(|_| Err(Error::unavailable("HANDLER_TIMEOUT", "The handler took too long")))
    }

    /// Records how the attempt ended; returns the number of failures so far. Retries for as long as an
    /// attempt may take, because an attempt without a recorded end counts as a crash of the process.
    async fn note(&self, how: End) -> Result<u32> {
        let noting = async {
            for time in 1.. {
                let ending = self.consumer.dead_letters.end(self.consumer.name, &self.event.envelope.id, how);
                match safely(ending, self.retry).await {
                    Ok(failures) => return failures,
                    Err(error) => {
                        tracing::debug!(error = %format_args!("{error:#}"), "how handling ended cannot be noted yet")
                    }
                }
                tokio::time::sleep(self.retry.delay(time)).await;
            }
            0
        };
        tokio::time::timeout(self.retry.timeout, noting)
            .await
            .map_err(|_| Error::unavailable("NOTES_UNAVAILABLE", "Failures cannot be noted right now"))
    }

    /// Waits for a dependency that is down. This doesn't count against the event, which is retried until the
    /// dependency is back.
    fn wait(&self, error: &Error) -> Decided {
        let delay = self.retry.delay(self.time);
        let (id, consumer, time) = (&self.event.envelope.id, self.consumer.name, self.time);
        if delay >= self.retry.max_delay && time.is_power_of_two() {
            tracing::error!(event.id = %id, consumer, time, error = %format_args!("{error:#}"), "an event has been waiting to be handled for long");
        } else if time.is_power_of_two() {
            tracing::warn!(event.id = %id, consumer, time, error = %format_args!("{error:#}"), "an event waits to be handled");
        }
        ("waiting", Outcome::Again(delay))
    }

    async fn failed(&self, error: &Error) -> Decided {
        let failures = match self.note(End::Failed).await {
            Ok(failures) => failures,
            Err(error) => return self.wait(&error),
        };
        let (id, consumer) = (&self.event.envelope.id, self.consumer.name);
        if failures < self.retry.attempts.max(1) {
            let delay = self.retry.delay(failures);
            tracing::warn!(
                event.id = %id, consumer, failures, error = %format_args!("{error:#}"),
                delay_ms = delay.as_millis() as u64, "handling failed, will be tried again"
            );
            return ("failed", Outcome::Again(delay));
        }
        tracing::error!(event.id = %id, consumer, failures, error = %format_args!("{error:#}"), "handling failed for the last time");
        // Without the source, which may quote data or a connection string: a dead letter is stored and shown.
        self.raise(failures, &error.to_string()).await
    }

    async fn raise(&self, attempts: u32, last_error: &str) -> Decided {
        let name = self.consumer.name;
        let raising = self.consumer.dead_letters.raise(self.event, name, attempts, last_error);
        match safely(raising, self.retry).await {
            Ok(()) => ("dead_letter", Outcome::Done),
            Err(error) => {
                tracing::error!(event.id = %self.event.envelope.id, consumer = name, error = %format_args!("{error:#}"), "raising a dead letter failed, the event is kept");
                ("kept", Outcome::Again(self.retry.max_delay))
            }
        }
    }
}

/// Makes a dead letter of a message that is not a valid envelope: retrying cannot help, and the message must
/// not hold up the messages behind it.
pub(super) async fn refuse(
    consumer: &Consumer,
    raw: RawMessage<'_>,
    attempt: u32,
    why: &str,
    retry: &Retry,
) -> Outcome {
    tracing::error!(
        event.id = raw.id,
        event.subject = raw.subject,
        consumer = consumer.name,
        "message refused: {why}"
    );
    match safely(consumer.dead_letters.raise_raw(&raw, consumer.name, attempt, why), retry).await {
        Ok(()) => Outcome::Done,
        Err(error) => {
            tracing::error!(event.id = raw.id, consumer = consumer.name, error = %format_args!("{error:#}"), "raising a dead letter failed, the message is kept");
            Outcome::Again(retry.max_delay)
        }
    }
}

async fn safely<T>(noting: impl Future<Output = Result<T>>, retry: &Retry) -> Result<T> {
    match tokio::time::timeout(retry.timeout, AssertUnwindSafe(noting).catch_unwind()).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(Error::internal("what keeps dead letters panicked")),
        Err(_) => Err(Error::unavailable("DEAD_LETTER_TIMEOUT", "The dead letter sink took too long")),
    }
}
