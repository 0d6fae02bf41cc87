//! Deletes data with limited retention: client events, previous values kept for undo, answers to import batches, closed
//! messages, and uploads that were never added to a delivery. Discards messages to endpoints that no longer exist.
//!
//! `store::clearing` decides which clock to trust, so that a wrong clock deletes nothing.

use std::time::Duration;

use ::store::Db;
use ::store::clearing::{self, Doubts};
use chrono::{DateTime, TimeDelta, Utc};
use kit::Result;
use kit::service::{FirstRun, Task};
use sea_orm::{ColumnTrait, Condition};

use crate::domain::outbound::State;
use crate::entity::{dead_letter, import_batch};
use crate::{Context, attachments, commands, outbound, tables};

const EVERY: Duration = Duration::from_secs(3_600);
/// Retention of sent and discarded messages.
const KEEP_SENDS: TimeDelta = TimeDelta::days(90);
/// Retention of answers to import batches. An interrupted import repeats at most its last batch, as soon as the upload
/// service runs again.
const KEEP_ANSWERS: TimeDelta = TimeDelta::days(30);

/// Creates one task per kind of data, so that none waits for another.
pub fn tasks(context: &Context) -> [Task; 7] {
    let Context { db, clock, blob, .. } = context;
    let blob = blob.clone();
    [
        clearing::task("client events", EVERY, db, clock, async |db, now, doubts| {
            tables::client_events::prune(&db, now, &doubts).await
        }),
        clearing::task("values for undo", EVERY, db, clock, async |db, now, doubts| {
            commands::undo_import::clear(&db, now, &doubts).await
        }),
        clearing::task("rows of bulk changes", EVERY, db, clock, async |db, now, doubts| {
            commands::bulk_change::clear(&db, now, &doubts).await
        }),
        clearing::task("answers to import batches", EVERY, db, clock, async |db, now, doubts| {
            clear_answers(&db, now, &doubts).await
        }),
        clearing::task("sent messages", EVERY, db, clock, async |db, now, doubts| {
            prune_sends(&db, now, &doubts).await
        }),
        discard_orphaned_sends(context),
        clearing::task("unused files", EVERY, db, clock, move |db, _, doubts| {
            let blob = blob.clone();
            async move { attachments::storage::sweep(&db, &blob, &doubts).await }
        }),
    ]
}

/// Creates the task that discards messages to endpoints that no longer exist.
fn discard_orphaned_sends(context: &Context) -> Task {
    let (db, clock) = (context.db.clone(), context.clock.clone());
    Task::every("messages to deleted endpoints", EVERY, FirstRun::AtStart, move || {
        let (db, clock) = (db.clone(), clock.clone());
        async move {
            let now = clearing::now(&db, &clock).await?;
            let discarded = outbound::sends::discard_orphaned(&db, now).await?;
            if discarded > 0 {
                tracing::info!(messages = discarded, "messages to deleted endpoints were discarded");
            }
            Ok(())
        }
    })
}

/// Deletes answers to import batches that nobody repeats any more, unless there are implausibly many; returns how
/// many.
pub async fn clear_answers(db: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    doubts.delete_old::<import_batch::Entity>(db, import_batch::Column::CreatedAt, now - KEEP_ANSWERS).await
}

/// Deletes expired sent and discarded messages, unless there are implausibly many; returns how many.
pub async fn prune_sends(db: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    use dead_letter::{Column, Entity};
    let closed = Condition::all().add(Column::State.is_in(State::CLOSED));
    if !doubts.allow_old::<Entity>(db, Column::ClosedAt, closed, now - KEEP_SENDS).await? {
        return Ok(0);
    }
    outbound::sends::prune(db, now - KEEP_SENDS).await
}
