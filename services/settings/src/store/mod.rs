//! Queries, one file per resource. Every list is bounded; nothing here asks per row.

pub mod announcements;
mod creation;
pub mod news;
pub mod report_settings;
pub mod settings;

use chrono::{DateTime, Utc};

pub use creation::Creation;

/// Who changes something, and when.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    pub actor: &'a str,
    pub now: DateTime<Utc>,
}
