//! Resends or discards many dead letters, as a job that continues when its browser tab is closed.
//!
//! The job changes a few hundred letters per transaction and stores its position in the same transaction, so
//! no letter is changed twice if the process dies. A cancelled job keeps the changes it has made.

use ::store::audit::{By, Changes};
use ::store::filter;
use ::store::jobs::{self, Halt, Hold, Job, NewJob, Progress, Work};
use async_trait::async_trait;
use kit::clock::Clock;
use kit::{Error, Result};
use proto::common::v1::{Filter, Page};
use proto::deliveries::v1 as wire;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Context;
use crate::commands::dead_letters::{self, Chosen};
use crate::queries::fields;

const KIND: &str = "deliveries.dead_letters";
const MAX_IDS: usize = 1_000;
const STEP: u64 = 500;
/// Maximum number of jobs in a list.
const RECEIPTS: u32 = 20;
const MAX_REASON: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Resend,
    Discard,
}

impl Action {
    fn as_str(self) -> &'static str {
        match self {
            Action::Resend => "resend",
            Action::Discard => "discard",
        }
    }

    fn act(self) -> &'static str {
        match self {
            Action::Resend => "dead_letter.resent",
            Action::Discard => "dead_letter.discarded",
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Payload {
    action: Action,
    ids: Vec<Uuid>,
    filters: Vec<SavedFilter>,
    reason: String,
    total: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedFilter {
    key: String,
    operator: String,
    values: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Checkpoint {
    last: Option<Uuid>,
    changed: u64,
}

/// Starts a job; for a dry run, counts what the job would do.
pub async fn start(
    context: &Context,
    request: wire::StartDeadLetterJobRequest,
    by: By<'_>,
) -> Result<wire::DeadLetterJob> {
    let (id, dry_run) = (request.job_id.clone(), request.dry_run);
    let payload = read(request)?;
    let total = chosen(&payload, by.now).count(&context.db).await?;
    let payload = Payload { total, ..payload };
    if dry_run {
        return Ok(wire::DeadLetterJob {
            id,
            action: payload.action.as_str().into(),
            state: jobs::State::Done.as_str().into(),
            dry_run: true,
            total,
            reason: payload.reason,
            created_by: by.actor.to_owned(),
            created_at: Some(proto::timestamp(by.now)),
            ..Default::default()
        });
    }
    let id = Uuid::try_parse(&id).map_err(|_| Error::invalid_field("jobId", "The job needs a UUID"))?;
    let tx = context.db.begin().await?;
    let saved = serde_json::to_value(&payload).map_err(Error::internal)?;
    let new = NewJob { id, kind: KIND, payload: saved, created_by: by.actor, created_at: by.now };
    if jobs::enqueue(&tx, new).await? {
        let changes = Changes::default().made("letters", total);
        let changes =
            if payload.reason.is_empty() { changes } else { changes.made("reason", payload.reason) };
        let name = format!("{total} messages");
        dead_letters::record(&tx, payload.action.act(), (&id.to_string(), &name), changes, by).await?;
    }
    tx.commit().await?;
    get(context, &id.to_string()).await
}

fn read(request: wire::StartDeadLetterJobRequest) -> Result<Payload> {
    let action = match request.action.as_str() {
        "resend" => Action::Resend,
        "discard" => Action::Discard,
        _ => return Err(Error::invalid_field("action", "The action is resend or discard")),
    };
    let reason = request.reason.trim().to_owned();
    if action == Action::Discard && (reason.is_empty() || reason.chars().count() > MAX_REASON) {
        let text = format!("Enter a reason of at most {MAX_REASON} characters");
        return Err(Error::invalid_field("reason", text));
    }
    if request.ids.len() > MAX_IDS {
        return Err(Error::invalid_field("ids", format!("at most {MAX_IDS} at once")));
    }
    let ids: Option<Vec<Uuid>> = request.ids.iter().map(|id| Uuid::try_parse(id).ok()).collect();
    let ids = ids.ok_or_else(|| Error::invalid_field("ids", "Every id must be a UUID"))?;
    // Refuse invalid filters now rather than in the job.
    filter::condition(fields::DEAD_LETTERS, &request.r#where)?;
    let filters = request.r#where.into_iter();
    let filters = filters.map(|it| SavedFilter { key: it.key, operator: it.operator, values: it.values });
    Ok(Payload { action, ids, filters: filters.collect(), reason, total: 0 })
}

fn chosen(payload: &Payload, until: chrono::DateTime<chrono::Utc>) -> Chosen {
    let filters = payload.filters.iter().cloned();
    let filters = filters.map(|it| Filter { key: it.key, operator: it.operator, values: it.values });
    let to_send = payload.action == Action::Resend;
    Chosen { ids: payload.ids.clone(), filters: filters.collect(), until, to_send }
}

pub async fn get(context: &Context, id: &str) -> Result<wire::DeadLetterJob> {
    let unknown = || Error::not_found("JOB_NOT_FOUND", "There is no such job");
    let job = jobs::get(&context.db, Uuid::try_parse(id).map_err(|_| unknown())?).await?;
    if job.kind == KIND { shown(job) } else { Err(unknown()) }
}

/// Returns jobs, newest first.
pub async fn list(context: &Context) -> Result<Vec<wire::DeadLetterJob>> {
    let wanted = jobs::Wanted { kind: Some(KIND), ..Default::default() };
    let page = Page { limit: RECEIPTS, ..Default::default() };
    let (rows, _) = jobs::list(&context.db, wanted, &page).await?;
    rows.into_iter().map(shown).collect()
}

pub async fn cancel(context: &Context, id: &str) -> Result<wire::DeadLetterJob> {
    let job = get(context, id).await?;
    let tx = context.db.begin().await?;
    jobs::cancel(&tx, Uuid::try_parse(&job.id).map_err(Error::internal)?).await?;
    tx.commit().await?;
    get(context, id).await
}

fn shown(job: Job) -> Result<wire::DeadLetterJob> {
    let payload: Payload = serde_json::from_value(job.payload.clone()).map_err(Error::internal)?;
    let checkpoint = checkpoint(&job)?;
    Ok(wire::DeadLetterJob {
        id: job.id.to_string(),
        action: payload.action.as_str().into(),
        state: job.state.as_str().into(),
        dry_run: false,
        total: payload.total,
        done: job.progress_done.unsigned_abs(),
        changed: checkpoint.changed,
        reason: payload.reason,
        failure_text: job.failure_text.unwrap_or_default(),
        created_by: job.created_by,
        created_at: Some(proto::timestamp(job.created_at)),
        finished_at: job.finished_at.map(proto::timestamp),
        cancel_requested: job.cancel_requested,
    })
}

fn checkpoint(job: &Job) -> Result<Checkpoint> {
    let saved = job.checkpoint.clone().map(serde_json::from_value).transpose();
    Ok(saved.map_err(Error::internal)?.unwrap_or_default())
}

/// Runs the jobs that resend or discard dead letters.
pub struct Bulk {
    pub context: Context,
}

#[async_trait]
impl Work for Bulk {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let payload: Payload = serde_json::from_value(job.payload.clone()).map_err(Error::internal)?;
        let mut at = checkpoint(job)?;
        let mut done = job.progress_done.unsigned_abs();
        let all = chosen(&payload, job.created_at);
        loop {
            hold.check()?;
            let ids = all.after(&self.context.db, at.last, STEP).await?;
            let Some(last) = ids.last() else { return Ok(()) };
            let tx = hold.begin().await?;
            let by = by(&self.context.clock, job);
            let changed = match payload.action {
                Action::Resend => dead_letters::resend_many(&tx, &ids, by).await?,
                Action::Discard => dead_letters::discard_many(&tx, &ids, &payload.reason, by).await?,
            };
            at = Checkpoint { last: Some(*last), changed: at.changed + changed };
            done += ids.len() as u64;
            let saved = serde_json::to_value(&at).map_err(Error::internal)?;
            tx.advance(Progress { done, total: Some(payload.total), checkpoint: Some(saved) }).await?;
            tx.commit().await?;
        }
    }
}

fn by<'a>(clock: &Clock, job: &'a Job) -> By<'a> {
    By { actor: &job.created_by, address: "", now: clock.now() }
}
