//! Validation of settings, announcements, report definitions and their schedules, and saved views.
//!
//! Uses no database and no clock.

pub mod access;
pub mod announcement;
pub mod catalogue;
pub mod report_member;
pub mod report_schedule;
pub mod report_setting;
pub mod rule;
pub mod saved_view;
pub mod value;
