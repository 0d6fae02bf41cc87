use sea_orm::entity::prelude::*;

/// When a driver was at the site of a delivery: the latest reported arrival and departure. Once they are as old as
/// expired entries of the log, only the time between them is kept, counted from the Unix epoch.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "stop")]
pub struct Model {
    /// The keys of driver and delivery, joined by a unit separator, which no id contains.
    #[sea_orm(primary_key, auto_increment = false)]
    pub stop_key: String,
    pub driver_id: String,
    pub delivery_id: String,
    pub arrived_at: Option<DateTimeUtc>,
    pub departed_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
