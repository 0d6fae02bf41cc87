//! The contract's handlers. The first line of each is its access rule.

pub mod deliveries;
pub mod parties;

use kit::{Error, Result};

/// Ids that one batch call may name.
const MAX_IDS: usize = 1_000;

fn bounded(ids: Vec<String>) -> Result<Vec<String>> {
    if ids.len() > MAX_IDS {
        return Err(Error::invalid_field("ids", format!("at most {MAX_IDS} at once")));
    }
    Ok(ids)
}
