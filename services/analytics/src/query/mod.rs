//! The query language of the Cube REST contract.
//!
//! The way of a query: `wire` (JSON), `check` (what it means, with dates and zones resolved), `plan` (which tables),
//! `sql` (the statement), `run` (its rows), `answer` (JSON). A name that is not in [`crate::members`] gets no
//! further than `check`, and a value is only ever bound.

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

/// A query that is not one of the contract. The text is the contract's `error`.
pub fn refuse(text: &str) -> Error {
    Error::invalid("ANALYTICS_QUERY", text.chars().take(MAX_ERROR_CHARS).collect::<String>())
}

/// A member that is not there.
pub fn unknown(text: &str) -> Error {
    Error::invalid("ANALYTICS_MEMBER_UNKNOWN", text)
}

/// It travels in a header between processes.
const MAX_ERROR_CHARS: usize = 1_000;
