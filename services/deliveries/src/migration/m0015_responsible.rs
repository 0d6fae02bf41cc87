//! Variances store who was responsible when they were recorded. Older rows use the reason's current value.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::text_null;

use crate::entity::variance::{Column, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0015_responsible"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter().table(Entity).add_column(text_null(Column::Responsible)).to_owned();
        manager.alter_table(add).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table(Entity).drop_column(Column::Responsible).to_owned()).await
    }
}
