use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, binary, boolean, text, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
};

use crate::entity::{announcement, announcement_audience, announcement_view};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0002_announcements"
    }
}

/// Returns a foreign key that deletes rows with their announcement.
fn of_announcement(name: &str, table: impl IntoTableRef, column: impl IntoIden) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(name)
        .from(table, column)
        .to(announcement::Entity, announcement::Column::Id)
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        {
            use announcement::Column as C;
            let table = Table::create()
                .table(announcement::Entity)
                .col(uuid(C::Id).primary_key())
                .col(uuid(C::CreationId).unique_key())
                .col(binary(C::CreationFingerprint))
                .col(text(C::Title))
                .col(bytewise_text(C::TitleKey, backend).not_null())
                .col(text(C::Message))
                .col(bytewise_text(C::MessageKey, backend).not_null())
                .col(text(C::Severity))
                .col(bytewise_text(C::AudienceRoles, backend).not_null())
                .col(ColumnDef::new(C::AudienceUsers).json().not_null())
                .col(timestamp_with_time_zone(C::StartsAt))
                .col(timestamp_with_time_zone_null(C::EndsAt))
                .col(boolean(C::IsActive))
                .col(boolean(C::Dismissible))
                .col(big_integer(C::SeenCount))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(text(C::CreatedBy))
                .col(bytewise_text(C::CreatedByKey, backend).not_null())
                .col(timestamp_with_time_zone(C::UpdatedAt))
                .col(text(C::UpdatedBy))
                .col(bytewise_text(C::UpdatedByKey, backend).not_null())
                .col(big_integer(C::Version))
                .to_owned();
            manager.create_table(table).await?;
            // For the list of a user's announcements: the newest that have begun. Other queries need no
            // index, because the table has a thousand rows at most.
            let index = Index::create()
                .name("announcement_by_start")
                .table(announcement::Entity)
                .col(C::IsActive)
                .col(C::StartsAt)
                .col(C::Id)
                .to_owned();
            manager.create_index(index).await?;
        }
        {
            use announcement_audience::Column as C;
            let table = Table::create()
                .table(announcement_audience::Entity)
                .col(uuid(C::AnnouncementId))
                .col(bytewise_text(C::Audience, backend).not_null())
                .primary_key(Index::create().col(C::AnnouncementId).col(C::Audience))
                .foreign_key(&mut of_announcement(
                    "audience_announcement",
                    announcement_audience::Entity,
                    C::AnnouncementId,
                ))
                .to_owned();
            manager.create_table(table).await?;
        }
        use announcement_view::Column as C;
        let table = Table::create()
            .table(announcement_view::Entity)
            .col(uuid(C::AnnouncementId))
            .col(bytewise_text(C::UserId, backend).not_null())
            .col(timestamp_with_time_zone_null(C::SeenAt))
            .col(timestamp_with_time_zone_null(C::DismissedAt))
            .primary_key(Index::create().col(C::AnnouncementId).col(C::UserId))
            .foreign_key(&mut of_announcement(
                "view_announcement",
                announcement_view::Entity,
                C::AnnouncementId,
            ))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(announcement_view::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(announcement_audience::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(announcement::Entity).to_owned()).await
    }
}
