//! What a worker writes once, before its work.
//!
//! The disk may be full or slow just then, or another program may hold the file. A running process waits in that case,
//! and so does one that starts: if it ended instead, nobody could even read.

use std::time::Duration;

use kit::Result;
use tokio_util::sync::CancellationToken;

const PAUSE: Duration = Duration::from_secs(2);

/// Repeats `write` until it succeeds; returns false if the process stops first. `what` begins the log line.
///
/// # Errors
///
/// The first error that is not transient.
pub(crate) async fn until_written<F, Fut>(what: &str, stop: &CancellationToken, write: F) -> Result<bool>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<()>>,
{
    loop {
        match write().await {
            Ok(()) => return Ok(true),
            Err(error) if error.is_transient() => tracing::warn!("{what} wait for the database: {error:#}"),
            Err(error) => return Err(error),
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(false),
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use kit::bus::EncodedEvent;
    use kit::clock::{Clock, new_id};
    use proto::events::ImportFinished;
    use proto::events::envelope::Payload;
    use sea_orm::ConnectionTrait;
    use sea_orm_migration::prelude::{DbErr, MigrationName, MigrationTrait, MigratorTrait, SchemaManager};
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
    use tokio::time::timeout;

    use super::*;
    use crate::Db;
    use crate::jobs::{self, Halt, Hold, Job, Jobs, NewJob, Work};
    use crate::outbox::{self, NewEvent};
    use crate::relay::{Publish, Relay};
    use crate::testing::{Backend, TestDb};

    struct Migrator;

    impl MigratorTrait for Migrator {
        fn migrations() -> Vec<Box<dyn MigrationTrait>> {
            let mut all = crate::migrate::migrations();
            all.push(Box::new(TableOfJobs));
            all
        }
    }

    struct TableOfJobs;

    impl MigrationName for TableOfJobs {
        fn name(&self) -> &str {
            "m0001_jobs"
        }
    }

    #[async_trait]
    impl MigrationTrait for TableOfJobs {
        async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
            jobs::create_table(manager).await
        }

        async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
            jobs::drop_table(manager).await
        }
    }

    /// Reports each event and each job.
    struct Reporter(UnboundedSender<&'static str>);

    #[async_trait]
    impl Publish for Reporter {
        async fn publish(&self, _: &EncodedEvent, _: u32) -> kit::Result<()> {
            self.0.send("event").unwrap();
            Ok(())
        }

        fn keeps_events(&self) -> bool {
            false
        }
    }

    #[async_trait]
    impl Work for Reporter {
        fn kind(&self) -> &'static str {
            "report"
        }

        async fn run(&self, _: &Job, _: &Hold) -> Result<(), Halt> {
            self.0.send("job").unwrap();
            Ok(())
        }
    }

    async fn add(db: &Db) {
        let clock = Clock::system();
        let event = NewEvent {
            service: "upload",
            actor: "maria",
            aggregate_id: "1",
            aggregate_version: 1,
            occurred_at: clock.now(),
            payload: Payload::ImportFinished(ImportFinished::default()),
        };
        let payload = serde_json::json!({});
        let job =
            NewJob { id: new_id(), kind: "report", payload, created_by: "maria", created_at: clock.now() };
        let tx = db.begin().await.unwrap();
        outbox::add(&tx, event).await.unwrap();
        jobs::enqueue(&tx, job).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// As a process does that was killed and starts on a full disk.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn workers_that_start_wait_for_a_database_that_takes_no_writes() {
        let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
        let db = &test.db;
        add(db).await;
        db.writer.execute_unprepared("PRAGMA query_only = ON").await.unwrap();
        let (reports, mut seen) = unbounded_channel();
        let stop = CancellationToken::new();
        let jobs = Jobs::new("upload", db.clone(), Clock::system()).with(Reporter(reports.clone()));
        let relay = Relay::new(db.clone(), Reporter(reports));
        let mut jobs = tokio::spawn(jobs.run(stop.clone()));
        let mut relay = tokio::spawn(relay.run(stop.clone()));
        for worker in [&mut jobs, &mut relay] {
            let ended = timeout(Duration::from_millis(500), worker).await;
            assert!(ended.is_err(), "{ended:?}");
        }
        db.writer.execute_unprepared("PRAGMA query_only = OFF").await.unwrap();
        let mut reported = Vec::new();
        while reported.len() < 2 {
            reported.push(timeout(Duration::from_secs(60), seen.recv()).await.unwrap().unwrap());
        }
        reported.sort_unstable();
        assert_eq!(reported, ["event", "job"]);
        stop.cancel();
        jobs.await.unwrap().unwrap();
        relay.await.unwrap().unwrap();
        test.close().await;
    }

    #[tokio::test]
    async fn a_write_that_can_never_succeed_ends_the_worker_and_a_stop_ends_the_wait() {
        let stop = CancellationToken::new();
        let failing = || async { Err(kit::Error::internal("no such table")) };
        let error = until_written("jobs", &stop, failing).await.unwrap_err();
        assert_eq!(error.reason, "INTERNAL");
        stop.cancel();
        let waiting = || async { Err(kit::Error::storage_full("STORAGE_FULL", "The disk is full")) };
        assert!(!until_written("jobs", &stop, waiting).await.unwrap());
        assert!(until_written("jobs", &stop, || async { Ok(()) }).await.unwrap());
    }
}
