use ::store::counter;
use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    integer, text, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
};

use crate::entity::saved_mapping::{Column as C, Entity};
use crate::store::SAVED_MAPPINGS;

/// Mappings of columns that people saved under a name.
pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0011_saved_mappings"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = Table::create()
            .table(Entity)
            .col(uuid(C::Id).primary_key())
            .col(text(C::Name))
            .col(bytewise_text(C::NameKey, backend).not_null().unique_key())
            .col(uuid(C::SourceId))
            .col(text(C::Mapping))
            .col(text(C::SavedBy))
            .col(text(C::SavedById))
            .col(timestamp_with_time_zone(C::SavedAt))
            .col(timestamp_with_time_zone_null(C::LastUsedAt))
            .col(integer(C::UsedCount))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use counter::row_count::{Column, Entity as RowCount};
        let count = Expr::col(Column::Name).eq(SAVED_MAPPINGS);
        let counts = Query::delete().from_table(RowCount).and_where(count).take();
        manager.get_connection().execute(&counts).await?;
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
