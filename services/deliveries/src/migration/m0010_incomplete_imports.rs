//! Marks deliveries that an import left incomplete.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::uuid_null;

use crate::entity::delivery::{Column, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0010_incomplete_imports"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = uuid_null(Column::IncompleteUploadId);
        manager.alter_table(Table::alter().table(Entity).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = Column::IncompleteUploadId;
        manager.alter_table(Table::alter().table(Entity).drop_column(column).to_owned()).await
    }
}
