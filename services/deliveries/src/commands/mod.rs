//! What the service does: one file per command, named like its handler in `rpc` and its mutation in the
//! gateway.
//!
//! A command decides with `domain`, writes with `tables` and emits with `events`, in one transaction.
//! Commands that change the status of a delivery go through `transition`, edits through `edit`, jobs on many
//! messages through `steps`. Reads are in `queries`.

pub mod add_attachment;
pub mod assign_driver;
pub mod bulk_change;
pub mod correct;
pub mod create;
pub mod customers;
pub mod dead_letter_jobs;
pub mod dead_letters;
pub mod dispatch_time;
pub mod edit;
pub mod edit_items;
pub mod endpoint_letters;
pub mod endpoints;
pub mod import;
pub mod intake;
pub mod issue_form;
pub mod producers;
pub mod reasons;
pub mod record_outcome;
pub mod reported_letters;
pub mod reschedule;
pub mod resolve_conflict;
pub mod restore_removed;
pub mod sources;
mod steps;
pub mod transition;
pub mod undo_import;

use std::time::Duration;

use futures::FutureExt;
use kit::Result;

use ::store::{Db, Tx};

/// Maximum number of times that work is tried while it conflicts with another transaction.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(15);

/// Runs the work in its own transaction; runs it again when the database aborted the transaction in favor of
/// another one. Does not repeat it once the commit was sent, because the commit may have succeeded. The work
/// returns the transaction with its result.
pub async fn write<T, F>(db: &Db, work: impl Fn(Tx) -> F) -> Result<T>
where
    F: Future<Output = Result<(Tx, T)>> + Send,
{
    let mut tried = 0;
    loop {
        tried += 1;
        // Boxed, or the compiler would look through all of the work once more for each call that leads to it.
        match work(db.begin().await?).boxed().await {
            Ok((tx, done)) => {
                kit::fail_point("deliveries.delivery.changed");
                tx.commit().await?;
                return Ok(done);
            }
            Err(error) if error.reason == "DATABASE_BUSY" && tried < TRIES => {
                tracing::debug!(tried, "another transaction was in the way");
                tokio::time::sleep(PAUSE * tried).await;
            }
            Err(error) => return Err(error),
        }
    }
}
