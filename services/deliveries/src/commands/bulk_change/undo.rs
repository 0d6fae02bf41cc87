//! Restores drivers and dispatch times after a bulk change.

use ::store::jobs::{self, Halt, Hold, Job, NewJob, Work};
use async_trait::async_trait;
use chrono::TimeDelta;
use kit::{Error, Result, Role};
use proto::deliveries::v1 as wire;
use uuid::Uuid;

use super::progress::{Tally, again, payload};
use super::{One, PAGE, Payload, Task, UNDOS, WORKERS, apply};
use crate::Context;
use crate::commands::bulk_change::records;
use crate::commands::dispatch_time;
use crate::commands::edit::Editor;
use crate::domain::actor::Actor;
use crate::domain::bulk::{LeftOut, Verb};
use crate::domain::dispatch::Planned;
use crate::entity::bulk_row::{Model, Undoable};
use crate::tables::drivers;

/// How long after a change its undo is accepted. Screens offer it as long for a change whose dialog was closed
/// before the change ended (`isUndoable` in the browser).
const OFFERED: TimeDelta = TimeDelta::minutes(5);

/// Starts a job that undoes the caller's recent change.
pub async fn start(
    context: &Context,
    request: wire::UndoBulkChangeRequest,
    (by, roles): (&str, &[Role]),
) -> Result<wire::BulkChange> {
    let uuid = |field: &str, id: &str| {
        Uuid::try_parse(id).map_err(|_| Error::invalid_field(field, "The undo needs a UUID"))
    };
    let (id, change) = (uuid("id", &request.id)?, uuid("changeId", &request.change_id)?);
    let now = context.clock.now();
    let over = || {
        let text = "This can no longer be undone. Change the deliveries again instead.";
        Error::precondition("BULK_UNDO_OVER", text)
    };
    let nothing = "This change has nothing to undo.";
    let (total, mut last) = records::undoable_by(&context.db, change, by)
        .await?
        .ok_or_else(|| Error::precondition("BULK_NOTHING_TO_UNDO", nothing))?;
    if let Ok(job) = jobs::get(&context.db, change).await {
        let running = "This change is still running. Stop it first, then undo it.";
        last = job.finished_at.ok_or_else(|| Error::precondition("BULK_CHANGE_RUNNING", running))?;
    }
    if now - last > OFFERED {
        return Err(over());
    }
    let saved = Payload { task: Task::Undo(change), roles: roles.to_vec(), total };
    let payload = serde_json::to_value(saved).map_err(Error::internal)?;
    let tx = context.db.begin().await?;
    jobs::enqueue(&tx, NewJob { id, kind: UNDOS, payload, created_by: by, created_at: now }).await?;
    tx.commit().await?;
    super::get(context, &request.id, (by, roles)).await
}

pub struct Undo {
    pub context: Context,
}

#[async_trait]
impl Work for Undo {
    fn kind(&self) -> &'static str {
        UNDOS
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let Payload { task, roles, total } = payload(job)?;
        let Task::Undo(change) = task else { return Ok(()) };
        let actor = Actor::User { name: job.created_by.clone(), roles };
        let mut at = Tally::of(job)?;
        let mut tried = 0;
        loop {
            hold.check()?;
            tried += 1;
            match self.page(hold, (change, &actor), at.clone(), total).await {
                Ok(Some(next)) => (at, tried) = (next, 0),
                Ok(None) => return Ok(()),
                Err(halt) if again(&halt, tried).await => {}
                Err(halt) => return Err(halt),
            }
        }
    }
}

impl Undo {
    async fn page(
        &self,
        hold: &Hold,
        (change, actor): (Uuid, &Actor),
        mut at: Tally,
        total: u64,
    ) -> Result<Option<Tally>, Halt> {
        let tx = hold.begin().await?;
        let rows = records::undoable_after(&tx, change, actor.name(), &at.last, PAGE).await?;
        let Some(last) = rows.last() else { return Ok(None) };
        at.last.clone_from(&last.delivery_key);
        let held = records::lock(&tx, &rows).await?;
        for row in rows {
            at.done += 1;
            let Some(now) = held.get(&row.delivery_key) else {
                at.leave_out(LeftOut::Gone);
                continue;
            };
            if Some(now.version) != row.version_after {
                at.leave_out(LeftOut::Changed);
                continue;
            }
            let one = One { actor, delivery_id: now.id.clone(), version: Some(now.version) };
            match self.put_back(&tx, &one, row).await {
                Ok(()) => at.changed += 1,
                Err(error) => at.refuse(error)?,
            }
        }
        at.save(&tx, total).await?;
        kit::fail_point("deliveries.bulk.undo_written");
        tx.commit().await?;
        Ok(Some(at))
    }

    async fn put_back(&self, tx: &::store::Tx, one: &One<'_>, row: Model) -> Result<()> {
        match (row.undoable, row.dispatch_before) {
            (Some(Undoable::Dispatch), Some(at)) => {
                let editor = Editor { actor: one.actor, delivery_id: &one.delivery_id, version: one.version };
                let planned = Planned { at, window: (row.window_start_before, row.window_end_before) };
                dispatch_time::restore(tx, &self.context, &editor, planned).await?;
            }
            _ => {
                // The driver may have been blocked since the change.
                drivers::require_unblocked(&**tx, row.driver_before.as_deref()).await?;
                let verb = Verb::Assign { driver_id: row.driver_before };
                apply(tx, &self.context, one, &verb).await?;
            }
        }
        Ok(())
    }
}
