//! Marks the letter about an event as resolved once its consumer has handled the event after all.

use ::store::consume::Meta;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::DeadLetterHandled;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::on_dead_letter_raised::key;
use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};

pub async fn apply(tx: &Tx, handled: DeadLetterHandled, meta: &Meta) -> Result<()> {
    let service = meta.actor.strip_prefix("system:").unwrap_or(&meta.actor);
    Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Success))
        .col_expr(Column::ProcessedAt, Expr::value(meta.occurred_at))
        .col_expr(Column::ClosedAt, Expr::value(meta.now))
        .col_expr(Column::NextAttemptAt, Expr::value(None::<DateTime<Utc>>))
        .filter(Column::IdempotencyKey.eq(key(service, &handled.consumer, &handled.event_id)))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}
