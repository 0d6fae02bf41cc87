//! Validation of drivers, devices, positions and log entries, and which positions are accepted.
//!
//! Uses no database and no clock. The store checks whether an id is taken. Accounts of drivers belong to
//! auth.

pub mod activity;
pub mod driver;
pub mod form;
pub mod plausible;
pub mod position;
pub mod server_clock;
