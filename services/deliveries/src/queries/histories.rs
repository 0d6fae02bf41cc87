//! The status history: as a list, and of several deliveries.

use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::{Db, db};
use kit::Result;
use proto::common::v1::SortDirection;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{MAX_CHILDREN, fields, require_all};
use crate::entity::history::{Column, Entity, Model};

/// Newest first.
pub const LIST: Listing<Entity> = Listing {
    fields: fields::HISTORIES,
    key: &[Column::DeliveryKey, Column::Step],
    default: ("occurredAt", SortDirection::Desc),
    bounds: Bounds::DEFAULT,
};

/// Returns the status history of several deliveries, oldest first.
pub async fn by_deliveries(db_: &Db, ids: &[String]) -> Result<Vec<Model>> {
    let keys = ids.iter().map(|id| fold(id));
    let rows = Entity::find()
        .filter(Column::DeliveryKey.is_in(keys))
        .order_by_asc(Column::DeliveryKey)
        .order_by_asc(Column::Step)
        .limit(MAX_CHILDREN as u64 + 1)
        .all(db_.read())
        .await
        .map_err(db)?;
    require_all(&rows, "steps of history")?;
    Ok(rows)
}
