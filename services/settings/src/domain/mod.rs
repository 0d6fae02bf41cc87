//! What a setting, an announcement and the definition of a report may be.
//!
//! Pure: no database, no clock of its own.

pub mod access;
pub mod announcement;
pub mod catalogue;
pub mod report_member;
pub mod report_setting;
pub mod value;
