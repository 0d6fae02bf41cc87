//! Last positions of drivers.
//!
//! The table has one row per driver, a few thousand in all, and each row is rewritten with every group of
//! positions. So the table is scanned, and has no index by time.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use kit::clock::Clock;
use kit::{Error, Result};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Statement,
};
use serde_json::json;

use crate::entity::driver;
use crate::entity::location::{Column, Entity, Model};
use ::store::filter::fold;
use ::store::{Db, Tx, counter, db};

/// Maximum number of locations per response.
pub const MAX_LOCATIONS: usize = 2_000;
/// Number of last positions removed per transaction.
const STEP: usize = 500;
/// Name of the counter that numbers transactions which change displayed data of drivers; see [`Cursor`].
const MOVES: &str = "location moves";
/// Placeholder for `moved_number` in a changed row: [`put`] replaces it with the transaction's number.
pub const ANEW: i64 = -1;
/// Prefix of cursors that contain a number; cursors of the previous release contain a time.
const MARK: char = '#';

/// Returns the locations of several drivers, by the driver's number.
pub async fn of(db_: &Db, drivers: &[i32]) -> Result<HashMap<i32, Model>> {
    let rows = Entity::find().filter(Column::Driver.is_in(drivers.iter().copied())).all(db_.read()).await;
    Ok(rows.map_err(db)?.into_iter().map(|row| (row.driver, row)).collect())
}

/// Locks the rows of drivers until the transaction ends, always in the same order, to avoid deadlocks.
pub async fn lock(tx: &Tx, drivers: &[i32]) -> Result<HashMap<i32, Model>> {
    let rows = Entity::find()
        .filter(Column::Driver.is_in(drivers.iter().copied()))
        .order_by_asc(Column::Driver)
        .lock_exclusive()
        .all(&**tx)
        .await
        .map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.driver, row)).collect())
}

/// Marks a driver's location as changed because other displayed data has changed, so that readers get it.
pub async fn touch(tx: &Tx, driver: i32, now: DateTime<Utc>) -> Result<()> {
    // Lock the row first and the counter last, as when positions are written.
    let touched = Entity::update_many()
        .col_expr(Column::MovedAt, Expr::value(now))
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::Driver.eq(driver))
        .exec(&**tx)
        .await
        .map_err(db)?;
    if touched.rows_affected == 0 {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::MovedNumber, Expr::value(next_move(tx).await?))
        .filter(Column::Driver.eq(driver))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

/// Removes last positions from before this time; returns how many.
pub async fn clear_positions(db_: &Db, before: DateTime<Utc>) -> Result<u64> {
    let old_of = |rows: Vec<Model>| -> Result<Vec<i32>> {
        let mut old = Vec::new();
        for row in rows {
            if row.last()?.is_some_and(|last| last.point.occurred_at < before) {
                old.push(row.driver);
            }
        }
        Ok(old)
    };
    let rows = Entity::find().filter(Column::Position.is_not_null()).all(db_.read()).await.map_err(db)?;
    let mut gone = 0;
    for drivers in old_of(rows)?.chunks(STEP) {
        let tx = db_.begin().await?;
        // A newer position may have arrived in the meantime.
        let locked = lock(&tx, drivers).await?;
        let done = Entity::update_many()
            .col_expr(Column::Position, Expr::value(None::<String>))
            .filter(Column::Driver.is_in(old_of(locked.into_values().collect())?))
            .exec(&*tx)
            .await
            .map_err(db)?;
        tx.commit().await?;
        gone += done.rows_affected;
    }
    Ok(gone)
}

/// Returns the number for this transaction's changes. Other writers then wait until this transaction ends.
async fn next_move(tx: &Tx) -> Result<i64> {
    counter::next(&**tx, MOVES).await
}

const POSTGRES: &str = "INSERT INTO location (driver, seen_at, newest_at, moved_at, version, position, moved_number) \
    SELECT driver, seen_at, NULLIF(newest_at, 'epoch'), moved_at, version, NULLIF(position, ''), moved_number \
    FROM UNNEST($1::int[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::text[], \
    $7::bigint[]) AS t (driver, seen_at, newest_at, moved_at, version, position, moved_number) \
    ON CONFLICT (driver) DO UPDATE SET seen_at = excluded.seen_at, newest_at = excluded.newest_at, \
    moved_at = excluded.moved_at, version = excluded.version, position = excluded.position, \
    moved_number = excluded.moved_number";
const SQLITE: &str = "INSERT INTO location (driver, seen_at, newest_at, moved_at, version, position, moved_number) \
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 \
    FROM json_each(?1) WHERE true \
    ON CONFLICT (driver) DO UPDATE SET seen_at = excluded.seen_at, newest_at = excluded.newest_at, \
    moved_at = excluded.moved_at, version = excluded.version, position = excluded.position, \
    moved_number = excluded.moved_number";

/// Writes whole rows with one statement, whose text does not depend on the number of rows. Rows marked with
/// [`ANEW`] get their number and time here. Call this last in a transaction.
pub async fn put(tx: &Tx, clock: &Clock, rows: &mut [Model]) -> Result<()> {
    if rows.iter().any(|row| row.moved_number == ANEW) {
        let (number, now) = (next_move(tx).await?, clock.now());
        for row in rows.iter_mut().filter(|row| row.moved_number == ANEW) {
            row.moved_number = number;
            row.moved_at = now;
        }
    }
    let backend = tx.get_database_backend();
    let statement = match backend {
        DbBackend::Postgres => {
            let each = |value: fn(&Model) -> DateTime<Utc>| rows.iter().map(value).collect::<Vec<_>>();
            let values = [
                rows.iter().map(|row| row.driver).collect::<Vec<_>>().into(),
                each(|row| row.seen_at).into(),
                // Arrays cannot contain missing values, so the default time stands for them.
                each(|row| row.newest_at.unwrap_or_default()).into(),
                each(|row| row.moved_at).into(),
                rows.iter().map(|row| row.version).collect::<Vec<_>>().into(),
                rows.iter().map(|row| row.position.clone().unwrap_or_default()).collect::<Vec<_>>().into(),
                rows.iter().map(|row| row.moved_number).collect::<Vec<_>>().into(),
            ];
            Statement::from_sql_and_values(backend, POSTGRES, values)
        }
        _ => {
            let rows: Vec<_> = rows
                .iter()
                .map(|row| {
                    let newest_at = row.newest_at.map(sqlite_time);
                    let (seen_at, moved_at) = (sqlite_time(row.seen_at), sqlite_time(row.moved_at));
                    json!([
                        row.driver,
                        seen_at,
                        newest_at,
                        moved_at,
                        row.version,
                        row.position,
                        row.moved_number
                    ])
                })
                .collect();
            let rows = serde_json::to_string(&rows).map_err(Error::internal)?;
            Statement::from_sql_and_values(backend, SQLITE, [rows.into()])
        }
    };
    tx.execute_raw(statement).await.map_err(db)?;
    Ok(())
}

/// Formats a time as SQLite's driver does, so that stored texts sort by time.
pub fn sqlite_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, false)
}

/// Where a reader continues in the commit order of changes: the number of a change, and a driver.
///
/// A writer takes its number last, and keeps others from taking theirs until it has committed. So a reader
/// who sees a number can see all smaller ones, too, and misses nothing by continuing exactly where a list
/// ended. No clock is involved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    number: i64,
    driver: i32,
}

impl Cursor {
    /// Parses a cursor. Returns `None` for a cursor of the previous release, which contains a time; its
    /// reader starts over.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let (number, driver) = text.split_once('.')?;
            let driver = driver.parse().ok()?;
            match number.strip_prefix(MARK) {
                Some(number) => Some(Some(Self { number: number.parse().ok()?, driver })),
                None => number.parse::<i64>().ok().map(|_| None),
            }
        };
        read().ok_or_else(|| Error::invalid_field("after", "The cursor doesn't come from an earlier answer"))
    }

    pub fn text(self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{MARK}{}.{}", self.number, self.driver))
    }

    pub fn of(row: &Model) -> Self {
        Self { number: row.moved_number, driver: row.driver }
    }
}

/// Changed locations, and the next cursor. Contains only drivers with a known position.
pub struct Moved {
    pub rows: Vec<(driver::Model, Model)>,
    pub cursor: Cursor,
    pub more: bool,
}

pub async fn moved(db_: &Db, after: Option<Cursor>, driver_ids: &[String]) -> Result<Moved> {
    let mut rows = list(db_, after, driver_ids).await?;
    // If the database was restored from a backup, its numbers are lower than the cursor's: start over.
    if let Some(Cursor { number, .. }) = after.filter(|_| rows.is_empty())
        && counter::get(db_.read(), MOVES).await? < number.unsigned_abs()
    {
        rows = list(db_, None, driver_ids).await?;
    }
    let more = rows.len() > MAX_LOCATIONS;
    rows.truncate(MAX_LOCATIONS);
    let cursor = rows.last().map(Cursor::of).or(after).unwrap_or(Cursor { number: 0, driver: 0 });
    let numbers = rows.iter().map(|row| row.driver);
    let drivers = driver::Entity::find().filter(driver::Column::Number.is_in(numbers)).all(db_.read()).await;
    let mut drivers: HashMap<i32, driver::Model> =
        drivers.map_err(db)?.into_iter().map(|row| (row.number, row)).collect();
    let rows = rows.into_iter().filter_map(|row| Some((drivers.remove(&row.driver)?, row))).collect();
    Ok(Moved { rows, cursor, more })
}

/// Reads one location more than fits into a response, to detect whether there are more.
async fn list(db_: &Db, after: Option<Cursor>, driver_ids: &[String]) -> Result<Vec<Model>> {
    let mut query = Entity::find()
        .filter(Column::Position.is_not_null())
        .order_by_asc(Column::MovedNumber)
        .order_by_asc(Column::Driver)
        .limit(MAX_LOCATIONS as u64 + 1);
    if let Some(Cursor { number, driver }) = after {
        let level = Condition::all().add(Column::MovedNumber.eq(number)).add(Column::Driver.gt(driver));
        query = query.filter(Condition::any().add(Column::MovedNumber.gt(number)).add(level));
    }
    if !driver_ids.is_empty() {
        let wanted = Query::select()
            .column(driver::Column::Number)
            .from(driver::Entity)
            .and_where(driver::Column::DriverIdKey.is_in(driver_ids.iter().map(|id| fold(id))))
            .take();
        query = query.filter(Expr::col(Column::Driver).in_subquery(wanted));
    }
    query.all(db_.read()).await.map_err(db)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        let cursor = Cursor { number: 1_795_000_000, driver: 7 };
        assert_eq!(Cursor::parse(&cursor.text()).unwrap(), Some(cursor));
        for bad in ["", "x", "MTIz", "LjE", "!!"] {
            assert!(Cursor::parse(bad).is_err(), "{bad}");
        }
        let by_time = URL_SAFE_NO_PAD.encode("1795000000250000.7");
        assert_eq!(Cursor::parse(&by_time).unwrap(), None, "one of the release before");
    }
}
