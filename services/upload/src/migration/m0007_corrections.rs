use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, integer, text, timestamp_with_time_zone, uuid};

use crate::entity::upload_correction::{Column as C, Entity};

/// Corrections of refused rows.
pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0007_corrections"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(Entity)
            .col(uuid(C::UploadLogId))
            .col(big_integer(C::RowNumber))
            .col(integer(C::Place))
            .col(text(C::Value))
            .col(text(C::CorrectedBy))
            .col(timestamp_with_time_zone(C::CorrectedAt))
            .primary_key(Index::create().col(C::UploadLogId).col(C::RowNumber).col(C::Place))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
