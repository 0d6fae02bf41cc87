//! Endpoints of other systems, to which messages about deliveries are sent.

use ::store::{Db, db};
use kit::{Error, Result};
use sea_orm::{EntityTrait, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::entity::outbound_endpoint::{Column, Entity, Model};

/// Maximum number of endpoints. Small, because each change of a delivery reads all of them.
pub const MOST: u64 = 50;

/// Returns all endpoints, by name.
pub async fn list(connection: &impl sea_orm::ConnectionTrait) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::NameKey).limit(MOST).all(connection).await.map_err(db)
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))
}

pub fn not_found(id: &str) -> Error {
    Error::not_found("ENDPOINT_NOT_FOUND", format!("There is no endpoint {id}"))
}
