//! Messages that are given up.

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};
use uuid::Uuid;

use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};
use ::store::audit::By;
use ::store::{Tx, db};

/// Gives up what waits for an endpoint that goes away.
pub async fn of_endpoint(tx: &Tx, endpoint: Uuid, by: By<'_>) -> Result<u64> {
    let open = [State::Queued, State::ScheduledRetry, State::Failed];
    let these = Condition::all().add(Column::EndpointId.eq(endpoint)).add(Column::State.is_in(open));
    discard(tx, these, "The endpoint was deleted", by).await
}

/// Gives these up.
pub async fn discard(tx: &Tx, these: Condition, reason: &str, by: By<'_>) -> Result<u64> {
    let done = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Discarded))
        .col_expr(Column::NextAttemptAt, Expr::value(None::<DateTime<Utc>>))
        .col_expr(Column::DiscardedBy, Expr::value(by.actor))
        .col_expr(Column::DiscardReason, Expr::value(reason))
        .filter(these)
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(done.rows_affected)
}
