//! Event sequences, by aggregate.

use sea_orm_migration::prelude::*;

use super::bytewise_text;
use crate::sequence::event_sequence::{Column, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_event_sequence"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = Table::create()
            .table(Entity)
            .col(bytewise_text(Column::Aggregate, backend).not_null())
            .col(bytewise_text(Column::IdKey, backend).not_null())
            .col(ColumnDef::new(Column::Last).big_integer().not_null())
            .primary_key(Index::create().col(Column::Aggregate).col(Column::IdKey))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
