//! Queries, one file per resource. Every list is bounded; no query is repeated per row.

pub mod devices;
pub mod drivers;
pub mod locations;
pub mod logs;
pub mod months;
pub mod positions;
pub mod retention;
pub mod snapshot;
pub mod stops;
