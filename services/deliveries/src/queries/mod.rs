//! Answers the service's read requests: one file per resource. Nothing here writes, every list is bounded,
//! and nothing is read row by row.

pub mod addresses;
pub mod attachments;
pub mod client_events;
pub mod columns;
pub mod customers;
pub mod dead_letter_groups;
pub mod dead_letter_turns;
pub mod dead_letters;
pub mod deliveries;
pub mod driver_days;
pub mod endpoints;
pub mod export;
pub mod fields;
pub mod forms;
pub mod histories;
pub mod items;
pub mod parties;
pub mod producers;
pub mod proof_requirements;
pub mod reasons;
pub mod shipments;
pub mod snapshot;
pub mod sources;
pub mod truckers;
pub mod undo_import;
pub mod variances;

use kit::{Error, Result};

/// Maximum related rows for one batch of deliveries.
const MAX_CHILDREN: usize = 100_000;

/// Fails if the limit was exceeded, because then the response would omit rows.
fn require_all<T>(rows: &[T], what: &str) -> Result<()> {
    if rows.len() <= MAX_CHILDREN {
        return Ok(());
    }
    let text =
        format!("These deliveries have more than {MAX_CHILDREN} {what} together. Ask for fewer at once.");
    Err(Error::invalid("TOO_MANY_ROWS", text))
}
