//! Rules without a database: values in, decisions out.
//!
//! Start at `transition`, which takes a `state` and a `command`; `allowed` says who may send which command.

pub mod actor;
pub mod allowed;
mod article;
pub mod attachment;
pub mod bulk;
pub mod clocks;
pub mod command;
pub mod delivery;
pub mod dispatch;
pub mod document;
pub mod driver;
pub mod entry;
mod guards;
pub mod head;
pub mod import;
pub mod intake;
pub mod likeness;
pub mod line;
pub mod masking;
pub mod outbound;
pub mod party;
pub mod proof;
pub mod reason;
pub mod row;
pub mod shipment;
pub mod state;
pub mod text;
pub mod transition;
pub mod undo;

#[cfg(test)]
mod allowed_tests;
#[cfg(test)]
mod article_tests;
#[cfg(test)]
mod bulk_tests;
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
