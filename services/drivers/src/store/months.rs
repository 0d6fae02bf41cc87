//! The monthly tables of positions on Postgres: created ahead, and dropped when they are too old.
//!
//! Outside of migrations, only this file changes the schema, because new months begin without a release. A
//! position without a monthly table is stored in `position_rest` until there is one, so no position is
//! refused when this fails. See docs/adr/0021.

use chrono::{DateTime, Datelike, Duration, Months, NaiveDate, Utc};
use kit::Result;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use ::store::{Db, Tx, db};

/// The advisory lock that lets one process at a time change the tables: "months" as a number.
const LOCK: i64 = 0x6d6f_6e74_6873;
/// Number of months that get their table before they begin.
const AHEAD: u32 = 2;
/// Limits waiting for a table lock to two seconds, because readers and writers queue up behind a waiting
/// lock.
const PATIENCE: &str = "SELECT set_config('lock_timeout', '2s', true)";

/// Returns the first day of the month.
fn month(at: DateTime<Utc>) -> NaiveDate {
    at.date_naive().with_day(1).unwrap_or_default()
}

fn name(month: NaiveDate) -> String {
    month.format("position_%Y_%m").to_string()
}

/// Creates missing monthly tables. Does nothing on SQLite.
pub async fn make(db_: &Db, now: DateTime<Utc>, keep_days: u32) -> Result<()> {
    if !db_.is_postgres() {
        return Ok(());
    }
    let oldest = month(now - Duration::days(i64::from(keep_days)));
    let newest = month(now) + Months::new(AHEAD);
    let there = there(db_).await?;
    let mut month = oldest;
    while month <= newest {
        if !there.contains(&name(month)) {
            add(db_, month).await?;
        }
        month = month + Months::new(1);
    }
    Ok(())
}

/// Returns the tables of months that ended before this time; none on SQLite.
pub async fn older_than(db_: &Db, before: DateTime<Utc>) -> Result<Vec<String>> {
    if !db_.is_postgres() {
        return Ok(Vec::new());
    }
    let oldest = name(month(before));
    // Names of tables sort by month.
    Ok(there(db_).await?.into_iter().filter(|it| it.len() == oldest.len() && *it < oldest).collect())
}

/// Drops monthly tables, permanently.
pub async fn drop_all(db_: &Db, months: &[String]) -> Result<()> {
    for month in months {
        remove(db_, month).await?;
    }
    Ok(())
}

/// Returns the names of the existing monthly tables.
pub async fn there(db_: &Db) -> Result<Vec<String>> {
    const ALL: &str = "SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
                       WHERE i.inhparent = 'position'::regclass AND c.relname ~ '^position_[0-9]{4}_[0-9]{2}$' \
                       ORDER BY c.relname";
    let rows =
        db_.read().query_all_raw(Statement::from_string(DbBackend::Postgres, ALL)).await.map_err(db)?;
    rows.iter().map(|row| row.try_get("", "name").map_err(db)).collect()
}

/// Begins a transaction that holds the lock; `None` if another process holds it.
async fn begin(db_: &Db) -> Result<Option<Tx>> {
    let tx = db_.begin().await?;
    tx.execute_raw(Statement::from_string(DbBackend::Postgres, PATIENCE)).await.map_err(db)?;
    let ask = Statement::from_sql_and_values(
        DbBackend::Postgres,
        "SELECT pg_try_advisory_xact_lock($1) AS mine",
        [LOCK.into()],
    );
    let row = tx.query_one_raw(ask).await.map_err(db)?;
    Ok(row.is_some_and(|row| row.try_get("", "mine").unwrap_or(false)).then_some(tx))
}

/// Creates the table detached, moves rows into it, and attaches it, so that other months stay unlocked. The
/// statements contain only names and dates that this file formats.
async fn add(db_: &Db, month: NaiveDate) -> Result<()> {
    let Some(tx) = begin(db_).await? else { return Ok(()) };
    let (name, from, to) = (name(month), month, month + Months::new(1));
    let bounds = format!("'{from}T00:00:00Z' AND occurred_at < '{to}T00:00:00Z'");
    let steps = [
        format!("CREATE TABLE IF NOT EXISTS {name} (LIKE position INCLUDING ALL)"),
        "LOCK TABLE position_rest IN ACCESS EXCLUSIVE MODE".to_owned(),
        format!(
            "WITH late AS (DELETE FROM position_rest WHERE occurred_at >= {bounds} RETURNING *) \
             INSERT INTO {name} SELECT * FROM late"
        ),
        format!(
            "ALTER TABLE position ATTACH PARTITION {name} \
             FOR VALUES FROM ('{from}T00:00:00Z') TO ('{to}T00:00:00Z')"
        ),
    ];
    for step in steps {
        tx.execute_unprepared(&step).await.map_err(db)?;
    }
    tx.commit().await?;
    tracing::info!(month = %name, "a month of positions was made");
    Ok(())
}

async fn remove(db_: &Db, name: &str) -> Result<()> {
    let Some(tx) = begin(db_).await? else { return Ok(()) };
    tx.execute_unprepared(&format!("DROP TABLE IF EXISTS {name}")).await.map_err(db)?;
    tx.commit().await?;
    tracing::info!(month = name, "a month of positions was dropped");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_names_that_sort() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        assert_eq!(name(month(at("2026-11-30T23:59:59Z"))), "position_2026_11");
        assert_eq!(name(month(at("2026-12-01T00:00:00Z")) + Months::new(AHEAD)), "position_2027_02");
    }
}
