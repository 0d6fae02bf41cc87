//! Everything about SQL that is not a table: connections, transactions, filters, pages, the
//! outbox and the inbox, durable jobs, privileged acts on their way to the audit log, copies of settings,
//! links to upload by, migrations.
//!
//! Deliberately absent: any table of a service, and raw SQL with text in it. Both databases,
//! SQLite and Postgres, go through the same portable builder. Start at `tx` and `outbox`.

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
pub mod settings;
pub mod snapshot;
mod spelled;
pub mod tx;
mod upgrade;

#[cfg(feature = "testing")]
pub mod testing;

pub use connect::{Db, Reading};
pub use error::db;
pub use tx::Tx;
