use sea_orm::entity::prelude::*;

/// How long one driver was at one delivery. A stop may arrive before its delivery, and counts while the
/// delivery is assigned to that driver.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "stop_fact")]
pub struct Model {
    /// The id of the stop in its owner, the drivers service. It consists of driver and delivery.
    #[sea_orm(primary_key, auto_increment = false)]
    pub stop_key: String,
    pub driver_id_key: String,
    pub delivery_id_key: String,
    /// From arrival to departure; NULL if a time is missing or the duration is implausible.
    pub seconds: Option<i64>,
    pub sequence: i64,
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
