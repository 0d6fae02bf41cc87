//! Bulk changes: the same change of all deliveries that match a filter, as a job that continues when its
//! browser tab is closed.
//!
//! `start` starts, lists and cancels jobs, `work` runs a change, `undo` runs its undo, `progress` has the
//! state of a job. `domain::bulk` decides which deliveries a change applies to. `records` stores those
//! deliveries. docs/adr/0062 gives the reasons.

mod progress;
pub mod records;
mod start;
mod undo;
mod work;

use ::store::Tx;
use ::store::jobs::Jobs;
use kit::Result;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::edit::Editor;
use super::reschedule::NextAttempt;
use super::transition::Submission;
use super::{assign_driver, dispatch_time, reschedule, write};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::bulk::Verb;
use crate::entity::delivery;
use crate::tables::deliveries;

pub use records::clear;
pub use start::{cancel, get, list, start};
pub use undo::start as undo;

pub const CHANGES: &str = "deliveries.bulk";
pub const UNDOS: &str = "deliveries.bulk_undo";
/// Number of jobs of one kind that run at the same time, so that a small job need not wait for a large one.
const WORKERS: usize = 2;
/// Deliveries per transaction.
const PAGE: u64 = 200;

/// What a job does, and with whose permissions.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Payload {
    task: Task,
    roles: Vec<kit::Role>,
    /// Number of deliveries that the job works through.
    total: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Task {
    Change(Verb),
    /// Undoes the change with this id.
    Undo(Uuid),
}

impl Task {
    fn as_str(&self) -> &'static str {
        match self {
            Task::Change(Verb::Assign { .. }) => "assign",
            Task::Change(Verb::Dispatch { .. }) => "dispatch",
            Task::Change(Verb::Reschedule { .. }) => "reschedule",
            Task::Undo(_) => "undo",
        }
    }
}

/// Adds the jobs for bulk changes to the service's jobs.
pub fn with_jobs(context: &Context, jobs: Jobs) -> Jobs {
    jobs.with(work::Bulk { context: context.clone() }).with(undo::Undo { context: context.clone() })
}

/// A delivery to change, and the actor.
pub struct One<'a> {
    pub actor: &'a Actor,
    pub delivery_id: String,
    /// The version that the actor saw; `None` accepts any.
    pub version: Option<i64>,
}

/// Changes one delivery by the rules for a single change. A delivery that already is as requested stays
/// unchanged.
async fn apply(tx: &Tx, context: &Context, one: &One<'_>, verb: &Verb) -> Result<delivery::Model> {
    let One { actor, delivery_id, version } = one;
    let submission = || Submission {
        delivery_id: delivery_id.clone(),
        actor: (*actor).clone(),
        expected_version: *version,
        event: None,
        occurred_at: None,
    };
    match verb.clone() {
        Verb::Dispatch { at } => {
            let editor = Editor { actor, delivery_id, version: *version };
            dispatch_time::change(tx, context, &editor, at).await
        }
        Verb::Assign { driver_id } => assign_driver::apply(tx, context, &submission(), driver_id).await,
        Verb::Reschedule { at, note } => {
            let next = NextAttempt { scheduledatetime: at, note };
            reschedule::apply(tx, context, &submission(), next).await
        }
    }
}

/// Changes one delivery of a selection, and records it under an id by which the change can be undone.
///
/// An earlier request under the same id is part of the same change. If its answer was lost, the actor may choose
/// again, and still names the version seen before the first request.
pub async fn change_one(
    context: &Context,
    one: &One<'_>,
    verb: &Verb,
    undo: Option<Uuid>,
) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let (before, _) = deliveries::lock(&tx, &one.delivery_id).await?;
        let by = one.actor.name();
        let earlier = match undo {
            Some(change) => records::unchanged_since(&tx, (change, by), &before).await?,
            None => None,
        };
        let seen_first = earlier.as_ref().is_some_and(|row| one.version == Some(row.version_seen));
        let version = if seen_first { Some(before.version) } else { one.version };
        let one = One { actor: one.actor, delivery_id: one.delivery_id.clone(), version };
        let after = apply(&tx, context, &one, verb).await?;
        if let Some(change) = undo.filter(|_| after.version != before.version) {
            let row = records::changed((change, by), verb, &before, &after, context.clock.now());
            records::note(&tx, vec![records::joined(earlier, row)]).await?;
        }
        Ok((tx, after))
    })
    .await
}
