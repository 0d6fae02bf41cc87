use kit::{Error, Result};
use sea_orm::entity::prelude::*;

use crate::domain::position::Last;

/// A driver's last position. There is one row per driver, rewritten with every group of positions.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "location")]
pub struct Model {
    /// The driver's number.
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver: i32,
    /// When a position of the driver last arrived.
    pub seen_at: DateTimeUtc,
    /// Time of the newest stored position, accepted or not. Ignores times far in the future.
    pub newest_at: Option<DateTimeUtc>,
    /// When the driver's displayed data last changed. Only the previous release reads this column.
    pub moved_at: DateTimeUtc,
    pub version: i64,
    /// The last accepted position, as JSON.
    pub position: Option<String>,
    /// Number of the transaction that last changed the driver's displayed data. Numbers rise in commit order,
    /// across all drivers.
    pub moved_number: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    pub fn last(&self) -> Result<Option<Last>> {
        self.position.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)
    }
}
