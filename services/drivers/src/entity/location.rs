use kit::{Error, Result};
use sea_orm::entity::prelude::*;

use crate::domain::position::Last;

/// Where a driver was last. One row a driver, rewritten with every group of positions.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "location")]
pub struct Model {
    /// Number of the driver.
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver: i32,
    /// When the driver was last heard of.
    pub seen_at: DateTimeUtc,
    /// Time of the newest position that is kept, believed or not; none that is far ahead of us.
    pub newest_at: Option<DateTimeUtc>,
    /// When what is shown of the driver last changed. Only the release before reads it.
    pub moved_at: DateTimeUtc,
    pub version: i64,
    /// The last one that is believed, as JSON.
    pub position: Option<String>,
    /// Grows with each transaction that changes what is shown of any driver, in the order of their commits.
    pub moved_number: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    pub fn last(&self) -> Result<Option<Last>> {
        self.position.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)
    }
}
