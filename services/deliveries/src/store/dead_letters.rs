//! What administrators see and do: lists and groups of letters, sending them again, giving them up.

use std::collections::HashMap;

use ::store::audit::{self, Act, By, Changes};
use ::store::filter::{self, MAX_FILTERS};
use ::store::list::{Bounds, Listing};
use ::store::{Db, Reading, Tx, db};
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page, SortDirection};
use proto::deliveries::v1 as wire;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, Func};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, FromQueryResult, IntoActiveModel, Order,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use uuid::Uuid;

use super::{discards, endpoints, producers, sends, turns};
use crate::domain::outbound::{Method, State};
use crate::entity::dead_letter::{ActiveModel, Column, Entity, Model, replay_key};
use crate::events::letters;
use crate::fields;

pub const LIST: Listing<Entity> = Listing {
    fields: fields::DEAD_LETTERS,
    key: &[Column::Id],
    default: ("createdAt", SortDirection::Desc),
    bounds: Bounds::DEFAULT,
};

/// What the key of an event begins with that a consumer of ours gave up.
const EVENT: &str = "event:";
/// Groups that are shown.
const MAX_GROUPS: u64 = 100;

/// The filters of a request, and which half of the letters is meant.
pub fn filters(mut filters: Vec<Filter>, mode: wire::DeadLetterMode) -> Result<Vec<Filter>> {
    if filters.len() >= MAX_FILTERS {
        let text = format!("at most {} filters can be used at once", MAX_FILTERS - 1);
        return Err(Error::invalid("TOO_MANY_FILTERS", text.clone()).field("where", text));
    }
    let states: &[State] = match mode {
        wire::DeadLetterMode::Success => &[State::Success],
        wire::DeadLetterMode::Failed => &State::TO_FIX,
        wire::DeadLetterMode::Unspecified => return Ok(filters),
    };
    // Filters on one key would widen the mode.
    if filters.iter().any(|it| it.key == "state") {
        let text = "state is given by the mode";
        return Err(Error::invalid("FIELD_UNKNOWN", text).field("where", text));
    }
    let values = states.iter().map(|it| it.as_str().to_owned()).collect();
    filters.push(Filter { key: "state".into(), operator: "equals".into(), values });
    Ok(filters)
}

/// A page of letters with the names of their endpoints, and whether there are more.
pub async fn page(db_: &Db, page: &Page) -> Result<(Vec<wire::DeadLetter>, bool)> {
    let (rows, more) = LIST.page(db_, page).await?;
    let mut letters = named(db_, rows).await?;
    for letter in &mut letters {
        letter.payload.clear();
        letter.edited_payload = None;
        letter.response_body.clear();
        letter.request_headers.clear();
        letter.attempt_log.clear();
    }
    Ok((letters, more))
}

pub async fn count(db_: &Db, filters: &[Filter]) -> Result<Count> {
    LIST.count(db_, filters).await
}

pub async fn get(db_: &Db, id: &str) -> Result<wire::DeadLetter> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let row = Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))?;
    let turns = turns::of(db_, &row).await?;
    let letter = one(db_, row).await?;
    let turns::Turns { before, behind, behind_count } = turns;
    Ok(wire::DeadLetter { waits_behind: before, behind, behind_count, ..letter })
}

async fn one(db_: &Db, row: Model) -> Result<wire::DeadLetter> {
    let letters = named(db_, vec![row]).await?;
    letters.into_iter().next().ok_or_else(|| Error::internal("a letter vanished"))
}

async fn named(db_: &Db, rows: Vec<Model>) -> Result<Vec<wire::DeadLetter>> {
    let endpoints = endpoints::list(db_.read()).await?;
    let by_id: HashMap<String, _> = endpoints.into_iter().map(|it| (it.id.to_string(), it)).collect();
    let producers = producers::list(db_.read()).await?;
    let filled = rows.into_iter().map(|row| {
        let producer = producers.iter().find(|it| Some(it.id) == row.producer_id);
        let producer_name = producer.map(|it| it.name.clone()).unwrap_or_default();
        let mut letter = wire::DeadLetter { producer_name, ..row.into() };
        if let Some(endpoint) = by_id.get(&letter.endpoint_id) {
            letter.endpoint_name = endpoint.name.clone();
            letter.endpoint_url = endpoint.url.clone();
            letter.endpoint_paused = endpoint.paused_at.is_some();
        }
        letter
    });
    Ok(filled.collect())
}

#[derive(FromQueryResult)]
struct Group {
    error_fingerprint: String,
    state: State,
    endpoint_id: Option<Uuid>,
    error_text: String,
    error_class: String,
    letters: i64,
    first_seen_at: DateTime<Utc>,
    last_seen_at: DateTime<Utc>,
    next_attempt_at: Option<DateTime<Utc>>,
}

/// Letters to fix, by what went wrong and whether they are tried again; the largest groups first.
pub async fn groups(db_: &Db, filters: &[Filter]) -> Result<Vec<wire::DeadLetterGroup>> {
    const LETTERS: &str = "letters";
    let least = |column: Column| Expr::from(Func::min(Expr::col(column)));
    let read = db_.begin_read(Reading::Page).await?;
    let groups: Vec<Group> = Entity::find()
        .select_only()
        .columns([Column::ErrorFingerprint, Column::State, Column::EndpointId])
        .column_as(least(Column::ErrorText), "error_text")
        .column_as(least(Column::ErrorClass), "error_class")
        .column_as(Column::Id.count(), LETTERS)
        .column_as(least(Column::CreatedAt), "first_seen_at")
        .column_as(Column::CreatedAt.max(), "last_seen_at")
        .column_as(least(Column::NextAttemptAt), "next_attempt_at")
        .filter(filter::condition(fields::DEAD_LETTERS, filters)?)
        .filter(Column::State.is_in(State::TO_FIX))
        .group_by(Column::ErrorFingerprint)
        .group_by(Column::State)
        .group_by(Column::EndpointId)
        .order_by(Expr::col(LETTERS), Order::Desc)
        .order_by_asc(Column::ErrorFingerprint)
        .limit(MAX_GROUPS)
        .into_model()
        .all(&read)
        .await
        .map_err(db)?;
    read.commit().await.map_err(db)?;
    let endpoints = endpoints::list(db_.read()).await?;
    let shown = groups.into_iter().map(|it| {
        let endpoint = endpoints.iter().find(|endpoint| Some(endpoint.id) == it.endpoint_id);
        wire::DeadLetterGroup {
            fingerprint: it.error_fingerprint,
            state: it.state.as_str().to_owned(),
            error_text: it.error_text,
            error_class: it.error_class,
            endpoint_name: endpoint.map(|it| it.name.clone()).unwrap_or_default(),
            endpoint_paused: endpoint.is_some_and(|it| it.paused_at.is_some()),
            count: it.letters.unsigned_abs(),
            first_seen_at: Some(proto::timestamp(it.first_seen_at)),
            last_seen_at: Some(proto::timestamp(it.last_seen_at)),
            next_attempt_at: it.next_attempt_at.map(proto::timestamp),
        }
    });
    Ok(shown.collect())
}

/// Has one sent again as soon as its turn comes, with another payload if one is given. Asked by many at once, it
/// happens once.
pub async fn resend(db_: &Db, id: &str, payload: Option<String>, by: By<'_>) -> Result<wire::DeadLetter> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let tx = db_.begin().await?;
    let row = Entity::find_by_id(known).lock_exclusive().one(&*tx).await.map_err(db)?;
    let row = row.ok_or_else(|| not_found(id))?;
    match row.state {
        State::Success | State::Discarded => return Err(closed(&row)),
        State::Queued | State::ScheduledRetry if row.next_attempt_at.is_none_or(|at| at <= by.now) => {
            if payload.is_some() {
                let text = "This message is being sent right now. Wait for the result, then edit it.";
                return Err(Error::precondition("DEAD_LETTER_BUSY", text));
            }
            drop(tx);
            return one(db_, row).await;
        }
        State::Queued | State::ScheduledRetry | State::Failed => {}
    }
    if row.method == Method::Event && is_report(&row) {
        let text = "This message can't be read, so it can't be sent. Have it fixed where it comes from, then discard it.";
        return Err(Error::precondition("DEAD_LETTER_MALFORMED", text));
    }
    if payload.is_some() && row.method == Method::Event {
        return Err(Error::precondition(
            "DEAD_LETTER_NOT_EDITABLE",
            "An event is handled as it was. It can't be edited.",
        ));
    }
    let edited = payload.is_some();
    let row = ActiveModel {
        state: Set(State::ScheduledRetry),
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

/// Sends one again that was sent, as a letter of its own under the same message id and in the same place of its
/// delivery's order. While one repetition waits there is no second.
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

/// Writes an act on letters into the audit log.
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

/// Which letters many at once are meant.
#[derive(Debug, Clone)]
pub struct Chosen {
    pub ids: Vec<Uuid>,
    /// Without ids: all to fix that match.
    pub filters: Vec<Filter>,
    /// Not those that failed later.
    pub until: DateTime<Utc>,
}

impl Chosen {
    fn condition(&self) -> Result<Condition> {
        let all =
            Condition::all().add(Column::State.is_in(State::TO_FIX)).add(Column::CreatedAt.lte(self.until));
        match self.ids.is_empty() {
            false => Ok(all.add(Column::Id.is_in(self.ids.iter().copied()))),
            true => Ok(all.add(filter::condition(fields::DEAD_LETTERS, &self.filters)?)),
        }
    }

    pub async fn count(&self, db_: &Db) -> Result<u64> {
        Entity::find().filter(self.condition()?).count(db_.read()).await.map_err(db)
    }

    /// The next of them after an id, by their ids.
    pub async fn after(&self, db_: &Db, last: Option<Uuid>, limit: u64) -> Result<Vec<Uuid>> {
        Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(self.condition()?)
            .filter(Condition::all().add_option(last.map(|id| Column::Id.gt(id))))
            .order_by_asc(Column::Id)
            .limit(limit)
            .into_tuple()
            .all(db_.read())
            .await
            .map_err(db)
    }
}

/// Has these sent again; returns how many of them were still to fix.
pub async fn resend_many(tx: &Tx, ids: &[Uuid], by: By<'_>) -> Result<u64> {
    let waiting = || {
        Condition::all()
            .add(Column::Id.is_in(ids.iter().copied()))
            .add(Column::State.is_in(State::TO_FIX))
            .add(Column::NextAttemptAt.is_null().or(Column::NextAttemptAt.gt(by.now)))
            // What another system reported and nobody can read stays until it is discarded.
            .add(Column::Method.ne(Method::Event).or(Column::IdempotencyKey.starts_with(EVENT)))
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

/// Gives these up; returns how many of them were still to fix.
pub async fn discard_many(tx: &Tx, ids: &[Uuid], reason: &str, by: By<'_>) -> Result<u64> {
    let these =
        Condition::all().add(Column::Id.is_in(ids.iter().copied())).add(Column::State.is_in(State::TO_FIX));
    let events = Entity::find().filter(these.clone()).filter(Column::Method.eq(Method::Event)).all(&**tx);
    // The service that keeps the event gives it up as well.
    for event in events.await.map_err(db)? {
        letters::dead_letter_replayed(tx, &event, true, by).await?;
    }
    discards::discard(tx, these, reason, by).await
}

/// Whether another system reported it, in a form that cannot be read.
fn is_report(row: &Model) -> bool {
    !row.idempotency_key.starts_with(EVENT)
}

fn closed(row: &Model) -> Error {
    let how = if row.state == State::Success { "sent" } else { "discarded" };
    let text = format!("This message was {how} in the meantime. Reload the page.");
    Error::precondition("DEAD_LETTER_CLOSED", text)
}

fn not_found(id: &str) -> Error {
    Error::not_found("DEAD_LETTER_NOT_FOUND", format!("There is no dead letter {id}"))
}
