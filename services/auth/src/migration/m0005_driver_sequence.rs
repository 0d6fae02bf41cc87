//! Adds the sequence of the last applied change to drivers' accounts.

use sea_orm_migration::prelude::*;

use crate::entity::user::{Column, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0005_driver_sequence"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new(Column::DriverSequence).big_integer().not_null().default(0).take();
        manager.alter_table(Table::alter().table(Entity).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table(Entity).drop_column(Column::DriverSequence).to_owned()).await
    }
}
