use ::store::migrate::bytewise_text;
use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, boolean, boolean_null, integer, text, text_null, timestamp_with_time_zone,
    timestamp_with_time_zone_null, uuid_null,
};

use crate::entity::{
    data_version, delivery_fact, delivery_rollup, driver_fact, removed_delivery, removed_shipment,
    shipment_fact, source_fact, variance_fact,
};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0001_facts"
    }
}

fn deliveries(backend: DbBackend) -> TableCreateStatement {
    use delivery_fact::Column as C;
    let key = |column: C| bytewise_text(column, backend).not_null().to_owned();
    Table::create()
        .table(delivery_fact::Entity)
        .col(key(C::DeliveryIdKey).primary_key())
        .col(text(C::DeliveryId))
        .col(big_integer(C::Sequence))
        .col(big_integer(C::Run))
        .col(text(C::ShipmentNumber))
        .col(key(C::ShipmentNumberKey))
        .col(text(C::DeliveryStatus))
        .col(key(C::DeliveryStatusKey))
        .col(text(C::Trucker))
        .col(key(C::TruckerKey))
        .col(text(C::ScanMode))
        .col(key(C::ScanModeKey))
        .col(uuid_null(C::SourceId))
        .col(text(C::CustomerName))
        .col(key(C::CustomerNameKey))
        .col(text_null(C::DriverId))
        .col(bytewise_text(C::DriverIdKey, backend))
        .col(text_null(C::OutcomeReason))
        .col(bytewise_text(C::OutcomeReasonKey, backend))
        .col(timestamp_with_time_zone(C::ScheduleDateTime))
        .col(timestamp_with_time_zone_null(C::DeliveryDateTime))
        .col(boolean_null(C::OnTime))
        .col(boolean_null(C::FirstAttempt))
        .col(boolean_null(C::Perfect))
        .col(big_integer_null(C::StopSeconds))
        .col(integer(C::LateEvents))
        .col(boolean(C::Conflict))
        .to_owned()
}

fn variances(backend: DbBackend) -> TableCreateStatement {
    use variance_fact::Column as C;
    let key = |column: C| bytewise_text(column, backend).not_null().to_owned();
    Table::create()
        .table(variance_fact::Entity)
        .col(key(C::VarianceId).primary_key())
        .col(key(C::DeliveryIdKey))
        .col(text_null(C::Reason))
        .col(bytewise_text(C::ReasonKey, backend))
        .col(text(C::Kind))
        .col(key(C::KindKey))
        .col(text_null(C::Responsible))
        .col(bytewise_text(C::ResponsibleKey, backend))
        .col(big_integer(C::QuantityThousandths))
        .to_owned()
}

fn drivers(backend: DbBackend) -> TableCreateStatement {
    use driver_fact::Column as C;
    Table::create()
        .table(driver_fact::Entity)
        .col(bytewise_text(C::DriverIdKey, backend).not_null().primary_key())
        .col(text(C::DriverId))
        .col(text(C::DriverName))
        .col(bytewise_text(C::DriverNameKey, backend).not_null())
        .col(big_integer(C::Sequence))
        .col(big_integer(C::Run))
        .to_owned()
}

fn shipments(backend: DbBackend) -> TableCreateStatement {
    use shipment_fact::Column as C;
    Table::create()
        .table(shipment_fact::Entity)
        .col(bytewise_text(C::ShipmentNumberKey, backend).not_null().primary_key())
        .col(text(C::ShipmentNumber))
        .col(text(C::ShipmentStatus))
        .col(bytewise_text(C::ShipmentStatusKey, backend).not_null())
        .col(big_integer(C::Sequence))
        .col(big_integer(C::Run))
        .to_owned()
}

fn removed_deliveries(backend: DbBackend) -> TableCreateStatement {
    use removed_delivery::Column as C;
    Table::create()
        .table(removed_delivery::Entity)
        .col(bytewise_text(C::DeliveryIdKey, backend).not_null().primary_key())
        .col(big_integer(C::Sequence))
        .col(big_integer(C::Run))
        .to_owned()
}

fn removed_shipments(backend: DbBackend) -> TableCreateStatement {
    use removed_shipment::Column as C;
    Table::create()
        .table(removed_shipment::Entity)
        .col(bytewise_text(C::ShipmentNumberKey, backend).not_null().primary_key())
        .col(big_integer(C::Sequence))
        .to_owned()
}

fn sources(backend: DbBackend) -> TableCreateStatement {
    use source_fact::Column as C;
    Table::create()
        .table(source_fact::Entity)
        .col(ColumnDef::new(C::SourceId).uuid().not_null().primary_key())
        .col(text(C::Source))
        .col(bytewise_text(C::SourceKey, backend).not_null())
        .col(big_integer(C::Sequence))
        .col(big_integer(C::Run))
        .to_owned()
}

fn rollups(backend: DbBackend) -> TableCreateStatement {
    use delivery_rollup::Column as C;
    let mut table = Table::create()
        .table(delivery_rollup::Entity)
        .col(ColumnDef::new(C::RollupId).uuid().not_null().primary_key())
        .col(text(C::Axis))
        .col(text(C::Grain))
        .col(timestamp_with_time_zone(C::Hour))
        .col(text(C::DeliveryStatus))
        .col(bytewise_text(C::DeliveryStatusKey, backend).not_null())
        .col(uuid_null(C::SourceId))
        .col(text(C::ScanMode))
        .col(bytewise_text(C::ScanModeKey, backend).not_null())
        .col(text_null(C::Trucker))
        .col(bytewise_text(C::TruckerKey, backend))
        .to_owned();
    for sum in delivery_rollup::SUMS {
        table.col(big_integer(sum));
    }
    table
}

fn version() -> TableCreateStatement {
    use data_version::Column as C;
    Table::create()
        .table(data_version::Entity)
        .col(ColumnDef::new(C::Id).integer().not_null().primary_key())
        .col(big_integer(C::Version))
        .col(big_integer(C::Run))
        .col(big_integer(C::CompleteRun))
        .to_owned()
}

pub const BY_CUSTOMER: &str = "delivery_fact_customer";
pub const BY_DRIVER: &str = "delivery_fact_driver";

/// Returns indexes to find facts by time range, by customer or driver, and by shipment or delivery.
fn indexes() -> Vec<IndexCreateStatement> {
    use delivery_fact::Column as D;
    use delivery_rollup::Column as R;
    use variance_fact::Column as V;
    let on = |name: &str| Index::create().name(name).to_owned();
    let delivery = |name: &str| on(name).table(delivery_fact::Entity).to_owned();
    vec![
        delivery("delivery_fact_scheduled").col(D::ScheduleDateTime).to_owned(),
        delivery("delivery_fact_processed").col(D::DeliveryDateTime).to_owned(),
        delivery(BY_CUSTOMER).col(D::CustomerNameKey).col(D::ScheduleDateTime).to_owned(),
        delivery(BY_DRIVER).col(D::DriverIdKey).col(D::ScheduleDateTime).to_owned(),
        delivery("delivery_fact_shipment").col(D::ShipmentNumberKey).to_owned(),
        on("variance_fact_delivery").table(variance_fact::Entity).col(V::DeliveryIdKey).to_owned(),
        on("delivery_rollup_hour")
            .table(delivery_rollup::Entity)
            .col(R::Axis)
            .col(R::Grain)
            .col(R::Hour)
            .to_owned(),
    ]
}

/// Creates the tables of deliveries, their variances and roll-ups, with their indexes.
pub async fn create_deliveries(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let backend = manager.get_database_backend();
    for table in [deliveries(backend), variances(backend), rollups(backend)] {
        manager.create_table(table).await?;
    }
    for index in indexes() {
        manager.create_index(index).await?;
    }
    Ok(())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        create_deliveries(manager).await?;
        for table in [
            drivers(backend),
            shipments(backend),
            removed_deliveries(backend),
            removed_shipments(backend),
            sources(backend),
            version(),
        ] {
            manager.create_table(table).await?;
        }
        use data_version::Column as C;
        let mut only = Query::insert();
        only.into_table(data_version::Entity).columns([C::Id, C::Version, C::Run, C::CompleteRun]);
        only.values([data_version::ONLY.into(), 0_i64.into(), 0_i64.into(), 0_i64.into()])
            .map_err(|error| DbErr::Custom(error.to_string()))?;
        manager.execute(only).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop = |table: TableRef| Table::drop().table(table).to_owned();
        for table in [
            drop(data_version::Entity.into_table_ref()),
            drop(delivery_rollup::Entity.into_table_ref()),
            drop(source_fact::Entity.into_table_ref()),
            drop(removed_delivery::Entity.into_table_ref()),
            drop(removed_shipment::Entity.into_table_ref()),
            drop(shipment_fact::Entity.into_table_ref()),
            drop(driver_fact::Entity.into_table_ref()),
            drop(variance_fact::Entity.into_table_ref()),
            drop(delivery_fact::Entity.into_table_ref()),
        ] {
            manager.drop_table(table).await?;
        }
        Ok(())
    }
}
