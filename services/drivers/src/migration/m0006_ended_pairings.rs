//! Keeps ended pairings. Positions that a device sent late used to go to its next driver.

use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{integer, timestamp_with_time_zone};

use crate::entity::ended_pairing::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0006_ended_pairings"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = Table::create()
            .table(Entity)
            .col(bytewise_text(C::UniqueIdKey, backend).not_null())
            .col(timestamp_with_time_zone(C::PairedAt))
            .col(timestamp_with_time_zone(C::UnpairedAt))
            .col(integer(C::Driver))
            .primary_key(Index::create().col(C::UniqueIdKey).col(C::PairedAt))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
