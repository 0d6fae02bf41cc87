//! Mails with reports: each is claimed by its key before it is sent.

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};

use ::store::clearing::Doubts;
use ::store::{Db, db};

use crate::entity::report_mail::{ActiveModel, Column, Entity, State};

/// A mail that is still being sent after this long was left by a process that ended. Longer than sending takes.
const LEFT_AFTER: Duration = Duration::minutes(5);
/// How long keys are kept. A report is given up long before that.
const KEPT: Duration = Duration::days(90);

/// Returns what is known about a mail; `None` if it was never claimed.
pub async fn state(db_: &Db, key: &[u8], now: DateTime<Utc>) -> Result<Option<State>> {
    let found = Entity::find_by_id(key.to_vec()).one(db_.read()).await.map_err(db)?;
    Ok(found.map(|row| match row.state {
        // A time as far in the future was written while the clock was ahead.
        State::Sending if (now - row.claimed_at).abs() >= LEFT_AFTER => State::Uncertain,
        state => state,
    }))
}

/// Claims a mail; returns false if it was claimed before.
pub async fn claim(db_: &Db, key: &[u8], now: DateTime<Utc>) -> Result<bool> {
    let tx = db_.begin().await?;
    let row = ActiveModel { key_hash: Set(key.to_vec()), state: Set(State::Sending), claimed_at: Set(now) };
    let once = OnConflict::column(Column::KeyHash).do_nothing().to_owned();
    let added = Entity::insert(row).on_conflict(once).exec_without_returning(&*tx).await.map_err(db)?;
    tx.commit().await?;
    Ok(added == 1)
}

/// Records what became of a claimed mail.
pub async fn note(db_: &Db, key: &[u8], state: State) -> Result<()> {
    let tx = db_.begin().await?;
    Entity::update_many()
        .col_expr(Column::State, Expr::value(state))
        .filter(Column::KeyHash.eq(key))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// Gives a claim back, because the mail was not sent.
pub async fn release(db_: &Db, key: &[u8]) -> Result<()> {
    let tx = db_.begin().await?;
    Entity::delete_by_id(key.to_vec()).exec(&*tx).await.map_err(db)?;
    tx.commit().await
}

/// Deletes old keys.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<()> {
    let over = Condition::all().add(Column::ClaimedAt.lte(now - KEPT));
    if !doubts.allow_rows::<Entity>(db_, "mails with reports", over.clone()).await? {
        return Ok(());
    }
    let tx = db_.begin().await?;
    Entity::delete_many().filter(over).exec(&*tx).await.map_err(db)?;
    tx.commit().await
}
