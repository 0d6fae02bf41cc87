//! Locks and updates single deliveries. Imports and undos write theirs in bulk.

use ::store::filter::fold;
use ::store::{Tx, db};
use kit::Result;
use sea_orm::ActiveValue::Unchanged;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::domain::delivery::item_order;
use crate::domain::driver::{changed_meanwhile, not_found};
use crate::entity::delivery::{ActiveModel, Column, Entity, Model};
use crate::entity::item;

/// Name of the stored count of all deliveries.
pub const COUNTER: &str = "delivery";

/// Locks a delivery until the transaction ends; returns it with its items in order. Every change of a
/// delivery or its items begins here, before it touches anything else.
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

/// Updates columns of a locked row. The check of the version guards against a missing lock.
pub async fn update(tx: &Tx, stored: &Model, changed: ActiveModel) -> Result<Model> {
    let row = ActiveModel { id_key: Unchanged(stored.id_key.clone()), ..changed };
    let update = Entity::update(row).validate().map_err(db)?.filter(Column::Version.eq(stored.version));
    update.exec(&**tx).await.map_err(|error| match error {
        DbErr::RecordNotUpdated => changed_meanwhile(&stored.id),
        other => db(other),
    })
}
