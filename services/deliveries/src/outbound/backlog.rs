//! Metrics of waiting and failed messages to other systems.

use std::time::Duration;

use ::store::lag::age;
use ::store::list::{COUNT_BOUND, count};
use ::store::{Db, db};
use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::Clock;
use kit::metrics::{self, Gauge, Reading};
use kit::service::{FirstRun, Task};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use crate::Context;
use crate::domain::outbound::{Method, State};
use crate::entity::dead_letter::{Column, Entity};
use crate::outbound::sends;
use crate::queries::dead_letters::EVENT;

const EVERY: Duration = Duration::from_secs(10);

/// Where failed messages come from: Waybill, a report of another system, or an event that was given up.
const ORIGINS: [&str; 3] = ["ours", "reported", "event"];

struct Shown {
    waiting: Reading,
    /// By origin, in the order of [`ORIGINS`].
    failed: [Reading; ORIGINS.len()],
    oldest_due: Reading,
}

impl Shown {
    fn clear(&self) {
        self.waiting.clear();
        self.failed.iter().for_each(Reading::clear);
        self.oldest_due.clear();
    }
}

/// Creates the task that counts the messages for the metrics, every ten seconds.
pub fn look(context: &Context) -> Task {
    let (db, clock) = (context.db.clone(), context.clock.clone());
    let of = |gauge| metrics::reading(gauge, &[("service", crate::NAME)]);
    let shown = std::sync::Arc::new(Shown {
        waiting: of(Gauge::SendsWaiting),
        failed: ORIGINS.map(|origin| {
            metrics::reading(Gauge::SendsFailed, &[("service", crate::NAME), ("origin", origin)])
        }),
        oldest_due: of(Gauge::SendOldestDue),
    });
    Task::every("backlog of messages", EVERY, FirstRun::AtStart, move || {
        let (db, clock, shown) = (db.clone(), clock.clone(), shown.clone());
        async move {
            let seen = seen(&db, &clock).await;
            if seen.is_err() {
                shown.clear();
            }
            let (waiting, failed, oldest_due) = seen?;
            shown.waiting.set(waiting as f64);
            for (reading, (_, number)) in shown.failed.iter().zip(failed) {
                reading.set(number as f64);
            }
            shown.oldest_due.set(oldest_due);
            Ok(())
        }
    })
}

/// The number of failed messages of each origin.
type Failed = [(&'static str, u64); ORIGINS.len()];

async fn seen(db_: &Db, clock: &Clock) -> Result<(u64, Failed, f64)> {
    let now = clock.now();
    let open = Condition::all().add(Column::State.is_in(State::OPEN));
    let waiting = count::<Entity>(db_, open, Column::Id).await?;
    Ok((waiting.total, failed(db_).await?, age(oldest_due(db_, now).await?, now)))
}

/// Counts the failed messages of each origin, among the newest `COUNT_BOUND`.
pub async fn failed(db_: &Db) -> Result<Failed> {
    let rows: Vec<(Method, Option<Uuid>, String)> =
        newest_failed().into_tuple().all(db_.read()).await.map_err(db)?;
    let origins: Vec<_> =
        rows.into_iter().map(|(method, producer, key)| origin(method, producer, &key)).collect();
    Ok(ORIGINS.map(|it| (it, origins.iter().filter(|origin| **origin == it).count() as u64)))
}

fn origin(method: Method, producer: Option<Uuid>, key: &str) -> &'static str {
    match method {
        Method::Event if key.starts_with(EVENT) => "event",
        // An unreadable report, which may name no producer.
        Method::Event => "reported",
        _ if producer.is_some() => "reported",
        _ => "ours",
    }
}

/// Selects method, producer and key of the newest failed messages, in the order of the index on states. Without a limit,
/// this would read millions of reports every ten seconds.
pub fn newest_failed() -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Method, Column::ProducerId, Column::IdempotencyKey])
        .filter(Column::State.eq(State::Failed))
        .order_by_desc(Column::CreatedAt)
        .limit(COUNT_BOUND)
}

/// Returns since when the oldest due message has been due; `None` if none is due.
///
/// A message that is being sent still counts until its attempt ends. Messages to an endpoint that is switched
/// off, paused or deleted do not count, because the sender leaves them alone.
pub async fn oldest_due(db_: &Db, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let endpoints = sends::receivers(db_).await?.into_iter().map(|it| Some(it.id));
    let mut oldest: Option<DateTime<Utc>> = None;
    // Resent events have no endpoint. They are due until their consumer has handled them.
    for endpoint in endpoints.chain([None]) {
        let first: Option<DateTime<Utc>> =
            first_due(endpoint, now).into_tuple().one(db_.read()).await.map_err(db)?;
        oldest = oldest.into_iter().chain(first).min();
    }
    Ok(oldest)
}

/// Selects the time of the first due message to one endpoint, or of the first due event. The index on these
/// times begins with the endpoint: a query over several endpoints would sort all due messages.
pub fn first_due(endpoint: Option<Uuid>, now: DateTime<Utc>) -> Select<Entity> {
    let to = match endpoint {
        Some(id) => Column::EndpointId.eq(id),
        None => Column::EndpointId.is_null(),
    };
    Entity::find()
        .select_only()
        .column(Column::NextAttemptAt)
        .filter(to)
        .filter(Column::NextAttemptAt.lte(now))
        // Postgres uses the index's order for NULL only if the endpoint is named here, too.
        .order_by_asc(Column::EndpointId)
        .order_by_asc(Column::NextAttemptAt)
        .limit(1)
}
