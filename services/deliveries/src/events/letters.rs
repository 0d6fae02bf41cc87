//! Emits events about dead letters: an endpoint was paused or its pause ended, an event is to be handled again.

use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::{DeadLetterReplayed, EndpointPaused, EndpointResumed};

use crate::domain::outbound::FAILURES_BEFORE_PAUSE;
use crate::entity::{dead_letter, outbound_endpoint};
use ::store::Tx;
use ::store::audit::By;
use ::store::outbox::{self, NewEvent};

/// Emits that an endpoint was paused, so that administrators are notified.
pub async fn endpoint_paused(tx: &Tx, endpoint: &outbound_endpoint::Model, now: DateTime<Utc>) -> Result<()> {
    let payload = EndpointPaused {
        id: endpoint.id.to_string(),
        name: endpoint.name.clone(),
        failures: FAILURES_BEFORE_PAUSE.unsigned_abs(),
    };
    let event = NewEvent {
        service: crate::NAME,
        actor: "system:deliveries",
        aggregate_id: &payload.id.clone(),
        aggregate_version: 0,
        occurred_at: now,
        payload: payload.into(),
    };
    outbox::add(tx, event).await.map(|_| ())
}

/// Emits that the pause of an endpoint ended, because it was resumed, switched off or deleted; `endpoint` is the
/// row before. Does nothing if it was not paused.
pub async fn pause_ended(tx: &Tx, endpoint: &outbound_endpoint::Model, by: By<'_>) -> Result<()> {
    let Some(paused_at) = endpoint.paused_at else { return Ok(()) };
    let id = endpoint.id.to_string();
    let event = NewEvent {
        service: crate::NAME,
        actor: by.actor,
        aggregate_id: &id,
        aggregate_version: 0,
        occurred_at: by.now,
        payload: EndpointResumed { id: id.clone(), paused_at: Some(proto::timestamp(paused_at)) }.into(),
    };
    outbox::add(tx, event).await.map(|_| ())
}

/// Emits that an administrator wants an event to be handled again or, with `discard`, to be discarded.
/// Ignores letters that are not about an event.
pub async fn dead_letter_replayed(
    tx: &Tx,
    letter: &dead_letter::Model,
    discard: bool,
    by: By<'_>,
) -> Result<()> {
    let named = letter.idempotency_key.strip_prefix("event:").and_then(|key| key.split_once(':'));
    let named = named.and_then(|(service, rest)| Some((service, rest.split_once(':')?)));
    let Some((service, (consumer, event_id))) = named else { return Ok(()) };
    let payload = DeadLetterReplayed {
        service: service.to_owned(),
        consumer: consumer.to_owned(),
        event_id: event_id.to_owned(),
        discard,
    };
    let event = NewEvent {
        service: crate::NAME,
        actor: by.actor,
        aggregate_id: &letter.id.to_string(),
        aggregate_version: 0,
        occurred_at: by.now,
        payload: payload.into(),
    };
    outbox::add(tx, event).await.map(|_| ())
}
