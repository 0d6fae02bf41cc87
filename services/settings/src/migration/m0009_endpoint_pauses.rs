use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{timestamp_with_time_zone, uuid, uuid_null};

use crate::entity::endpoint_pause::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0009_endpoint_pauses"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(Entity)
            .col(uuid(C::EndpointId).primary_key())
            .col(timestamp_with_time_zone(C::PausedAt))
            .col(uuid_null(C::AnnouncementId))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
