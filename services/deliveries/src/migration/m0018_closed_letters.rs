//! Adds the time when a dead letter was sent or discarded, and an index that groups the letters to fix by
//! their error.
//!
//! Letters closed earlier have no time yet: `outbound::sends::note_closed` adds it step by step.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::timestamp_with_time_zone_null;

use crate::entity::dead_letter::{Column as L, Entity};

const BY_CLOSING: &str = "dead_letter_by_closing";
const BY_ERROR: &str = "dead_letter_by_error";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0018_closed_letters"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let closed_at = timestamp_with_time_zone_null(L::ClosedAt);
        manager.alter_table(Table::alter().table(Entity).add_column(closed_at).to_owned()).await?;
        let index = |name: &str| Index::create().name(name).table(Entity).to_owned();
        let by_closing = index(BY_CLOSING).col(L::State).col(L::ClosedAt).to_owned();
        manager.create_index(by_closing).await?;
        // The index has all columns that counting groups needs, so that the letters themselves are not read.
        let by_error = index(BY_ERROR)
            .col(L::State)
            .col(L::ErrorFingerprint)
            .col(L::EndpointId)
            .col(L::CreatedAt)
            .col(L::NextAttemptAt)
            .to_owned();
        manager.create_index(by_error).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for name in [BY_ERROR, BY_CLOSING] {
            manager.drop_index(Index::drop().name(name).table(Entity).to_owned()).await?;
        }
        let drop = Table::alter().table(Entity).drop_column(L::ClosedAt).to_owned();
        manager.alter_table(drop).await
    }
}
