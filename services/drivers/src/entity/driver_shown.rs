use sea_orm::entity::prelude::*;

use crate::domain::driver::Status;

/// A view for the list of drivers: the columns to filter and sort by, and when drivers were last seen.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "driver_shown")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver_id_key: String,
    pub number: i32,
    pub driver_id: String,
    pub name: String,
    pub name_key: String,
    pub status: Status,
    pub username: String,
    pub username_key: String,
    pub trucker: Option<String>,
    pub trucker_key: Option<String>,
    pub last_seen_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
