use sea_orm::entity::prelude::*;

use crate::domain::driver::Status;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "driver")]
pub struct Model {
    /// Short key by which tables with millions of rows refer to the driver.
    #[sea_orm(primary_key)]
    pub number: i32,
    pub driver_id: String,
    #[sea_orm(unique)]
    pub driver_id_key: String,
    pub name: String,
    pub name_key: String,
    pub status: Status,
    pub username: String,
    #[sea_orm(unique)]
    pub username_key: String,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub trucker: Option<String>,
    pub trucker_key: Option<String>,
    pub licence_number: Option<String>,
    pub licence_expiry: Option<Date>,
    pub vehicle_plate: Option<String>,
    pub language: Option<String>,
    pub tracking_consent_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
