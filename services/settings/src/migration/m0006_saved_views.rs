use ::store::counter;
use ::store::migrate::bytewise_text;
use sea_orm::sea_query::LikeExpr;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, binary, json, text, timestamp_with_time_zone, uuid};

use crate::entity::saved_view::{Column as C, Entity};
use crate::store::saved_views::COUNTERS;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0006_saved_views"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = Table::create()
            .table(Entity)
            .col(uuid(C::Id).primary_key())
            .col(uuid(C::CreationId).unique_key())
            .col(binary(C::CreationFingerprint))
            .col(bytewise_text(C::OwnerId, backend).not_null())
            .col(text(C::List))
            .col(text(C::Name))
            .col(bytewise_text(C::NameKey, backend).not_null())
            .col(json(C::State))
            .col(timestamp_with_time_zone(C::CreatedAt))
            .col(timestamp_with_time_zone(C::UpdatedAt))
            .col(big_integer(C::Version))
            .to_owned();
        manager.create_table(table).await?;
        // This index is also used to find the owner's views by name.
        let index = Index::create()
            .name("saved_view_of_owner")
            .table(Entity)
            .col(C::OwnerId)
            .col(C::List)
            .col(C::NameKey)
            .unique()
            .to_owned();
        manager.create_index(index).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use counter::row_count::{Column, Entity as RowCount};
        let counted = Expr::col(Column::Name).like(LikeExpr::new(format!("{COUNTERS}%")));
        let counts = Query::delete().from_table(RowCount).and_where(counted).take();
        manager.get_connection().execute(&counts).await?;
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
