use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::delivery::ShipmentStatus;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shipment")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub shipmentnumber_key: String,
    pub shipmentnumber: String,
    pub shipmentstatus: ShipmentStatus,
    pub delivery_count: i32,
    pub open_count: i32,
    pub completed_count: i32,
    pub first_dispatch_at: Option<DateTimeUtc>,
    pub last_processed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Shipment {
    fn from(row: Model) -> Self {
        let Model {
            shipmentnumber_key: _,
            shipmentnumber,
            shipmentstatus,
            delivery_count,
            open_count,
            completed_count,
            first_dispatch_at,
            last_processed_at,
        } = row;
        wire::Shipment {
            shipmentnumber,
            shipmentstatus: wire::ShipmentStatus::from(shipmentstatus).into(),
            delivery_count: delivery_count.unsigned_abs(),
            open_count: open_count.unsigned_abs(),
            completed_count: completed_count.unsigned_abs(),
            first_dispatch_at: first_dispatch_at.map(proto::timestamp),
            last_processed_at: last_processed_at.map(proto::timestamp),
        }
    }
}
