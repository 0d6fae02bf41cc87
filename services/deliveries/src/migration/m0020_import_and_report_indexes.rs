//! Indexes for the answers to import batches by age, and for the messages that other systems reported by endpoint.

use ::store::migrate::{build_index, drop_index};
use sea_orm_migration::prelude::*;

use crate::entity::{dead_letter, import_batch};

const BY_AGE: &str = "import_batch_by_age";
const REPORTED: &str = "dead_letter_reported";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0020_import_and_report_indexes"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use dead_letter::Column as L;
        let by_age = Index::create()
            .name(BY_AGE)
            .table(import_batch::Entity)
            .col(import_batch::Column::CreatedAt)
            .to_owned();
        build_index(manager, by_age).await?;
        let reported = Index::create()
            .name(REPORTED)
            .table(dead_letter::Entity)
            .col(L::EndpointId)
            .col(L::State)
            .and_where(Expr::col(L::ProducerId).is_not_null())
            .to_owned();
        build_index(manager, reported).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for name in [REPORTED, BY_AGE] {
            drop_index(manager, name).await?;
        }
        Ok(())
    }
}
