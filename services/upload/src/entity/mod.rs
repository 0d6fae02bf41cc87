//! The tables, one file each, with their conversion to messages. No behavior.

pub mod header_mapping;
pub mod idempotency_key;
pub mod saved_mapping;
pub mod upload_change;
pub mod upload_correction;
pub mod upload_edit;
pub mod upload_link;
pub mod upload_log;
pub mod upload_part;
pub mod upload_row;
pub mod upload_value;
pub mod upload_warning;
pub mod value_mapping;
