use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

/// The distinct addresses, so that a lookup need not read every delivery.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "address")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub address_key: String,
    pub address: String,
    pub lat: Option<f64>,
    pub lng: Option<f64>,
    pub accuracy: Option<f64>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Address {
    fn from(row: Model) -> Self {
        let Model { address_key: _, address, lat, lng, accuracy } = row;
        let point = lat.zip(lng).map(|(lat, lng)| wire::GeoPoint { lat, lng, accuracy });
        wire::Address { address, point }
    }
}
