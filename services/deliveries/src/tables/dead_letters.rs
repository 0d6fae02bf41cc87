//! Discards messages.

use ::store::audit::By;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};
use uuid::Uuid;

use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};

/// Discards the messages that wait for an endpoint that is being deleted.
pub async fn of_endpoint(tx: &Tx, endpoint: Uuid, by: By<'_>) -> Result<u64> {
    let open = [State::Queued, State::ScheduledRetry, State::Failed];
    let these = Condition::all().add(Column::EndpointId.eq(endpoint)).add(Column::State.is_in(open));
    discard(tx, these, "The endpoint was deleted", by).await
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
