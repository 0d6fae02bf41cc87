//! Stores an event as a dead letter after a consumer of any service gave up on it.

use ::store::consume::Meta;
use ::store::filter::fold;
use ::store::{Tx, db};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kit::Result;
use prost::Message;
use proto::events::{DeadLetterRaised, Envelope};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect};

use crate::domain::intake::without_nul;
use crate::domain::outbound::{ErrorClass, Method, State, fingerprint};
use crate::entity::dead_letter::{ActiveModel, Attempt, Attempts, Column, Entity, Model};
use crate::outbound::sends;

/// Number of attempts that are kept.
const MAX_LOG: usize = 20;
const MAX_ERROR_CHARS: usize = 500;

pub async fn apply(tx: &Tx, raised: DeadLetterRaised, meta: &Meta) -> Result<()> {
    let service = meta.actor.strip_prefix("system:").unwrap_or(&meta.actor).to_owned();
    let key = key(&service, &raised.consumer, &raised.event_id);
    let error: String = without_nul(&raised.last_error).chars().take(MAX_ERROR_CHARS).collect();
    let known = Entity::find().filter(Column::IdempotencyKey.eq(&key)).lock_exclusive();
    let row = match known.one(&**tx).await.map_err(db)? {
        // Discarded while a replay was running, whose failure arrives only now.
        Some(row) if row.state == State::Discarded => return Ok(()),
        Some(row) => again(row, &raised, &error, meta),
        None => first(&service, key, &raised, &error, meta),
    };
    row.save(tx).await
}

enum Row {
    New(Box<ActiveModel>),
    Known(Box<ActiveModel>),
}

impl Row {
    async fn save(self, tx: &Tx) -> Result<()> {
        match self {
            Row::New(row) => Entity::insert(*row).exec_without_returning(&**tx).await.map(|_| ()),
            Row::Known(row) => row.update(&**tx).await.map(|_| ()),
        }
        .map_err(db)
    }
}

/// Returns the key of the letter about an event that one consumer gave up on.
pub fn key(service: &str, consumer: &str, event_id: &str) -> String {
    format!("event:{service}:{consumer}:{event_id}")
}

fn first(service: &str, key: String, raised: &DeadLetterRaised, error: &str, meta: &Meta) -> Row {
    let envelope = Envelope::decode(raised.envelope.as_slice()).unwrap_or_default();
    let delivery = if envelope.subject.contains(".delivery.") { envelope.aggregate_id.as_str() } else { "" };
    let message =
        (!raised.message.is_empty()).then(|| without_nul(&String::from_utf8_lossy(&raised.message)));
    let payload = serde_json::json!({
        "service": without_nul(service),
        "consumer": without_nul(&raised.consumer),
        "eventId": without_nul(&raised.event_id),
        "subject": without_nul(&envelope.subject),
        "actor": without_nul(&envelope.actor),
        "aggregateId": without_nul(&envelope.aggregate_id),
        "occurredAt": envelope.occurred_at.and_then(proto::instant),
        "envelope": STANDARD.encode(&raised.envelope),
        "message": message,
    });
    let id = without_nul(delivery);
    let row = ActiveModel {
        delivery_key: Set(fold(&id)),
        delivery_id: Set(id),
        idempotency_key: Set(key),
        ..sends::new_row(Method::Event, payload.to_string(), meta.occurred_at)
    };
    Row::New(Box::new(failed(row, &raised.consumer, raised, error, meta, Attempts::default())))
}

fn again(row: Model, raised: &DeadLetterRaised, error: &str, meta: &Meta) -> Row {
    let log = row.attempt_log.clone();
    Row::Known(Box::new(failed(row.into_active_model(), &raised.consumer, raised, error, meta, log)))
}

fn failed(
    row: ActiveModel,
    consumer: &str,
    raised: &DeadLetterRaised,
    error: &str,
    meta: &Meta,
    Attempts(mut log): Attempts,
) -> ActiveModel {
    log.push(Attempt {
        at: meta.occurred_at,
        status: None,
        ms: 0,
        error: error.to_owned(),
        request_body: String::new(),
        response_body: String::new(),
    });
    let over = log.len().saturating_sub(MAX_LOG);
    ActiveModel {
        state: Set(State::Failed),
        closed_at: Set(None),
        next_attempt_at: Set(None),
        error_class: Set(ErrorClass::Handling.as_str().to_owned()),
        error_text: Set(error.to_owned()),
        error_fingerprint: Set(fingerprint(consumer, ErrorClass::Handling, error)),
        attempts: Set(i32::try_from(raised.attempts).unwrap_or(i32::MAX)),
        attempt_log: Set(Attempts(log.split_off(over))),
        ..row
    }
}
