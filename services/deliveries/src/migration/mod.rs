//! The tables of the service, defined only with the portable schema builder.

use sea_orm_migration::prelude::*;

mod m0001_deliveries;
mod m0002_outcomes;
mod m0003_parties_and_lists;
mod m0004_proof;
mod m0005_drivers;
mod m0006_reason_labels;
mod m0007_customer_and_status;
mod m0008_folded_keys;
mod m0009_attachment_links;
mod m0010_incomplete_imports;
mod m0011_driver_sequence;
mod m0012_conflict_index;
mod m0013_undo;
mod m0014_dead_letters;
mod m0015_responsible;
mod m0016_producers;
mod m0017_bulk_rows;
mod m0018_closed_letters;
mod m0019_dead_letter_indexes;
mod m0020_import_and_report_indexes;
mod m0021_due_index;
mod m0022_link_filename;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_deliveries::Migration));
        all.push(Box::new(m0002_outcomes::Migration));
        all.push(Box::new(m0003_parties_and_lists::Parties));
        all.push(Box::new(m0003_parties_and_lists::ListIndexes));
        all.push(Box::new(m0004_proof::Migration));
        all.push(Box::new(m0005_drivers::Migration));
        all.push(Box::new(m0006_reason_labels::Migration));
        all.push(Box::new(m0007_customer_and_status::Migration));
        all.push(Box::new(m0009_attachment_links::Migration));
        all.push(Box::new(m0010_incomplete_imports::Migration));
        all.extend(::store::settings::migrations());
        all.push(Box::new(m0008_folded_keys::Migration));
        all.push(Box::new(m0011_driver_sequence::Migration));
        all.push(Box::new(m0012_conflict_index::Migration));
        all.push(Box::new(m0013_undo::Migration));
        all.push(Box::new(m0014_dead_letters::Jobs));
        all.push(Box::new(m0014_dead_letters::DeadLetters));
        all.push(Box::new(m0015_responsible::Migration));
        all.push(Box::new(m0016_producers::Migration));
        all.push(Box::new(m0017_bulk_rows::Migration));
        all.push(Box::new(m0018_closed_letters::Migration));
        all.push(Box::new(m0019_dead_letter_indexes::Migration));
        all.push(Box::new(m0020_import_and_report_indexes::Migration));
        all.push(Box::new(m0021_due_index::Migration));
        all.push(Box::new(m0022_link_filename::Migration));
        all
    }
}
