use sea_orm_migration::prelude::*;

use crate::entity::upload_log::{Column, Entity};

/// Who started the import of a file that somebody else uploaded.
pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0012_importer"
    }
}

const ADDED: [Column; 2] = [Column::ImportedBy, Column::ImportedById];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ADDED {
            let mut column = ColumnDef::new(column).text().null().to_owned();
            let table = Table::alter().table(Entity).add_column(&mut column).to_owned();
            manager.alter_table(table).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ADDED {
            let table = Table::alter().table(Entity).drop_column(column).to_owned();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}
