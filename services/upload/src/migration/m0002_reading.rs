use sea_orm_migration::prelude::*;

use crate::entity::upload_log;

/// Stores with an import how its dates are read.
pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0002_reading"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new(upload_log::Column::Reading).text().to_owned();
        let table = Table::alter().table(upload_log::Entity).add_column(column).to_owned();
        manager.alter_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = upload_log::Column::Reading;
        let table = Table::alter().table(upload_log::Entity).drop_column(column).to_owned();
        manager.alter_table(table).await
    }
}
