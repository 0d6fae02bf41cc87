//! The tables.
//!
//! Texts for filters and sorting have their folded form in `<name>_key` (docs/adr/0005). Times are in UTC.
//! `sequence` is that of the newest event or snapshot that wrote the row; `run` is the number of
//! the rebuild that last saw the row.

pub mod data_version;
pub mod delivery_fact;
pub mod delivery_rollup;
pub mod driver_fact;
pub mod removed_delivery;
pub mod removed_shipment;
pub mod shipment_fact;
pub mod source_fact;
pub mod stop_fact;
pub mod variance_fact;
