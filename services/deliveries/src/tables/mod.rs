//! Reads, locks and writes rows for several commands: one file per table.
//!
//! Everything here runs in the transaction of a command and decides nothing. Writes of a single command are
//! in that command.

pub mod addresses;
pub mod attachment_links;
pub mod attachments;
pub mod client_events;
pub mod columns;
pub mod customers;
pub mod dead_letters;
pub mod deliveries;
pub mod drivers;
pub mod edits;
pub mod endpoints;
pub mod histories;
pub mod items;
pub mod parties;
pub mod removed_deliveries;
pub mod shipments;
pub mod sources;
pub mod state;
pub mod truckers;
pub mod upsert;
pub mod variances;
