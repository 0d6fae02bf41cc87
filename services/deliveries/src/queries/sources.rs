//! Sources of deliveries: the list, and single ones.

use ::store::list::{Bounds, Listing};
use ::store::{Db, db};
use kit::{Error, Result};
use proto::common::v1::SortDirection;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use crate::entity::source::{Column, Entity, Model};
use crate::queries::fields;

pub const LIST: Listing<Entity> = Listing {
    fields: fields::SOURCES,
    key: &[Column::Id],
    default: ("name", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};

/// Returns several sources by id; omits unknown ids.
pub async fn by_ids(db_: &Db, ids: &[String]) -> Result<Vec<Model>> {
    let ids: Vec<Uuid> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    Entity::find().filter(Column::Id.is_in(ids)).all(db_.read()).await.map_err(db)
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))
}

pub fn not_found(id: &str) -> Error {
    Error::not_found("SOURCE_NOT_FOUND", format!("There is no source {id}"))
}
