//! Accounts of the drivers of demo data, made as events of their service would make them.

pub use crate::drivers::DriverChange;
pub use crate::store::drivers::follow as follow_drivers;
