//! Indexes of dead letters: by the time when they were closed, and one that groups the letters to fix by their
//! error. Databases on which `m0018_closed_letters` made them have them already.

use ::store::migrate::{build_index, drop_index};
use sea_orm_migration::prelude::*;

use crate::entity::dead_letter::{Column as L, Entity};

const BY_CLOSING: &str = "dead_letter_by_closing";
const BY_ERROR: &str = "dead_letter_by_error";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0019_dead_letter_indexes"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let index = |name: &str| Index::create().name(name).table(Entity).to_owned();
        let by_closing = index(BY_CLOSING).col(L::State).col(L::ClosedAt).to_owned();
        build_index(manager, by_closing).await?;
        // The index has all columns that counting groups needs, so that the letters themselves are not read.
        let by_error = index(BY_ERROR)
            .col(L::State)
            .col(L::ErrorFingerprint)
            .col(L::EndpointId)
            .col(L::CreatedAt)
            .col(L::NextAttemptAt)
            .to_owned();
        build_index(manager, by_error).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for name in [BY_ERROR, BY_CLOSING] {
            drop_index(manager, name).await?;
        }
        Ok(())
    }
}
