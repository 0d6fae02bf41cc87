//! Deletes data that is older than its retention.

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use kit::config;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::{devices, locations, logs, months, stops};
use crate::entity::driver;
use crate::entity::position::{Column, Entity};
use ::store::clearing::Doubts;
use ::store::{Db, db};

/// Number of positions deleted per transaction.
const STEP: u64 = 5_000;
/// How long an unpaired device is kept after it was last seen.
const KEEP_UNPAIRED: Duration = Duration::days(90);

/// Data is usually at most this much older than its retention; more, if the process was off for long or the
/// retention was shortened.
const USUAL: Duration = Duration::days(31);

/// Creates monthly tables and deletes data that is too old. Deletes nothing while `doubts` suspects that a
/// clock is far ahead.
pub async fn tend(db_: &Db, now: DateTime<Utc>, config: &config::Drivers, doubts: &Doubts) -> Result<()> {
    months::make(db_, now, config.positions_keep_days).await?;
    let before = now - Duration::days(i64::from(config.positions_keep_days));
    let old_months = months::older_than(db_, before).await?;
    let (mut positions, mut last_positions, mut pairings, mut entries, mut stop_times) = (0, 0, 0, 0, 0);
    let oldest = oldest_position(db_).await?;
    let plausible = old_months.len() <= 1 && oldest.is_none_or(|oldest| before - oldest <= USUAL);
    if doubts.allow(db_, "positions", plausible, &format!("all before {before}")).await? {
        months::drop_all(db_, &old_months).await?;
        positions = prune_positions(db_, now, before).await?;
        last_positions = locations::clear_positions(db_, before).await?;
        // Positions from these periods are too old to be stored.
        pairings = devices::delete_ended(db_, before).await?;
    }
    let before = now - Duration::days(i64::from(config.logs_keep_days));
    let plausible = !logs::any_before(db_, before - USUAL).await?;
    if doubts.allow(db_, "entries of logs", plausible, &format!("all before {before}")).await? {
        entries = logs::prune(db_, before).await?;
        stop_times = stops::forget_times(db_, before).await?;
    }
    // Deleting a device does no harm: its next report lists it again.
    let devices = devices::forget_unpaired(db_, now - KEEP_UNPAIRED, doubts).await?;
    if positions + last_positions + pairings + entries + stop_times + devices > 0 {
        let logs = entries;
        tracing::debug!(
            positions,
            last_positions,
            pairings,
            logs,
            stop_times,
            devices,
            "what was too old was deleted"
        );
    }
    Ok(())
}

/// Returns the time of the oldest position on SQLite, reading one index entry per driver. Returns `None` on
/// Postgres, where the monthly tables show the age.
async fn oldest_position(db_: &Db) -> Result<Option<DateTime<Utc>>> {
    use sea_orm::{ConnectionTrait, DbBackend, Statement};
    const STATEMENT: &str = "SELECT MIN((SELECT MIN(occurred_at) FROM position WHERE driver = driver.number)) AS at \
                             FROM driver";
    if db_.is_postgres() {
        return Ok(None);
    }
    let row =
        db_.read().query_one_raw(Statement::from_string(DbBackend::Sqlite, STATEMENT)).await.map_err(db)?;
    Ok(row.map(|row| row.try_get("", "at").map_err(db)).transpose()?.flatten())
}

/// Deletes old positions. On Postgres, only those without a monthly table, because whole months are dropped
/// elsewhere. On SQLite, driver by driver, because a driver's positions are contiguous and sorted by time.
/// Positions dated after `now` are deleted by their time of receipt, because a device's clock may be decades
/// ahead.
async fn prune_positions(db_: &Db, now: DateTime<Utc>, before: DateTime<Utc>) -> Result<u64> {
    if db_.is_postgres() {
        return prune_rest(db_, before).await;
    }
    let drivers: Vec<i32> = driver::Entity::find()
        .select_only()
        .column(driver::Column::Number)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let mut gone = 0;
    for driver in drivers {
        gone += prune_driver(db_, driver, Column::OccurredAt.lt(before)).await?;
        let ahead = Column::OccurredAt.gt(now).and(Column::ReceivedAt.lt(before));
        gone += prune_driver(db_, driver, ahead).await?;
    }
    Ok(gone)
}

/// Deletes a driver's positions that match `expired`; returns how many.
async fn prune_driver(db_: &Db, driver: i32, expired: Expr) -> Result<u64> {
    let mut gone = 0;
    loop {
        let old = Query::select()
            .columns([Column::OccurredAt, Column::Fingerprint])
            .from(Entity)
            .and_where(Column::Driver.eq(driver))
            .and_where(expired.clone())
            .limit(STEP)
            .take();
        let key = Expr::tuple([Expr::col(Column::OccurredAt), Expr::col(Column::Fingerprint)]);
        let tx = db_.begin().await?;
        let step = Entity::delete_many()
            .filter(Column::Driver.eq(driver))
            .filter(key.in_subquery(old))
            .exec(&*tx)
            .await
            .map_err(db)?
            .rows_affected;
        tx.commit().await?;
        gone += step;
        if step < STEP {
            return Ok(gone);
        }
    }
}

/// Deletes positions without a monthly table by their time of receipt, because their own times are not
/// credible.
async fn prune_rest(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    use sea_orm::{ConnectionTrait, DbBackend, Statement};
    const STATEMENT: &str = "DELETE FROM position_rest WHERE ctid IN \
                             (SELECT ctid FROM position_rest WHERE received_at < $1 LIMIT $2)";
    let mut gone = 0;
    loop {
        let values = [before.into(), i64::try_from(STEP).unwrap_or(i64::MAX).into()];
        let tx = db_.begin().await?;
        let statement = Statement::from_sql_and_values(DbBackend::Postgres, STATEMENT, values);
        let step = tx.execute_raw(statement).await.map_err(db)?.rows_affected();
        tx.commit().await?;
        gone += step;
        if step < STEP {
            return Ok(gone);
        }
    }
}
