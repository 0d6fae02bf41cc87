use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, binary, integer, text, timestamp_with_time_zone, uuid};

use crate::entity::{upload_edit, upload_log, upload_part};

/// The rows of checked files, and the cells that people changed in them.
pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0010_review"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use upload_edit::Column as E;
        use upload_part::Column as P;
        let parts = Table::create()
            .table(upload_part::Entity)
            .col(uuid(P::UploadLogId))
            .col(integer(P::Number))
            .col(big_integer(P::FirstRow))
            .col(big_integer(P::LastRow))
            .col(integer(P::Created))
            .col(integer(P::Updated))
            .col(integer(P::Skipped))
            .col(integer(P::Refused))
            .col(binary(P::Data))
            .col(timestamp_with_time_zone(P::CreatedAt))
            .primary_key(Index::create().col(P::UploadLogId).col(P::Number))
            .to_owned();
        manager.create_table(parts).await?;
        let by_age = Index::create()
            .name("idx_upload_part_created_at")
            .table(upload_part::Entity)
            .col(P::CreatedAt)
            .to_owned();
        manager.create_index(by_age).await?;
        let edits = Table::create()
            .table(upload_edit::Entity)
            .col(uuid(E::UploadLogId))
            .col(big_integer(E::RowNumber))
            .col(integer(E::Place))
            .col(text(E::Value))
            .col(text(E::EditedBy))
            .col(timestamp_with_time_zone(E::EditedAt))
            .primary_key(Index::create().col(E::UploadLogId).col(E::RowNumber).col(E::Place))
            .to_owned();
        manager.create_table(edits).await?;
        let mut columns = ColumnDef::new(upload_log::Column::ColumnsKey).text().null().to_owned();
        let table = Table::alter().table(upload_log::Entity).add_column(&mut columns).to_owned();
        manager.alter_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = upload_log::Column::ColumnsKey;
        let table = Table::alter().table(upload_log::Entity).drop_column(columns).to_owned();
        manager.alter_table(table).await?;
        manager.drop_table(Table::drop().table(upload_edit::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(upload_part::Entity).to_owned()).await
    }
}
