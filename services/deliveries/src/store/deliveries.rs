//! Deliveries with their items and history, for reading.

use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect};

use crate::domain::delivery::item_order;
use crate::entity::delivery::{Column, Entity, Model};
use crate::entity::{history, item};
use crate::fields;
use ::store::filter::{condition, fold};
use ::store::page::{order, window};
use ::store::{Db, counter, db, list};

/// Name of the kept count of all deliveries.
pub const COUNTER: &str = "delivery";
/// Rows one batch of deliveries may bring along.
const MAX_CHILDREN: u64 = 100_000;

pub async fn list(db_: &Db, page: &Page) -> Result<(Vec<Model>, bool)> {
    let condition = condition(fields::DELIVERIES, &page.r#where)?;
    let default = (Column::Scheduledatetime, Order::Desc);
    let order = order(fields::DELIVERIES, &page.sort, default, Column::IdKey)?;
    list::page::<Entity, _>(db_, condition, &order, Column::IdKey, window(page)?).await
}

pub async fn count(db_: &Db, filters: &[Filter]) -> Result<Count> {
    if filters.is_empty() {
        return Ok(Count { total: counter::get(db_.read(), COUNTER).await?, exact: true });
    }
    list::count::<Entity>(db_, condition(fields::DELIVERIES, filters)?, Column::IdKey).await
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    Entity::find_by_id(fold(id))
        .one(db_.read())
        .await
        .map_err(db)?
        .ok_or_else(|| Error::not_found("DELIVERY_NOT_FOUND", format!("There is no delivery {id}")))
}

/// Items of several deliveries, in item order.
pub async fn items(db_: &Db, ids: &[String]) -> Result<Vec<item::Model>> {
    let keys = ids.iter().map(|id| fold(id));
    let mut rows = item::Entity::find()
        .filter(item::Column::DeliveryKey.is_in(keys))
        .limit(MAX_CHILDREN)
        .all(db_.read())
        .await
        .map_err(db)?;
    rows.sort_by_cached_key(|row| item_order(&row.item_number));
    Ok(rows)
}

/// Status history of several deliveries, oldest first.
pub async fn histories(db_: &Db, ids: &[String]) -> Result<Vec<history::Model>> {
    let keys = ids.iter().map(|id| fold(id));
    history::Entity::find()
        .filter(history::Column::DeliveryKey.is_in(keys))
        .order_by_asc(history::Column::DeliveryKey)
        .order_by_asc(history::Column::Step)
        .limit(MAX_CHILDREN)
        .all(db_.read())
        .await
        .map_err(db)
}
