//! Workers: claim due jobs, run them under a lease, record how they ended.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use futures::FutureExt;
use kit::clock::Clock;
use kit::{Error, Kind, Result, metrics};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use super::backlog::Backlog;
use super::failure::{Retry, pause, pause_after};
use super::hold::{Hold, Release};
use super::table::job::{Column, Entity, Model};
use super::{End, Halt, MAX_ATTEMPTS, State, Work, claim, clear, now};
use crate::clearing::Doubts;
use crate::startup::until_written;
use crate::{Db, db, lag};

const POLL: Duration = Duration::from_secs(2);
const CLEAR_EVERY: Duration = Duration::from_secs(3_600);

/// Runs the jobs of one service. Several processes share the jobs of a Postgres database; a SQLite file
/// belongs to one process.
pub struct Jobs {
    /// The name of the service, for metrics.
    service: &'static str,
    db: Db,
    clock: Clock,
    pools: Vec<Pool>,
    poll: Duration,
    /// Jobs that this process is working on, with their kind.
    running: Arc<Mutex<HashMap<Uuid, &'static str>>>,
}

/// The kinds of jobs that share one pool of workers.
type Pool = Vec<Arc<dyn Work>>;

fn kinds_of(pool: &[Arc<dyn Work>]) -> Vec<&'static str> {
    pool.iter().map(|work| work.kind()).collect()
}

impl Jobs {
    pub fn new(service: &'static str, db: Db, clock: Clock) -> Self {
        Self { service, db, clock, pools: Vec::new(), poll: POLL, running: Arc::default() }
    }

    /// Adds the work for one kind.
    pub fn with(mut self, work: impl Work) -> Self {
        let work: Arc<dyn Work> = Arc::new(work);
        match self.pools.iter_mut().find(|pool| pool.iter().any(|it| it.pool() == work.pool())) {
            Some(pool) => pool.push(work),
            None => self.pools.push(vec![work]),
        }
        self
    }

    fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.pools.iter().flatten().map(|work| work.kind())
    }

    /// Sets how often to look for jobs added by other processes. Jobs added by this process start
    /// immediately.
    pub fn polling(self, every: Duration) -> Self {
        Self { poll: every, ..self }
    }

    /// Works until stopped; running work then finishes its current step.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let this = Arc::new(self);
        let mut added = this.db.jobs_added.subscribe();
        if !until_written("jobs", &stop, || this.free_leases()).await? {
            return Ok(());
        }
        let doubts = Doubts::default();
        let mut clear_due = tokio::time::interval(CLEAR_EVERY);
        // Clear before the first job, so that a process that lives only briefly clears too.
        clear_due.tick().await;
        this.clear(&doubts).await;
        let mut look_due = tokio::time::interval(lag::EVERY);
        let backlogs = Backlog::of_each(this.service, this.kinds());
        // Dropping the set aborts the running work.
        let mut workers = JoinSet::new();
        while !stop.is_cancelled() {
            if let Err(error) = this.start_due(&mut workers, &stop).await {
                tracing::warn!("cannot look for jobs: {error:#}");
            }
            // Jitter, because processes that poll in step would compete for the same rows.
            let jitter = Duration::from_millis(rand::random_range(0..250));
            tokio::select! {
                () = stop.cancelled() => {}
                _ = added.changed() => {}
                Some(_) = workers.join_next() => {}
                () = tokio::time::sleep(this.poll + jitter) => {}
                _ = look_due.tick() => {
                    for backlog in &backlogs {
                        backlog.look(&this.db, &this.clock, &this.at_work(&[backlog.kind()])).await;
                    }
                }
                _ = clear_due.tick() => this.clear(&doubts).await,
            }
        }
        while workers.join_next().await.is_some() {}
        Ok(())
    }

    async fn clear(&self, doubts: &Doubts) {
        if let Err(error) = clear::clear(&self.db, &self.clock, doubts).await {
            tracing::warn!("finished jobs wait to be deleted: {error:#}");
        }
    }

    /// Runs everything that is due, one job after the other, until nothing is left; returns the number of
    /// attempts. For tests, where time passes only when the clock is moved.
    pub async fn run_all(&self) -> Result<usize> {
        let mut attempts = 0;
        while self.run_one(&CancellationToken::new()).await? {
            attempts += 1;
        }
        Ok(attempts)
    }

    /// Runs one attempt of one due job; returns false if there is none.
    pub async fn run_one(&self, stop: &CancellationToken) -> Result<bool> {
        for pool in &self.pools {
            if let Some((work, job, hold)) = self.next(pool, stop).await? {
                let _place = Place::take(&self.running, job.id, work.kind());
                self.attempt(work.as_ref(), job, hold).await;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Claims the next job of a pool, if one is due; returns it with its work.
    async fn next(
        &self,
        pool: &[Arc<dyn Work>],
        stop: &CancellationToken,
    ) -> Result<Option<(Arc<dyn Work>, Model, Hold)>> {
        let claimed = self.claim_of(&kinds_of(pool), stop).await?;
        Ok(claimed.and_then(|(job, hold)| {
            let work = pool.iter().find(|work| work.kind() == job.kind)?;
            Some((work.clone(), job, hold))
        }))
    }

    /// Claims the next job of a kind, if one is due.
    pub async fn claim(&self, kind: &str, stop: &CancellationToken) -> Result<Option<(Model, Hold)>> {
        self.claim_of(&[kind], stop).await
    }

    async fn claim_of(&self, kinds: &[&str], stop: &CancellationToken) -> Result<Option<(Model, Hold)>> {
        let busy: Vec<Uuid> = self.running().keys().copied().collect();
        let claimed_at = self.clock.now();
        let claimed = claim::claim(&self.db, kinds, &busy, now(&self.db, &self.clock).await?).await?;
        Ok(claimed.map(|(job, owner)| {
            let hold = Hold::new(self.db.clone(), self.clock.clone(), (job.id, owner), claimed_at, stop);
            (job, hold)
        }))
    }

    /// Releases the leases that the previous process left, because on SQLite no other process can hold them.
    /// Leaves kinds alone that are not in `self.pools`: their jobs may be running already in this process.
    async fn free_leases(&self) -> Result<()> {
        if self.db.is_postgres() {
            return Ok(());
        }
        let tx = self.db.begin().await?;
        Entity::update_many()
            .col_expr(Column::State, Expr::value(State::Waiting))
            .col_expr(Column::LeaseOwner, Expr::value(None::<Uuid>))
            .col_expr(Column::LeaseUntil, Expr::value(None::<DateTime<Utc>>))
            .filter(Column::State.eq(State::Running))
            .filter(Column::Kind.is_in(self.kinds()))
            .exec(&*tx)
            .await
            .map_err(db)?;
        tx.commit().await
    }

    /// Starts due jobs on free workers.
    async fn start_due(self: &Arc<Self>, workers: &mut JoinSet<()>, stop: &CancellationToken) -> Result<()> {
        for pool in &self.pools {
            let kinds = kinds_of(pool);
            let limit = pool.first().map_or(0, |work| work.workers());
            while self.at_work(&kinds).len() < limit && !stop.is_cancelled() {
                let Some((work, job, hold)) = self.next(pool, stop).await? else { break };
                let this = self.clone();
                let place = Place::take(&self.running, job.id, work.kind());
                workers.spawn(async move {
                    this.attempt(work.as_ref(), job, hold).await;
                    drop(place);
                });
            }
        }
        Ok(())
    }

    /// Returns the jobs of these kinds that this process is working on.
    fn at_work(&self, kinds: &[&str]) -> Vec<Uuid> {
        self.running().iter().filter(|(_, kind)| kinds.contains(kind)).map(|(job, _)| *job).collect()
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Uuid, &'static str>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a claimed job and records how it ended.
    async fn attempt(&self, work: &dyn Work, job: Model, hold: Hold) {
        let span = tracing::info_span!(
            "job.run",
            job.kind = work.kind(),
            job.id = %job.id,
            trace_id = tracing::field::Empty,
        );
        kit::trace::note_id(&span);
        let begun = Instant::now();
        let attempt = async {
            let halted = self.work(work, &job, &hold).await;
            metrics::job(self.service, work.kind(), outcome(&halted), begun.elapsed());
            if let Err(error) = settle(work, &hold, halted).await {
                // The lease expires, and then the job is claimed again.
                tracing::warn!("how a job ended could not be noted: {error:#}");
            }
        };
        attempt.instrument(span).await;
    }

    async fn work(&self, work: &dyn Work, job: &Model, hold: &Hold) -> Result<(), Halt> {
        if job.cancel_requested {
            return Err(Halt::Cancelled);
        }
        if job.attempts > MAX_ATTEMPTS {
            return Err(Halt::Failed(work.gave_up()));
        }
        let running = AssertUnwindSafe(work.run(job, hold)).catch_unwind();
        tokio::select! {
            result = running => result.unwrap_or_else(|_| {
                Err(Error::new(Kind::Internal, "JOB_PANICKED", "The job panicked").into())
            }),
            () = hold.keep() => Err(Halt::Lost),
        }
    }
}

fn outcome(halted: &Result<(), Halt>) -> &'static str {
    match halted {
        Ok(()) => "done",
        Err(Halt::Cancelled) => "cancelled",
        Err(Halt::Lost | Halt::Stopping) => "interrupted",
        Err(Halt::Failed(error)) if matches!(Retry::of(error), Retry::Always) => "waiting",
        Err(Halt::Failed(_)) => "failed",
    }
}

/// Records how an attempt ended: finishes the job, or gives it back.
async fn settle(work: &dyn Work, hold: &Hold, halted: Result<(), Halt>) -> Result<()> {
    let now = hold.now().await?;
    let Some(held) = hold.last().await? else {
        tracing::info!("another worker has taken the job over");
        return Ok(());
    };
    let attempts = held.job().attempts;
    let uncounted = (attempts - 1).max(0);
    let end = match halted {
        Ok(()) => End::Done,
        Err(Halt::Cancelled) => End::Cancelled,
        Err(Halt::Lost) => return Ok(()),
        Err(Halt::Stopping) => {
            return held.release(Release { not_before: None, attempts: uncounted, failure: None }).await;
        }
        Err(Halt::Failed(error)) => match Retry::of(&error) {
            Retry::Never => {
                error.log();
                End::Failed(error)
            }
            Retry::Always => {
                tracing::warn!("the job waits: {error:#}");
                let not_before = Some(now + pause(&error));
                return held
                    .release(Release { not_before, attempts: uncounted, failure: Some(&error) })
                    .await;
            }
            Retry::Counted => {
                tracing::error!(attempts, "the job failed: {error:#}");
                if attempts < MAX_ATTEMPTS {
                    let not_before = Some(now + pause_after(attempts));
                    return held.release(Release { not_before, attempts, failure: Some(&error) }).await;
                }
                End::Failed(work.gave_up())
            }
        },
    };
    work.ended(&held, held.job(), &end).await?;
    held.end(&end, now).await?;
    tracing::info!(state = end.state().as_str(), "the job ended");
    Ok(())
}

/// A worker's slot; dropping it frees the slot.
struct Place {
    running: Arc<Mutex<HashMap<Uuid, &'static str>>>,
    job: Uuid,
}

impl Place {
    fn take(running: &Arc<Mutex<HashMap<Uuid, &'static str>>>, job: Uuid, kind: &'static str) -> Self {
        running.lock().unwrap_or_else(PoisonError::into_inner).insert(job, kind);
        Self { running: running.clone(), job }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.job);
    }
}
