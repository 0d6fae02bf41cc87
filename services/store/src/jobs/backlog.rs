//! Metrics of waiting jobs: how many jobs of a kind wait, and for how long.

use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::Clock;
use kit::metrics::{self, Gauge, Reading};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::table::job::{Column, Entity};
use super::{State, now};
use crate::lag::age;
use crate::list::count;
use crate::{Db, db};

pub(super) struct Backlog {
    kind: &'static str,
    waiting: Reading,
    oldest: Reading,
    running: Reading,
}

impl Backlog {
    pub fn of_each(kinds: impl Iterator<Item = &'static str>) -> Vec<Self> {
        let of = |gauge, kind| metrics::reading(gauge, &[("kind", kind)]);
        kinds
            .map(|kind| Self {
                kind,
                waiting: of(Gauge::JobsWaiting, kind),
                oldest: of(Gauge::JobOldestDue, kind),
                running: of(Gauge::JobsRunning, kind),
            })
            .collect()
    }

    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Reads the jobs that are due; `running` is the number of jobs that this process works on.
    pub async fn look(&self, db_: &Db, clock: &Clock, running: usize) {
        self.running.set(running as f64);
        match self.due(db_, clock).await {
            Ok((waiting, oldest)) => {
                self.waiting.set(waiting);
                self.oldest.set(oldest);
            }
            Err(error) => {
                tracing::debug!("how many jobs wait is not known: {error:#}");
                self.waiting.clear();
                self.oldest.clear();
            }
        }
    }

    async fn due(&self, db_: &Db, clock: &Clock) -> Result<(f64, f64)> {
        let now = now(db_, clock).await?;
        let may = Condition::any().add(Column::NotBefore.is_null()).add(Column::NotBefore.lte(now));
        let due = Condition::all()
            .add(Column::Kind.eq(self.kind))
            .add(Column::State.eq(State::Waiting))
            .add(Column::FinishedAt.is_null())
            .add(may);
        let waiting = count::<Entity>(db_, due.clone(), Column::Id).await?;
        let oldest = Entity::find()
            .select_only()
            .columns([Column::CreatedAt, Column::NotBefore])
            .filter(due)
            .order_by_asc(Column::CreatedAt)
            .limit(1)
            .into_tuple::<(DateTime<Utc>, Option<DateTime<Utc>>)>()
            .one(db_.read())
            .await
            .map_err(db)?;
        let since = oldest.map(|(created, not_before)| not_before.unwrap_or(created));
        Ok((waiting.total as f64, age(since, now)))
    }
}
