//! Rules without a database: they take values and give decisions.
//!
//! What becomes of a delivery starts at `transition`, which takes a `state` and a `command`; who
//! may at all is in `allowed`.

#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod actor;
#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod allowed;
#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod clocks;
#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod command;
pub mod delivery;
mod guards;
pub mod import;
#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod line;
#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod proof;
#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod reason;
pub mod shipment;
pub mod state;
mod text;
#[cfg_attr(not(test), expect(dead_code, reason = "no handler records an outcome yet"))]
pub mod transition;

#[cfg(test)]
mod allowed_tests;
#[cfg(test)]
mod later_tests;
#[cfg(test)]
mod line_tests;
#[cfg(test)]
mod sequence_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod transition_tests;
