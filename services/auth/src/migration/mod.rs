//! The service's migrations, after those of `store`. Portable builder only.

use sea_orm_migration::prelude::*;

mod m0001_accounts;

pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_accounts::Migration));
        all
    }
}
