use sea_orm::entity::prelude::*;

/// One shipment, derived from its deliveries.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shipment_fact")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub shipment_number_key: String,
    pub shipment_number: String,
    /// The shipment's status: `Pending`, `Partial` or `Completed`.
    pub shipment_status: String,
    pub shipment_status_key: String,
    pub sequence: i64,
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
