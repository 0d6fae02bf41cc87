//! Folds names by NFKC, so that a name has one key however a browser encodes it.

use ::store::filter::fold;
use ::store::refold::{Keys, refold};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use sea_orm_migration::prelude::*;

use crate::entity::announcement_audience::{Column, Entity};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0005_folded_keys"
    }
}

const KEYS: &[Keys] = &[
    Keys::identity("report_setting", "name_key", "name"),
    Keys::shared("report_setting", "updated_by_key"),
    Keys::shared("setting", "name_key"),
    Keys::shared("setting", "grouping_key"),
    Keys::shared("setting", "updated_by_key"),
    Keys::shared("announcement", "title_key"),
    Keys::shared("announcement", "message_key"),
    Keys::shared("announcement", "created_by_key"),
    Keys::shared("announcement", "updated_by_key"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        refold(manager, KEYS).await?;
        // If an audience contains two spellings of a name, keep one of them.
        let connection = manager.get_connection();
        for row in Entity::find().all(connection).await? {
            let audience = fold(&row.audience);
            if audience == row.audience {
                continue;
            }
            let old = Column::AnnouncementId.eq(row.announcement_id).and(Column::Audience.eq(&*row.audience));
            Entity::delete_many().filter(old).exec(connection).await?;
            let mut row = row;
            row.audience = audience;
            let twice =
                OnConflict::columns([Column::AnnouncementId, Column::Audience]).do_nothing().to_owned();
            Entity::insert(row.into_active_model())
                .on_conflict(twice)
                .exec_without_returning(connection)
                .await?;
        }
        Ok(())
    }

    /// Keeps the new keys: the old ones are no longer stored, and most of them were equal to the new ones.
    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
