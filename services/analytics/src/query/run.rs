//! Runs the statements of a request and reads their rows, within limits on time and memory.

use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDateTime, Utc};
use futures::StreamExt;
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, QueryResult, StreamTrait};
use store::tx::limit_statements;
use store::{Db, Reading};
use tokio_util::sync::CancellationToken;

use super::check::Query;
use super::dates::show;
use super::plan::{Plan, plan};
use super::sql::Sql;
use super::zone;
use crate::members::{Aggregate, Dimension, Measure};

/// Maximum size of all rows of an answer, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The deadline of a request, and a token that is canceled when nobody waits for the answer any more.
pub struct Within {
    pub until: Instant,
    pub stop: CancellationToken,
}

impl Within {
    fn left(&self) -> Result<Duration> {
        if self.stop.is_cancelled() {
            return Err(stopped());
        }
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(too_slow()) } else { Ok(left) }
    }
}

/// A displayed value. Numbers are formatted as text.
pub type Cell = Option<String>;

/// The rows of one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
    /// The number of rows regardless of limit and offset, if requested.
    pub total: Option<u64>,
}

/// The part of the query that a column of the answer shows.
#[derive(Debug, Clone, Copy)]
enum Origin {
    Dimension(usize, &'static Dimension),
    Bucket(usize),
    Measure(usize, &'static Measure),
}

/// Runs queries one after the other, all on one snapshot of the data. Checks the limits before each
/// statement.
pub async fn run(db: &Db, queries: &[Query], within: &Within) -> Result<Vec<Rows>> {
    let read = db.begin_read(Reading::Report).await?;
    let mut answers = Vec::with_capacity(queries.len());
    let mut room = MAX_BYTES;
    for query in queries {
        answers.push(rows(&read, &plan(query), &mut room, within).await?);
    }
    read.commit().await.map_err(store::db)?;
    Ok(answers)
}

/// Returns the rows of one plan. Subtracts their size from `room`.
pub async fn rows(
    read: &DatabaseTransaction,
    plan: &Plan<'_>,
    room: &mut usize,
    within: &Within,
) -> Result<Rows> {
    let (query, backend) = (plan.query, ConnectionTrait::get_database_backend(read));
    let sql = Sql::new(plan, backend);
    let columns = columns(query);
    let mut rows = Vec::new();
    if query.limit > 0 {
        limit_statements(read, Reading::Report, within.left()?).await?;
        let statement = backend.build(&sql.rows());
        let mut stream = read.stream_raw(statement).await.map_err(failed)?;
        while let Some(row) = stream.next().await {
            let row = row.map_err(failed)?;
            let cells = columns.iter().map(|(_, origin)| cell(&row, *origin, query, backend));
            let cells: Vec<Cell> = cells.collect::<Result<_, DbErr>>().map_err(failed)?;
            let size: usize = cells.iter().map(|cell| 32 + cell.as_ref().map_or(0, String::len)).sum();
            *room = room.checked_sub(size).ok_or_else(too_large)?;
            rows.push(cells);
        }
    }
    let total = match query.total {
        true => {
            limit_statements(read, Reading::Report, within.left()?).await?;
            let row = read.query_one(&sql.total()).await.map_err(failed)?;
            let total: i64 = row.map_or(Ok(0), |row| row.try_get("", "total")).map_err(failed)?;
            Some(total.unsigned_abs())
        }
        false => None,
    };
    Ok(Rows { columns: columns.into_iter().map(|(name, _)| name).collect(), rows, total })
}

/// Returns the columns' names and origins. A truncated time appears under its unit and, in its finest unit,
/// also under its own name.
fn columns(query: &Query) -> Vec<(String, Origin)> {
    let dimensions = query.dimensions.iter().enumerate();
    let mut columns: Vec<(String, Origin)> =
        dimensions.map(|(at, it)| (it.name.to_owned(), Origin::Dimension(at, it))).collect();
    let add = |columns: &mut Vec<(String, Origin)>, name: String, origin| {
        if !columns.iter().any(|(other, _)| *other == name) {
            columns.push((name, origin));
        }
    };
    for (at, (time, unit)) in query.cut().enumerate() {
        add(&mut columns, format!("{}.{}", time.dimension.name, unit.name()), Origin::Bucket(at));
        if query.finest(time.dimension) == Some(unit) {
            add(&mut columns, time.dimension.name.to_owned(), Origin::Bucket(at));
        }
    }
    let measures = query.measures.iter().enumerate();
    columns.extend(measures.map(|(at, it)| (it.name.to_owned(), Origin::Measure(at, it))));
    columns
}

fn cell(row: &QueryResult, origin: Origin, query: &Query, backend: DbBackend) -> Result<Cell, DbErr> {
    Ok(match origin {
        Origin::Dimension(at, dimension) if dimension.is_time() => {
            let at: Option<DateTime<Utc>> = row.try_get("", &format!("k{at}"))?;
            at.map(|at| show(zone::local(at, query.zone)))
        }
        Origin::Dimension(at, _) => row.try_get("", &format!("d{at}"))?,
        Origin::Bucket(at) => match backend {
            DbBackend::Postgres => row.try_get::<Option<NaiveDateTime>>("", &format!("b{at}"))?.map(show),
            _ => row.try_get::<Option<String>>("", &format!("b{at}"))?.map(|text| text + ".000"),
        },
        Origin::Measure(at, measure) => {
            let first: i64 = row.try_get("", &format!("m{at}a"))?;
            let second: Option<i64> = match has_second(measure) {
                true => Some(row.try_get("", &format!("m{at}b"))?),
                false => None,
            };
            value(measure, first, second.unwrap_or_default())
        }
    })
}

fn has_second(measure: &Measure) -> bool {
    matches!(measure.aggregate, Aggregate::Rate(_) | Aggregate::MeanMinutes(_))
}

/// Computes a measure from its sums, as text; `None` if it would divide by zero.
#[allow(clippy::cast_precision_loss)] // counts and seconds are far below 2^53
pub fn value(measure: &Measure, first: i64, second: i64) -> Cell {
    let (sum, known) = (first as f64, second as f64);
    match measure.aggregate {
        Aggregate::Rows | Aggregate::RowsWith(_) | Aggregate::Sum(_) => Some(first.to_string()),
        Aggregate::Thousandths(_) => Some((sum / 1000.0).to_string()),
        Aggregate::Rate(_) => (second > 0).then(|| (sum * 100.0 / known).to_string()),
        Aggregate::MeanMinutes(_) => (second > 0).then(|| (sum / known / 60.0).to_string()),
    }
}

fn failed(error: DbErr) -> Error {
    if !store::error::is_timeout(&error) {
        return store::db(error);
    }
    too_slow().with_source(error)
}

fn too_slow() -> Error {
    let text = "The query takes too long. Choose a shorter date range or add a filter.";
    Error::precondition("ANALYTICS_TOO_SLOW", text)
}

/// Reason code of the error that [`stopped`] returns.
pub const STOPPED: &str = "ANALYTICS_STOPPED";

/// Returns the error for a query that was stopped because nobody waits for it any more.
pub fn stopped() -> Error {
    Error::unavailable(STOPPED, "The query was canceled.")
}

fn too_large() -> Error {
    let text = "The result is too large. Ask for fewer rows or fewer members.";
    Error::precondition("ANALYTICS_TOO_LARGE", text)
}
