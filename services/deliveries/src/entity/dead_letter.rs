use chrono::{DateTime, Utc};
use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;
use sea_orm::{Condition, FromJsonQueryResult};
use serde::{Deserialize, Serialize};

use crate::domain::outbound::{Method, State};

/// One attempt to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub at: DateTime<Utc>,
    /// HTTP status; `None` without a response.
    pub status: Option<u16>,
    pub ms: u32,
    /// Empty when the message was accepted.
    pub error: String,
    /// The body that was sent, if it differs from the payload.
    pub request_body: String,
    pub response_body: String,
}

/// The newest attempts, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Attempts(pub Vec<Attempt>);

/// One message to one endpoint, from the change that caused it until it is deleted. With the method `event`:
/// an event that one of our consumers gave up on.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_dead_letter")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub delivery_id: String,
    pub delivery_key: String,
    pub method: Method,
    pub state: State,
    /// NULL if the method is `event`.
    pub endpoint_id: Option<Uuid>,
    /// Rises with every send about the delivery; sends to one endpoint go out in this order.
    pub position: i64,
    pub queued_at: DateTimeUtc,
    /// When the message first failed; until then, when it was queued. See [`Model::failed_at`].
    pub created_at: DateTimeUtc,
    pub processed_at: Option<DateTimeUtc>,
    /// When the message was sent or discarded. The row, and with it the message's key, is kept for 90 days
    /// from then on.
    pub closed_at: Option<DateTimeUtc>,
    /// Set only while the message waits.
    pub next_attempt_at: Option<DateTimeUtc>,
    pub payload: String,
    pub edited_payload: Option<String>,
    /// Headers of the last request as JSON, with secrets masked.
    pub request_headers: String,
    pub response_status: Option<i32>,
    pub response_body: String,
    pub error_class: String,
    pub error_text: String,
    pub error_fingerprint: String,
    /// Number of attempts ever made.
    pub attempts: i32,
    /// Number of attempts in the current schedule, which starts over with each resend.
    pub tries: i32,
    pub attempt_log: Attempts,
    #[sea_orm(unique)]
    pub idempotency_key: String,
    pub resends: i32,
    pub discarded_by: Option<String>,
    pub discard_reason: Option<String>,
    /// The system that reported the message; NULL for our own messages.
    pub producer_id: Option<Uuid>,
    /// The sent letter that this letter repeats.
    pub replay_of: Option<Uuid>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Returns the body to send.
    pub fn body(&self) -> &str {
        self.edited_payload.as_deref().unwrap_or(&self.payload)
    }

    /// Returns the id by which a receiver recognizes the message, the same in every attempt and repetition.
    pub fn message_id(&self) -> &str {
        message_id(&self.idempotency_key)
    }

    /// Returns when the message first failed; `None` if it never failed. [`has_failed`] is the same in SQL.
    pub fn failed_at(&self) -> Option<DateTime<Utc>> {
        // Events, and messages of other systems, failed before they became letters.
        let failed_before =
            self.replay_of.is_none() && (self.producer_id.is_some() || self.method == Method::Event);
        // All attempts of a message failed, except the last one if the message was sent.
        let failed_here = self.attempts > i32::from(self.state == State::Success);
        (failed_before || failed_here).then_some(self.created_at)
    }
}

/// The columns that [`has_failed`] compares.
pub const FAILURE_COLUMNS: &[Column] =
    &[Column::ReplayOf, Column::ProducerId, Column::Method, Column::Attempts, Column::State];

/// Selects the messages that failed at least once: those with a [`Model::failed_at`].
pub fn has_failed() -> Condition {
    let came_failed =
        Condition::any().add(Column::ProducerId.is_not_null()).add(Column::Method.eq(Method::Event));
    let failed_before = Condition::all().add(Column::ReplayOf.is_null()).add(came_failed);
    let unsent = Condition::all().add(Column::Attempts.gt(0)).add(Column::State.ne(State::Success));
    Condition::any().add(failed_before).add(Column::Attempts.gt(1)).add(unsent)
}

/// In the key of a repetition, separates the message id from the part that makes the key unique.
const REPLAY: char = '#';

/// Returns the key of a letter that repeats another one.
pub fn replay_key(original: &str, id: Uuid) -> String {
    format!("{}{REPLAY}{}", message_id(original), id.simple())
}

/// Returns the message id that is sent: a repetition has the id of its original.
fn message_id(key: &str) -> &str {
    key.split_once(REPLAY).map_or(key, |(id, _)| id)
}

fn status(status: Option<u16>) -> Option<u32> {
    status.map(u32::from)
}

/// The caller fills in what comes from other rows: endpoint, producer, and which letters wait for which.
impl From<Model> for wire::DeadLetter {
    fn from(row: Model) -> Self {
        let never_failed = row.failed_at().is_none();
        let Model {
            id,
            delivery_id,
            delivery_key: _,
            method,
            state,
            endpoint_id,
            position: _,
            queued_at,
            created_at,
            processed_at,
            closed_at: _,
            next_attempt_at,
            payload,
            edited_payload,
            request_headers,
            response_status,
            response_body,
            error_class,
            error_text,
            error_fingerprint,
            attempts,
            tries: _,
            attempt_log,
            idempotency_key,
            resends,
            discarded_by,
            discard_reason,
            producer_id: _,
            replay_of,
        } = row;
        let idempotency_key = message_id(&idempotency_key).to_owned();
        let log = attempt_log.0.into_iter().map(|it| wire::DeadLetterAttempt {
            at: Some(proto::timestamp(it.at)),
            status: status(it.status),
            ms: it.ms,
            error: it.error,
            request_body: it.request_body,
            response_body: it.response_body,
        });
        wire::DeadLetter {
            id: id.to_string(),
            delivery_id,
            method: method.as_str().to_owned(),
            created_at: Some(proto::timestamp(created_at)),
            processed_at: processed_at.map(proto::timestamp),
            state: state.as_str().to_owned(),
            endpoint_id: endpoint_id.map(|id| id.to_string()).unwrap_or_default(),
            endpoint_name: String::new(),
            endpoint_url: String::new(),
            endpoint_paused: false,
            endpoint_off: false,
            payload,
            edited_payload,
            request_headers,
            response_status: response_status.map(i32::unsigned_abs),
            response_body,
            error_class,
            error_text,
            error_fingerprint,
            attempts: attempts.unsigned_abs(),
            attempt_log: log.collect(),
            next_attempt_at: next_attempt_at.map(proto::timestamp),
            idempotency_key,
            discarded_by: discarded_by.unwrap_or_default(),
            discard_reason: discard_reason.unwrap_or_default(),
            resends: resends.unsigned_abs(),
            queued_at: Some(proto::timestamp(queued_at)),
            producer_name: String::new(),
            waits_behind: None,
            behind: Vec::new(),
            behind_count: 0,
            replay_of: replay_of.map(|id| id.to_string()).unwrap_or_default(),
            never_failed,
        }
    }
}
