//! Validation of drivers, devices, positions and log entries, and which positions are accepted.
//!
//! No database, and no clock of its own. Deliberately absent: whether an id is taken, which only the store
//! knows; accounts of drivers, which auth keeps.

pub mod activity;
pub mod driver;
pub mod form;
pub mod plausible;
pub mod position;
