//! Adds producers, the producer of each dead letter, and a reference from a letter to the one it repeats.

use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, boolean, text, timestamp_with_time_zone, uuid, uuid_null};

use crate::entity::{dead_letter, producer};
use producer::Column as P;

const ADDED: [dead_letter::Column; 2] = [dead_letter::Column::ProducerId, dead_letter::Column::ReplayOf];

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0016_producers"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let producers = Table::create()
            .table(producer::Entity)
            .col(uuid(P::Id).primary_key())
            .col(bytewise_text(P::Name, backend).not_null().unique_key())
            .col(uuid(P::EndpointId))
            .col(boolean(P::IsActive))
            .col(bytewise_text(P::TokenHash, backend).not_null().unique_key())
            .col(timestamp_with_time_zone(P::TokenMadeAt))
            .col(timestamp_with_time_zone(P::CreatedAt))
            .col(text(P::CreatedBy))
            .col(timestamp_with_time_zone(P::UpdatedAt))
            .col(text(P::UpdatedBy))
            .col(big_integer(P::Version))
            .to_owned();
        manager.create_table(producers).await?;
        // SQLite supports one change per ALTER TABLE.
        for column in ADDED {
            let add = Table::alter().table(dead_letter::Entity).add_column(uuid_null(column)).to_owned();
            manager.alter_table(add).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ADDED {
            let drop = Table::alter().table(dead_letter::Entity).drop_column(column).to_owned();
            manager.alter_table(drop).await?;
        }
        manager.drop_table(Table::drop().table(producer::Entity).to_owned()).await
    }
}
