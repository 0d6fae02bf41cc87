use sea_orm::entity::prelude::*;

/// The distinct truckers, so that a lookup need not read every delivery.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "trucker")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name_key: String,
    pub name: String,
}

impl ActiveModelBehavior for ActiveModel {}
