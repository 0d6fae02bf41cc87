//! The tables. A row becomes a message where it is made, naming every column.

pub mod device;
pub mod driver;
pub mod driver_log;
pub mod driver_shown;
pub mod location;
pub mod position;
pub mod stop;
pub mod unpaired_device;
