//! The tables of the service. Only the months of positions are made elsewhere, in `store::months`, as
//! time goes by.

use sea_orm_migration::prelude::*;

mod m0001_drivers;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_drivers::Migration));
        all.push(Box::new(::store::settings::Copies));
        all
    }
}
