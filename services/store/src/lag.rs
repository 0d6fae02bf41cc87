//! Metrics of a service's lag: events that wait in its outbox, and events that were given up. Every replica
//! reads them from time to time; all replicas see the same database.

use std::time::Duration;

use chrono::{DateTime, Utc};
use kit::Result;
use kit::metrics::{self, Gauge, Reading};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tokio_util::sync::CancellationToken;

use crate::dead_letters::{OPEN, dead_letter};
use crate::list::count;
use crate::outbox::{self, outbox_event};
use crate::{Db, db};

pub(crate) const EVERY: Duration = Duration::from_secs(10);

/// Reads outbox and dead letters of one service.
pub struct Lag {
    db: Db,
    waiting: Reading,
    oldest: Reading,
    refused: Reading,
    letters: Reading,
    oldest_letter: Reading,
}

impl Lag {
    pub fn new(db: Db, service: &str) -> Self {
        let of = |gauge| metrics::reading(gauge, &[("service", service)]);
        Self {
            db,
            waiting: of(Gauge::OutboxWaiting),
            oldest: of(Gauge::OutboxOldest),
            refused: of(Gauge::OutboxRefused),
            letters: of(Gauge::DeadLetters),
            oldest_letter: of(Gauge::DeadLetterOldest),
        }
    }

    /// Reads the metrics until stopped. While the database does not respond, stale values would mislead, so
    /// the metrics are hidden; another metric shows that the database is down.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        loop {
            if let Err(error) = self.look().await {
                tracing::debug!("how far events are behind is not known: {error:#}");
                for it in [&self.waiting, &self.oldest, &self.refused, &self.letters, &self.oldest_letter] {
                    it.clear();
                }
            }
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn look(&self) -> Result<()> {
        use dead_letter::Column as L;
        use outbox_event::Column as O;
        let now = self.db.now().await?;
        let waits = || Condition::all().add(O::PublishedAt.is_null()).add(O::RefusedAt.is_null());
        let waiting = count::<outbox_event::Entity>(&self.db, waits(), O::Id).await?;
        let oldest = outbox_event::Entity::find().select_only().column(O::CreatedAt).filter(waits());
        let oldest =
            oldest.order_by_asc(O::Id).limit(1).into_tuple().one(self.db.read()).await.map_err(db)?;
        self.waiting.set(waiting.total as f64);
        self.oldest.set(age(oldest, now));
        self.refused.set(outbox::refused(&self.db).await? as f64);

        let letters = count::<dead_letter::Entity>(&self.db, is_open(), L::Id).await?;
        let oldest = oldest_letter().into_tuple().one(self.db.read()).await.map_err(db)?;
        self.letters.set(letters.total as f64);
        self.oldest_letter.set(age(oldest, now));
        Ok(())
    }
}

fn is_open() -> Condition {
    Condition::all().add(dead_letter::Column::State.eq(OPEN))
}

/// Selects the time when the oldest open dead letter was raised.
fn oldest_letter() -> Select<dead_letter::Entity> {
    use dead_letter::Column as L;
    let open = dead_letter::Entity::find().select_only().column(L::RaisedAt).filter(is_open());
    open.order_by_asc(L::RaisedAt).limit(1)
}

/// Returns the seconds since that time; 0 for `None`.
pub fn age(since: Option<DateTime<Utc>>, now: DateTime<Utc>) -> f64 {
    since.map_or(0.0, |since| (now - since).as_seconds_f64().max(0.0))
}

#[cfg(test)]
mod tests {
    use sea_orm::{DbBackend, QueryTrait};
    use sea_orm_migration::{MigrationTrait, MigratorTrait};

    use super::*;
    use crate::testing::{Backend, TestDb, sqlite_plan};

    struct Tables;

    impl MigratorTrait for Tables {
        fn migrations() -> Vec<Box<dyn MigrationTrait>> {
            crate::migrate::migrations()
        }
    }

    async fn plan<E: EntityTrait>(db: &Db, select: Select<E>) -> String {
        sqlite_plan(db.read(), select.build(DbBackend::Sqlite)).await
    }

    // Both tables keep rows long after they matter here.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_read_every_few_seconds_is_found_by_an_index() {
        let test = TestDb::migrated::<Tables>(Backend::Sqlite).await;
        let id = dead_letter::Column::Id;
        let open = dead_letter::Entity::find().select_only().column(id).filter(is_open());
        let refused = outbox::refusals().select_only().column(outbox_event::Column::Id);
        let plans = [
            (plan(&test.db, open).await, "COVERING INDEX dead_letters_by_state "),
            (plan(&test.db, oldest_letter()).await, "COVERING INDEX dead_letters_by_state "),
            (plan(&test.db, refused).await, "INDEX outbox_refused"),
        ];
        for (plan, index) in plans {
            assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{index}: {plan}");
        }
        test.close().await;
    }
}
