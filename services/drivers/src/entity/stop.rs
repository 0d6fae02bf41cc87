use sea_orm::entity::prelude::*;

/// When a driver was at the site of a delivery: the latest time of each that a device reported. Kept apart from the
/// log, whose entries leave when they are old.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "stop")]
pub struct Model {
    /// Both keys with a unit separator between them, which no id has.
    #[sea_orm(primary_key, auto_increment = false)]
    pub stop_key: String,
    pub driver_id: String,
    pub delivery_id: String,
    pub arrived_at: Option<DateTimeUtc>,
    pub departed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
