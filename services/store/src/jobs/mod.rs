//! Work that outlives the request that asked for it, and the process that began it.
//!
//! A job is a row, added in the transaction of the request ([`enqueue`]). [`Jobs`] claims due jobs and passes
//! each to the [`Work`] of its kind, under a lease with an owner. The work writes in transactions of its
//! [`Hold`], which fail once the lease belongs to another worker; progress and the checkpoint to resume from
//! are written in the same transactions. So work may stop anywhere and continue elsewhere, and no effect
//! happens twice.
//!
//! Here: `table`, the row and its migration; `queue`, adding, cancelling and reading jobs; `claim`, which job
//! is next; `hold`, the right to write for a job; `failure`, which failures are retried; `runner`, workers;
//! `backlog`, metrics of waiting jobs; `clear`, deleting old rows. Deliberately absent: the kinds of jobs,
//! and schedules. Reasons are in docs/adr/0043.

mod backlog;
mod claim;
mod clear;
mod failure;
mod hold;
mod queue;
mod runner;
mod table;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::clock::Clock;
use kit::{Error, Result};

use crate::{Db, Tx};

pub use hold::{Held, Hold, Progress};
pub use queue::{NewJob, Wanted, cancel, enqueue, get, list};
pub use runner::Jobs;
pub use table::job::{self, Model as Job};
pub use table::{State, create_table, drop_table};

/// Attempts that a job may take without progress. Without a limit, work that kills its process would kill it
/// again at each start.
pub const MAX_ATTEMPTS: i32 = 5;

/// The work on jobs of one kind.
#[async_trait]
pub trait Work: Send + Sync + 'static {
    /// Returns the kind, as stored in the table. A released kind must never be renamed.
    fn kind(&self) -> &'static str;

    /// Returns the pool of workers. Kinds of the same pool share its workers and return the same number of them.
    fn pool(&self) -> &'static str {
        self.kind()
    }

    /// Returns how many jobs of its pool one process works on at once.
    fn workers(&self) -> usize {
        1
    }

    /// Does the work, starting at the last checkpoint. Writes only in transactions of `hold`; after an
    /// interruption, requests to other services are sent again.
    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt>;

    /// Writes the consequences of a job's end, in the transaction that ends it.
    async fn ended(&self, _tx: &Tx, _job: &Job, _end: &End) -> Result<()> {
        Ok(())
    }

    /// Returns the failure of a job that stopped too often without progress.
    fn gave_up(&self) -> Error {
        Error::precondition(
            "JOB_STOPPED_REPEATEDLY",
            format!(
                "This job stopped {MAX_ATTEMPTS} times without making progress. Ask an administrator to \
                 check the log."
            ),
        )
    }
}

/// Why work stopped early.
#[derive(Debug)]
pub enum Halt {
    Failed(Error),
    /// The lease belongs to another worker, or the job has ended.
    Lost,
    /// The job was cancelled.
    Cancelled,
    /// The process is stopping.
    Stopping,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Halt::Failed(error)
    }
}

/// How a job ended.
#[derive(Debug)]
pub enum End {
    Done,
    Cancelled,
    Failed(Error),
}

impl End {
    fn state(&self) -> State {
        match self {
            End::Done => State::Done,
            End::Cancelled => State::Cancelled,
            End::Failed(_) => State::Failed,
        }
    }
}

/// Returns the time for leases: the database's, which all processes share. A fixed clock, as in tests,
/// replaces it.
async fn now(db_: &Db, clock: &Clock) -> Result<DateTime<Utc>> {
    match db_.is_postgres() && clock.is_running() {
        true => db_.now().await,
        false => Ok(clock.now()),
    }
}
