use sea_orm::entity::prelude::*;

/// A network from which an account recently signed in.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in_address")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub address: String,
    pub last_used_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
