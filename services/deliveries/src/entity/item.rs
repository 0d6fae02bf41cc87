use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::line::Condition;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery_item")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub item_key: String,
    pub item_number: String,
    pub sku: Option<String>,
    pub description: Option<String>,
    pub unit: Option<String>,
    /// In thousandths: a decimal would lose digits on SQLite.
    pub quantity: i64,
    pub weight_grams: Option<i64>,
    pub barcode: Option<String>,
    /// The import that last named the item.
    pub upload_log_id: Option<Uuid>,
    /// In thousandths, like `rejected`; 0 before an outcome.
    pub delivered: i64,
    pub rejected: i64,
    pub condition: Condition,
    /// Reason code for variances.
    pub variance_reason: Option<String>,
    pub variance_note: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::DeliveryItem {
    fn from(row: Model) -> Self {
        let Model {
            delivery_key,
            item_key: _,
            item_number,
            sku,
            description,
            unit,
            quantity,
            weight_grams,
            barcode,
            upload_log_id: _,
            delivered,
            rejected,
            condition,
            variance_reason,
            variance_note,
        } = row;
        wire::DeliveryItem {
            delivery_id: delivery_key,
            item_number,
            sku,
            description,
            unit,
            quantity_thousandths: quantity,
            weight_grams,
            barcode,
            delivered_thousandths: delivered,
            rejected_thousandths: rejected,
            condition: wire::Condition::from(condition).into(),
            variance_reason,
            variance_note,
        }
    }
}
