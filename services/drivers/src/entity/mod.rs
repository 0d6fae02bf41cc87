//! The tables. Conversions from rows to messages name every column, so that none is forgotten.

pub mod device;
pub mod driver;
pub mod driver_log;
pub mod driver_shown;
pub mod ended_pairing;
pub mod location;
pub mod position;
pub mod stop;
pub mod unpaired_device;
