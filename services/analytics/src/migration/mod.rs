//! The service's migrations. They use only the schema builder, which supports both databases.

use sea_orm_migration::prelude::*;

mod m0001_facts;
mod m0002_jobs;
mod m0003_outcomes;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_facts::Migration));
        all.push(Box::new(m0002_jobs::Migration));
        all.push(Box::new(m0003_outcomes::Migration));
        all
    }
}
