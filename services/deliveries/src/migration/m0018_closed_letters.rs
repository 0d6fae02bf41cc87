//! Adds the time when a dead letter was sent or discarded.
//!
//! Letters closed earlier have no time yet: `outbound::sends::note_closed` adds it step by step.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::timestamp_with_time_zone_null;

use crate::entity::dead_letter::{Column as L, Entity};

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
        manager.alter_table(Table::alter().table(Entity).add_column(closed_at).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop = Table::alter().table(Entity).drop_column(L::ClosedAt).to_owned();
        manager.alter_table(drop).await
    }
}
