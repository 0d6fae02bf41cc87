//! Everything about SQL that is not a table: connections, transactions, filters, pages, the
//! outbox and the inbox, privileged acts on their way to the audit log, copies of settings, migrations.
//!
//! Deliberately absent: any table of a service, and raw SQL with text in it. Both databases,
//! SQLite and Postgres, go through the same portable builder. Start at `tx` and `outbox`.

pub mod audit;
pub mod bulk;
pub mod connect;
pub mod counter;
pub mod error;
pub mod filter;
pub mod inbox;
pub mod list;
pub mod migrate;
mod no_delay;
pub mod outbox;
pub mod page;
pub mod settings;
mod spelled;
pub mod tx;

#[cfg(feature = "testing")]
pub mod testing;

pub use connect::Db;
pub use error::db;
pub use tx::Tx;
