//! The copy of drivers.

use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

use crate::entity::driver::{Column, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0005_drivers"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let required = |column| ColumnDef::new(column).text().not_null().to_owned();
        let table = Table::create()
            .table(Entity)
            .col(bytewise_text(Column::DriverIdKey, backend).not_null().primary_key())
            .col(required(Column::DriverId))
            .col(required(Column::Name))
            .col(required(Column::Status))
            .col(big_integer(Column::Version))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
