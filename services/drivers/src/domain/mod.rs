//! What a driver, a device, a position and an entry of the log may be, and which positions are
//! believed.
//!
//! Pure: no database, no clock of its own. Deliberately absent: whether an id is taken, which only the
//! store sees; the accounts of drivers, which auth keeps.

pub mod activity;
pub mod driver;
pub mod form;
pub mod plausible;
pub mod position;
mod text;

use kit::error::Fields;
use kit::{Error, Result};

/// What was read, or everything that is wrong with it.
fn done<T>(wrong: Fields, good: T) -> Result<T> {
    if wrong.is_empty() {
        return Ok(good);
    }
    let mut texts: Vec<&str> = wrong.values().flatten().map(String::as_str).collect();
    // A batch may have a thousand of them.
    let more = texts.len().saturating_sub(10);
    texts.truncate(10);
    let mut text = texts.join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    Err(Error { fields: wrong, ..Error::invalid("INVALID_FIELDS", text) })
}

fn wrong(fields: &mut Fields, field: &str, text: impl Into<String>) {
    fields.entry(field.to_owned()).or_default().push(text.into());
}
