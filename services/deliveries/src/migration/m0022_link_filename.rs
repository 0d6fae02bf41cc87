//! Upload links store the name of the file. Links of the release before have none.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::text_null;

use crate::entity::attachment_link::{Column, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0022_link_filename"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = Table::alter().table(Entity).add_column(text_null(Column::Filename)).to_owned();
        manager.alter_table(add).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table(Entity).drop_column(Column::Filename).to_owned()).await
    }
}
