use sea_orm::entity::prelude::*;

/// A key of an announcement's audience; see `domain::announcement::Audience::keys`.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "announcement_audience")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub announcement_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub audience: String,
}

impl ActiveModelBehavior for ActiveModel {}
