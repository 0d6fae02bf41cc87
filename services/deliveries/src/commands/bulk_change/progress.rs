//! The progress of a job, and the result for each delivery so far.

use std::collections::BTreeMap;

use ::store::jobs::{Halt, Held, Job, Progress};
use kit::{Error, Kind, Result};
use proto::deliveries::v1 as wire;
use serde::{Deserialize, Serialize};

use super::Payload;
use crate::domain::bulk::LeftOut;

/// Counts of the results so far, written in the same transaction as the counted deliveries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Key of the last processed delivery.
    pub last: String,
    pub done: u64,
    pub changed: u64,
    pub failed: u64,
    left_out: BTreeMap<String, u64>,
}

impl Tally {
    pub fn of(job: &Job) -> Result<Self> {
        let saved = job.checkpoint.clone().map(serde_json::from_value).transpose();
        Ok(saved.map_err(Error::internal)?.unwrap_or_default())
    }

    pub fn leave_out(&mut self, reason: LeftOut) {
        *self.left_out.entry(reason.as_str().to_owned()).or_default() += 1;
    }

    /// Counts a delivery whose change a rule refused before anything was written.
    ///
    /// # Errors
    ///
    /// Returns every other failure, because it concerns more than this delivery.
    pub fn refuse(&mut self, error: Error) -> Result<()> {
        if error.reason == "DRIVER_BLOCKED" {
            self.leave_out(LeftOut::DriverBlocked);
            return Ok(());
        }
        if !is_its_own(&error) {
            return Err(error);
        }
        error.log();
        self.failed += 1;
        Ok(())
    }

    pub async fn save(&self, tx: &Held, total: u64) -> Result<()> {
        let checkpoint = Some(serde_json::to_value(self).map_err(Error::internal)?);
        tx.advance(Progress { done: self.done, total: Some(total), checkpoint }).await
    }

    /// Returns why deliveries were left out, the most frequent reason first.
    pub fn left_out(&self) -> Vec<wire::LeftOut> {
        let each =
            self.left_out.iter().map(|(reason, &count)| wire::LeftOut { reason: reason.clone(), count });
        let mut left: Vec<_> = each.collect();
        left.sort_by_key(|it| std::cmp::Reverse(it.count));
        left
    }
}

/// Returns whether the failure concerns this delivery alone.
fn is_its_own(error: &Error) -> bool {
    matches!(error.kind, Kind::FailedPrecondition | Kind::InvalidInput | Kind::Forbidden | Kind::NotFound)
}

pub fn payload(job: &Job) -> Result<Payload> {
    serde_json::from_value(job.payload.clone()).map_err(Error::internal)
}

/// Maximum number of times that a page is tried while it conflicts with another transaction.
const TRIES: u32 = 4;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// Returns whether to retry a failed page; if so, waits first.
pub async fn again(halt: &Halt, tried: u32) -> bool {
    let busy = matches!(halt, Halt::Failed(error) if error.reason == "DATABASE_BUSY");
    if busy && tried < TRIES {
        tokio::time::sleep(PAUSE * tried).await;
        return true;
    }
    false
}
