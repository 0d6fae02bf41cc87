//! Deliveries with their items and history: lists, single rows, and the one way to change a row.

use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page, SortDirection};
use sea_orm::ActiveValue::Unchanged;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::domain::delivery::item_order;
use crate::domain::driver::not_found;
use crate::entity::delivery::{ActiveModel, Column, Entity, Model};
use crate::entity::{history, item};
use crate::fields;
use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::{Db, Tx, counter, db};

/// Name of the kept count of all deliveries.
pub const COUNTER: &str = "delivery";
/// Rows one batch of deliveries may bring along.
pub(super) const MAX_CHILDREN: usize = 100_000;

/// The list, newest dispatch first unless asked otherwise.
pub const LIST: Listing<Entity> = Listing {
    fields: fields::DELIVERIES,
    key: &[Column::IdKey],
    default: ("scheduledatetime", SortDirection::Desc),
    bounds: Bounds::DEFAULT,
};

pub async fn list(db_: &Db, page: &Page) -> Result<(Vec<Model>, bool)> {
    LIST.page(db_, page).await
}

pub async fn count(db_: &Db, filters: &[Filter]) -> Result<Count> {
    if filters.is_empty() {
        return Ok(Count { total: counter::get(db_.read(), COUNTER).await?, exact: true });
    }
    LIST.count(db_, filters).await
}

/// Several by id, ignoring case; unknown ids are left out.
pub async fn by_ids(db_: &Db, ids: &[String]) -> Result<Vec<Model>> {
    let keys = ids.iter().map(|id| fold(id));
    Entity::find().filter(Column::IdKey.is_in(keys)).all(db_.read()).await.map_err(db)
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    Entity::find_by_id(fold(id)).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))
}

/// Somebody else was faster, and what they did has not been seen.
pub fn changed_meanwhile(id: &str) -> Error {
    let text = format!("{id} was changed in the meantime. Reload it and try again.");
    Error::precondition("DELIVERY_CHANGED", text)
}

/// The delivery and its items in their order, its row held until the transaction ends.
/// Every change of a delivery or its items begins here, before it touches anything else.
pub async fn lock(tx: &Tx, id: &str) -> Result<(Model, Vec<item::Model>)> {
    let row = Entity::find_by_id(fold(id))
        .lock_exclusive()
        .one(&**tx)
        .await
        .map_err(db)?
        .ok_or_else(|| not_found(id))?;
    let mut items = item::Entity::find()
        .filter(item::Column::DeliveryKey.eq(row.id_key.as_str()))
        .all(&**tx)
        .await
        .map_err(db)?;
    items.sort_by_cached_key(|item| item_order(&item.item_number));
    Ok((row, items))
}

/// Writes columns of a row that was locked. The version guards against whoever forgot to.
pub async fn update(tx: &Tx, stored: &Model, changed: ActiveModel) -> Result<Model> {
    let row = ActiveModel { id_key: Unchanged(stored.id_key.clone()), ..changed };
    let update = Entity::update(row).validate().map_err(db)?.filter(Column::Version.eq(stored.version));
    update.exec(&**tx).await.map_err(|error| match error {
        DbErr::RecordNotUpdated => changed_meanwhile(&stored.id),
        other => db(other),
    })
}

/// Items of several deliveries, in item order.
pub async fn items(db_: &Db, ids: &[String]) -> Result<Vec<item::Model>> {
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

/// Refuses an answer that would leave rows out.
pub(super) fn require_all<T>(rows: &[T], what: &str) -> Result<()> {
    if rows.len() <= MAX_CHILDREN {
        return Ok(());
    }
    let text =
        format!("These deliveries have more than {MAX_CHILDREN} {what} together. Ask for fewer at once.");
    Err(Error::invalid("TOO_MANY_ROWS", text))
}

/// Status history of several deliveries, oldest first.
pub async fn histories(db_: &Db, ids: &[String]) -> Result<Vec<history::Model>> {
    let keys = ids.iter().map(|id| fold(id));
    let rows = history::Entity::find()
        .filter(history::Column::DeliveryKey.is_in(keys))
        .order_by_asc(history::Column::DeliveryKey)
        .order_by_asc(history::Column::Step)
        .limit(MAX_CHILDREN as u64 + 1)
        .all(db_.read())
        .await
        .map_err(db)?;
    require_all(&rows, "steps of history")?;
    Ok(rows)
}
