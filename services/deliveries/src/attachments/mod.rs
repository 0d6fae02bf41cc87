//! Files of attachments: their types and their storage. `commands::add_attachment` adds a file to a delivery.

pub mod file_type;
pub mod storage;
