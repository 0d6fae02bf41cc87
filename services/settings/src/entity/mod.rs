//! The tables. Conversions from rows to messages name every column, so that none is forgotten.

pub mod announcement;
pub mod announcement_audience;
pub mod announcement_view;
pub mod endpoint_pause;
pub mod logo;
pub mod logo_upload;
pub mod report_schedule;
pub mod report_setting;
pub mod saved_view;
pub mod setting;
pub mod setting_history;
