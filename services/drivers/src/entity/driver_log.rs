use proto::drivers::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::activity::Activity;

/// Something that a driver did, or that was done to the driver, such as blocking.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "driver_log")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub driver_id: String,
    pub driver_id_key: String,
    pub delivery_id: Option<String>,
    pub delivery_id_key: Option<String>,
    pub activity: Activity,
    pub occurred_at: DateTimeUtc,
    pub received_at: DateTimeUtc,
    pub lat: Option<f64>,
    pub lng: Option<f64>,
    pub device_id: Option<String>,
    pub app_version: Option<String>,
    pub ip: Option<String>,
    /// Further details of the entry, as a JSON object.
    pub detail: String,
    /// Set for entries that a device reported.
    pub client_event_id: Option<Uuid>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    pub fn told(self, driver_name: &str) -> wire::DriverLog {
        let Model {
            id,
            driver_id,
            driver_id_key: _,
            delivery_id,
            delivery_id_key: _,
            activity,
            occurred_at,
            received_at,
            lat,
            lng,
            device_id,
            app_version,
            ip,
            detail,
            client_event_id: _,
        } = self;
        wire::DriverLog {
            id: id.to_string(),
            driver_id,
            delivery_id,
            activity: activity.as_str().to_owned(),
            occurred_at: Some(proto::timestamp(occurred_at)),
            received_at: Some(proto::timestamp(received_at)),
            lat,
            lng,
            device_id,
            app_version,
            ip,
            detail,
            driver_name: driver_name.to_owned(),
        }
    }
}
