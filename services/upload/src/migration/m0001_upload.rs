use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;

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
                .col(ColumnDef::new(C::RequestedBy).text().not_null())
                .col(ColumnDef::new(C::CreatedAt).timestamp_with_time_zone().not_null())
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use upload_log::Column as C;
            let mut table = Table::create()
                .table(upload_log::Entity)
                .col(ColumnDef::new(C::Id).uuid().not_null().primary_key())
                .col(ColumnDef::new(C::ObjectKey).text().not_null().unique_key())
                .col(ColumnDef::new(C::Filename).text().not_null())
                .col(bytewise_text(C::FilenameKey, backend).not_null())
                .col(ColumnDef::new(C::Status).text().not_null())
                .col(ColumnDef::new(C::SourceId).uuid().not_null())
                .col(ColumnDef::new(C::SizeBytes).big_integer().not_null())
                .col(ColumnDef::new(C::Sha256).text())
                .col(ColumnDef::new(C::BytesRead).big_integer().not_null())
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
                table.col(ColumnDef::new(count).integer().not_null());
            }
            table
                .col(ColumnDef::new(C::FailureCode).text())
                .col(ColumnDef::new(C::FailureText).text())
                .col(ColumnDef::new(C::StartedAt).timestamp_with_time_zone())
                .col(ColumnDef::new(C::FinishedAt).timestamp_with_time_zone())
                .col(ColumnDef::new(C::UploadedBy).text().not_null())
                .col(bytewise_text(C::UploadedByKey, backend).not_null())
                .col(ColumnDef::new(C::CreatedAt).timestamp_with_time_zone().not_null())
                .col(ColumnDef::new(C::ClaimedUntil).timestamp_with_time_zone());
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
                .col(ColumnDef::new(C::UploadLogId).uuid().not_null())
                .col(ColumnDef::new(C::RowNumber).big_integer().not_null())
                .col(ColumnDef::new(C::DeliveryId).text())
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
