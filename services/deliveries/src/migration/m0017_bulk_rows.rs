//! The deliveries of bulk changes, with their previous values.

use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, text, text_null, timestamp_with_time_zone, timestamp_with_time_zone_null,
    uuid,
};

use crate::entity::bulk_row::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0017_bulk_rows"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = Table::create()
            .table(Entity)
            .col(uuid(C::ChangeId))
            .col(bytewise_text(C::DeliveryKey, backend).not_null())
            .col(big_integer(C::VersionSeen))
            .col(big_integer_null(C::VersionAfter))
            .col(text(C::ChangedBy))
            .col(timestamp_with_time_zone(C::NotedAt))
            .col(text_null(C::Undoable))
            .col(text_null(C::DriverBefore))
            .col(timestamp_with_time_zone_null(C::DispatchBefore))
            .col(timestamp_with_time_zone_null(C::WindowStartBefore))
            .col(timestamp_with_time_zone_null(C::WindowEndBefore))
            .primary_key(Index::create().col(C::ChangeId).col(C::DeliveryKey))
            .to_owned();
        manager.create_table(table).await?;
        let by_age = Index::create().name("bulk_row_by_age").table(Entity).col(C::NotedAt).to_owned();
        manager.create_index(by_age).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
