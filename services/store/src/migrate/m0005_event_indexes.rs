//! Indexes for what is read and cleared all the time: dead letters by state and age, and refused events.

use sea_orm_migration::prelude::*;

use super::{build_index, drop_index};
use crate::dead_letters::dead_letter;
use crate::outbox::outbox_event as outbox;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0005_event_indexes"
    }
}

const BY_STATE: &str = "dead_letters_by_state";
const REFUSED: &str = "outbox_refused";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let by_state = Index::create()
            .name(BY_STATE)
            .table(dead_letter::Entity)
            .col(dead_letter::Column::State)
            .col(dead_letter::Column::RaisedAt)
            .col(dead_letter::Column::Id)
            .to_owned();
        build_index(manager, by_state).await?;
        let refused = Index::create()
            .name(REFUSED)
            .table(outbox::Entity)
            .col(outbox::Column::Id)
            .and_where(Expr::col(outbox::Column::RefusedAt).is_not_null())
            .to_owned();
        build_index(manager, refused).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_index(manager, REFUSED).await?;
        drop_index(manager, BY_STATE).await
    }
}
