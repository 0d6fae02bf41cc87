//! An index of stops by time, for those whose times have been kept long enough.

use ::store::migrate::{build_index, drop_index};
use sea_orm_migration::prelude::*;

use crate::entity::stop::{Column as C, Entity};

const NAME: &str = "stop_by_time";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0007_stop_times"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let index = Index::create().name(NAME).table(Entity).col(C::DepartedAt).col(C::ArrivedAt).take();
        build_index(manager, index).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_index(manager, NAME).await
    }
}
