use sea_orm::entity::prelude::*;

/// That a user has seen an announcement once; what they did about it as it is now.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "announcement_view")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub announcement_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    /// Nothing while they have only seen what it said before.
    pub seen_at: Option<DateTimeUtc>,
    pub dismissed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
