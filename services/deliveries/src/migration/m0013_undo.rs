//! Tables of what imports did to deliveries, and of deliveries that an undo removed.

use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, boolean, integer, text, text_null, timestamp_with_time_zone, timestamp_with_time_zone_null,
    uuid,
};

use crate::entity::{import_change, removed_delivery};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0013_undo"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        {
            use import_change::{Column as C, Entity};
            let table = Table::create()
                .table(Entity)
                .col(uuid(C::UploadLogId))
                .col(bytewise_text(C::DeliveryKey, backend).not_null())
                .col(text(C::DeliveryId))
                .col(boolean(C::Created))
                .col(big_integer(C::VersionBefore))
                .col(big_integer(C::VersionAfter))
                .col(text_null(C::Image))
                .col(timestamp_with_time_zone(C::ChangedAt))
                .col(text_null(C::Result))
                .col(text_null(C::Reason))
                .col(text_null(C::TouchedBy))
                .col(timestamp_with_time_zone_null(C::TouchedAt))
                .primary_key(Index::create().col(C::UploadLogId).col(C::DeliveryKey))
                .to_owned();
            manager.create_table(table).await?;
            let index = |name: &str| Index::create().name(name).table(Entity).to_owned();
            let of_delivery = index("import_change_by_delivery").col(C::DeliveryKey).to_owned();
            manager.create_index(of_delivery).await?;
            let with_image = index("import_change_with_image")
                .col(C::ChangedAt)
                .and_where(Expr::col(C::Image).is_not_null())
                .to_owned();
            manager.create_index(with_image).await?;
        }
        use removed_delivery::{Column as C, Entity};
        let table = Table::create()
            .table(Entity)
            .col(bytewise_text(C::DeliveryKey, backend).not_null().primary_key())
            .col(text(C::DeliveryId))
            .col(big_integer(C::Version))
            .col(integer(C::LastStep))
            .col(uuid(C::UploadLogId))
            .col(text(C::RemovedBy))
            .col(timestamp_with_time_zone(C::RemovedAt))
            .col(text_null(C::Image))
            .to_owned();
        manager.create_table(table).await?;
        let with_image = Index::create()
            .name("removed_delivery_with_image")
            .table(Entity)
            .col(C::RemovedAt)
            .and_where(Expr::col(C::Image).is_not_null())
            .to_owned();
        manager.create_index(with_image).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(removed_delivery::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(import_change::Entity).to_owned()).await
    }
}
