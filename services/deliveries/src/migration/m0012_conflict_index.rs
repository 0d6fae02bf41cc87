//! An index of the few deliveries that are in conflict.

use ::store::migrate::{build_index, drop_index};
use sea_orm_migration::prelude::*;

use crate::entity::delivery::{Column, Entity};

const NAME: &str = "delivery_in_conflict";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0012_conflict_index"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut index = Index::create().name(NAME).table(Entity).to_owned();
        index.col(Column::Scheduledatetime).col(Column::IdKey);
        // The condition must equal the one in `store::filter`.
        index.and_where(Expr::col(Column::Conflict).eq(Expr::Constant(true.into())));
        build_index(manager, index).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_index(manager, NAME).await
    }
}
