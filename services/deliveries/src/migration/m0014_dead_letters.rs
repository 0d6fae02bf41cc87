//! Endpoints, messages to them, and the jobs that send and resend.

use ::store::jobs;
use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, boolean, integer, integer_null, json, text, text_null, timestamp_with_time_zone,
    timestamp_with_time_zone_null, uuid, uuid_null,
};

use crate::domain::outbound::State;
use crate::entity::{dead_letter, outbound_endpoint};
use dead_letter::Column as L;
use outbound_endpoint::Column as E;

/// The table of jobs, which other work of the service shares.
pub struct Jobs;

impl MigrationName for Jobs {
    fn name(&self) -> &str {
        "m0014_jobs"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Jobs {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        jobs::create_table(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        jobs::drop_table(manager).await
    }
}

pub struct DeadLetters;

impl MigrationName for DeadLetters {
    fn name(&self) -> &str {
        "m0014_dead_letters"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for DeadLetters {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let endpoints = Table::create()
            .table(outbound_endpoint::Entity)
            .col(uuid(E::Id).primary_key())
            .col(text(E::Name))
            .col(bytewise_text(E::NameKey, backend).not_null().unique_key())
            .col(text(E::Url))
            .col(text(E::Methods))
            .col(text(E::SourceIds))
            .col(boolean(E::IsActive))
            .col(text(E::Secret))
            .col(text_null(E::PreviousSecret))
            .col(timestamp_with_time_zone(E::SecretRotatedAt))
            .col(integer(E::FailuresInRow))
            .col(timestamp_with_time_zone_null(E::PausedAt))
            .col(timestamp_with_time_zone(E::CreatedAt))
            .col(text(E::CreatedBy))
            .col(timestamp_with_time_zone(E::UpdatedAt))
            .col(text(E::UpdatedBy))
            .col(big_integer(E::Version))
            .to_owned();
        manager.create_table(endpoints).await?;
        let letters = Table::create()
            .table(dead_letter::Entity)
            .col(uuid(L::Id).primary_key())
            .col(text(L::DeliveryId))
            .col(bytewise_text(L::DeliveryKey, backend).not_null())
            .col(text(L::Method))
            .col(text(L::State))
            .col(uuid_null(L::EndpointId))
            .col(big_integer(L::Position))
            .col(timestamp_with_time_zone(L::QueuedAt))
            .col(timestamp_with_time_zone(L::CreatedAt))
            .col(timestamp_with_time_zone_null(L::ProcessedAt))
            .col(timestamp_with_time_zone_null(L::NextAttemptAt))
            .col(text(L::Payload))
            .col(text_null(L::EditedPayload))
            .col(text(L::RequestHeaders))
            .col(integer_null(L::ResponseStatus))
            .col(text(L::ResponseBody))
            .col(text(L::ErrorClass))
            .col(text(L::ErrorText))
            .col(bytewise_text(L::ErrorFingerprint, backend).not_null())
            .col(integer(L::Attempts))
            .col(integer(L::Tries))
            .col(json(L::AttemptLog))
            .col(bytewise_text(L::IdempotencyKey, backend).not_null().unique_key())
            .col(integer(L::Resends))
            .col(text_null(L::DiscardedBy))
            .col(text_null(L::DiscardReason))
            .to_owned();
        manager.create_table(letters).await?;
        for index in indexes() {
            manager.create_index(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(dead_letter::Entity).to_owned()).await?;
        manager.drop_table(Table::drop().table(outbound_endpoint::Entity).to_owned()).await
    }
}

fn indexes() -> [IndexCreateStatement; 7] {
    let index = |name: &str| Index::create().name(name).table(dead_letter::Entity).to_owned();
    let failed = || Expr::col(L::State).eq(Expr::Constant(State::Failed.as_str().into()));
    [
        // `next_attempt_at` is set only while a send waits for its turn.
        index("dead_letter_due")
            .col(L::EndpointId)
            .col(L::NextAttemptAt)
            .and_where(Expr::col(L::NextAttemptAt).is_not_null())
            .to_owned(),
        index("dead_letter_in_order")
            .col(L::EndpointId)
            .col(L::DeliveryKey)
            .col(L::Position)
            .and_where(Expr::col(L::NextAttemptAt).is_not_null())
            .to_owned(),
        index("dead_letter_failed").col(L::EndpointId).col(L::DeliveryKey).and_where(failed()).to_owned(),
        index("dead_letter_by_state").col(L::State).col(L::CreatedAt).col(L::Id).to_owned(),
        index("dead_letter_by_age").col(L::CreatedAt).col(L::Id).to_owned(),
        index("dead_letter_by_sent").col(L::ProcessedAt).col(L::Id).to_owned(),
        index("dead_letter_by_delivery").col(L::DeliveryKey).col(L::CreatedAt).col(L::Id).to_owned(),
    ]
}
