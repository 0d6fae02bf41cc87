use sea_orm::entity::prelude::*;

/// The newest known pause of an endpoint that receives delivery outcomes.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "endpoint_pause")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub endpoint_id: Uuid,
    pub paused_at: DateTimeUtc,
    /// The announcement of the pause; NULL once the pause has ended.
    pub announcement_id: Option<Uuid>,
}

impl ActiveModelBehavior for ActiveModel {}
