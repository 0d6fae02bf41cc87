use sea_orm::entity::prelude::*;

/// A delivery that an undo took away. Its history stays, and goes on when the delivery comes back.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "removed_delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    pub delivery_id: String,
    /// That the removal made.
    pub version: i64,
    /// Of the history, the removal's own.
    pub last_step: i32,
    pub upload_log_id: Uuid,
    pub removed_by: String,
    pub removed_at: DateTimeUtc,
    /// All of it, as `store::undo::image` writes it. Nothing after retention cleared it.
    pub image: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
