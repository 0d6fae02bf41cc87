use sea_orm::entity::prelude::*;

/// How long one driver was at one delivery. It may come before the delivery, and counts while that driver has it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "stop_fact")]
pub struct Model {
    /// As their owner names it, by both.
    #[sea_orm(primary_key, auto_increment = false)]
    pub stop_key: String,
    pub driver_id_key: String,
    pub delivery_id_key: String,
    /// From arrival to departure; nothing where either is unknown.
    pub seconds: Option<i64>,
    pub sequence: i64,
    pub run: i64,
}

impl ActiveModelBehavior for ActiveModel {}
