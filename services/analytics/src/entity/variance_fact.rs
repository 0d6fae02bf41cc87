use sea_orm::entity::prelude::*;

/// One variance of a delivery's current attempt.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "variance_fact")]
pub struct Model {
    /// The delivery's folded id, and the id of the variance within it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub variance_id: String,
    pub delivery_id_key: String,
    /// The reason's label at that time.
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
