//! The tables of the service, by the portable builder only.

use sea_orm_migration::prelude::*;

mod m0001_upload;
mod m0002_reading;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_upload::Migration));
        all.push(Box::new(m0002_reading::Migration));
        all.push(Box::new(::store::settings::Copies));
        all
    }
}
