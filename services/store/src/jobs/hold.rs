//! The right to work on a job. A lease has an owner: a worker that lost the lease can neither renew it nor
//! write.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Duration, Utc};
use kit::clock::Clock;
use kit::{Error, Result};
use sea_orm::prelude::Json;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, UpdateMany};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::table::job::{Column, Entity, Model};
use super::{End, Halt, State, now};
use crate::{Db, Tx, db};

/// A worker that does not renew its lease for this long counts as dead.
pub(super) const LEASE: Duration = Duration::seconds(30);
/// Renewal interval; short enough that one failed renewal does not lose the lease.
const RENEW_EVERY: std::time::Duration = std::time::Duration::from_secs(10);

/// The right to work on one job, until another worker claims it.
#[derive(Clone)]
pub struct Hold {
    db: Db,
    clock: Clock,
    job: Uuid,
    owner: Uuid,
    interrupted: CancellationToken,
    is_cancelled: Arc<AtomicBool>,
    /// When the job was claimed, or the lease last renewed by [`Hold::renew`], by `clock`.
    renewed_at: Arc<Mutex<DateTime<Utc>>>,
}

/// Progress of a job. `done` and `total` are in a unit that the kind of job chooses.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    pub done: u64,
    pub total: Option<u64>,
    /// Replaces the previous checkpoint, if `Some`.
    pub checkpoint: Option<Json>,
}

/// A transaction that commits only if the lease still holds.
pub struct Held {
    tx: Tx,
    job: Model,
}

impl Hold {
    /// `claimed_at` is the time of `clock` before the job was claimed.
    pub(super) fn new(
        db: Db,
        clock: Clock,
        (job, owner): (Uuid, Uuid),
        claimed_at: DateTime<Utc>,
        stop: &CancellationToken,
    ) -> Self {
        let interrupted = stop.child_token();
        let renewed_at = Arc::new(Mutex::new(claimed_at));
        Self { db, clock, job, owner, interrupted, is_cancelled: Arc::default(), renewed_at }
    }

    /// Begins a transaction for the work and renews the lease in it.
    ///
    /// # Errors
    ///
    /// `Lost` when another worker has the job, `Cancelled` when the job was cancelled.
    pub async fn begin(&self) -> Result<Held, Halt> {
        let held = self.record().await?;
        match held.job.cancel_requested {
            true => Err(Halt::Cancelled),
            false => Ok(held),
        }
    }

    /// Begins a transaction that records what was done already, for example by another service, and renews the
    /// lease in it. Unlike [`Hold::begin`], it does so for a cancelled job, too: the record must say what
    /// happened.
    ///
    /// # Errors
    ///
    /// `Lost` when another worker has the job.
    pub async fn record(&self) -> Result<Held, Halt> {
        let held = self.take().await?;
        if held.job.cancel_requested {
            self.note_cancelled();
        }
        Ok(held)
    }

    /// Fails if the work should stop early: the process stops, or the job was cancelled.
    pub fn check(&self) -> Result<(), Halt> {
        match self.interrupted.is_cancelled() {
            true => Err(self.interruption()),
            false => Ok(()),
        }
    }

    /// Returns a token that is cancelled when the work should stop early, for code that waits or runs in a
    /// thread.
    pub fn interrupted(&self) -> &CancellationToken {
        &self.interrupted
    }

    /// Returns why the work should stop early.
    pub fn interruption(&self) -> Halt {
        match self.is_cancelled.load(Ordering::Relaxed) {
            true => Halt::Cancelled,
            false => Halt::Stopping,
        }
    }

    /// Renews the lease as long as the caller polls the returned future, and notices a cancellation of the
    /// job. Returns when the lease is lost.
    pub(super) async fn keep(&self) {
        loop {
            tokio::time::sleep(RENEW_EVERY).await;
            match self.renew().await {
                Ok(()) => {}
                Err(Halt::Failed(error)) => {
                    tracing::warn!("the lease of a job could not be renewed: {error:#}")
                }
                Err(_) => return,
            }
        }
    }

    /// Renews the lease once. Fails with `Lost` when another worker has the job.
    pub async fn renew(&self) -> Result<(), Halt> {
        let begun_at = self.clock.now();
        self.record().await?.commit().await?;
        *self.renewed_at.lock().unwrap_or_else(PoisonError::into_inner) = begun_at;
        Ok(())
    }

    /// Renews the lease if it was not renewed for long, as when the process was paused. For work outside the database,
    /// which a lost lease does not roll back: call this right before it.
    ///
    /// # Errors
    ///
    /// `Lost` when another worker has the job.
    pub async fn confirm(&self) -> Result<(), Halt> {
        let renewed_at = *self.renewed_at.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back does not show how old the lease is.
        match (self.clock.now() - renewed_at).abs() > LEASE / 2 {
            true => self.renew().await,
            false => Ok(()),
        }
    }

    fn note_cancelled(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.interrupted.cancel();
    }

    /// Locks the row of the job until the transaction ends, so that nobody claims the job in the meantime.
    async fn take(&self) -> Result<Held, Halt> {
        let until = now(&self.db, &self.clock).await? + LEASE;
        let tx = self.db.begin().await?;
        let kept = Entity::update_many()
            .col_expr(Column::LeaseUntil, Expr::value(until))
            .filter(self.is_mine())
            .exec_with_returning(&*tx)
            .await
            .map_err(db)?;
        let job = kept.into_iter().next().ok_or(Halt::Lost)?;
        Ok(Held { tx, job })
    }

    fn is_mine(&self) -> Condition {
        Condition::all()
            .add(Column::Id.eq(self.job))
            .add(Column::State.eq(State::Running))
            .add(Column::LeaseOwner.eq(self.owner))
    }

    /// Begins the transaction that ends the job or gives it back; `None` when another worker has the job.
    pub(super) async fn last(&self) -> Result<Option<Held>> {
        match self.take().await {
            Ok(held) => Ok(Some(held)),
            Err(Halt::Failed(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    pub(super) async fn now(&self) -> Result<DateTime<Utc>> {
        now(&self.db, &self.clock).await
    }
}

impl Held {
    /// Returns the job as read in this transaction.
    pub fn job(&self) -> &Model {
        &self.job
    }

    /// Records progress and resets the count of attempts, since the job made progress.
    pub async fn advance(&self, progress: Progress) -> Result<()> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let mut update = Entity::update_many()
            .col_expr(Column::ProgressDone, Expr::value(number(progress.done)))
            .col_expr(Column::ProgressTotal, Expr::value(progress.total.map(number)))
            .col_expr(Column::Attempts, Expr::value(0))
            .filter(Column::Id.eq(self.job.id));
        if let Some(checkpoint) = progress.checkpoint {
            update = update.col_expr(Column::Checkpoint, Expr::value(checkpoint));
        }
        update.exec(&*self.tx).await.map_err(db)?;
        kit::fail_point("store.job.advanced");
        Ok(())
    }

    pub async fn commit(self) -> Result<()> {
        self.tx.commit().await
    }

    /// Ends the job.
    pub(super) async fn end(self, end: &End, now: DateTime<Utc>) -> Result<()> {
        let update = self
            .without_lease()
            .col_expr(Column::State, Expr::value(end.state()))
            .col_expr(Column::FinishedAt, Expr::value(now));
        let update = match end {
            End::Failed(error) => noting(update, error),
            End::Done | End::Cancelled => update,
        };
        update.exec(&*self.tx).await.map_err(db)?;
        kit::fail_point("store.job.ended");
        self.commit().await
    }

    /// Gives the job back, so that any worker can claim it.
    pub(super) async fn release(self, release: Release<'_>) -> Result<()> {
        let update = self
            .without_lease()
            .col_expr(Column::State, Expr::value(State::Waiting))
            .col_expr(Column::NotBefore, Expr::value(release.not_before))
            .col_expr(Column::Attempts, Expr::value(release.attempts));
        let update = match release.failure {
            Some(error) => noting(update, error),
            None => update,
        };
        update.exec(&*self.tx).await.map_err(db)?;
        self.commit().await
    }

    fn without_lease(&self) -> UpdateMany<Entity> {
        Entity::update_many()
            .filter(Column::Id.eq(self.job.id))
            .col_expr(Column::LeaseOwner, Expr::value(None::<Uuid>))
            .col_expr(Column::LeaseUntil, Expr::value(None::<DateTime<Utc>>))
    }
}

/// How a job is given back.
pub(super) struct Release<'a> {
    pub not_before: Option<DateTime<Utc>>,
    pub attempts: i32,
    pub failure: Option<&'a Error>,
}

fn noting(update: UpdateMany<Entity>, error: &Error) -> UpdateMany<Entity> {
    update
        .col_expr(Column::FailureCode, Expr::value(error.reason.as_str()))
        .col_expr(Column::FailureText, Expr::value(error.message.as_str()))
}

impl Deref for Held {
    type Target = Tx;
    fn deref(&self) -> &Tx {
        &self.tx
    }
}
