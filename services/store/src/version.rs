//! Refuses edits of an old version of a row.

use kit::{Error, Result};

/// Requires that a row still has the version that the caller has seen. `reason` and `what` are those of
/// [`Error::changed_meanwhile`].
pub fn require_version(stored: i64, seen: u64, reason: &str, what: &str) -> Result<()> {
    if stored.unsigned_abs() == seen {
        return Ok(());
    }
    Err(Error::changed_meanwhile(reason, what))
}
