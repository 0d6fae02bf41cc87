//! Folds names by NFKC, so that a name has one key however a device or a browser encodes it.

use ::store::refold::{Follower, Keys, refold};
use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0003_folded_keys"
    }
}

const OF_DRIVERS: &[Follower] =
    &[Follower { table: "driver_log", column: "driver_id_key", shown: Some("driver_id") }];

const KEYS: &[Keys] = &[
    Keys::identity("driver", "driver_id_key", "driver_id").followed_by(OF_DRIVERS),
    Keys::identity("driver", "username_key", "username"),
    Keys::shared("driver", "name_key"),
    Keys::shared("driver", "trucker_key"),
    Keys::identity("device", "unique_id_key", "unique_id"),
    Keys::identity("unpaired_device", "unique_id_key", "unique_id"),
    Keys::shared("driver_log", "delivery_id_key"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        refold(manager, KEYS).await
    }

    /// Keeps the new keys, because the old ones are no longer stored, and most are equal.
    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
