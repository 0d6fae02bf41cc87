use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{boolean, integer, json, text, text_null, timestamp_with_time_zone, uuid};

use crate::entity::{upload_log, upload_value, value_mapping};

/// Values that match no record, and what people chose for them.
pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0009_values"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use upload_value::Column as V;
        use value_mapping::Column as M;
        let values = Table::create()
            .table(upload_value::Entity)
            .col(uuid(V::UploadLogId))
            .col(text(V::Field))
            .col(text(V::ValueKey))
            .col(text(V::Value))
            .col(integer(V::RowCount))
            .col(json(V::Suggestions))
            .col(boolean(V::Decided))
            .col(text_null(V::Target))
            .col(text_null(V::TargetLabel))
            .col(boolean(V::Remembered))
            .primary_key(Index::create().col(V::UploadLogId).col(V::Field).col(V::ValueKey))
            .to_owned();
        manager.create_table(values).await?;
        let remembered = Table::create()
            .table(value_mapping::Entity)
            .col(text(M::Fingerprint))
            .col(text(M::Field))
            .col(text(M::ValueKey))
            .col(text_null(M::Target))
            .col(text(M::SavedBy))
            .col(timestamp_with_time_zone(M::UsedAt))
            .primary_key(Index::create().col(M::Fingerprint).col(M::Field).col(M::ValueKey))
            .to_owned();
        manager.create_table(remembered).await?;
        for column in [upload_log::Column::ValuesToMatch, upload_log::Column::ValuesUndecided] {
            let mut column = ColumnDef::new(column).integer().not_null().default(0).to_owned();
            let table = Table::alter().table(upload_log::Entity).add_column(&mut column).to_owned();
            manager.alter_table(table).await?;
        }
        let changed = upload_log::Column::ChangedSinceCheck;
        let mut changed = ColumnDef::new(changed).boolean().not_null().default(false).to_owned();
        let table = Table::alter().table(upload_log::Entity).add_column(&mut changed).to_owned();
        manager.alter_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use upload_log::Column;
        for column in [Column::ChangedSinceCheck, Column::ValuesUndecided, Column::ValuesToMatch] {
            let table = Table::alter().table(upload_log::Entity).drop_column(column).to_owned();
            manager.alter_table(table).await?;
        }
        manager.drop_table(Table::drop().table(value_mapping::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(upload_value::Entity).to_owned()).await
    }
}
