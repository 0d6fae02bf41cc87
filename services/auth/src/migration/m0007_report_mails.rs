//! Creates the table of mails with reports that were sent.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{binary, text, timestamp_with_time_zone};

use crate::entity::report_mail::{Column as C, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0007_report_mails"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(Entity)
            .col(binary(C::KeyHash).primary_key())
            .col(text(C::State))
            .col(timestamp_with_time_zone(C::ClaimedAt))
            .to_owned();
        manager.create_table(table).await?;
        let index = Index::create().name("report_mail_by_age").table(Entity).col(C::ClaimedAt).to_owned();
        manager.create_index(index).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
