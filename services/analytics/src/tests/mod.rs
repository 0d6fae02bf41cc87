//! The query language on both databases, against rows in memory.

mod access;
mod data;
mod dates;
mod evaluator;
mod hostile;
mod queries;
mod rows;

use chrono::{DateTime, Utc};

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}
