//! The contract's handlers. The first line of each is its access rule.

pub mod announcements;
pub mod logo;
pub mod report_schedules;
pub mod report_settings;
pub mod saved_views;
pub mod settings;

use crate::Context;

/// State shared by the handlers.
#[derive(Clone)]
pub struct Shared {
    pub context: Context,
}
