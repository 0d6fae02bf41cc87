use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
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
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Customer {
    fn from(row: Model) -> Self {
        wire::Customer {
            customer_name: row.customer_name,
            customer_email: row.customer_email,
            customer_address: row.customer_address,
            created_at: Some(proto::timestamp(row.created_at)),
            updated_at: Some(proto::timestamp(row.updated_at)),
            version: row.version.unsigned_abs(),
        }
    }
}
