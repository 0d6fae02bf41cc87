//! Sends reports by mail, by the schedules that the settings service keeps.
//!
//! `look` asks every ten seconds which reports are due, and makes a job for each. The job's id follows from the
//! schedule and the occurrence, so several replicas, or a restart, make one job. `work` is the job: it runs the
//! query, writes the file and passes it to auth, which sends each mail once. `query` and `table` turn a report
//! setting into a query and its rows into a file, as the report page does; `peers` has the other services.
//! Deliberately absent: times of schedules (settings), accounts, addresses and mail (auth).

mod outcome;
mod peers;
mod query;
mod table;
mod work;

use std::time::Duration;

use ::store::jobs::{self, Job, NewJob, State};
use kit::clock::derived_id;
use kit::service::{FirstRun, Task};
use kit::{Error, Kind, Result};
use proto::settings::v1::{DueReportKey, ReportResult};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Context;
use outcome::Outcome;
use peers::Peers;
use work::Checkpoint;

pub use work::SendReport;

/// The kind of these jobs.
pub const KIND: &str = "report_mail";
/// The creator of these jobs.
const SYSTEM: &str = "system:analytics";
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// What a job sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Payload {
    schedule_id: String,
    occurrence: String,
}

impl Payload {
    fn key(&self) -> DueReportKey {
        DueReportKey { schedule_id: self.schedule_id.clone(), occurrence: self.occurrence.clone() }
    }
}

/// Creates the task that makes jobs of what is due.
pub fn task(context: &Context) -> Task {
    let context = context.clone();
    Task::every("reports by mail", LOOK_EVERY, FirstRun::AtStart, move || {
        let context = context.clone();
        async move { look(&context).await }
    })
}

/// Makes a job for each report that is due. Reports to the settings service how jobs ended, in case the jobs
/// themselves could not.
pub async fn look(context: &Context) -> Result<()> {
    let peers = Peers::of(context);
    let mut failure = None;
    for key in peers.due().await? {
        // A report that fails must not hold up the others.
        if let Err(error) = look_at(context, &peers, key).await {
            failure = Some(error);
        }
    }
    failure.map_or(Ok(()), Err)
}

async fn look_at(context: &Context, peers: &Peers, key: DueReportKey) -> Result<()> {
    match jobs::get(&context.db, job_id(&key)).await {
        Err(error) if error.kind == Kind::NotFound => enqueue(context, key).await,
        Err(error) => Err(error),
        Ok(job) => note_end(peers, key, &job).await,
    }
}

async fn enqueue(context: &Context, key: DueReportKey) -> Result<()> {
    let id = job_id(&key);
    let DueReportKey { schedule_id, occurrence } = key;
    let payload = serde_json::to_value(Payload { schedule_id, occurrence }).map_err(Error::internal)?;
    let now = context.clock.now();
    let tx = context.db.begin().await?;
    jobs::enqueue(&tx, NewJob { id, kind: KIND, payload, created_by: SYSTEM, created_at: now }).await?;
    tx.commit().await
}

async fn note_end(peers: &Peers, key: DueReportKey, job: &Job) -> Result<()> {
    let result = match job.state {
        State::Waiting | State::Running => return Ok(()),
        // A job that ended without a result found that its report was no longer due.
        State::Done => Checkpoint::of(job)?.result,
        State::Failed => job.failure_text.clone().map(|text| Outcome::new(ReportResult::Failed, 0, text)),
        State::Cancelled => Some(Outcome::new(ReportResult::Failed, 0, "It was canceled.".to_owned())),
    };
    match result {
        Some(result) => peers.note(key, result).await,
        None => Ok(()),
    }
}

/// Returns the id of the job of an occurrence, always the same.
fn job_id(key: &DueReportKey) -> Uuid {
    derived_id(&[KIND, &key.schedule_id, &key.occurrence])
}
