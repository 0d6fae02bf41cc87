//! Tables for failures and reconciliation progress of consumers, columns for events that relays refused, and
//! indexes on the age of events.

use sea_orm_migration::prelude::*;

use crate::dead_letters::{dead_letter, event_attempt};
use crate::inbox::inbox_event as inbox;
use crate::outbox::outbox_event as outbox;
use crate::reconcile::event_watermark as watermark;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0002_failed_events"
    }
}

const DEAD_LETTER_KEY: &str = "dead_letters_consumer_event";
const PUBLISHED: &str = "outbox_published";
const HANDLED: &str = "inbox_handled";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        dead_letters(manager).await?;
        notes(manager).await?;
        // SQLite supports only one change per ALTER TABLE.
        let mut refusals = [
            ColumnDef::new(outbox::Column::Claims).integer().not_null().default(0).to_owned(),
            ColumnDef::new(outbox::Column::RefusedAt).timestamp_with_time_zone().to_owned(),
            ColumnDef::new(outbox::Column::Refusal).text().to_owned(),
        ];
        for column in &mut refusals {
            let alter = Table::alter().table(outbox::Entity).add_column(column).to_owned();
            manager.alter_table(alter).await?;
        }
        manager
            .create_index(
                Index::create()
                    .name(PUBLISHED)
                    .table(outbox::Entity)
                    .col(outbox::Column::PublishedAt)
                    .col(outbox::Column::Id)
                    .and_where(Expr::col(outbox::Column::PublishedAt).is_not_null())
                    .to_owned(),
            )
            .await?;
        let handled =
            Index::create().name(HANDLED).table(inbox::Entity).col(inbox::Column::HandledAt).to_owned();
        manager.create_index(handled).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_index(Index::drop().name(HANDLED).table(inbox::Entity).to_owned()).await?;
        manager.drop_index(Index::drop().name(PUBLISHED).table(outbox::Entity).to_owned()).await?;
        for column in [outbox::Column::Claims, outbox::Column::RefusedAt, outbox::Column::Refusal] {
            manager.alter_table(Table::alter().table(outbox::Entity).drop_column(column).to_owned()).await?;
        }
        manager.drop_table(Table::drop().table(watermark::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(event_attempt::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(dead_letter::Entity).to_owned()).await
    }
}

async fn dead_letters(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    use dead_letter::Column as C;
    manager
        .create_table(
            Table::create()
                .table(dead_letter::Entity)
                .col(ColumnDef::new(C::Id).uuid().not_null().primary_key())
                .col(ColumnDef::new(C::EventId).text().not_null())
                .col(ColumnDef::new(C::Consumer).text().not_null())
                .col(ColumnDef::new(C::Subject).text().not_null())
                .col(ColumnDef::new(C::Payload).binary().not_null())
                .col(ColumnDef::new(C::Attempts).integer().not_null())
                .col(ColumnDef::new(C::LastError).text().not_null())
                .col(ColumnDef::new(C::RaisedAt).timestamp_with_time_zone().not_null())
                .col(ColumnDef::new(C::State).text().not_null())
                .to_owned(),
        )
        .await?;
    manager
        .create_index(
            Index::create()
                .name(DEAD_LETTER_KEY)
                .table(dead_letter::Entity)
                .col(C::Consumer)
                .col(C::EventId)
                .unique()
                .to_owned(),
        )
        .await
}

async fn notes(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    use event_attempt::Column as A;
    use watermark::Column as W;
    manager
        .create_table(
            Table::create()
                .table(event_attempt::Entity)
                .col(ColumnDef::new(A::Consumer).text().not_null())
                .col(ColumnDef::new(A::EventId).text().not_null())
                .col(ColumnDef::new(A::Failures).integer().not_null())
                .col(ColumnDef::new(A::IsRunning).boolean().not_null())
                .col(ColumnDef::new(A::NotedAt).timestamp_with_time_zone().not_null())
                .primary_key(Index::create().col(A::Consumer).col(A::EventId))
                .to_owned(),
        )
        .await?;
    manager
        .create_table(
            Table::create()
                .table(watermark::Entity)
                .col(ColumnDef::new(W::Consumer).text().not_null())
                .col(ColumnDef::new(W::Subject).text().not_null())
                .col(ColumnDef::new(W::SeenUntil).timestamp_with_time_zone().not_null())
                .primary_key(Index::create().col(W::Consumer).col(W::Subject))
                .to_owned(),
        )
        .await
}
