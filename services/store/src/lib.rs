//! Everything about SQL except the tables: connections, transactions, filters, pages, outbox and inbox,
//! durable jobs, events for the audit log, copies of settings, upload links, migrations.
//!
//! Deliberately absent: the tables of services, and raw SQL with values in its text. SQLite and Postgres
//! share one portable query builder. Start at `tx` and `outbox`.

pub mod audit;
pub mod backup;
pub mod bulk;
pub mod clearing;
pub mod connect;
pub mod consume;
pub mod copies;
pub mod counter;
pub mod dead_letters;
pub mod error;
pub mod filter;
pub mod inbox;
pub mod inspect;
pub mod jobs;
pub mod lag;
pub mod links;
pub mod list;
pub mod migrate;
mod now;
pub mod outbox;
pub mod page;
pub mod published;
pub mod reconcile;
pub mod refold;
pub mod relay;
pub mod replay;
pub mod retention;
pub mod sequence;
mod serial;
pub mod settings;
mod shared;
pub mod snapshot;
mod startup;
mod text_enum;
pub mod tx;
mod upgrade;
mod version;

#[cfg(feature = "testing")]
pub mod testing;

pub use connect::{Db, Reading};
pub use error::db;
pub use serial::one_at_a_time;
pub use shared::SharedReads;
pub use tx::Tx;
pub use version::require_version;
