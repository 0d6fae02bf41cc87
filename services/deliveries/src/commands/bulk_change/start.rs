//! Starts, returns and cancels jobs.

use ::store::jobs::{self, Job, NewJob};
use kit::{Error, Result, Role};
use proto::common::v1::Page;
use proto::deliveries::v1 as wire;
use proto::deliveries::v1::start_bulk_change_request::Verb as Asked;
use uuid::Uuid;

use super::progress::{Tally, payload};
use super::{CHANGES, Payload, Task, UNDOS};
use crate::Context;
use crate::commands::bulk_change::records::{self, Match};
use crate::domain::actor::Actor;
use crate::domain::bulk::{Verb, verdict};
use crate::domain::{dispatch, entry, text};
use crate::tables::drivers;

/// Maximum number of waiting and running jobs of one person.
const MOST_AT_ONCE: usize = 5;
/// Maximum number of jobs in a list.
const LISTED: u32 = 20;

/// Starts a job; for a dry run, counts what the job would do.
pub async fn start(
    context: &Context,
    request: wire::StartBulkChangeRequest,
    (by, roles): (&str, &[Role]),
) -> Result<wire::BulkChange> {
    let wire::StartBulkChangeRequest { id, r#where, dry_run, verb } = request;
    let uuid = Uuid::try_parse(&id).map_err(|_| Error::invalid_field("id", "The change needs a UUID"))?;
    if !dry_run && let Ok(there) = get(context, &id, (by, roles)).await {
        return Ok(there);
    }
    let verb = read(context, verb).await?;
    let rows = records::matching(&context.db, &r#where).await?;
    let now = context.clock.now();
    let total = rows.len() as u64;
    if dry_run {
        let actor = Actor::User { name: by.to_owned(), roles: roles.to_vec() };
        let tally = counted(&verb, &rows, &actor, now);
        return Ok(wire::BulkChange {
            id,
            verb: Task::Change(verb).as_str().to_owned(),
            state: jobs::State::Done.as_str().to_owned(),
            dry_run: true,
            total,
            done: total,
            changed: tally.changed,
            left_out: tally.left_out(),
            created_by: by.to_owned(),
            created_at: Some(proto::timestamp(now)),
            ..Default::default()
        });
    }
    records::require_own(&context.db, uuid, by, "id").await?;
    require_room(context, by).await?;
    let saved = Payload { task: Task::Change(verb), roles: roles.to_vec(), total };
    let payload = serde_json::to_value(saved).map_err(Error::internal)?;
    let tx = context.db.begin().await?;
    if jobs::enqueue(&tx, NewJob { id: uuid, kind: CHANGES, payload, created_by: by, created_at: now })
        .await?
    {
        records::begin(&tx, uuid, by, &rows, now).await?;
        tx.commit().await?;
    }
    get(context, &id, (by, roles)).await
}

fn counted(verb: &Verb, rows: &[Match], actor: &Actor, now: chrono::DateTime<chrono::Utc>) -> Tally {
    let mut tally = Tally::default();
    for row in rows {
        match verdict(verb, row.candidate(), actor, now) {
            Ok(()) => tally.changed += 1,
            Err(reason) => tally.leave_out(reason),
        }
    }
    tally
}

/// Parses the change. Refuses a change that no delivery could accept.
async fn read(context: &Context, verb: Option<Asked>) -> Result<Verb> {
    let ahead = |at| {
        let at = entry::dispatch_time(at)?;
        dispatch::require_ahead(at, context.clock.now())?;
        Ok::<_, Error>(at)
    };
    let refused = |field: &'static str| move |text: String| Error::invalid_field(field, text);
    match verb {
        None => Err(Error::invalid_field("verb", "Choose what to do")),
        Some(Asked::Assign(wire::AssignAll { driver_id })) => {
            let driver_id = text::code("Driver ID", driver_id.as_deref()).map_err(refused("driverId"))?;
            drivers::require_assignable(context.db.read(), driver_id.as_deref()).await?;
            Ok(Verb::Assign { driver_id })
        }
        Some(Asked::Dispatch(wire::MoveAll { scheduledatetime })) => {
            Ok(Verb::Dispatch { at: ahead(scheduledatetime)? })
        }
        Some(Asked::Reschedule(wire::RescheduleAll { scheduledatetime, note })) => {
            let note = text::note("Note", note.as_deref()).map_err(refused("note"))?;
            Ok(Verb::Reschedule { at: ahead(scheduledatetime)?, note })
        }
    }
}

async fn require_room(context: &Context, by: &str) -> Result<()> {
    let under_way = newest(context, CHANGES, by).await?.iter().filter(|it| it.finished_at.is_none()).count();
    if under_way < MOST_AT_ONCE {
        return Ok(());
    }
    let text =
        format!("You have {MOST_AT_ONCE} changes running. Wait for one of them to finish, or stop it.");
    Err(Error::precondition("BULK_TOO_MANY_JOBS", text))
}

async fn newest(context: &Context, kind: &str, by: &str) -> Result<Vec<Job>> {
    let wanted = jobs::Wanted { kind: Some(kind), created_by: Some(by), ..Default::default() };
    let page = Page { limit: LISTED, ..Default::default() };
    Ok(jobs::list(&context.db, wanted, &page).await?.0)
}

/// Returns the caller's changes, newest first.
pub async fn list(context: &Context, by: &str) -> Result<Vec<wire::BulkChange>> {
    newest(context, CHANGES, by).await?.into_iter().map(shown).collect()
}

/// Returns a job: one of the caller's own, or anybody's for administrators.
pub async fn get(context: &Context, id: &str, (by, roles): (&str, &[Role])) -> Result<wire::BulkChange> {
    let unknown = || Error::not_found("JOB_NOT_FOUND", "There is no such job");
    let job = jobs::get(&context.db, Uuid::try_parse(id).map_err(|_| unknown())?).await?;
    let theirs = job.created_by == by || roles.contains(&Role::Admin);
    if theirs && [CHANGES, UNDOS].contains(&job.kind.as_str()) { shown(job) } else { Err(unknown()) }
}

pub async fn cancel(context: &Context, id: &str, caller: (&str, &[Role])) -> Result<wire::BulkChange> {
    let job = get(context, id, caller).await?;
    let tx = context.db.begin().await?;
    jobs::cancel(&tx, Uuid::try_parse(&job.id).map_err(Error::internal)?).await?;
    tx.commit().await?;
    get(context, id, caller).await
}

fn shown(job: Job) -> Result<wire::BulkChange> {
    let Payload { task, total, .. } = payload(&job)?;
    let tally = Tally::of(&job)?;
    Ok(wire::BulkChange {
        id: job.id.to_string(),
        verb: task.as_str().to_owned(),
        state: job.state.as_str().to_owned(),
        dry_run: false,
        total,
        done: tally.done,
        changed: tally.changed,
        failed: tally.failed,
        left_out: tally.left_out(),
        failure_text: job.failure_text.unwrap_or_default(),
        created_by: job.created_by,
        created_at: Some(proto::timestamp(job.created_at)),
        finished_at: job.finished_at.map(proto::timestamp),
        cancel_requested: job.cancel_requested,
    })
}
