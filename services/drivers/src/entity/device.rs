use sea_orm::entity::prelude::*;

/// A device that belongs to a driver.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "device")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub unique_id_key: String,
    pub unique_id: String,
    /// The driver's number.
    pub driver: i32,
    pub paired_at: DateTimeUtc,
    pub paired_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
