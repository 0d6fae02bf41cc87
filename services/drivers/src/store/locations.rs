//! Where drivers were last.
//!
//! The table has a row a driver, a few thousand in all, and each is rewritten with every group of
//! positions: it is read through rather than indexed by time.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Duration, Utc};
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
use ::store::{Db, Tx, db};

/// Locations of one answer.
pub const MAX_LOCATIONS: usize = 2_000;
/// Longer than the last statement of a write and its commit can take: see [`Cursor`].
const OVERLAP: Duration = Duration::seconds(30);

/// Of several drivers, by their numbers.
pub async fn of(db_: &Db, drivers: &[i32]) -> Result<HashMap<i32, Model>> {
    let rows = Entity::find().filter(Column::Driver.is_in(drivers.iter().copied())).all(db_.read()).await;
    Ok(rows.map_err(db)?.into_iter().map(|row| (row.driver, row)).collect())
}

/// The rows of drivers, held until the transaction ends, in one order for everybody.
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

/// What is shown of a driver beside the place has changed: whoever follows shall see it.
pub async fn touch(tx: &Tx, driver: i32, now: DateTime<Utc>) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::MovedAt, Expr::value(now))
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::Driver.eq(driver))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

const POSTGRES: &str = "INSERT INTO location (driver, seen_at, newest_at, moved_at, version, position) \
    SELECT driver, seen_at, NULLIF(newest_at, 'epoch'), moved_at, version, NULLIF(position, '') \
    FROM UNNEST($1::int[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::text[]) \
    AS t (driver, seen_at, newest_at, moved_at, version, position) \
    ON CONFLICT (driver) DO UPDATE SET seen_at = excluded.seen_at, newest_at = excluded.newest_at, \
    moved_at = excluded.moved_at, version = excluded.version, position = excluded.position";
const SQLITE: &str = "INSERT INTO location (driver, seen_at, newest_at, moved_at, version, position) \
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 \
    FROM json_each(?1) WHERE true \
    ON CONFLICT (driver) DO UPDATE SET seen_at = excluded.seen_at, newest_at = excluded.newest_at, \
    moved_at = excluded.moved_at, version = excluded.version, position = excluded.position";

/// Writes rows whole, by one statement of fixed text.
pub async fn put(tx: &Tx, rows: &[Model]) -> Result<()> {
    let backend = tx.get_database_backend();
    let statement = match backend {
        DbBackend::Postgres => {
            let each = |value: fn(&Model) -> DateTime<Utc>| rows.iter().map(value).collect::<Vec<_>>();
            let values = [
                rows.iter().map(|row| row.driver).collect::<Vec<_>>().into(),
                each(|row| row.seen_at).into(),
                // An array has no place for what is missing.
                each(|row| row.newest_at.unwrap_or_default()).into(),
                each(|row| row.moved_at).into(),
                rows.iter().map(|row| row.version).collect::<Vec<_>>().into(),
                rows.iter().map(|row| row.position.clone().unwrap_or_default()).collect::<Vec<_>>().into(),
            ];
            Statement::from_sql_and_values(backend, POSTGRES, values)
        }
        _ => {
            let rows: Vec<_> = rows
                .iter()
                .map(|row| {
                    let newest_at = row.newest_at.map(sqlite_time);
                    let (seen_at, moved_at) = (sqlite_time(row.seen_at), sqlite_time(row.moved_at));
                    json!([row.driver, seen_at, newest_at, moved_at, row.version, row.position])
                })
                .collect();
            let rows = serde_json::to_string(&rows).map_err(Error::internal)?;
            Statement::from_sql_and_values(backend, SQLITE, [rows.into()])
        }
    };
    tx.execute_raw(statement).await.map_err(db)?;
    Ok(())
}

/// A time as the driver of SQLite writes it: such texts sort as their times do.
pub fn sqlite_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, false)
}

/// How far a reader has come: the time and driver of a row, in the order that rows became known.
///
/// Two writers may commit in another order than that of their times, so a reader that went on exactly
/// where it stopped would miss the slower one. The time of a row is taken right before it is written,
/// so at the end of a list the cursor goes back by longer than that write and its commit can take. What
/// is seen again is the same row with the same version, which a reader ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    at: DateTime<Utc>,
    driver: i32,
}

impl Cursor {
    pub fn parse(text: &str) -> Result<Self> {
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let (at, driver) = text.split_once('.')?;
            let at = DateTime::from_timestamp_micros(at.parse().ok()?)?;
            Some(Self { at, driver: driver.parse().ok()? })
        };
        read().ok_or_else(|| Error::invalid_field("after", "The cursor is not one of an answer before"))
    }

    pub fn text(self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}.{}", self.at.timestamp_micros(), self.driver))
    }

    pub fn of(row: &Model) -> Self {
        Self { at: row.moved_at, driver: row.driver }
    }

    /// Where to go on once the end was reached; never before where this reader began.
    fn at_end(self, begun: Option<Self>) -> Self {
        let back = Self { at: self.at - OVERLAP, driver: 0 };
        begun.filter(|begun| begun.at > back.at).unwrap_or(back)
    }
}

/// What moved since, and how to go on. Only drivers that are known to be somewhere.
pub struct Moved {
    pub rows: Vec<(driver::Model, Model)>,
    pub cursor: Cursor,
    pub more: bool,
}

pub async fn moved(db_: &Db, after: Option<Cursor>, driver_ids: &[String]) -> Result<Moved> {
    let mut query = Entity::find()
        .filter(Column::Position.is_not_null())
        .order_by_asc(Column::MovedAt)
        .order_by_asc(Column::Driver)
        .limit(MAX_LOCATIONS as u64 + 1);
    if let Some(Cursor { at, driver }) = after {
        let level = Condition::all().add(Column::MovedAt.eq(at)).add(Column::Driver.gt(driver));
        query = query.filter(Condition::any().add(Column::MovedAt.gt(at)).add(level));
    }
    if !driver_ids.is_empty() {
        let wanted = Query::select()
            .column(driver::Column::Number)
            .from(driver::Entity)
            .and_where(driver::Column::DriverIdKey.is_in(driver_ids.iter().map(|id| fold(id))))
            .take();
        query = query.filter(Expr::col(Column::Driver).in_subquery(wanted));
    }
    let mut rows = query.all(db_.read()).await.map_err(db)?;
    let more = rows.len() > MAX_LOCATIONS;
    rows.truncate(MAX_LOCATIONS);
    let last = rows.last().map(Cursor::of);
    let cursor = match last {
        Some(last) if more => last,
        Some(last) => last.at_end(after),
        None => after.unwrap_or(Cursor { at: DateTime::UNIX_EPOCH, driver: 0 }),
    };
    let numbers = rows.iter().map(|row| row.driver);
    let drivers = driver::Entity::find().filter(driver::Column::Number.is_in(numbers)).all(db_.read()).await;
    let mut drivers: HashMap<i32, driver::Model> =
        drivers.map_err(db)?.into_iter().map(|row| (row.number, row)).collect();
    let rows = rows.into_iter().filter_map(|row| Some((drivers.remove(&row.driver)?, row))).collect();
    Ok(Moved { rows, cursor, more })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(seconds: i64) -> Cursor {
        Cursor { at: DateTime::from_timestamp(seconds, 250_000_000).unwrap(), driver: 7 }
    }

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        assert_eq!(Cursor::parse(&cursor(1_795_000_000).text()).unwrap(), cursor(1_795_000_000));
        for bad in ["", "x", "MTIz", "LjE", "!!"] {
            assert!(Cursor::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_end_goes_back_but_not_before_the_beginning() {
        assert_eq!(cursor(100).at_end(None), Cursor { at: cursor(70).at, driver: 0 });
        assert_eq!(cursor(100).at_end(Some(cursor(40))), Cursor { at: cursor(70).at, driver: 0 });
        assert_eq!(cursor(100).at_end(Some(cursor(90))), cursor(90));
    }
}
