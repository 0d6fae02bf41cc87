use sea_orm::entity::prelude::*;

/// The current state of one driver.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "driver_fact")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver_id_key: String,
    pub driver_id: String,
    pub driver_name: String,
    pub driver_name_key: String,
    pub sequence: i64,
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
