use sea_orm::entity::prelude::*;

use crate::domain::driver::DriverStatus;

/// A driver, as the drivers service last told of them.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "driver")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver_id_key: String,
    pub driver_id: String,
    pub name: String,
    pub status: DriverStatus,
    /// Of the driver: tells which of two changes is the newer one.
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
