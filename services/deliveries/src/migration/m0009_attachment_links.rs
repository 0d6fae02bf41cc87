//! Upload links: who may upload a file, and for which delivery.

use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{text, timestamp_with_time_zone, timestamp_with_time_zone_null};

use crate::entity::attachment_link::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0009_attachment_links"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let table = Table::create()
            .table(Entity)
            .col(bytewise_text(C::ObjectKey, backend).not_null().primary_key())
            .col(bytewise_text(C::DeliveryKey, backend).not_null())
            .col(text(C::RequestedBy))
            .col(timestamp_with_time_zone(C::CreatedAt))
            .col(timestamp_with_time_zone_null(C::UsedAt))
            .to_owned();
        manager.create_table(table).await?;
        let index = |name: &str| Index::create().name(name).table(Entity).to_owned();
        let mine = index("attachment_link_by_user").col(C::RequestedBy).col(C::CreatedAt).to_owned();
        manager.create_index(mine).await?;
        manager.create_index(index("attachment_link_by_age").col(C::CreatedAt).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
