//! What a setting, an announcement, the definition of a report and a saved view may be.
//!
//! Pure: no database, no clock of its own.

pub mod access;
pub mod announcement;
pub mod catalogue;
pub mod report_member;
pub mod report_setting;
pub mod saved_view;
pub mod value;
