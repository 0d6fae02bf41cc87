//! The catalogue of reasons.

use ::store::{Db, db};
use kit::Result;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder};

use crate::domain::reason::{AppliesTo, Catalogue};
use crate::entity::reason::{Column, Entity, Model};

/// Returns all reasons; there are a few dozen.
pub async fn catalogue(connection: &impl ConnectionTrait) -> Result<Catalogue> {
    let rows = Entity::find().all(connection).await.map_err(db)?;
    Ok(Catalogue::new(rows.into_iter().map(Into::into).collect()))
}

/// Returns the reasons of one list, or of all lists, in the order of their places.
pub async fn list(db_: &Db, applies_to: Option<AppliesTo>) -> Result<Vec<Model>> {
    let mut rows = Entity::find().order_by(Column::Place, Order::Asc).order_by(Column::Code, Order::Asc);
    if let Some(list) = applies_to {
        rows = rows.filter(Column::AppliesTo.eq(list));
    }
    let mut rows = rows.all(db_.read()).await.map_err(db)?;
    // Lists come in the order of their declaration; each keeps the order of its reasons.
    rows.sort_by_key(|row| AppliesTo::SPELLINGS.iter().position(|name| *name == row.applies_to.as_str()));
    Ok(rows)
}
