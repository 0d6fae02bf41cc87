//! Folds names by NFKC, so that a name always has the same key, however a browser encodes it.

use ::store::refold::{Keys, refold};
use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0003_folded_keys"
    }
}

const KEYS: &[Keys] = &[
    Keys::shared("upload_log", "filename_key"),
    Keys::shared("upload_log", "uploaded_by_key"),
    Keys::shared("upload_row", "delivery_id_key"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        refold(manager, KEYS).await
    }

    /// Keeps the new keys: the old ones cannot be restored, and most are the same.
    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
