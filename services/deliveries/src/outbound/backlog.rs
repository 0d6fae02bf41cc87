//! Metrics of waiting and failed messages to other systems.

use std::time::Duration;

use ::store::lag::age;
use ::store::list::count;
use ::store::{Db, db};
use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::Clock;
use kit::metrics::{self, Gauge, Reading};
use kit::service::{FirstRun, Task};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use crate::Context;
use crate::domain::outbound::State;
use crate::entity::dead_letter::{Column, Entity};
use crate::outbound::sends;

const EVERY: Duration = Duration::from_secs(10);

struct Shown {
    waiting: Reading,
    failed: Reading,
    oldest_due: Reading,
}

/// Creates the task that counts the messages for the metrics, every ten seconds.
pub fn look(context: &Context) -> Task {
    let (db, clock) = (context.db.clone(), context.clock.clone());
    let of = |gauge| metrics::reading(gauge, &[("service", crate::NAME)]);
    let shown = std::sync::Arc::new(Shown {
        waiting: of(Gauge::SendsWaiting),
        failed: of(Gauge::SendsFailed),
        oldest_due: of(Gauge::SendOldestDue),
    });
    Task::every("backlog of messages", EVERY, FirstRun::AtStart, move || {
        let (db, clock, shown) = (db.clone(), clock.clone(), shown.clone());
        async move {
            let seen = seen(&db, &clock).await;
            if seen.is_err() {
                shown.waiting.clear();
                shown.failed.clear();
                shown.oldest_due.clear();
            }
            let (waiting, failed, oldest_due) = seen?;
            shown.waiting.set(waiting as f64);
            shown.failed.set(failed as f64);
            shown.oldest_due.set(oldest_due);
            Ok(())
        }
    })
}

async fn seen(db_: &Db, clock: &Clock) -> Result<(u64, u64, f64)> {
    let now = clock.now();
    let in_state = |states: &[State]| Condition::all().add(Column::State.is_in(states.iter().copied()));
    let waiting = count::<Entity>(db_, in_state(&State::OPEN), Column::Id).await?;
    let failed = count::<Entity>(db_, in_state(&[State::Failed]), Column::Id).await?;
    Ok((waiting.total, failed.total, age(oldest_due(db_, now).await?, now)))
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
