//! The query language of the Cube REST contract.
//!
//! A query goes through these stages: `wire` (JSON), `check` (its meaning, with dates and zones resolved),
//! `plan` (which tables), `sql` (the statement), `run` (its rows), `answer` (JSON). A name that is not in
//! [`crate::members`] does not pass `check`, and values are only ever bound.

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

/// Refuses an invalid query. The text is the contract's `error`.
pub fn refuse(text: &str) -> Error {
    Error::invalid("ANALYTICS_QUERY", text.chars().take(MAX_ERROR_CHARS).collect::<String>())
}

/// Refuses an unknown member.
pub fn unknown(text: &str) -> Error {
    Error::invalid("ANALYTICS_MEMBER_UNKNOWN", text)
}

/// Maximum length of an error's text, which travels in a header between processes.
const MAX_ERROR_CHARS: usize = 1_000;
