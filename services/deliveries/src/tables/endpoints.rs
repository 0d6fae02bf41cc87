//! Rows of endpoints: the results of attempts, and the secrets that sign messages.

use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use kit::sealed::Sealer;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::domain::outbound::{FAILURES_BEFORE_PAUSE, OLD_SECRET_FOR};
use crate::entity::outbound_endpoint::{Column, Entity, Model};

/// Records the result of an attempt. Returns the endpoint if this result paused it.
pub async fn note(tx: &Tx, id: Uuid, sent: bool, now: DateTime<Utc>) -> Result<Option<Model>> {
    let row = Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)?;
    let Some(row) = row else { return Ok(None) };
    let failures = if sent { 0 } else { row.failures_in_row.saturating_add(1) };
    if failures == row.failures_in_row {
        return Ok(None);
    }
    let pause = failures >= FAILURES_BEFORE_PAUSE && row.paused_at.is_none();
    let mut update = Entity::update_many().col_expr(Column::FailuresInRow, Expr::value(failures));
    if pause {
        update = update.col_expr(Column::PausedAt, Expr::value(now));
    }
    update.filter(Column::Id.eq(id)).exec(&**tx).await.map_err(db)?;
    Ok(pause.then_some(row))
}

/// Returns the valid secrets in plain text, the current one first.
pub fn secrets(row: &Model, sealer: &Sealer, now: DateTime<Utc>) -> Result<Vec<String>> {
    let id = row.id.to_string();
    let mut all = vec![sealer.open(&id, &row.secret)?];
    if let Some(previous) = &row.previous_secret
        && now < row.secret_rotated_at + OLD_SECRET_FOR
    {
        all.push(sealer.open(&id, previous)?);
    }
    Ok(all)
}

/// Locks an endpoint until the transaction ends.
pub async fn lock(tx: &Tx, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)
}
