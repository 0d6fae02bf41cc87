//! Adds messages to other systems with the change they are about, passes them to the sender in order, and
//! records the result of each attempt.
//!
//! A send is a row, written in the transaction of its change. Sends of one delivery to one endpoint go out
//! one after the other, in the order of their changes: a send is due only once the previous one was accepted,
//! failed permanently or was discarded, and no other one is under way. Administrators' actions are in
//! `commands::dead_letters`.

use ::store::audit::By;
use ::store::filter::fold;
use ::store::{Db, Tx, bulk, db, sequence};
use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::new_id;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
};
use uuid::Uuid;

use crate::domain::outbound::{
    ErrorClass, LONGEST_PAUSE, Method, State, fingerprint, is_permanent, next_attempt,
};
use crate::entity::dead_letter::{ActiveModel, Attempt, Attempts, Column, Entity, Model};
use crate::entity::outbound_endpoint as endpoint;
use crate::events::letters;
use crate::{queries, tables};

/// Name of the sequence that numbers a delivery's sends.
pub const SEND: &str = "send";
/// Attempts kept per send.
const MAX_LOG: usize = 20;
/// The actor that discards sends which nobody has to decide about.
const SYSTEM: &str = "system:deliveries";
/// How many numbers a restore skips: more than any delivery took since the backup. JSON numbers are exact up
/// to 2^53, which is room for nine million restores.
const SKIPPED_BY_RESTORE: u32 = 1_000_000_000;
const REPLACED: &str = "A later message about this delivery was sent";

/// The messages about one change.
#[derive(Debug)]
pub struct Outgoing {
    pub delivery_id: String,
    pub source_id: Option<Uuid>,
    pub methods: Vec<Method>,
    /// The delivery as the receiver gets it.
    pub data: serde_json::Map<String, serde_json::Value>,
}

/// Adds the messages that endpoints subscribe to, in the transaction of the changes. Without endpoints, `changes` is
/// not evaluated.
pub async fn enqueue(tx: &Tx, changes: impl IntoIterator<Item = Outgoing>, now: DateTime<Utc>) -> Result<()> {
    let endpoints = queries::endpoints::list(&**tx).await?;
    if endpoints.is_empty() {
        return Ok(());
    }
    let taken = |change: &Outgoing| {
        change.methods.iter().any(|it| endpoints.iter().any(|endpoint| endpoint.takes(*it, change.source_id)))
    };
    let changes: Vec<Outgoing> = changes.into_iter().filter(taken).collect();
    if changes.is_empty() {
        return Ok(());
    }
    let positions = sequence::next_of(tx, SEND, changes.iter().map(|it| it.delivery_id.as_str())).await?;
    let mut rows = Vec::new();
    for Outgoing { delivery_id, source_id, methods, mut data } in changes {
        let delivery_key = fold(&delivery_id);
        let position = positions.get(&delivery_key).copied().unwrap_or_default();
        data.insert("sequence".into(), position.into());
        for method in methods {
            let payload = serde_json::json!({
                "type": format!("delivery.{}", method.as_str()),
                "timestamp": now,
                "data": &data,
            });
            for endpoint in endpoints.iter().filter(|it| it.takes(method, source_id)) {
                rows.push(ActiveModel {
                    delivery_id: Set(delivery_id.clone()),
                    delivery_key: Set(delivery_key.clone()),
                    endpoint_id: Set(Some(endpoint.id)),
                    position: Set(i64::try_from(position).unwrap_or(i64::MAX)),
                    next_attempt_at: Set(Some(now)),
                    ..new_row(method, payload.to_string(), now)
                });
            }
        }
    }
    bulk::insert(&**tx, rows).await?;
    Ok(())
}

/// Raises the numbers of messages above those that receivers may have got since the backup that was restored,
/// because they ignore lower ones.
pub async fn after_restore(db_: &Db) -> Result<()> {
    let tx = db_.begin().await?;
    sequence::jump(&tx, SEND, SKIPPED_BY_RESTORE).await?;
    tx.commit().await
}

/// Returns a new row without attempts. It is not due before `next_attempt_at` is set.
pub fn new_row(method: Method, payload: String, now: DateTime<Utc>) -> ActiveModel {
    let id = new_id();
    ActiveModel {
        id: Set(id),
        delivery_id: Set(String::new()),
        delivery_key: Set(String::new()),
        method: Set(method),
        state: Set(State::Queued),
        endpoint_id: Set(None),
        position: Set(0),
        queued_at: Set(now),
        created_at: Set(now),
        processed_at: Set(None),
        closed_at: Set(None),
        next_attempt_at: Set(None),
        payload: Set(payload),
        edited_payload: Set(None),
        request_headers: Set(String::new()),
        response_status: Set(None),
        response_body: Set(String::new()),
        error_class: Set(String::new()),
        error_text: Set(String::new()),
        error_fingerprint: Set(String::new()),
        attempts: Set(0),
        tries: Set(0),
        attempt_log: Set(Attempts::default()),
        idempotency_key: Set(format!("msg_{}", id.simple())),
        resends: Set(0),
        discarded_by: Set(None),
        discard_reason: Set(None),
        producer_id: Set(None),
        replay_of: Set(None),
    }
}

/// Returns the due sends of an endpoint, oldest first, except those about the deliveries `under_way` and those
/// that wait for an earlier send. A delivery has one send under way at most, because an earlier one that is
/// resent meanwhile must not overtake it.
///
/// Sends that are planned more than twice the longest pause ahead come first: the clock was ahead when it planned them,
/// and later messages wait for them.
pub async fn due(
    db_: &Db,
    endpoint: Uuid,
    under_way: &[String],
    now: DateTime<Utc>,
    limit: u64,
) -> Result<Vec<Model>> {
    // Two queries, because one with OR would sort all that wait.
    let select = |times: Expr, limit: u64| {
        Entity::find()
            .filter(Column::EndpointId.eq(endpoint))
            .filter(Column::NextAttemptAt.is_not_null())
            .filter(times)
            .filter(Column::DeliveryKey.is_not_in(under_way.iter().map(String::as_str)))
            .filter(Expr::exists(earlier()).not())
            .order_by_asc(Column::NextAttemptAt)
            .order_by_asc(Column::Id)
            .limit(limit)
            .all(db_.read())
    };
    let too_far = Column::NextAttemptAt.gt(now + LONGEST_PAUSE + LONGEST_PAUSE);
    let mut due = select(too_far, limit).await.map_err(db)?;
    let room = limit.saturating_sub(due.len() as u64);
    due.extend(select(Column::NextAttemptAt.lte(now), room).await.map_err(db)?);
    Ok(due)
}

/// Selects an earlier send of the same delivery to the same endpoint that still has to go out.
fn earlier() -> SelectStatement {
    const EARLIER: &str = "earlier";
    let of = |column: Column| Expr::col((Alias::new(EARLIER), column));
    let this = |column: Column| Expr::col((Entity, column));
    let before = of(Column::Position)
        .lt(this(Column::Position))
        .or(of(Column::Position).eq(this(Column::Position)).and(of(Column::Id).lt(this(Column::Id))));
    Query::select()
        .expr(Expr::val(1))
        .from_as(Entity, Alias::new(EARLIER))
        .and_where(of(Column::EndpointId).eq(this(Column::EndpointId)))
        .and_where(of(Column::DeliveryKey).eq(this(Column::DeliveryKey)))
        .and_where(of(Column::NextAttemptAt).is_not_null())
        .and_where(before)
        .to_owned()
}

/// The result of an attempt.
#[derive(Debug, Clone)]
pub struct Attempted {
    pub at: DateTime<Utc>,
    pub ms: u32,
    pub status: Option<u16>,
    /// Headers of the request as JSON, with secrets masked.
    pub headers: String,
    pub sent: String,
    /// The first 16 KiB of the response's body.
    pub response_body: String,
    pub failure: Option<(ErrorClass, String)>,
}

/// Characters of a body kept with each attempt.
const LOGGED_CHARS: usize = 2_048;

/// Records an attempt, in the sender's transaction. `chance` between 0 and 1 is for the jitter. Recording the
/// same attempt again changes nothing: a commit with an unknown result is repeated.
pub async fn record(tx: &Tx, id: Uuid, attempted: Attempted, now: DateTime<Utc>, chance: f64) -> Result<()> {
    let row = Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)?;
    let Some(row) = row else { return Ok(()) };
    if row.attempt_log.0.last().is_some_and(|it| it.at == attempted.at) {
        return Ok(());
    }
    let endpoint_id = row.endpoint_id;
    let sent = attempted.failure.is_none();
    let next = ActiveModel {
        created_at: Set(if sent { row.created_at } else { row.failed_at().unwrap_or(now) }),
        request_headers: Set(attempted.headers.clone()),
        response_status: Set(attempted.status.map(i32::from)),
        response_body: Set(attempted.response_body.clone()),
        attempts: Set(row.attempts.saturating_add(1)),
        attempt_log: Set(logged(&row, &attempted)),
        ..row.clone().into_active_model()
    };
    let next = match &attempted.failure {
        None => ActiveModel {
            state: Set(State::Success),
            processed_at: Set(Some(now)),
            closed_at: Set(Some(now)),
            next_attempt_at: Set(None),
            error_class: Set(String::new()),
            error_text: Set(String::new()),
            error_fingerprint: Set(String::new()),
            discarded_by: Set(None),
            discard_reason: Set(None),
            ..next
        },
        // Somebody discarded the send in the meantime, so only record the attempt.
        Some(_) if !State::OPEN.contains(&row.state) => next,
        Some(failure) => failed(&row, next, &attempted, failure, now, chance),
    };
    next.update(&**tx).await.map_err(db)?;
    let Some(endpoint_id) = endpoint_id else { return Ok(()) };
    if sent {
        resolve_earlier(tx, endpoint_id, &row, now).await?;
    }
    if let Some(paused) = tables::endpoints::note(tx, endpoint_id, sent, now).await? {
        letters::endpoint_paused(tx, &paused, now).await?;
    }
    Ok(())
}

fn failed(
    row: &Model,
    next: ActiveModel,
    attempted: &Attempted,
    (class, text): &(ErrorClass, String),
    now: DateTime<Utc>,
    chance: f64,
) -> ActiveModel {
    let tries = row.tries.saturating_add(1);
    let refused = attempted.status.is_some_and(is_permanent) || *class == ErrorClass::Validation;
    let again = if refused { None } else { next_attempt(tries, now, chance) };
    let of = row.endpoint_id.map(|id| id.to_string()).unwrap_or_default();
    ActiveModel {
        state: Set(if again.is_some() { State::ScheduledRetry } else { State::Failed }),
        next_attempt_at: Set(again),
        tries: Set(tries),
        error_class: Set(class.as_str().to_owned()),
        error_text: Set(text.clone()),
        error_fingerprint: Set(fingerprint(&of, *class, text)),
        ..next
    }
}

fn logged(row: &Model, attempted: &Attempted) -> Attempts {
    let short = |text: &str| text.chars().take(LOGGED_CHARS).collect::<String>();
    let mut log = row.attempt_log.0.clone();
    log.push(Attempt {
        at: attempted.at,
        status: attempted.status,
        ms: attempted.ms,
        error: attempted.failure.as_ref().map(|(_, text)| text.clone()).unwrap_or_default(),
        request_body: if attempted.sent == row.payload { String::new() } else { attempted.sent.clone() },
        response_body: short(&attempted.response_body),
    });
    let over = log.len().saturating_sub(MAX_LOG);
    Attempts(log.split_off(over))
}

/// Discards earlier sends that failed, also those that were resent while this one was under way: each message
/// has the whole delivery, so a later one replaces them. Keeps those that an administrator sends once more after
/// they were accepted. Reports of another system are replaced only by that system's own letters.
async fn resolve_earlier(tx: &Tx, endpoint: Uuid, sent: &Model, now: DateTime<Utc>) -> Result<()> {
    let same_author = match sent.producer_id {
        Some(id) => Column::ProducerId.eq(id),
        None => Column::ProducerId.is_null(),
    };
    let resent = Column::State.eq(State::ScheduledRetry).and(Column::ReplayOf.is_null());
    Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Discarded))
        .col_expr(Column::ClosedAt, Expr::value(now))
        .col_expr(Column::NextAttemptAt, Expr::value(None::<DateTime<Utc>>))
        .col_expr(Column::DiscardedBy, Expr::value(SYSTEM))
        .col_expr(Column::DiscardReason, Expr::value(REPLACED))
        .filter(Column::EndpointId.eq(endpoint))
        .filter(Column::DeliveryKey.eq(sent.delivery_key.as_str()))
        .filter(Column::State.eq(State::Failed).or(resent))
        .filter(Column::Position.lt(sent.position))
        .filter(same_author)
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

/// Returns the endpoints that currently receive messages.
pub async fn receivers(db_: &Db) -> Result<Vec<endpoint::Model>> {
    let all = queries::endpoints::list(db_.read()).await?;
    Ok(all.into_iter().filter(|it| it.is_active && it.paused_at.is_none()).collect())
}

/// Rows per transaction of a chore.
const CHORE_ROWS: u64 = 1_000;

/// Returns the condition for sends that were sent or discarded before this time.
fn over(before: DateTime<Utc>) -> Condition {
    Condition::all().add(Column::State.is_in(State::CLOSED)).add(Column::ClosedAt.lt(before))
}

/// Deletes sends that were sent or discarded before this time, step by step; returns how many.
pub async fn prune(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    let mut gone = 0;
    loop {
        let tx = db_.begin().await?;
        let old = Entity::delete_many().filter(some_of(over(before)));
        let deleted = old.exec(&*tx).await.map_err(db)?.rows_affected;
        tx.commit().await?;
        gone += deleted;
        if deleted < CHORE_ROWS {
            return Ok(gone);
        }
    }
}

/// Discards unsent sends whose endpoint no longer exists, step by step; returns how many.
///
/// A change that commits after an administrator deleted an endpoint leaves such sends: the job that discards the others
/// could not see them yet. They are never sent, and no list of administrators shows those that are queued.
pub async fn discard_orphaned(db_: &Db, now: DateTime<Utc>) -> Result<u64> {
    use tables::dead_letters;
    let by = By { actor: SYSTEM, address: "", now };
    let mut discarded = 0;
    loop {
        // Look without the lock on writing, because there is hardly ever one.
        let first = Entity::find().filter(dead_letters::orphaned()).one(db_.read()).await.map_err(db)?;
        if first.is_none() {
            return Ok(discarded);
        }
        let tx = db_.begin().await?;
        let changed = dead_letters::discard_orphaned(&tx, CHORE_ROWS, by).await?;
        tx.commit().await?;
        discarded += changed;
        if changed < CHORE_ROWS {
            return Ok(discarded);
        }
    }
}

/// Fills in `closed_at` of rows that an earlier release sent or discarded without it, step by step; returns
/// how many. The time of a discard is unknown, so the current time is used.
pub async fn note_closed(db_: &Db, now: DateTime<Utc>) -> Result<u64> {
    let unnoted = || Condition::all().add(Column::State.is_in(State::CLOSED)).add(Column::ClosedAt.is_null());
    let closed_at = Expr::from(Func::coalesce([Expr::col(Column::ProcessedAt), Expr::value(now)]));
    let mut noted = 0;
    loop {
        let tx = db_.begin().await?;
        let note = Entity::update_many().col_expr(Column::ClosedAt, closed_at.clone());
        let changed = note.filter(some_of(unnoted())).exec(&*tx).await.map_err(db)?.rows_affected;
        tx.commit().await?;
        noted += changed;
        if changed < CHORE_ROWS {
            return Ok(noted);
        }
    }
}

/// Selects the rows of one transaction among those that meet the condition.
fn some_of(these: Condition) -> Expr {
    let mut some = Query::select();
    some.column(Column::Id).from(Entity).cond_where(these).limit(CHORE_ROWS);
    Expr::col(Column::Id).in_subquery(some)
}
