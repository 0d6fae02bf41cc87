//! Writes positions, several requests as one group. [`spans`] reads them.
//!
//! A group is one transaction of a few statements with fixed texts, whatever its size: rows are passed as
//! arrays on Postgres and as one JSON text on SQLite, because the portable builder would create another
//! statement for every number of rows. The same tests run on both databases.

mod insert;
pub mod spans;

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};
use kit::clock::Clock;
use kit::config;
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::json;

use super::locations::{self, sqlite_time};
use crate::domain::plausible::{AHEAD, DOUBT, Fix, Rules};
use crate::domain::position::{Filtered, Last, Point, Provider};
use crate::entity::location;
use ::store::{Db, Tx, db};
use insert::{insert, update};
pub use spans::{Cursor, MAX_POSITIONS, Span, list};

/// Positions of one driver from one request.
#[derive(Debug, Clone)]
pub struct DriverPoints {
    /// The driver's number.
    pub driver: i32,
    pub provider: Provider,
    pub points: Vec<Point>,
}

/// The result for one [`DriverPoints`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Number of newly stored positions. One that is judged again is not new.
    pub recorded: u32,
    /// Number of newly stored positions that were rejected as implausible.
    pub filtered: u32,
    /// Number of positions that were not stored because they are older than the retention.
    pub too_old: u32,
}

/// A position to write: where it comes from, and whether it was accepted.
struct Row<'a> {
    batch: usize,
    driver: i32,
    provider: Provider,
    point: &'a Point,
    fingerprint: i64,
    /// Whether it is stored already, and only judged again.
    is_stored: bool,
    filtered: Option<Filtered>,
}

impl Row<'_> {
    fn key(&self) -> Key {
        (self.driver, self.point.occurred_at, self.fingerprint)
    }
}

/// The primary key of a position: the driver, the instant and the fingerprint.
type Key = (i32, DateTime<Utc>, i64);

/// Says for which positions to check whether they are stored already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Positions at or before the driver's latest known position. Later ones are almost never stored yet. If
    /// one is, the database refuses the whole group with `ALREADY_EXISTS`.
    Late,
    /// All positions.
    All,
}

/// Writes the positions of several requests in one transaction; returns results in their order.
pub async fn write(
    db_: &Db,
    clock: &Clock,
    config: &config::Drivers,
    batches: &[DriverPoints],
    look: Look,
) -> Result<Vec<Recorded>> {
    let received_at = clock.now();
    let oldest = received_at - Duration::days(i64::from(config.positions_keep_days));
    let too_old =
        |batch: &DriverPoints| batch.points.iter().filter(|point| point.occurred_at < oldest).count();
    let too_old = batches.iter().map(|batch| u32::try_from(too_old(batch)).unwrap_or(u32::MAX));
    let mut answers: Vec<_> = too_old.map(|too_old| Recorded { too_old, ..Recorded::default() }).collect();
    let mut ways = by_driver(batches, oldest);
    let drivers: Vec<i32> = ways.keys().copied().collect();
    let tx = db_.begin().await?;
    let mut known = locations::lock(&tx, &drivers).await?;
    let mut stored = stored(&tx, &late(&ways, &known, received_at, look)).await?;
    for way in ways.values_mut() {
        way.retain_mut(|row| match stored.get(&row.key()) {
            None => true,
            // It was ahead of us when it came. Its time has come since, or our clock was set right.
            Some(Some(Filtered::FutureTime)) if row.point.occurred_at <= received_at + AHEAD => {
                // A position is no duplicate of itself.
                stored.remove(&row.key());
                row.is_stored = true;
                true
            }
            Some(_) => false,
        });
    }
    let instants: HashSet<_> = stored.keys().map(|(driver, at, _)| (*driver, *at)).collect();
    let before = before(&tx, &ways, &known).await?;
    let rules = Rules::from(config);
    let mut moved = Vec::with_capacity(ways.len());
    for (driver, way) in &mut ways {
        let location = known.remove(driver);
        judge(way, &rules, location.as_ref(), before.get(driver).copied(), &instants, received_at)?;
        moved.push(after(*driver, location, way, received_at)?);
    }
    let (again, new): (Vec<&Row<'_>>, Vec<&Row<'_>>) = ways.values().flatten().partition(|row| row.is_stored);
    for row in &new {
        answers[row.batch].recorded += 1;
        answers[row.batch].filtered += u32::from(row.filtered.is_some());
    }
    insert(&tx, &new, received_at).await?;
    update(&tx, &again).await?;
    locations::put(&tx, clock, &mut moved).await?;
    kit::fail_point("drivers.positions.written");
    tx.commit().await?;
    Ok(answers)
}

/// Groups points into trails by driver, sorted by time. Drops repeated points, and those older than the
/// retention.
fn by_driver(batches: &[DriverPoints], oldest: DateTime<Utc>) -> BTreeMap<i32, Vec<Row<'_>>> {
    let mut ways: BTreeMap<i32, Vec<Row<'_>>> = BTreeMap::new();
    for (index, batch) in batches.iter().enumerate() {
        let way = ways.entry(batch.driver).or_default();
        way.extend(batch.points.iter().filter(|point| point.occurred_at >= oldest).map(|point| Row {
            batch: index,
            driver: batch.driver,
            provider: batch.provider,
            point,
            fingerprint: point.fingerprint(batch.provider),
            is_stored: false,
            filtered: None,
        }));
    }
    for way in ways.values_mut() {
        // The sort is stable: of several points at one instant, the first to arrive stays first.
        way.sort_by_key(|row| row.point.occurred_at);
        let mut seen = HashSet::new();
        way.retain(|row| seen.insert((row.point.occurred_at, row.fingerprint)));
    }
    ways
}

/// Returns the drivers and instants to look up, because these points, or others of the same instant, may
/// already be stored. Most points are newer than any known for their driver and need no lookup.
fn late(
    ways: &BTreeMap<i32, Vec<Row<'_>>>,
    known: &HashMap<i32, location::Model>,
    received_at: DateTime<Utc>,
    look: Look,
) -> Vec<(i32, DateTime<Utc>)> {
    let mut late = Vec::new();
    for (driver, way) in ways {
        let newest = known.get(driver).and_then(|location| location.newest_at);
        let old = |row: &&Row<'_>| {
            let at = row.point.occurred_at;
            // `newest_at` ignores times that are far ahead, so check points with such times as well.
            look == Look::All || newest.is_some_and(|newest| at <= newest) || at > received_at + AHEAD
        };
        late.extend(way.iter().filter(old).map(|row| (*driver, row.point.occurred_at)));
    }
    late.dedup();
    late
}

const STORED_POSTGRES: &str = "SELECT p.driver, p.occurred_at, p.fingerprint, p.filtered \
    FROM UNNEST($1::int[], $2::timestamptz[]) AS k (driver, at) \
    JOIN position p ON p.driver = k.driver AND p.occurred_at = k.at";
const STORED_SQLITE: &str = "SELECT p.driver, p.occurred_at, p.fingerprint, p.filtered \
    FROM json_each(?1) k CROSS JOIN position p ON p.driver = k.value ->> 0 AND p.occurred_at = k.value ->> 1";

/// Returns the positions that are stored at these instants, and why each was rejected.
async fn stored(tx: &Tx, keys: &[(i32, DateTime<Utc>)]) -> Result<HashMap<Key, Option<Filtered>>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = tx.query_all_raw(by_keys(tx, STORED_POSTGRES, STORED_SQLITE, keys)).await.map_err(db)?;
    rows.iter()
        .map(|row| {
            let driver: i32 = row.try_get("", "driver").map_err(db)?;
            let at: DateTime<Utc> = row.try_get("", "occurred_at").map_err(db)?;
            let fingerprint: i64 = row.try_get("", "fingerprint").map_err(db)?;
            let filtered: Option<Filtered> = row.try_get("", "filtered").map_err(db)?;
            Ok(((driver, at, fingerprint), filtered))
        })
        .collect()
}

/// Builds a statement with drivers as parameters, each with an instant. On SQLite, each also has the
/// instant minus [`DOUBT`].
fn by_keys(tx: &Tx, postgres: &str, sqlite: &str, keys: &[(i32, DateTime<Utc>)]) -> Statement {
    let backend = tx.get_database_backend();
    if backend == DbBackend::Postgres {
        let drivers: Vec<i32> = keys.iter().map(|key| key.0).collect();
        let times: Vec<DateTime<Utc>> = keys.iter().map(|key| key.1).collect();
        return Statement::from_sql_and_values(backend, postgres, [drivers.into(), times.into()]);
    }
    let keys = keys.iter().map(|(driver, at)| json!([driver, sqlite_time(*at), sqlite_time(*at - DOUBT)]));
    let keys = serde_json::Value::Array(keys.collect()).to_string();
    Statement::from_sql_and_values(backend, sqlite, [keys.into()])
}

const BEFORE_POSTGRES: &str = "SELECT k.driver, p.occurred_at, p.lat, p.lng \
    FROM UNNEST($1::int[], $2::timestamptz[]) AS k (driver, at) CROSS JOIN LATERAL ( \
    SELECT occurred_at, lat, lng FROM position WHERE driver = k.driver AND occurred_at < k.at \
    AND occurred_at >= k.at - interval '10 minutes' AND filtered IS NULL \
    ORDER BY occurred_at DESC LIMIT 1) p";
const BEFORE_SQLITE: &str = "SELECT p.driver, MAX(p.occurred_at) AS occurred_at, p.lat, p.lng \
    FROM json_each(?1) k CROSS JOIN position p ON p.driver = k.value ->> 0 \
    AND p.occurred_at >= k.value ->> 2 AND p.occurred_at < k.value ->> 1 \
    WHERE p.filtered IS NULL GROUP BY p.driver";

/// For each trail that begins before its driver's newest point, returns the last accepted point before the
/// trail.
async fn before(
    tx: &Tx,
    ways: &BTreeMap<i32, Vec<Row<'_>>>,
    known: &HashMap<i32, location::Model>,
) -> Result<HashMap<i32, Fix>> {
    let mut keys = Vec::new();
    for (driver, way) in ways {
        let (Some(first), Some(location)) = (way.first(), known.get(driver)) else { continue };
        if location.newest_at.is_some_and(|newest| first.point.occurred_at <= newest) {
            keys.push((*driver, first.point.occurred_at));
        }
    }
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = tx.query_all_raw(by_keys(tx, BEFORE_POSTGRES, BEFORE_SQLITE, &keys)).await.map_err(db)?;
    rows.iter()
        .map(|row| {
            let at: DateTime<Utc> = row.try_get("", "occurred_at").map_err(db)?;
            let (lat, lng) = (row.try_get("", "lat").map_err(db)?, row.try_get("", "lng").map_err(db)?);
            Ok((row.try_get("", "driver").map_err(db)?, Fix { at, lat, lng }))
        })
        .collect()
}

/// Decides for each point of a trail whether it is accepted.
fn judge(
    way: &mut [Row<'_>],
    rules: &Rules,
    location: Option<&location::Model>,
    before: Option<Fix>,
    stored: &HashSet<(i32, DateTime<Utc>)>,
    received_at: DateTime<Utc>,
) -> Result<()> {
    let last = location.map(location::Model::last).transpose()?.flatten();
    let mut last = last.as_ref().map(|last| Fix::from(&last.point));
    let mut believed = before;
    let mut instant = None;
    for row in way {
        let at = row.point.occurred_at;
        // Points after the last known position are compared with that position.
        if let Some(fix) = last.filter(|fix| fix.at < at) {
            believed = believed.filter(|other| other.at > fix.at).or(Some(fix));
            last = None;
        }
        let again = instant == Some(at) || stored.contains(&(row.driver, at));
        instant = Some(at);
        row.filtered = rules.doubt(row.point, believed, again, received_at);
        if row.filtered.is_none() {
            believed = Some(Fix::from(row.point));
        }
    }
    Ok(())
}

/// Returns the driver's location, updated with the points of a trail.
fn after(
    driver: i32,
    known: Option<location::Model>,
    way: &[Row<'_>],
    received_at: DateTime<Utc>,
) -> Result<location::Model> {
    let mut location = known.unwrap_or(location::Model {
        driver,
        seen_at: received_at,
        newest_at: None,
        moved_at: received_at,
        version: 0,
        position: None,
        moved_number: 0,
    });
    location.seen_at = location.seen_at.max(received_at);
    let newest = way.iter().map(|row| row.point.occurred_at).filter(|at| *at <= received_at + AHEAD).max();
    location.newest_at = location.newest_at.max(newest);
    let known = location.last()?.map(|last| last.point.occurred_at);
    let last = way.iter().rev().find(|row| row.filtered.is_none());
    if let Some(row) = last.filter(|row| known.is_none_or(|known| known < row.point.occurred_at)) {
        let last = Last { point: row.point.clone(), received_at, provider: row.provider.as_str().to_owned() };
        location.position = Some(serde_json::to_string(&last).map_err(Error::internal)?);
        location.moved_number = locations::ANEW;
        location.version += 1;
    }
    Ok(location)
}
