//! The service's migrations, after those of the crate `store`. They use only SeaQuery's portable builder,
//! except for triggers, which it does not support.

use sea_orm_migration::prelude::*;

mod m0001_accounts;
mod m0002_administration;
mod m0003_audit_chain;
mod m0004_names;
mod m0005_driver_sequence;
mod m0006_jobs;
mod m0007_report_mails;
mod m0008_audit_indexes;

pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = ::store::migrate::migrations();
        all.push(Box::new(m0001_accounts::Migration));
        all.push(Box::new(m0002_administration::Migration));
        all.push(Box::new(m0003_audit_chain::Migration));
        all.push(Box::new(m0004_names::Migration));
        all.push(Box::new(m0005_driver_sequence::Migration));
        all.push(Box::new(m0006_jobs::Migration));
        all.push(Box::new(m0007_report_mails::Migration));
        all.extend(::store::settings::migrations());
        all.push(Box::new(m0008_audit_indexes::Migration));
        all
    }
}
