//! The tables, one file each, with their conversion to messages. No behavior.
//!
//! A column such as `name_key` holds the folded form (`store::filter::fold`) of the column `name` and is
//! compared in byte order: searches, joins and sorts use it.

pub mod address;
pub mod attachment;
pub mod attachment_link;
pub mod bulk_row;
pub mod client_event;
pub mod customer;
pub mod dead_letter;
pub mod delivery;
pub mod driver;
pub mod edit;
pub mod form;
pub mod history;
pub mod import_batch;
pub mod import_change;
pub mod item;
pub mod outbound_endpoint;
pub mod producer;
pub mod reason;
pub mod reason_label;
pub mod removed_delivery;
pub mod requirement;
pub mod shipment;
pub mod source;
pub mod trucker;
pub mod variance;
