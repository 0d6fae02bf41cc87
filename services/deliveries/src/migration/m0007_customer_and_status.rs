//! An index that is enough to count a customer's deliveries by status: reading the status from each row was
//! ten times as slow.

use ::store::migrate::{build_index, drop_index};
use sea_orm_migration::prelude::*;

use crate::entity::delivery;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0007_customer_and_status"
    }
}

const NAME: &str = "delivery_by_customer_and_status";
const REPLACED: &str = "delivery_by_customer";

fn index(name: &str) -> IndexCreateStatement {
    use delivery::Column as D;
    let mut index = Index::create().name(name).table(delivery::Entity).to_owned();
    index.col(D::CustomernameKey).col(D::Scheduledatetime).col(D::IdKey).take()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // The status comes last, so that the index keeps the order of the one it replaces.
        build_index(manager, index(NAME).col(delivery::Column::Deliverystatus).take()).await?;
        drop_index(manager, REPLACED).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        build_index(manager, index(REPLACED)).await?;
        drop_index(manager, NAME).await
    }
}
