//! Items of deliveries.

use ::store::filter::fold;
use ::store::{Db, db};
use kit::Result;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::domain::delivery::item_order;
use crate::entity::item;
use crate::queries::{MAX_CHILDREN, require_all};

/// Returns the items of a delivery, in item order. `None` if there are more than `most`.
pub async fn few(db_: &Db, delivery_id: &str, most: u32) -> Result<Option<Vec<item::Model>>> {
    let mut rows = item::Entity::find()
        .filter(item::Column::DeliveryKey.eq(fold(delivery_id)))
        .limit(u64::from(most) + 1)
        .all(db_.read())
        .await
        .map_err(db)?;
    rows.sort_by_cached_key(|row| item_order(&row.item_number));
    Ok((rows.len() as u64 <= u64::from(most)).then_some(rows))
}

/// Returns items of several deliveries, in item order.
pub async fn by_deliveries(db_: &Db, ids: &[String]) -> Result<Vec<item::Model>> {
    let keys = ids.iter().map(|id| fold(id));
    let mut rows = item::Entity::find()
        .filter(item::Column::DeliveryKey.is_in(keys))
        .limit(MAX_CHILDREN as u64 + 1)
        .all(db_.read())
        .await
        .map_err(db)?;
    require_all(&rows, "items")?;
    rows.sort_by_cached_key(|row| item_order(&row.item_number));
    Ok(rows)
}
