//! The tables of the service, defined only with the portable schema builder.

use sea_orm_migration::prelude::*;

mod m0001_upload;
mod m0002_reading;
mod m0003_folded_keys;
mod m0004_warnings;
mod m0005_jobs;
mod m0006_undo;
mod m0007_corrections;
mod m0008_columns;
mod m0009_values;
mod m0010_review;
mod m0011_saved_mappings;
mod m0012_importer;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_upload::Migration));
        all.push(Box::new(m0002_reading::Migration));
        all.extend(::store::settings::migrations());
        all.push(Box::new(m0003_folded_keys::Migration));
        all.push(Box::new(m0004_warnings::Migration));
        all.push(Box::new(m0005_jobs::Migration));
        all.push(Box::new(m0006_undo::Migration));
        all.push(Box::new(m0007_corrections::Migration));
        all.push(Box::new(m0008_columns::Migration));
        all.push(Box::new(m0009_values::Migration));
        all.push(Box::new(m0010_review::Migration));
        all.push(Box::new(m0011_saved_mappings::Migration));
        all.push(Box::new(m0012_importer::Migration));
        all
    }
}
