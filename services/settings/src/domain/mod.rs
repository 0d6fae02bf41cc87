//! What a setting, an announcement and the definition of a report may be.
//!
//! Pure: no database, no clock of its own.

pub mod access;
pub mod announcement;
pub mod catalogue;
pub mod report_member;
pub mod report_setting;
mod text;
pub mod value;

use kit::error::Fields;
use kit::{Error, Result};

/// What was read, or everything that is wrong with it.
fn done<T>(wrong: Fields, good: T) -> Result<T> {
    if wrong.is_empty() {
        return Ok(good);
    }
    let text = wrong.values().flatten().map(String::as_str).collect::<Vec<_>>().join("; ");
    Err(Error { fields: wrong, ..Error::invalid("INVALID_FIELDS", text) })
}

fn wrong(fields: &mut Fields, field: &str, text: impl Into<String>) {
    fields.entry(field.to_owned()).or_default().push(text.into());
}
