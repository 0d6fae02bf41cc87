//! Metrics of jobs that wait for a worker: how many of a kind, and for how long.

use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::Clock;
use kit::metrics::{self, Gauge, Reading};
use sea_orm::{EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::table::job::{Column, Entity};
use super::{claim, now};
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
    pub fn of_each(service: &str, kinds: impl Iterator<Item = &'static str>) -> Vec<Self> {
        let of = |gauge, kind| metrics::reading(gauge, &[("service", service), ("kind", kind)]);
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

    /// Reads the jobs that are due; `busy` are the jobs of this kind that this process works on.
    pub async fn look(&self, db_: &Db, clock: &Clock, busy: &[Uuid]) {
        self.running.set(busy.len() as f64);
        match self.due(db_, clock, busy).await {
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

    async fn due(&self, db_: &Db, clock: &Clock, busy: &[Uuid]) -> Result<(f64, f64)> {
        let now = now(db_, clock).await?;
        let due = claim::due(&[self.kind], busy, now);
        let waiting = count::<Entity>(db_, due.clone(), Column::Id).await?;
        let oldest = Entity::find()
            .select_only()
            .columns([Column::CreatedAt, Column::NotBefore, Column::LeaseUntil])
            .filter(due)
            .order_by_asc(Column::CreatedAt)
            .limit(1)
            .into_tuple::<(DateTime<Utc>, Option<DateTime<Utc>>, Option<DateTime<Utc>>)>()
            .one(db_.read())
            .await
            .map_err(db)?;
        // A job whose worker is dead has been due since its lease ended.
        let since = oldest.map(|(created, not_before, lease)| lease.or(not_before).unwrap_or(created));
        Ok((waiting.total as f64, age(since, now)))
    }
}
