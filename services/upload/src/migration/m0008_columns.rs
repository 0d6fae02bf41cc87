use sea_orm_migration::prelude::*;

use crate::entity::{header_mapping, upload_log};

/// How dates and numbers under known headings are read, and which imports are checked first.
pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0008_columns"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut readings = ColumnDef::new(header_mapping::Column::Readings).text().to_owned();
        let table = Table::alter().table(header_mapping::Entity).add_column(&mut readings).to_owned();
        manager.alter_table(table).await?;
        let mut dry_run =
            ColumnDef::new(upload_log::Column::DryRun).boolean().not_null().default(false).to_owned();
        let table = Table::alter().table(upload_log::Entity).add_column(&mut dry_run).to_owned();
        manager.alter_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use header_mapping::Column;
        let dry_run = upload_log::Column::DryRun;
        let table = Table::alter().table(upload_log::Entity).drop_column(dry_run).to_owned();
        manager.alter_table(table).await?;
        let table = Table::alter().table(header_mapping::Entity).drop_column(Column::Readings).to_owned();
        manager.alter_table(table).await
    }
}
