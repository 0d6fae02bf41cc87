//! Rows of endpoints: the results of attempts, and the secrets that sign messages.

use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::sealed::Sealer;
use kit::{Error, Result};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::outbound::{FAILURES_BEFORE_PAUSE, OLD_SECRET_FOR};
use crate::entity::outbound_endpoint::{Column, Entity, Model};

/// Maximum number of replaced secrets that still sign messages. Each is a signature in the headers.
const MAX_REPLACED: usize = 10;

/// A replaced secret. It still signs messages until `until`.
#[derive(Serialize, Deserialize)]
struct Replaced {
    sealed: String,
    until: DateTime<Utc>,
}

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
    for it in replaced(row)?.iter().filter(|it| now < it.until) {
        all.push(sealer.open(&id, &it.sealed)?);
    }
    Ok(all)
}

/// Returns the new value of `previous_secret` for a rotation: the current secret, then the replaced ones that still
/// sign.
pub fn replace_secret(row: &Model, now: DateTime<Utc>) -> Result<Option<String>> {
    let mut all = vec![Replaced { sealed: row.secret.clone(), until: now + OLD_SECRET_FOR }];
    all.extend(replaced(row)?.into_iter().filter(|it| now < it.until));
    all.truncate(MAX_REPLACED);
    column(&all)
}

/// Returns the column of replaced secrets with those resealed that need it; `None` if none does.
pub fn reseal_replaced(row: &Model, sealer: &Sealer) -> Result<Option<String>> {
    let (id, mut all, mut is_changed) = (row.id.to_string(), replaced(row)?, false);
    for it in &mut all {
        if let Some(sealed) = sealer.anew(&id, &it.sealed)? {
            (it.sealed, is_changed) = (sealed, true);
        }
    }
    if is_changed { column(&all) } else { Ok(None) }
}

/// Returns the replaced secrets, the newest first.
fn replaced(row: &Model) -> Result<Vec<Replaced>> {
    let Some(text) = &row.previous_secret else { return Ok(Vec::new()) };
    if text.starts_with('[') {
        return serde_json::from_str(text).map_err(Error::internal);
    }
    Ok(vec![Replaced { sealed: text.clone(), until: row.secret_rotated_at + OLD_SECRET_FOR }])
}

/// Returns the text to store: a single secret as it is, because earlier releases read only that. Its time
/// follows from the rotation.
fn column(all: &[Replaced]) -> Result<Option<String>> {
    match all {
        [] => Ok(None),
        [only] => Ok(Some(only.sealed.clone())),
        all => serde_json::to_string(all).map(Some).map_err(Error::internal),
    }
}

/// Locks an endpoint until the transaction ends.
pub async fn lock(tx: &Tx, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)
}
