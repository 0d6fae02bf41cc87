use ::store::migrate::{bytewise_text, trigrams};
use sea_orm::{ConnectionTrait, DbBackend};
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, boolean_null, double_null, integer, text, text_null, timestamp_with_time_zone,
    timestamp_with_time_zone_null, uuid_null,
};

use crate::entity::{device, driver, driver_log, location, position, unpaired_device};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0001_drivers"
    }
}

fn drivers(backend: DbBackend) -> TableCreateStatement {
    use driver::Column as C;
    Table::create()
        .table(driver::Entity)
        .col(ColumnDef::new(C::Number).integer().not_null().auto_increment().primary_key())
        .col(text(C::DriverId))
        .col(bytewise_text(C::DriverIdKey, backend).not_null().unique_key())
        .col(text(C::Name))
        .col(bytewise_text(C::NameKey, backend).not_null())
        .col(text(C::Status))
        .col(text(C::Username))
        .col(bytewise_text(C::UsernameKey, backend).not_null().unique_key())
        .col(text_null(C::Phone))
        .col(text_null(C::Email))
        .col(text_null(C::Trucker))
        .col(bytewise_text(C::TruckerKey, backend))
        .col(text_null(C::LicenceNumber))
        .col(ColumnDef::new(C::LicenceExpiry).date())
        .col(text_null(C::VehiclePlate))
        .col(text_null(C::Language))
        .col(timestamp_with_time_zone_null(C::TrackingConsentAt))
        .col(timestamp_with_time_zone(C::CreatedAt))
        .col(text(C::CreatedBy))
        .col(timestamp_with_time_zone(C::UpdatedAt))
        .col(text(C::UpdatedBy))
        .col(big_integer(C::Version))
        .to_owned()
}

fn devices(backend: DbBackend) -> TableCreateStatement {
    use device::Column as C;
    Table::create()
        .table(device::Entity)
        .col(bytewise_text(C::UniqueIdKey, backend).not_null().primary_key())
        .col(text(C::UniqueId))
        .col(integer(C::Driver))
        .col(timestamp_with_time_zone(C::PairedAt))
        .col(text(C::PairedBy))
        .to_owned()
}

fn unpaired(backend: DbBackend) -> TableCreateStatement {
    use unpaired_device::Column as C;
    Table::create()
        .table(unpaired_device::Entity)
        .col(bytewise_text(C::UniqueIdKey, backend).not_null().primary_key())
        .col(text(C::UniqueId))
        .col(text(C::Provider))
        .col(timestamp_with_time_zone(C::FirstSeenAt))
        .col(timestamp_with_time_zone(C::LastSeenAt))
        .col(big_integer(C::Positions))
        .col(text(C::Position))
        .col(text(C::Address))
        .to_owned()
}

fn locations(backend: DbBackend) -> TableCreateStatement {
    use location::Column as C;
    let mut table = Table::create()
        .table(location::Entity)
        .col(integer(C::Driver).primary_key())
        .col(timestamp_with_time_zone(C::SeenAt))
        .col(timestamp_with_time_zone_null(C::NewestAt))
        .col(timestamp_with_time_zone(C::MovedAt))
        .col(big_integer(C::Version))
        .col(text_null(C::Position))
        .to_owned();
    if backend == DbBackend::Postgres {
        // Rows are rewritten every second. Free room in each page, and no index on changing columns, let
        // Postgres update them within their page.
        table.extra("WITH (fillfactor = 40)");
    }
    table
}

fn positions(backend: DbBackend) -> TableCreateStatement {
    use position::Column as C;
    let mut table = Table::create()
        .table(position::Entity)
        .col(integer(C::Driver))
        .col(timestamp_with_time_zone(C::OccurredAt))
        .col(big_integer(C::Fingerprint))
        .col(timestamp_with_time_zone(C::ReceivedAt))
        .col(double_null(C::Lat).not_null().to_owned())
        .col(double_null(C::Lng).not_null().to_owned())
        .col(double_null(C::Altitude))
        .col(double_null(C::SpeedKmh))
        .col(double_null(C::HeadingDeg))
        .col(double_null(C::AccuracyM))
        .col(double_null(C::BatteryPct))
        .col(boolean_null(C::Charging))
        .col(boolean_null(C::Motion))
        .col(double_null(C::OdometerM))
        .col(text(C::Provider))
        .col(text_null(C::Filtered))
        .col(text_null(C::Attributes))
        .primary_key(Index::create().col(C::Driver).col(C::OccurredAt).col(C::Fingerprint))
        .to_owned();
    match backend {
        DbBackend::Postgres => table.extra("PARTITION BY RANGE (occurred_at)"),
        // Without row ids, rows are stored by primary key, so a driver's day is contiguous.
        _ => table.extra("WITHOUT ROWID"),
    };
    table
}

fn logs(backend: DbBackend) -> TableCreateStatement {
    use driver_log::Column as C;
    Table::create()
        .table(driver_log::Entity)
        .col(ColumnDef::new(C::Id).uuid().not_null().primary_key())
        .col(text(C::DriverId))
        .col(bytewise_text(C::DriverIdKey, backend).not_null())
        .col(text_null(C::DeliveryId))
        .col(bytewise_text(C::DeliveryIdKey, backend))
        .col(text(C::Activity))
        .col(timestamp_with_time_zone(C::OccurredAt))
        .col(timestamp_with_time_zone(C::ReceivedAt))
        .col(double_null(C::Lat))
        .col(double_null(C::Lng))
        .col(text_null(C::DeviceId))
        .col(text_null(C::AppVersion))
        .col(text_null(C::Ip))
        .col(text(C::Detail))
        .col(uuid_null(C::ClientEventId))
        .to_owned()
}

/// Returns the indexes. Indexes of the log end with the list's sort column and the primary key.
fn indexes() -> Vec<IndexCreateStatement> {
    use driver_log::Column as L;
    let of_drivers = |name: &str, column: driver::Column| {
        let mut index = Index::create().name(name).table(driver::Entity).to_owned();
        index.col(column).col(driver::Column::DriverIdKey).take()
    };
    let of_logs = |name: &str, column: Option<L>| {
        let mut index = Index::create().name(name).table(driver_log::Entity).to_owned();
        for column in column.into_iter().chain([L::OccurredAt, L::Id]) {
            index.col(column);
        }
        index
    };
    vec![
        of_drivers("driver_by_name", driver::Column::NameKey),
        of_drivers("driver_by_status", driver::Column::Status),
        of_drivers("driver_by_trucker", driver::Column::TruckerKey),
        Index::create().name("device_by_driver").table(device::Entity).col(device::Column::Driver).take(),
        Index::create()
            .name("unpaired_device_by_time")
            .table(unpaired_device::Entity)
            .col(unpaired_device::Column::LastSeenAt)
            .take(),
        of_logs("driver_log_by_time", None),
        of_logs("driver_log_by_driver", Some(L::DriverIdKey)),
        of_logs("driver_log_by_activity", Some(L::Activity)),
        of_logs("driver_log_by_delivery", Some(L::DeliveryIdKey)),
        Index::create()
            .name("driver_log_by_client_event")
            .table(driver_log::Entity)
            .unique()
            .col(L::DriverIdKey)
            .col(L::ClientEventId)
            .take(),
    ]
}

/// The view `driver_shown` as plain SQL, because the builder has no views.
const SHOWN: &str = "CREATE VIEW driver_shown AS SELECT d.driver_id_key, d.number, d.driver_id, d.name, d.name_key, \
     d.status, d.username, d.username_key, d.trucker, d.trucker_key, l.seen_at AS last_seen_at \
     FROM driver d LEFT JOIN location l ON l.driver = d.number";
/// The default partition as plain SQL, because the builder has no partitions. It takes positions of months
/// without a table of their own, which come from devices whose clocks are far off.
const REST: &str = "CREATE TABLE position_rest PARTITION OF position DEFAULT";
/// The expression must match that of `store::filter::grams`.
const GRAMS: &str =
    "CREATE INDEX driver_log_delivery_grams ON driver_log USING gin ((delivery_id_key || '') gin_trgm_ops)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        for table in [drivers, devices, unpaired, locations, positions, logs] {
            manager.create_table(table(backend)).await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        let connection = manager.get_connection();
        connection.execute_unprepared(SHOWN).await?;
        if backend == DbBackend::Postgres {
            connection.execute_unprepared(REST).await?;
            trigrams(manager).await?;
            connection.execute_unprepared(GRAMS).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP VIEW driver_shown").await?;
        manager.drop_table(Table::drop().table(driver_log::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(position::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(location::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(unpaired_device::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(device::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(driver::Entity).to_owned()).await
    }
}
