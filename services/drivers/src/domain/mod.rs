//! What a driver, a device, a position and an entry of the log may be, and which positions are
//! believed.
//!
//! Pure: no database, no clock of its own. Deliberately absent: whether an id is taken, which only the
//! store sees; the accounts of drivers, which auth keeps.

pub mod activity;
pub mod driver;
pub mod form;
pub mod plausible;
pub mod position;
