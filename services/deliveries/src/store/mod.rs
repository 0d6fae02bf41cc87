//! Queries, one file per resource. Every list is bounded; nothing here asks per row.

pub mod customers;
pub mod deliveries;
pub mod imports;
pub mod shipments;
pub mod sources;
pub mod truckers;
