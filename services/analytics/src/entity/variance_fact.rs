use sea_orm::entity::prelude::*;

/// One variance of a delivery's current attempt.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "variance_fact")]
pub struct Model {
    /// The folded id of the delivery, and the folded item number; empty for a variance of the whole delivery.
    #[sea_orm(primary_key, auto_increment = false)]
    pub variance_id: String,
    pub delivery_id_key: String,
    /// The reason's label when the variance was recorded.
    pub reason: Option<String>,
    pub reason_key: Option<String>,
    pub kind: String,
    pub kind_key: String,
    pub responsible: Option<String>,
    pub responsible_key: Option<String>,
    /// Units affected, in thousandths.
    pub quantity_thousandths: i64,
}

impl ActiveModelBehavior for ActiveModel {}
