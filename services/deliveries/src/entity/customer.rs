use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use super::requirement::Requirement;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "customer")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub customer_name_key: String,
    pub customer_name: String,
    pub customer_email: Option<String>,
    pub customer_email_key: Option<String>,
    pub customer_address: String,
    pub customer_address_key: String,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub version: i64,
    pub code: Option<String>,
    pub phone: Option<String>,
    pub address_lat: Option<f64>,
    pub address_lng: Option<f64>,
    pub address_accuracy: Option<f64>,
    pub pod_requirement: Option<Requirement>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Customer {
    fn from(row: Model) -> Self {
        let Model {
            customer_name_key: _,
            customer_name,
            customer_email,
            customer_email_key: _,
            customer_address,
            customer_address_key: _,
            created_at,
            created_by,
            updated_at,
            updated_by,
            version,
            code,
            phone,
            address_lat,
            address_lng,
            address_accuracy,
            pod_requirement,
        } = row;
        let address_point = address_lat.zip(address_lng).map(|(lat, lng)| wire::GeoPoint {
            lat,
            lng,
            accuracy: address_accuracy,
        });
        wire::Customer {
            customer_name,
            customer_email,
            customer_address,
            created_at: Some(proto::timestamp(created_at)),
            updated_at: Some(proto::timestamp(updated_at)),
            version: version.unsigned_abs(),
            code,
            phone,
            address_point,
            pod_requirement: pod_requirement.map(Into::into),
            created_by,
            updated_by,
        }
    }
}
