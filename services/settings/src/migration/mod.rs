//! The service's migrations.

use sea_orm_migration::prelude::*;

mod m0001_settings;
mod m0002_announcements;
mod m0003_report_settings;
mod m0004_logo;
mod m0005_folded_keys;
mod m0006_saved_views;
mod m0007_shared_queries;
mod m0008_report_schedules;
mod m0009_endpoint_pauses;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_settings::Migration));
        all.push(Box::new(m0002_announcements::Migration));
        all.push(Box::new(m0003_report_settings::Migration));
        all.push(Box::new(m0004_logo::Migration));
        all.push(Box::new(m0005_folded_keys::Migration));
        all.push(Box::new(m0006_saved_views::Migration));
        all.push(Box::new(m0007_shared_queries::Migration));
        all.push(Box::new(m0008_report_schedules::Migration));
        all.push(Box::new(m0009_endpoint_pauses::Migration));
        all
    }
}
