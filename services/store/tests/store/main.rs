//! What services rely on: events, jobs, filters, upgrades and copies, on both databases.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

mod backup;
mod broker;
mod bulk;
mod clocks;
mod commit;
mod consume;
mod events;
mod failures;
mod filters;
mod jobs;
mod model;
mod reconcile;
mod refold;
mod replay;
mod settings;
mod upgrades;

use sea_orm_migration::{MigrationTrait, MigratorTrait};

/// The tables that each service has.
struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        store::migrate::migrations()
    }
}
