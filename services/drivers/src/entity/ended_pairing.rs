use sea_orm::entity::prelude::*;

/// A period in which a device belonged to a driver. A device that was offline sends its positions late, perhaps
/// after it went to another driver; they belong to the driver who had it when they were recorded.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ended_pairing")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub unique_id_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub paired_at: DateTimeUtc,
    pub unpaired_at: DateTimeUtc,
    /// The driver's number.
    pub driver: i32,
}

impl ActiveModelBehavior for ActiveModel {}
