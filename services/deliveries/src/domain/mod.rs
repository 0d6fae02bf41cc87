//! Rules without a database: they take values and give decisions.

pub mod delivery;
pub mod import;
pub mod shipment;
