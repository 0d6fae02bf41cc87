use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, integer, text, text_null, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
};

use crate::entity::{upload_link, upload_log, upload_row};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0001_upload"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        {
            use upload_link::Column as C;
            let table = Table::create()
                .table(upload_link::Entity)
                .col(ColumnDef::new(C::ObjectKey).text().not_null().primary_key())
                .col(text(C::RequestedBy))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use upload_log::Column as C;
            let mut table = Table::create()
                .table(upload_log::Entity)
                .col(ColumnDef::new(C::Id).uuid().not_null().primary_key())
                .col(ColumnDef::new(C::ObjectKey).text().not_null().unique_key())
                .col(text(C::Filename))
                .col(bytewise_text(C::FilenameKey, backend).not_null())
                .col(text(C::Status))
                .col(uuid(C::SourceId))
                .col(big_integer(C::SizeBytes))
                .col(text_null(C::Sha256))
                .col(big_integer(C::BytesRead))
                .to_owned();
            for count in [
                C::NextBatch,
                C::RowsTotal,
                C::RowsCreated,
                C::RowsUpdated,
                C::RowsSkipped,
                C::RowsFailed,
                C::DeliveriesCreated,
                C::ItemsCreated,
            ] {
                table.col(integer(count));
            }
            table
                .col(text_null(C::FailureCode))
                .col(text_null(C::FailureText))
                .col(timestamp_with_time_zone_null(C::StartedAt))
                .col(timestamp_with_time_zone_null(C::FinishedAt))
                .col(text(C::UploadedBy))
                .col(bytewise_text(C::UploadedByKey, backend).not_null())
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(timestamp_with_time_zone_null(C::ClaimedUntil));
            manager.create_table(table).await?;
            let newest = Index::create()
                .name("upload_log_newest")
                .table(upload_log::Entity)
                .col(C::CreatedAt)
                .col(C::Id)
                .to_owned();
            manager.create_index(newest).await?;
        }
        {
            use upload_row::Column as C;
            let table = Table::create()
                .table(upload_row::Entity)
                .col(uuid(C::UploadLogId))
                .col(big_integer(C::RowNumber))
                .col(text_null(C::DeliveryId))
                .col(bytewise_text(C::DeliveryIdKey, backend))
                .col(ColumnDef::new(C::Messages).json().not_null())
                .primary_key(Index::create().col(C::UploadLogId).col(C::RowNumber))
                .to_owned();
            manager.create_table(table).await
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(upload_row::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(upload_log::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(upload_link::Entity).to_owned()).await
    }
}
