//! The query language of the Cube REST contract.
//!
//! A query goes through these stages: `wire` parses the JSON, `check` validates members and resolves dates
//! and zones, `plan` chooses tables, `sql` builds the statement, `run` reads its rows, `answer` writes the
//! JSON. `check` refuses names that are not in [`crate::members`], and values are always bound.

pub mod answer;
mod buckets;
pub mod check;
mod conditions;
pub mod dates;
pub mod filter;
pub mod names;
pub mod plan;
pub mod run;
pub mod sql;
mod walk;
pub mod wire;
pub mod zone;

use kit::Error;

/// Returns the error for an invalid query. The text becomes `error` in the contract's response.
pub fn refuse(text: &str) -> Error {
    Error::invalid("ANALYTICS_QUERY", text.chars().take(MAX_ERROR_CHARS).collect::<String>())
}

/// Returns the error for an unknown member.
pub fn unknown(text: &str) -> Error {
    Error::invalid("ANALYTICS_MEMBER_UNKNOWN", text)
}

/// Maximum length of an error's text, which is sent between processes in a header.
const MAX_ERROR_CHARS: usize = 1_000;
