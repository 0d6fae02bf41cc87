//! Numbers the changes of locations in commit order. Readers used to follow the time of a change, and missed
//! changes when a clock was set back.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

use crate::entity::location;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0002_location_order"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = big_integer(location::Column::MovedNumber).default(0).to_owned();
        manager.alter_table(Table::alter().table(location::Entity).add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = location::Column::MovedNumber;
        manager.alter_table(Table::alter().table(location::Entity).drop_column(column).to_owned()).await
    }
}
