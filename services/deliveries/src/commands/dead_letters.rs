//! Resends, replays and discards dead letters. For many at once see `dead_letter_jobs`.

use ::store::audit::{self, Act, By, Changes};
use ::store::filter;
use ::store::list::COUNT_BOUND;
use ::store::{Db, Tx, db};
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::Filter;
use proto::deliveries::v1 as wire;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, DbBackend, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use crate::domain::masking::unmask;
use crate::domain::outbound::{Method, State};
use crate::entity::dead_letter::{ActiveModel, Column, Entity, Model, replay_key};
use crate::entity::outbound_endpoint;
use crate::events::letters;
use crate::outbound::sender::LONGEST;
use crate::outbound::sends;
use crate::queries::dead_letters::{EVENT, is_malformed, not_found, one};
use crate::queries::{dead_letter_turns, fields};
use crate::tables::{dead_letters, endpoints};

/// Resends a letter as soon as its turn comes, with another payload if given. Of concurrent requests, only
/// one takes effect.
pub async fn resend(db_: &Db, id: &str, payload: Option<String>, by: By<'_>) -> Result<wire::DeadLetter> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let tx = db_.begin().await?;
    let row = Entity::find_by_id(known).lock_exclusive().one(&*tx).await.map_err(db)?;
    let row = row.ok_or_else(|| not_found(id))?;
    match row.state {
        State::Success | State::Discarded => return Err(closed(&row)),
        State::Queued | State::ScheduledRetry
            if row.next_attempt_at.is_none_or(|at| at <= by.now) && !is_unanswered(&row, by.now) =>
        {
            if payload.is_none() {
                drop(tx);
                return one(db_, row).await;
            }
            if may_be_under_way(&tx, &row, by.now).await? {
                let text = "This message may be being sent right now. Wait a minute, then try again.";
                return Err(Error::precondition("DEAD_LETTER_BUSY", text));
            }
        }
        State::Queued | State::ScheduledRetry | State::Failed => {}
    }
    if is_malformed(&row) {
        let text = "This message can't be read, so it can't be sent. Have it fixed where it comes from, then discard it.";
        return Err(Error::precondition("DEAD_LETTER_MALFORMED", text));
    }
    if payload.is_some() && row.method == Method::Event {
        return Err(Error::precondition(
            "DEAD_LETTER_NOT_EDITABLE",
            "Events can't be edited. They are resent as they were.",
        ));
    }
    let payload = payload.map(|edited| unmask(&edited, row.body())).transpose()?;
    let edited = payload.is_some();
    // A message without an attempt stays queued: the list of messages to fix has only those that failed.
    let state = if row.state == State::Queued { State::Queued } else { State::ScheduledRetry };
    let row = ActiveModel {
        state: Set(state),
        next_attempt_at: Set(Some(by.now)),
        tries: Set(0),
        resends: Set(row.resends.saturating_add(1)),
        edited_payload: Set(payload.or_else(|| row.edited_payload.clone())),
        ..row.into_active_model()
    };
    let row = row.update(&*tx).await.map_err(db)?;
    if row.method == Method::Event {
        letters::dead_letter_replayed(&tx, &row, false, by).await?;
    }
    let changes = Changes::default().made("resends", row.resends).made("edited", edited);
    record(&tx, "dead_letter.resent", (&row.id.to_string(), &row.delivery_id), changes, by).await?;
    tx.commit().await?;
    one(db_, row).await
}

/// Returns whether the sender may be sending this due letter right now. Otherwise, locks what keeps the sender
/// from starting before the transaction ends.
async fn may_be_under_way(tx: &Tx, row: &Model, now: DateTime<Utc>) -> Result<bool> {
    let Some(endpoint) = row.endpoint_id else { return Ok(true) };
    let before = dead_letter_turns::before(endpoint, row).lock_exclusive().one(&**tx).await.map_err(db)?;
    if let Some(before) = before {
        // If the earlier message was resent while this one was being sent, it waits for this one's result and has no
        // attempt yet.
        let has_waited = before.next_attempt_at.is_some_and(|at| is_long_ago(at, now));
        return Ok(before.resends > 0 && before.tries == 0 && !has_waited);
    }
    let endpoint = endpoints::lock(tx, &endpoint.to_string()).await?;
    Ok(endpoint.is_some_and(|it| !is_idle(&it, now)))
}

/// Returns whether the endpoint has been off or paused for so long that no message to it is under way.
pub fn is_idle(endpoint: &outbound_endpoint::Model, now: DateTime<Utc>) -> bool {
    let off_since = (!endpoint.is_active).then_some(endpoint.updated_at);
    endpoint.paused_at.into_iter().chain(off_since).any(|at| is_long_ago(at, now))
}

/// Returns whether a resend of an event has had no response for longer than [`LONGEST`]. For example, the event may
/// have ended the process of the service that stores it. Asking again is harmless: the consumer's inbox handles an event
/// once.
fn is_unanswered(row: &Model, now: DateTime<Utc>) -> bool {
    row.method == Method::Event && row.next_attempt_at.is_some_and(|at| is_long_ago(at, now))
}

/// Returns whether a message that was under way at this time has its result by now.
fn is_long_ago(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (now - at).to_std().is_ok_and(|ago| ago > LONGEST)
}

/// Sends a message again, as a new letter with the same message id and the same position among the delivery's
/// messages. Only one repetition of a letter can wait at a time.
pub async fn replay(db_: &Db, id: &str, payload: Option<String>, by: By<'_>) -> Result<wire::DeadLetter> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let tx = db_.begin().await?;
    let row = Entity::find_by_id(known).lock_exclusive().one(&*tx).await.map_err(db)?;
    let row = row.ok_or_else(|| not_found(id))?;
    if row.state != State::Success || row.endpoint_id.is_none() {
        let text = "Only a message that was sent can be sent again. Reload the page.";
        return Err(Error::precondition("DEAD_LETTER_CLOSED", text));
    }
    let waiting =
        Entity::find().filter(Column::ReplayOf.eq(row.id)).filter(Column::NextAttemptAt.is_not_null());
    if let Some(waiting) = waiting.one(&*tx).await.map_err(db)? {
        drop(tx);
        return one(db_, waiting).await;
    }
    let payload = payload.map(|edited| unmask(&edited, row.body())).transpose()?;
    let edited = payload.is_some();
    let new = sends::new_row(row.method, row.payload.clone(), by.now);
    let new_id = new.id.try_as_ref().copied().unwrap_or_default();
    let new = ActiveModel {
        delivery_id: Set(row.delivery_id.clone()),
        delivery_key: Set(row.delivery_key.clone()),
        endpoint_id: Set(row.endpoint_id),
        producer_id: Set(row.producer_id),
        position: Set(row.position),
        state: Set(State::ScheduledRetry),
        next_attempt_at: Set(Some(by.now)),
        edited_payload: Set(payload.or(row.edited_payload)),
        idempotency_key: Set(replay_key(&row.idempotency_key, new_id)),
        resends: Set(1),
        replay_of: Set(Some(row.id)),
        ..new
    };
    let new = new.insert(&*tx).await.map_err(db)?;
    let changes = Changes::default().made("replayOf", row.id.to_string()).made("edited", edited);
    record(&tx, "dead_letter.resent", (&new.id.to_string(), &new.delivery_id), changes, by).await?;
    tx.commit().await?;
    one(db_, new).await
}

/// Returns a count of letters for the audit log, as a number, or as `10000+` if there are more than are counted.
pub fn for_audit(count: u64) -> serde_json::Value {
    if count > COUNT_BOUND { format!("{COUNT_BOUND}+").into() } else { count.into() }
}

/// Records an act on letters in the audit log.
pub async fn record(
    tx: &Tx,
    action: &str,
    (entity_id, entity_name): (&str, &str),
    changes: Changes,
    by: By<'_>,
) -> Result<()> {
    let entity = "dead_letter";
    audit::record(tx, by, Act { service: crate::NAME, action, entity, entity_id, entity_name, changes }).await
}

/// The letters of a bulk action.
#[derive(Debug, Clone)]
pub struct Chosen {
    pub ids: Vec<Uuid>,
    /// Filters that select among all letters to fix; used only if `ids` is empty.
    pub filters: Vec<Filter>,
    /// Only letters that failed before this time.
    pub until: DateTime<Utc>,
    /// Only letters that can be sent.
    pub to_send: bool,
}

impl Chosen {
    fn condition(&self, state: Expr) -> Result<Condition> {
        let all = Condition::all()
            .add(state.is_in(State::TO_FIX))
            .add(Column::CreatedAt.lte(self.until))
            .add_option(self.to_send.then(readable));
        match self.ids.is_empty() {
            false => Ok(all.add(Column::Id.is_in(self.ids.iter().copied()))),
            true => Ok(all.add(filter::condition(fields::DEAD_LETTERS, &self.filters)?)),
        }
    }

    pub async fn count(&self, db_: &Db) -> Result<u64> {
        let all = self.condition(Column::State.into_expr())?;
        Entity::find().filter(all).count(db_.read()).await.map_err(db)
    }

    /// Returns the next chosen letters after an id, in id order.
    pub async fn after(&self, db_: &Db, last: Option<Uuid>, limit: u64) -> Result<Vec<Uuid>> {
        let next = self.select_after(last, limit, db_.backend())?;
        next.into_tuple().all(db_.read()).await.map_err(db)
    }

    /// Selects the ids that [`Self::after`] returns.
    pub fn select_after(&self, last: Option<Uuid>, limit: u64, backend: DbBackend) -> Result<Select<Entity>> {
        // With the index of the state, SQLite would read and sort all letters to fix for each step of a job.
        let state = match backend {
            DbBackend::Sqlite => filter::unindexed(Column::State.into_expr()),
            _ => Column::State.into_expr(),
        };
        let next = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(self.condition(state)?)
            .filter(Condition::all().add_option(last.map(|id| Column::Id.gt(id))));
        Ok(next.order_by_asc(Column::Id).limit(limit))
    }
}

/// Excludes unreadable reports of other systems, which stay until they are discarded.
fn readable() -> Expr {
    Column::Method.ne(Method::Event).or(Column::IdempotencyKey.starts_with(EVENT))
}

/// Resends those letters that still have to be fixed; returns how many.
pub async fn resend_many(tx: &Tx, ids: &[Uuid], by: By<'_>) -> Result<u64> {
    // See `is_unanswered`.
    let unanswered = || Column::Method.eq(Method::Event).and(Column::NextAttemptAt.lt(by.now - LONGEST));
    let waiting = || {
        Condition::all()
            .add(Column::Id.is_in(ids.iter().copied()))
            .add(Column::State.is_in(State::TO_FIX))
            .add(Column::NextAttemptAt.is_null().or(Column::NextAttemptAt.gt(by.now)).or(unanswered()))
            .add(readable())
    };
    let events = Entity::find().filter(waiting()).filter(Column::Method.eq(Method::Event)).all(&**tx);
    for event in events.await.map_err(db)? {
        letters::dead_letter_replayed(tx, &event, false, by).await?;
    }
    let done = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::ScheduledRetry))
        .col_expr(Column::NextAttemptAt, Expr::value(by.now))
        .col_expr(Column::Tries, Expr::value(0))
        .col_expr(Column::Resends, Expr::col(Column::Resends).add(1))
        .filter(waiting())
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(done.rows_affected)
}

/// Discards those letters that still have to be fixed; returns how many.
pub async fn discard_many(tx: &Tx, ids: &[Uuid], reason: &str, by: By<'_>) -> Result<u64> {
    let these =
        Condition::all().add(Column::Id.is_in(ids.iter().copied())).add(Column::State.is_in(State::TO_FIX));
    let events = Entity::find().filter(these.clone()).filter(Column::Method.eq(Method::Event)).all(&**tx);
    // The service that stores the event must discard it, too.
    for event in events.await.map_err(db)? {
        letters::dead_letter_replayed(tx, &event, true, by).await?;
    }
    dead_letters::discard(tx, these, reason, by).await
}

fn closed(row: &Model) -> Error {
    let how = if row.state == State::Success { "sent" } else { "discarded" };
    let text = format!("This message was {how} in the meantime. Reload the page.");
    Error::precondition("DEAD_LETTER_CLOSED", text)
}
