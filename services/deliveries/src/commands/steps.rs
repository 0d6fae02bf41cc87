//! Jobs that change messages in steps, because there may be too many for one transaction.

use ::store::Tx;
use ::store::jobs::{Halt, Hold, Job, Progress};
use async_trait::async_trait;
use kit::{Error, Result};
use serde::de::DeserializeOwned;

/// Messages per transaction.
pub const STEP: u64 = 1_000;

/// The work of such a job.
#[async_trait]
pub trait Steps: Sync {
    type Payload: DeserializeOwned + Send + Sync;

    /// Changes at most `STEP` messages; returns how many. The job ends after a step with fewer than `STEP`.
    async fn step(&self, tx: &Tx, job: &Job, payload: &Self::Payload) -> Result<u64>;
}

/// Runs a job to its end.
pub async fn run<S: Steps>(work: &S, job: &Job, hold: &Hold) -> Result<(), Halt> {
    let payload: S::Payload = serde_json::from_value(job.payload.clone()).map_err(Error::internal)?;
    let mut done = job.progress_done.unsigned_abs();
    loop {
        hold.check()?;
        let tx = hold.begin().await?;
        let changed = work.step(&tx, job, &payload).await?;
        done += changed;
        tx.advance(Progress { done, total: None, checkpoint: None }).await?;
        tx.commit().await?;
        if changed < STEP {
            return Ok(());
        }
    }
}
