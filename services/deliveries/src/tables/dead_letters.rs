//! Discards messages, and counts those that must not be discarded with their endpoint.

use ::store::audit::By;
use ::store::list::COUNT_BOUND;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};
use crate::entity::outbound_endpoint as endpoint;

/// Why messages to a deleted endpoint are discarded.
const ENDPOINT_DELETED: &str = "The endpoint was deleted";
/// States of a message that was neither sent nor discarded.
const UNSENT: [State; 3] = [State::Queued, State::ScheduledRetry, State::Failed];

/// Returns how many unsent messages to an endpoint were reported by other systems, which may have no other copy.
pub async fn count_reported(tx: &Tx, endpoint: Uuid) -> Result<u64> {
    Entity::find()
        .filter(Column::EndpointId.eq(endpoint))
        .filter(Column::ProducerId.is_not_null())
        .filter(Column::State.is_in(UNSENT))
        .count(&**tx)
        .await
        .map_err(db)
}

/// Returns how many unsent messages an endpoint has, at most `COUNT_BOUND` + 1.
pub async fn count_unsent(tx: &Tx, endpoint: Uuid) -> Result<u64> {
    let some =
        Entity::find().select_only().column(Column::Id).filter(unsent(endpoint)).limit(COUNT_BOUND + 1);
    some.count(&**tx).await.map_err(db)
}

/// Discards at most `limit` of the unsent messages to a deleted endpoint; returns how many.
pub async fn discard_some(tx: &Tx, endpoint: Uuid, limit: u64, by: By<'_>) -> Result<u64> {
    discard_of(tx, unsent(endpoint), limit, by).await
}

/// Discards at most `limit` of the unsent messages whose endpoint no longer exists; returns how many.
pub async fn discard_orphaned(tx: &Tx, limit: u64, by: By<'_>) -> Result<u64> {
    discard_of(tx, orphaned(), limit, by).await
}

async fn discard_of(tx: &Tx, these: Condition, limit: u64, by: By<'_>) -> Result<u64> {
    let some = lock_some(tx, these, limit).await?;
    discard(tx, Condition::all().add(Column::Id.is_in(some)), ENDPOINT_DELETED, by).await
}

/// Locks at most `limit` of the messages that meet the condition, and returns their ids. Those that the sender is just
/// recording as sent no longer meet it once they are locked; a subquery in an update would take them nevertheless.
pub async fn lock_some(tx: &Tx, these: Condition, limit: u64) -> Result<Vec<Uuid>> {
    let some = Entity::find().select_only().column(Column::Id).filter(these).limit(limit).lock_exclusive();
    some.into_tuple().all(&**tx).await.map_err(db)
}

/// Returns the condition for the unsent messages to an endpoint: those that wait and those that failed. For each half
/// there is an index, which SQLite uses only with a constant.
pub fn unsent(endpoint: Uuid) -> Condition {
    let failed = Expr::col(Column::State).eq(Expr::Constant(State::Failed.as_str().into()));
    let of_endpoint = || Condition::all().add(Column::EndpointId.eq(endpoint));
    Condition::any()
        .add(of_endpoint().add(Column::NextAttemptAt.is_not_null()).add(Column::State.is_in(State::OPEN)))
        .add(of_endpoint().add(failed))
}

/// Returns the condition for unsent messages whose endpoint no longer exists. Events have no endpoint and do
/// not meet it.
pub fn orphaned() -> Condition {
    let same =
        Expr::col((endpoint::Entity, endpoint::Column::Id)).eq(Expr::col((Entity, Column::EndpointId)));
    let its_endpoint = Query::select().expr(Expr::val(1)).from(endpoint::Entity).and_where(same).to_owned();
    Condition::all()
        .add(Column::State.is_in(UNSENT))
        .add(Column::EndpointId.is_not_null())
        .add(Expr::exists(its_endpoint).not())
}

/// Discards the messages that meet the condition.
pub async fn discard(tx: &Tx, these: Condition, reason: &str, by: By<'_>) -> Result<u64> {
    let done = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Discarded))
        .col_expr(Column::ClosedAt, Expr::value(by.now))
        .col_expr(Column::NextAttemptAt, Expr::value(None::<DateTime<Utc>>))
        .col_expr(Column::DiscardedBy, Expr::value(by.actor))
        .col_expr(Column::DiscardReason, Expr::value(reason))
        .filter(these)
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(done.rows_affected)
}
