//! Queries, one file per resource. Every list is bounded; nothing here asks per row.

pub mod addresses;
pub mod attachment_links;
pub mod bulk_rows;
pub mod changes;
pub mod client_events;
mod columns;
pub mod creation;
pub mod customers;
pub mod days;
pub mod dead_letters;
pub mod deliveries;
mod discards;
pub mod drivers;
pub mod edits;
pub mod endpoints;
pub mod export;
mod heads;
pub mod histories;
pub mod imports;
pub mod intake;
mod items;
pub mod producers;
pub mod proof;
pub mod reasons;
pub mod requirements;
pub mod sends;
pub mod shipments;
pub mod snapshot;
pub mod sources;
mod state;
pub mod truckers;
mod turns;
pub mod undo;
mod upsert;
pub mod variances;

use std::time::Duration;

use kit::Result;

use ::store::{Db, Tx};

/// How often work is tried that another transaction got in the way of.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(15);

/// Does the work in a transaction of its own; again when the database ended it for the sake of
/// another one. Not after the commit was sent: it may have come through. The work gives the
/// transaction back with what it did.
pub async fn write<T, F>(db: &Db, work: impl Fn(Tx) -> F) -> Result<T>
where
    F: Future<Output = Result<(Tx, T)>>,
{
    let mut tried = 0;
    loop {
        tried += 1;
        match work(db.begin().await?).await {
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
