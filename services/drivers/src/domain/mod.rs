//! Validation of drivers, devices, positions and log entries, and which positions are accepted.
//!
//! Uses no database and no clock. Deliberately absent: whether an id is taken, which takes a query of the
//! store; accounts of drivers, which belong to auth.

pub mod activity;
pub mod driver;
pub mod form;
pub mod plausible;
pub mod position;
