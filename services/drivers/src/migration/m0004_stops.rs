use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{text, timestamp_with_time_zone_null};

use crate::entity::stop::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_stops"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = Table::create()
            .table(Entity)
            .col(bytewise_text(C::StopKey, backend).not_null().primary_key())
            .col(text(C::DriverId))
            .col(text(C::DeliveryId))
            .col(timestamp_with_time_zone_null(C::ArrivedAt))
            .col(timestamp_with_time_zone_null(C::DepartedAt))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
