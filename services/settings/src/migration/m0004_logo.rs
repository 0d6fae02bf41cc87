use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{text, text_null, timestamp_with_time_zone};

use crate::entity::{logo, logo_upload};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_logo"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        {
            use logo_upload::Column as C;
            let table = Table::create()
                .table(logo_upload::Entity)
                .col(bytewise_text(C::ObjectKey, backend).not_null().primary_key())
                .col(text(C::RequestedBy))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(text_null(C::LogoFile))
                .to_owned();
            manager.create_table(table).await?;
        }
        use logo::Column as C;
        let table = Table::create()
            .table(logo::Entity)
            .col(bytewise_text(C::File, backend).not_null().primary_key())
            .col(timestamp_with_time_zone(C::CreatedAt))
            .col(text(C::CreatedBy))
            .col(timestamp_with_time_zone(C::WantedAt))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(logo::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(logo_upload::Entity).to_owned()).await
    }
}
