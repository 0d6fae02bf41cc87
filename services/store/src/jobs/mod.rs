//! Work that outlives the request that asked for it, and the process that began it.
//!
//! A job is a row, added in the transaction of whatever asks for it ([`enqueue`]). [`Jobs`] claims jobs that
//! are due and hands each to the [`Work`] of its kind, under a lease with an owner. The work writes in
//! transactions of its [`Hold`], which fail once the lease belongs to another worker; progress and the
//! checkpoint to resume from are written in the same transactions. So work may stop anywhere and go on
//! elsewhere, and no effect happens twice.
//!
//! Here: `table`, the row and its migration; `queue`, adding, cancelling and looking at jobs; `claim`, which
//! job is next; `hold`, the right to write about it; `failure`, which failures are worth another attempt;
//! `runner`, workers; `backlog`, what waits, for metrics; `clear`, deleting old rows. Deliberately absent: any kind of job, and schedules.
//! Reasons are in docs/adr/0043.

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

/// Attempts that a job may take without progress. Work that ends the process would otherwise end it again
/// at each start.
pub const MAX_ATTEMPTS: i32 = 5;

/// The work on jobs of one kind.
#[async_trait]
pub trait Work: Send + Sync + 'static {
    /// Names the kind in the table. A released name stays.
    fn kind(&self) -> &'static str;

    /// How many jobs of this kind one process works on at once.
    fn workers(&self) -> usize {
        1
    }

    /// Does the work, from the last checkpoint on. Whatever it writes here, it writes in transactions of
    /// `hold`; whatever it asks of other services may be asked again.
    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt>;

    /// Writes what follows from the end of a job, in the transaction that ends it.
    async fn ended(&self, _tx: &Tx, _job: &Job, _end: &End) -> Result<()> {
        Ok(())
    }

    /// The failure of a job that stopped too often without getting further.
    fn gave_up(&self) -> Error {
        Error::precondition(
            "JOB_STOPPED_REPEATEDLY",
            format!(
                "This stopped {MAX_ATTEMPTS} times without getting further. Ask an administrator to look at the log."
            ),
        )
    }
}

/// Why work stopped before its end.
#[derive(Debug)]
pub enum Halt {
    Failed(Error),
    /// The lease belongs to another worker, or the job has ended.
    Lost,
    /// Somebody cancelled the job.
    Cancelled,
    /// The process stops.
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

/// The time that leases go by: the database's, which all processes share. A fixed clock stands for it in
/// tests.
async fn now(db_: &Db, clock: &Clock) -> Result<DateTime<Utc>> {
    match db_.is_postgres() && clock.is_running() {
        true => db_.now().await,
        false => Ok(clock.now()),
    }
}
