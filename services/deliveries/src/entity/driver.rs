use sea_orm::entity::prelude::*;

use crate::domain::driver::DriverStatus;

/// The copy of a driver, from the newest event of the drivers service.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "driver")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver_id_key: String,
    pub driver_id: String,
    pub name: String,
    pub status: DriverStatus,
    /// The driver's version.
    pub version: i64,
    /// Sequence of the event that brought this version; 0 if a release that ignored sequences stored it.
    pub sequence: i64,
}

impl ActiveModelBehavior for ActiveModel {}
