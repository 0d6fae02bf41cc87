//! Failures of consumers: how often an event failed, and the events that consumers gave up.
//!
//! Both are stored in the consumer's own database. A dead letter keeps the event as received until an
//! administrator decides; the event `deadletter.raised` informs other services. [`replay`](crate::replay)
//! handles a dead letter again.

use std::collections::HashSet;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::Result;
use kit::bus::{Earlier, EncodedEvent, End, RawMessage};
use kit::clock::{Clock, new_id};
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{DeadLetterRaised, Envelope};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use crate::clearing::Doubts;
use crate::outbox::{self, NewEvent};
use crate::{Db, Tx, db};

/// Maximum size of an event that `deadletter.raised` carries; a larger event is stored here only.
const MAX_WRAPPED: usize = 64 << 10;
/// State of a dead letter that waits for a decision.
pub(crate) const OPEN: &str = "open";
/// State of a dead letter whose event was handled by a replay.
pub(crate) const HANDLED: &str = "handled";
/// State of a dead letter that an administrator discarded.
pub(crate) const DISCARDED: &str = "discarded";

pub mod dead_letter {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "dead_letters")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        /// The event's id; for a message that is not an event, the digest of the message.
        pub event_id: String,
        pub consumer: String,
        pub subject: String,
        /// The envelope, or the message as received.
        pub payload: Vec<u8>,
        pub attempts: i32,
        pub last_error: String,
        pub raised_at: DateTimeUtc,
        pub state: String,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// Events that were delivered more than once.
pub mod event_attempt {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_attempts")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub consumer: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub event_id: String,
        pub failures: i32,
        /// Whether an attempt is running. If the process died during the attempt, this is still set when the
        /// next one begins.
        pub is_running: bool,
        /// When the running attempt began or the last one ended, by the database's clock.
        pub noted_at: DateTimeUtc,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// Returns the dead letters that wait for an administrator, oldest first.
pub async fn list(db_: &Db, limit: u64) -> Result<Vec<dead_letter::Model>> {
    use dead_letter::Column as C;
    let open = dead_letter::Entity::find().filter(C::State.eq(OPEN));
    open.order_by_asc(C::RaisedAt).order_by_asc(C::Id).limit(limit).all(db_.read()).await.map_err(db)
}

/// Returns how many dead letters wait for an administrator.
pub async fn count(db_: &Db) -> Result<u64> {
    let open = dead_letter::Entity::find().filter(dead_letter::Column::State.eq(OPEN));
    open.count(db_.read()).await.map_err(db)
}

/// Returns which of these events the consumer gave up, whatever an administrator has decided since.
pub(crate) async fn given_up(db_: &Db, consumer: &str, event_ids: Vec<String>) -> Result<HashSet<String>> {
    use dead_letter::Column as C;
    let letters =
        dead_letter::Entity::find().select_only().column(C::EventId).filter(C::Consumer.eq(consumer));
    let ids = letters.filter(C::EventId.is_in(event_ids)).into_tuple().all(db_.read()).await.map_err(db)?;
    Ok(ids.into_iter().collect())
}

/// Deletes failure counts last updated before this time.
pub(crate) async fn forget_attempts(db_: &Db, before: DateTime<Utc>, doubts: &Doubts) -> Result<()> {
    let old = Condition::all().add(event_attempt::Column::NotedAt.lt(before));
    if doubts.allow_rows::<event_attempt::Entity>(db_, "counts of failed events", old.clone()).await? {
        event_attempt::Entity::delete_many().filter(old).exec(&db_.writer).await.map_err(db)?;
    }
    Ok(())
}

/// Returns the condition for handled and discarded dead letters that were raised before this time.
pub(crate) fn closed(before: DateTime<Utc>) -> Condition {
    use dead_letter::Column as C;
    Condition::all().add(C::State.is_in([HANDLED, DISCARDED])).add(C::RaisedAt.lt(before))
}

/// Deletes at most `limit` handled and discarded dead letters that were raised before this time; returns how
/// many.
pub(crate) async fn prune(db_: &Db, before: DateTime<Utc>, limit: u64) -> Result<u64> {
    use dead_letter::Column as C;
    let mut some = Query::select();
    some.column(C::Id).from(dead_letter::Entity).cond_where(closed(before)).limit(limit);
    let old = dead_letter::Entity::delete_many().filter(Expr::col(C::Id).in_subquery(some));
    Ok(old.exec(&db_.writer).await.map_err(db)?.rows_affected)
}

/// Stores the failures of a service's consumers.
pub struct DeadLetters {
    pub db: Db,
    pub service: &'static str,
    pub clock: Clock,
}

#[async_trait]
impl kit::bus::DeadLetters for DeadLetters {
    async fn begin(&self, consumer: &str, event_id: &str, longest: Duration) -> Result<Earlier> {
        let now = self.db.now().await?;
        let tx = self.db.begin().await?;
        if is_given_up(&tx, consumer, event_id).await? {
            return Ok(Earlier::GivenUp);
        }
        let before = attempts(&tx, consumer, event_id).await?;
        let died = before.as_ref().is_some_and(|row| row.is_running);
        // Also later than `now`: another process may have noted its attempt since.
        let is_recent =
            |row: &event_attempt::Model| (now - row.noted_at).abs().to_std().is_ok_and(|time| time < longest);
        if died && before.as_ref().is_some_and(is_recent) {
            return Ok(Earlier::Running);
        }
        let failures = before.map_or(0, |row| row.failures) + i32::from(died);
        note(&tx, consumer, event_id, failures, true, now).await?;
        tx.commit().await?;
        Ok(Earlier::Tried { failures: failures.unsigned_abs(), died })
    }

    async fn end(&self, consumer: &str, event_id: &str, how: End) -> Result<u32> {
        let now = self.db.now().await?;
        let tx = self.db.begin().await?;
        let failures = attempts(&tx, consumer, event_id).await?.map_or(0, |row| row.failures);
        let failures = failures + i32::from(how == End::Failed);
        match how {
            End::Handled => forget(&*tx, consumer, event_id).await?,
            End::Waiting | End::Failed => note(&tx, consumer, event_id, failures, false, now).await?,
        }
        tx.commit().await?;
        Ok(failures.unsigned_abs())
    }

    async fn raise(
        &self,
        event: &EncodedEvent,
        consumer: &str,
        attempts: u32,
        last_error: &str,
    ) -> Result<()> {
        let EncodedEvent { bytes, envelope } = event;
        let wrapped = if bytes.len() > MAX_WRAPPED { Vec::new() } else { bytes.to_vec() };
        let letter = Letter { event_id: &envelope.id, subject: &envelope.subject, payload: bytes.to_vec() };
        let about = (envelope.aggregate_id.as_str(), envelope.aggregate_version);
        self.keep(
            letter,
            wrapped,
            about,
            DeadLetterRaised {
                consumer: consumer.to_owned(),
                attempts,
                last_error: last_error.to_owned(),
                ..DeadLetterRaised::default()
            },
        )
        .await
    }

    async fn raise_raw(
        &self,
        raw: &RawMessage<'_>,
        consumer: &str,
        attempts: u32,
        last_error: &str,
    ) -> Result<()> {
        // Stored under a digest, because the id in an unreadable message may belong to another event.
        let digest = ring::digest::digest(&ring::digest::SHA256, raw.payload);
        let event_id = format!("malformed-{}", hex::encode(&digest.as_ref()[..16]));
        let letter = Letter { event_id: &event_id, subject: raw.subject, payload: raw.payload.to_vec() };
        let claimed =
            Envelope { id: raw.id.to_owned(), subject: raw.subject.to_owned(), ..Envelope::default() };
        self.keep(
            letter,
            claimed.encode_to_vec(),
            ("", 0),
            DeadLetterRaised {
                consumer: consumer.to_owned(),
                attempts,
                last_error: last_error.to_owned(),
                message: if raw.payload.len() > MAX_WRAPPED { Vec::new() } else { raw.payload.to_vec() },
                ..DeadLetterRaised::default()
            },
        )
        .await
    }
}

struct Letter<'a> {
    event_id: &'a str,
    subject: &'a str,
    payload: Vec<u8>,
}

impl DeadLetters {
    /// Stores a dead letter and emits its event; does nothing if the letter exists already.
    async fn keep(
        &self,
        letter: Letter<'_>,
        envelope: Vec<u8>,
        (aggregate_id, aggregate_version): (&str, u64),
        raised: DeadLetterRaised,
    ) -> Result<()> {
        use dead_letter::Column as C;
        let now = self.clock.now();
        let tx = self.db.begin().await?;
        let row = dead_letter::ActiveModel {
            id: Set(new_id()),
            event_id: Set(plain(letter.event_id)),
            consumer: Set(raised.consumer.clone()),
            subject: Set(plain(letter.subject)),
            payload: Set(letter.payload),
            attempts: Set(i32::try_from(raised.attempts).unwrap_or(i32::MAX)),
            last_error: Set(plain(&raised.last_error)),
            raised_at: Set(now),
            state: Set(OPEN.to_owned()),
        };
        let once = OnConflict::columns([C::Consumer, C::EventId]).do_nothing().to_owned();
        let insert = dead_letter::Entity::insert(row).on_conflict(once);
        let kept = insert.exec_without_returning(&*tx).await.map_err(db)?;
        forget(&*tx, &raised.consumer, letter.event_id).await?;
        if kept == 1 {
            let event = NewEvent {
                service: self.service,
                actor: &format!("system:{}", self.service),
                aggregate_id,
                aggregate_version,
                occurred_at: now,
                payload: Payload::DeadLetterRaised(DeadLetterRaised {
                    envelope,
                    event_id: plain(letter.event_id),
                    ..raised
                }),
            };
            outbox::add(&tx, event).await?;
        }
        tx.commit().await
    }
}

async fn is_given_up(tx: &Tx, consumer: &str, event_id: &str) -> Result<bool> {
    use dead_letter::Column as C;
    let letter = dead_letter::Entity::find().filter(C::Consumer.eq(consumer)).filter(C::EventId.eq(event_id));
    Ok(letter.filter(C::State.eq(OPEN)).count(&**tx).await.map_err(db)? > 0)
}

async fn attempts(tx: &Tx, consumer: &str, event_id: &str) -> Result<Option<event_attempt::Model>> {
    let key = (consumer.to_owned(), event_id.to_owned());
    event_attempt::Entity::find_by_id(key).one(&**tx).await.map_err(db)
}

async fn note(
    tx: &Tx,
    consumer: &str,
    event_id: &str,
    failures: i32,
    is_running: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    use event_attempt::Column as C;
    let row = event_attempt::ActiveModel {
        consumer: Set(consumer.to_owned()),
        event_id: Set(event_id.to_owned()),
        failures: Set(failures),
        is_running: Set(is_running),
        noted_at: Set(now),
    };
    let over = OnConflict::columns([C::Consumer, C::EventId])
        .update_columns([C::Failures, C::IsRunning, C::NotedAt])
        .to_owned();
    event_attempt::Entity::insert(row).on_conflict(over).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

async fn forget<C: ConnectionTrait>(tx: &C, consumer: &str, event_id: &str) -> Result<()> {
    let key = (consumer.to_owned(), event_id.to_owned());
    event_attempt::Entity::delete_by_id(key).exec(tx).await.map_err(db)?;
    Ok(())
}

/// Removes U+0000, which Postgres cannot store and a foreign message may contain.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
