//! The failure rule, once for both buses: what one delivery of one event to one consumer comes
//! to. Knows neither how the event arrived nor how it is acknowledged.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanContext, TraceContextExt};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use proto::events::Envelope;
use tracing::{Instrument, Span, field};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::{Consumer, RawMessage, Retry};
use crate::{Error, Kind, Result};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Handled, skipped or safe as a dead letter: acknowledge.
    Done,
    /// Not handled: deliver again after this pause.
    Again(Duration),
}

/// Delivers an event for the `attempt`th time, counted from one.
pub(super) async fn deliver(
    consumer: &Consumer,
    envelope: &Envelope,
    attempt: u32,
    retry: &Retry,
) -> Outcome {
    // A root of its own, linked to the trace of the change: the request that made the change is
    // over, and with several consumers it would have several endings.
    let span = tracing::info_span!(
        parent: None,
        "bus.handle",
        event.id = %envelope.id,
        event.subject = %envelope.subject,
        consumer = consumer.name,
        attempt,
        outcome = field::Empty,
    );
    link(&span, &envelope.traceparent);
    async {
        let (text, outcome) = decide(consumer, envelope, attempt, retry).await;
        Span::current().record("outcome", text);
        outcome
    }
    .instrument(span)
    .await
}

async fn decide(
    consumer: &Consumer,
    envelope: &Envelope,
    attempt: u32,
    retry: &Retry,
) -> (&'static str, Outcome) {
    let id = &envelope.id;
    if envelope.payload.is_none() {
        // Written by a newer version: nothing here could understand it on the fifth look either.
        tracing::warn!(event.id = %id, consumer = consumer.name, "event of an unknown kind skipped");
        return ("skipped", Outcome::Done);
    }
    if attempt > retry.attempts.max(1) {
        // It came back after its last attempt: the sink failed, or the process died each time.
        // Handling it once more could kill this process too.
        return raise(consumer, envelope, attempt - 1, "no answer to the last attempt", retry).await;
    }
    let error = match handle(consumer, envelope, retry).await {
        Ok(()) => return ("handled", Outcome::Done),
        Err(error) => error,
    };
    if attempt < retry.attempts {
        let delay = retry.delay(attempt);
        tracing::warn!(
            event.id = %id, consumer = consumer.name, attempt, %error,
            delay_ms = delay.as_millis() as u64, "handling failed, will be tried again"
        );
        return ("failed", Outcome::Again(delay));
    }
    tracing::error!(event.id = %id, consumer = consumer.name, attempt, %error, "handling failed for the last time");
    raise(consumer, envelope, attempt, &told(&error), retry).await
}

async fn handle(consumer: &Consumer, envelope: &Envelope, retry: &Retry) -> Result<()> {
    let handling = AssertUnwindSafe(consumer.handler.handle(envelope)).catch_unwind();
    match tokio::time::timeout(retry.timeout, handling).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(Error::new(Kind::Internal, "HANDLER_PANICKED", "The handler panicked")),
        Err(_) => Err(Error::unavailable("HANDLER_TIMEOUT", "The handler took too long")),
    }
}

async fn raise(
    consumer: &Consumer,
    envelope: &Envelope,
    attempts: u32,
    last_error: &str,
    retry: &Retry,
) -> (&'static str, Outcome) {
    let raising = consumer.dead_letters.raise(envelope, consumer.name, attempts, last_error);
    match safely(raising, retry).await {
        Ok(()) => ("dead_letter", Outcome::Done),
        Err(error) => {
            tracing::error!(event.id = %envelope.id, consumer = consumer.name, %error, "raising a dead letter failed, the event is kept");
            ("kept", Outcome::Again(retry.max_delay))
        }
    }
}

/// A message that is no envelope of ours goes straight to the dead letters: it will not get
/// better, and it must not hold up the ones behind it.
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
            tracing::error!(event.id = raw.id, consumer = consumer.name, %error, "raising a dead letter failed, the message is kept");
            Outcome::Again(retry.max_delay)
        }
    }
}

async fn safely(raising: impl Future<Output = Result<()>>, retry: &Retry) -> Result<()> {
    match tokio::time::timeout(retry.timeout, AssertUnwindSafe(raising).catch_unwind()).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(Error::internal("the dead letter sink panicked")),
        Err(_) => Err(Error::unavailable("DEAD_LETTER_TIMEOUT", "The dead letter sink took too long")),
    }
}

/// What a dead letter says about the error. It is stored and shown, so the source stays in the
/// log: it may quote data or a connection string.
fn told(error: &Error) -> String {
    format!("{} ({})", error.message, error.reason)
}

/// Links a span to the trace of the change that caused the event.
pub(super) fn link(span: &Span, traceparent: &str) {
    if traceparent.is_empty() {
        return;
    }
    let carrier = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    let context: SpanContext = TraceContextPropagator::new().extract(&carrier).span().span_context().clone();
    // Invalid ones are ignored there.
    span.add_link(context);
}
