//! Adds roll-ups of outcomes alone, stops of drivers, indexes on customers and drivers that include their
//! spellings, and the column `run` of removed shipments.
//!
//! Existing rows cannot be rolled up by a statement, because the key of a roll-up is a hash. So the tables
//! are recreated, and a rebuild fills them. The service requests one when no rebuild is complete.

use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null};

use super::m0001_facts;
use crate::entity::{
    data_version, delivery_fact, delivery_rollup, removed_shipment, stop_fact, variance_fact,
};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0003_outcomes"
    }
}

/// Returns indexes that replace older ones of the same names. They include the spelling, so that a query
/// reads only the index.
fn walked() -> [IndexCreateStatement; 2] {
    use delivery_fact::Column as D;
    let on = |name: &str| Index::create().name(name).table(delivery_fact::Entity).to_owned();
    [
        on(m0001_facts::BY_CUSTOMER)
            .col(D::CustomerNameKey)
            .col(D::ScheduleDateTime)
            .col(D::CustomerName)
            .to_owned(),
        on(m0001_facts::BY_DRIVER).col(D::DriverIdKey).col(D::ScheduleDateTime).col(D::DriverId).to_owned(),
    ]
}

fn stops(manager: &SchemaManager<'_>) -> TableCreateStatement {
    use stop_fact::Column as C;
    let key = |column: C| bytewise_text(column, manager.get_database_backend()).not_null().to_owned();
    Table::create()
        .table(stop_fact::Entity)
        .col(key(C::StopKey).primary_key())
        .col(key(C::DriverIdKey))
        .col(key(C::DeliveryIdKey))
        .col(big_integer_null(C::Seconds))
        .col(big_integer(C::Sequence))
        .col(big_integer(C::Run))
        .to_owned()
}

async fn make_anew(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in [
        Table::drop().table(delivery_rollup::Entity).to_owned(),
        Table::drop().table(variance_fact::Entity).to_owned(),
        Table::drop().table(delivery_fact::Entity).to_owned(),
    ] {
        manager.drop_table(table).await?;
    }
    m0001_facts::create_deliveries(manager).await?;
    use data_version::Column as C;
    let mut unread = Query::update();
    unread.table(data_version::Entity).value(C::CompleteRun, 0);
    manager.execute(unread).await
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        make_anew(manager).await?;
        manager.create_table(stops(manager)).await?;
        let run = big_integer(removed_shipment::Column::Run).default(0).to_owned();
        let marked = Table::alter().table(removed_shipment::Entity).add_column(run).to_owned();
        manager.alter_table(marked).await?;
        for name in [m0001_facts::BY_CUSTOMER, m0001_facts::BY_DRIVER] {
            manager.drop_index(Index::drop().name(name).table(delivery_fact::Entity).to_owned()).await?;
        }
        let of_delivery = Index::create()
            .name("stop_fact_delivery")
            .table(stop_fact::Entity)
            .col(stop_fact::Column::DeliveryIdKey)
            .to_owned();
        for index in walked().into_iter().chain([of_delivery]) {
            manager.create_index(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(stop_fact::Entity).to_owned()).await?;
        let run = removed_shipment::Column::Run;
        let unmarked = Table::alter().table(removed_shipment::Entity).drop_column(run).to_owned();
        manager.alter_table(unmarked).await?;
        make_anew(manager).await
    }
}
