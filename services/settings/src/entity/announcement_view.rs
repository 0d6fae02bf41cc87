use sea_orm::entity::prelude::*;

/// Records that a user has seen or dismissed an announcement.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "announcement_view")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub announcement_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    /// NULL if message or severity have changed since the user saw it.
    pub seen_at: Option<DateTimeUtc>,
    pub dismissed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
