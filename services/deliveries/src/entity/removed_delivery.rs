use sea_orm::entity::prelude::*;

/// A delivery that an undo removed. Its history stays, and continues when the delivery comes back.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "removed_delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    pub delivery_id: String,
    /// The version that the removal created.
    pub version: i64,
    /// The removal's step in the history.
    pub last_step: i32,
    pub upload_log_id: Uuid,
    pub removed_by: String,
    pub removed_at: DateTimeUtc,
    /// The whole delivery, in the format of `commands::undo_import::image`. NULL after retention cleared it.
    pub image: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
