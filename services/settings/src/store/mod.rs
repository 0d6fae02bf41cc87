//! Queries, one file per resource. Every list is bounded; no query is repeated per row.

pub mod announcements;
mod creation;
pub mod endpoint_pauses;
pub mod news;
pub mod report_schedules;
pub mod report_settings;
pub mod saved_views;
pub mod settings;
mod skipped_times;

pub use ::store::audit::By;
pub use creation::Creation;
