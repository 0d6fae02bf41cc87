//! The catalogue of reasons.

use ::store::{Db, db};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder};

use crate::domain::reason::{AppliesTo, Catalogue, Reason};
use crate::entity::reason::{Column, Entity, Model};

/// Returns all reasons; there are a few dozen.
pub async fn catalogue(connection: &impl ConnectionTrait) -> Result<Catalogue> {
    let rows = Entity::find().all(connection).await.map_err(db)?;
    Ok(Catalogue::new(rows.into_iter().map(Into::into).collect()))
}

/// Returns all reasons as they apply to an outcome that happened at that time.
pub async fn catalogue_at(connection: &impl ConnectionTrait, at: DateTime<Utc>) -> Result<Catalogue> {
    let rows = Entity::find().all(connection).await.map_err(db)?;
    let reason = |row: Model| {
        let is_newer = row.updated_at.is_some_and(|updated_at| updated_at > at);
        let reason = Reason::from(row);
        if is_newer { reason.before_change() } else { reason }
    };
    Ok(Catalogue::new(rows.into_iter().map(reason).collect()))
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
