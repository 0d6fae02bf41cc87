//! Discards messages.

use ::store::audit::By;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};
use uuid::Uuid;

use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};
use crate::entity::outbound_endpoint as endpoint;

/// Why messages to a deleted endpoint are discarded.
pub const ENDPOINT_DELETED: &str = "The endpoint was deleted";
/// States of a message that was neither sent nor discarded.
const UNSENT: [State; 3] = [State::Queued, State::ScheduledRetry, State::Failed];

/// Discards the messages that wait for an endpoint that is being deleted.
pub async fn of_endpoint(tx: &Tx, endpoint: Uuid, by: By<'_>) -> Result<u64> {
    let these = Condition::all().add(Column::EndpointId.eq(endpoint)).add(Column::State.is_in(UNSENT));
    discard(tx, these, ENDPOINT_DELETED, by).await
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
