use proto::drivers::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::position::Last;

/// A device without a driver.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "unpaired_device")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub unique_id_key: String,
    pub unique_id: String,
    pub provider: String,
    pub first_seen_at: DateTimeUtc,
    pub last_seen_at: DateTimeUtc,
    /// Number of positions that were received but not stored.
    pub positions: i64,
    /// The last position, as JSON; `null` if the device was paired before.
    pub position: String,
    pub address: String,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::UnpairedDevice {
    fn from(row: Model) -> Self {
        let Model {
            unique_id_key: _,
            unique_id,
            provider,
            first_seen_at,
            last_seen_at,
            positions,
            position,
            address,
        } = row;
        wire::UnpairedDevice {
            unique_id,
            provider,
            first_seen_at: Some(proto::timestamp(first_seen_at)),
            last_seen_at: Some(proto::timestamp(last_seen_at)),
            positions: positions.unsigned_abs(),
            last_position: serde_json::from_str::<Last>(&position).ok().map(|last| last.told("")),
            address,
        }
    }
}
