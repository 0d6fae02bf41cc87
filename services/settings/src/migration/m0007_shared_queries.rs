//! Saved queries of the query lab: saved views that can be shared, with their owner's name.

use ::store::counter;
use sea_orm_migration::prelude::*;

use crate::entity::saved_view::{Column as C, Entity};
use crate::store::saved_views::SHARED;

pub struct Migration;

const INDEX: &str = "saved_view_shared";

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0007_shared_queries"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // With defaults, because the previous release inserts rows without these columns.
        let owner = ColumnDef::new(C::OwnerName).text().not_null().default("").to_owned();
        let shared = ColumnDef::new(C::Shared).boolean().not_null().default(false).to_owned();
        for column in [owner, shared] {
            let change = Table::alter().table(Entity).add_column(column).to_owned();
            manager.alter_table(change).await?;
        }
        let index =
            Index::create().name(INDEX).table(Entity).col(C::List).col(C::Shared).col(C::NameKey).to_owned();
        manager.create_index(index).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use counter::row_count::{Column, Entity as RowCount};
        let counts =
            Query::delete().from_table(RowCount).and_where(Expr::col(Column::Name).eq(SHARED)).take();
        manager.get_connection().execute(&counts).await?;
        manager.drop_index(Index::drop().name(INDEX).table(Entity).to_owned()).await?;
        for column in [C::Shared, C::OwnerName] {
            let change = Table::alter().table(Entity).drop_column(column).to_owned();
            manager.alter_table(change).await?;
        }
        Ok(())
    }
}
