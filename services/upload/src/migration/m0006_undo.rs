//! Undo, modes, dry runs, idempotency keys and mappings of headers.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{integer, text, text_null, timestamp_with_time_zone, uuid};

use crate::entity::{header_mapping, idempotency_key, upload_change, upload_log};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0006_undo"
    }
}

fn added() -> [ColumnDef; 12] {
    use upload_log::Column as C;
    let count = |column: C| ColumnDef::new(column).integer().not_null().default(0).to_owned();
    [
        ColumnDef::new(C::Mode).text().not_null().default("upsert").to_owned(),
        ColumnDef::new(C::JobId).uuid().to_owned(),
        count(C::UndoReversed),
        count(C::UndoKept),
        count(C::UndoFailed),
        ColumnDef::new(C::UndoTotal).integer().to_owned(),
        ColumnDef::new(C::UndoFailureText).text().to_owned(),
        ColumnDef::new(C::UndoneAt).timestamp_with_time_zone().to_owned(),
        ColumnDef::new(C::UndoneBy).text().to_owned(),
        // Identifies the uploader by id, because a name may later belong to somebody else.
        ColumnDef::new(C::UploadedById).text().to_owned(),
        ColumnDef::new(C::Preview).text().to_owned(),
        ColumnDef::new(C::Layout).text().to_owned(),
    ]
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for mut column in added() {
            let table = Table::alter().table(upload_log::Entity).add_column(&mut column).to_owned();
            manager.alter_table(table).await?;
        }
        {
            use upload_change::{Column as C, Entity};
            let table = Table::create()
                .table(Entity)
                .col(uuid(C::UploadLogId))
                .col(integer(C::Number))
                .col(text(C::DeliveryId))
                .col(text_null(C::ItemNumber))
                .col(text(C::Field))
                .col(text_null(C::Before))
                .col(text_null(C::After))
                .primary_key(Index::create().col(C::UploadLogId).col(C::Number))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use header_mapping::{Column as C, Entity};
            let table = Table::create()
                .table(Entity)
                .col(ColumnDef::new(C::Fingerprint).text().not_null().primary_key())
                .col(text(C::Columns))
                .col(text(C::SavedBy))
                .col(timestamp_with_time_zone(C::UsedAt))
                .to_owned();
            manager.create_table(table).await?;
        }
        use idempotency_key::{Column as C, Entity};
        let table = Table::create()
            .table(Entity)
            .col(text(C::UserId))
            .col(text(C::Action))
            .col(text(C::Key))
            .col(text(C::Fingerprint))
            .col(uuid(C::UploadLogId))
            .col(timestamp_with_time_zone(C::CreatedAt))
            .primary_key(Index::create().col(C::UserId).col(C::Action).col(C::Key))
            .to_owned();
        manager.create_table(table).await?;
        let by_age =
            Index::create().name("idempotency_key_by_age").table(Entity).col(C::CreatedAt).to_owned();
        manager.create_index(by_age).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(idempotency_key::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(header_mapping::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(upload_change::Entity).to_owned()).await?;
        for column in added() {
            let name = Alias::new(column.get_column_name());
            let table = Table::alter().table(upload_log::Entity).drop_column(name).to_owned();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}
