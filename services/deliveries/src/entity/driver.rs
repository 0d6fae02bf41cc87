use sea_orm::entity::prelude::*;

use crate::domain::driver::DriverStatus;

/// The copy of a driver, by the newest event of the drivers service.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "driver")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver_id_key: String,
    pub driver_id: String,
    pub name: String,
    pub status: DriverStatus,
    /// Of the driver.
    pub version: i64,
    /// Of the event that brought this version; 0 when a release before sequences handled it.
    pub sequence: i64,
}

impl ActiveModelBehavior for ActiveModel {}
