//! What is done to many deliveries at once: all that a filter finds, as a job that goes on when its tab is closed.
//!
//! `start` begins jobs and shows them, `work` is the job, `undo` the one that puts things back, `progress` how far
//! they are. Which deliveries a change is for is decided by `domain::bulk`, rows are kept by `store::bulk_rows`. Why
//! it is done so is told in docs/adr/0062.

mod progress;
mod start;
mod undo;
mod work;

use ::store::Tx;
use ::store::jobs::Jobs;
use kit::Result;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::bulk::Verb;
use crate::domain::command::Command;
use crate::entity::delivery;
use crate::store::changes::{self, Ask};
use crate::store::edits::{self, Editor};
use crate::store::{bulk_rows, deliveries, write};

pub use start::{cancel, get, list, start};
pub use undo::start as undo;

pub const CHANGES: &str = "deliveries.bulk";
pub const UNDOS: &str = "deliveries.bulk_undo";
/// Jobs of one kind that are worked on at once, so that a small one need not wait for a large one.
const WORKERS: usize = 2;
/// Deliveries of one transaction.
const PAGE: u64 = 200;

/// What a job does, and with whose rights.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Payload {
    task: Task,
    roles: Vec<kit::Role>,
    /// Deliveries that it is about.
    total: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Task {
    Change(Verb),
    /// Of this change.
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

/// Adds the jobs of this room to those of the service.
pub fn with_jobs(context: &Context, jobs: Jobs) -> Jobs {
    jobs.with(work::Bulk { context: context.clone() }).with(undo::Undo { context: context.clone() })
}

/// A delivery that is changed, and by whom.
pub struct One<'a> {
    pub actor: &'a Actor,
    pub delivery_id: String,
    /// Absent: whatever it is by now.
    pub version: Option<i64>,
}

/// Changes one delivery, as if it were the only one. One that is so already stays as it is.
async fn apply(tx: &Tx, context: &Context, one: &One<'_>, verb: &Verb) -> Result<delivery::Model> {
    let One { actor, delivery_id, version } = one;
    let command = match verb.clone() {
        Verb::Dispatch { at } => {
            let editor = Editor { actor, delivery_id, version: *version };
            return edits::dispatch_time(tx, context, &editor, at).await;
        }
        Verb::Assign { driver_id } => Command::AssignDriver { driver_id },
        Verb::Reschedule { at, note } => Command::Reschedule { scheduledatetime: at, note },
    };
    let ask = Ask {
        delivery_id: delivery_id.clone(),
        actor: (*actor).clone(),
        expected_version: *version,
        event: None,
        occurred_at: None,
        command,
    };
    changes::apply(tx, context, &ask).await
}

/// Changes one of the deliveries that somebody chose, noted under an id that the change can be undone by.
pub async fn change_one(
    context: &Context,
    one: &One<'_>,
    verb: &Verb,
    undo: Option<Uuid>,
) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let (before, _) = deliveries::lock(&tx, &one.delivery_id).await?;
        let after = apply(&tx, context, one, verb).await?;
        if let Some(change) = undo.filter(|_| after.version != before.version) {
            let now = context.clock.now();
            let row = bulk_rows::changed((change, one.actor.name()), verb, &before, &after, now);
            bulk_rows::note(&tx, vec![row]).await?;
        }
        Ok((tx, after))
    })
    .await
}
