//! Sends reports by mail, by the schedules that the settings service keeps.
//!
//! `look` asks every ten seconds which reports are due, and makes a job for each. The job's id follows from the
//! schedule and the occurrence, so several replicas, or a restart, make one job. If the report was not due when
//! its job ran, and is due again, a further job sends it. The same happens if a result would pause the schedule, but
//! somebody has changed the schedule since. `work` is the job: it runs the query, writes the file and passes it to
//! auth, which sends each mail once. `query` and `table` turn a report setting into a query and its rows into a file,
//! as the report page does; `renamed` finds names in filters that are outdated; `peers` has the other services.
//! Deliberately absent: times of schedules (settings), accounts, addresses and mail (auth).

mod outcome;
mod peers;
mod query;
mod renamed;
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
/// Maximum number of jobs of an occurrence. After this many that found it not due, or whose result was outdated, it
/// counts as failed.
const MAX_JOBS: usize = 5;

/// What a job sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Payload {
    schedule_id: String,
    occurrence: String,
    /// Who got the report by earlier jobs of the occurrence.
    #[serde(default)]
    earlier: Checkpoint,
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
    let mut id = job_id(&key);
    let mut earlier = Checkpoint::default();
    for _ in 0..MAX_JOBS {
        let job = match jobs::get(&context.db, id).await {
            Err(error) if error.kind == Kind::NotFound => return enqueue(context, id, key, earlier).await,
            job => job?,
        };
        let at = Checkpoint::of(&job)?;
        match Standing::of(&job, &at) {
            Standing::Open => return Ok(()),
            Standing::Ended(outcome) => {
                if !peers.note(key.clone(), outcome).await? {
                    return Ok(());
                }
            }
            Standing::NotDue => {}
        }
        id = further_id(id);
        earlier = at.for_further_job();
    }
    let text =
        "The report was disabled, or its schedule changed, whenever it was about to be sent.".to_owned();
    peers.note(key, earlier.ended(ReportResult::Failed, text)).await.map(drop)
}

async fn enqueue(context: &Context, id: Uuid, key: DueReportKey, earlier: Checkpoint) -> Result<()> {
    let DueReportKey { schedule_id, occurrence } = key;
    let payload = Payload { schedule_id, occurrence, earlier };
    let payload = serde_json::to_value(payload).map_err(Error::internal)?;
    let now = context.clock.now();
    let tx = context.db.begin().await?;
    jobs::enqueue(&tx, NewJob { id, kind: KIND, payload, created_by: SYSTEM, created_at: now }).await?;
    tx.commit().await
}

/// How a job stands.
enum Standing {
    Open,
    Ended(Outcome),
    /// The job ended without a result: its report was not due when it ran. For example, it was disabled.
    NotDue,
}

impl Standing {
    fn of(job: &Job, at: &Checkpoint) -> Self {
        let failed = |text: String| Self::Ended(at.ended(ReportResult::Failed, text));
        match job.state {
            State::Waiting | State::Running => Self::Open,
            State::Done => at.result.clone().map_or(Self::NotDue, Self::Ended),
            State::Failed => failed(job.failure_text.clone().unwrap_or_default()),
            State::Cancelled => failed("It was canceled.".to_owned()),
        }
    }
}

/// Returns the id of the first job of an occurrence, always the same.
fn job_id(key: &DueReportKey) -> Uuid {
    derived_id(&[KIND, &key.schedule_id, &key.occurrence])
}

/// Returns the id of the job that follows one that found its report not due, or whose result was outdated, always the
/// same.
fn further_id(id: Uuid) -> Uuid {
    derived_id(&[KIND, &id.to_string()])
}
