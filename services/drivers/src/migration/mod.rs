//! The service's migrations. They create all tables except the monthly tables of positions, which
//! `store::months` creates.

use sea_orm_migration::prelude::*;

mod m0001_drivers;
mod m0002_location_order;
mod m0003_folded_keys;
mod m0004_stops;
mod m0005_jobs;
mod m0006_ended_pairings;
mod m0007_stop_times;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_drivers::Migration));
        all.extend(::store::settings::migrations());
        all.push(Box::new(m0002_location_order::Migration));
        all.push(Box::new(m0003_folded_keys::Migration));
        all.push(Box::new(m0004_stops::Migration));
        all.push(Box::new(m0005_jobs::Migration));
        all.push(Box::new(m0006_ended_pairings::Migration));
        all.push(Box::new(m0007_stop_times::Migration));
        all
    }
}
