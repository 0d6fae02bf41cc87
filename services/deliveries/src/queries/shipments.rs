//! Shipments.

use ::store::filter::fold;
use ::store::{Db, db};
use kit::Result;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::entity::shipment::{Column, Entity, Model};

/// Returns several shipments by number, ignoring case; omits unknown numbers.
pub async fn by_numbers(db_: &Db, numbers: &[String]) -> Result<Vec<Model>> {
    let keys = numbers.iter().map(|number| fold(number));
    Entity::find().filter(Column::ShipmentnumberKey.is_in(keys)).all(db_.read()).await.map_err(db)
}
