//! Producers: other systems that report their dead letters.

use ::store::db;
use kit::Result;
use ring::digest::{SHA256, digest};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::producer::{Column, Entity, Model};

/// Maximum number of producers.
pub const MOST: u64 = 50;
/// Prefix of every token.
pub const TOKEN_PREFIX: &str = "wbp_";

/// Returns all producers, by name.
pub async fn list(connection: &impl ConnectionTrait) -> Result<Vec<Model>> {
    Entity::find().order_by_asc(Column::Name).limit(MOST).all(connection).await.map_err(db)
}

/// Returns the active producer with this token. The lookup is by hash, so timing reveals nothing about the
/// token.
pub async fn by_token(connection: &impl ConnectionTrait, token: &str) -> Result<Option<Model>> {
    if !token.starts_with(TOKEN_PREFIX) {
        return Ok(None);
    }
    let found = Entity::find().filter(Column::TokenHash.eq(hash(token))).filter(Column::IsActive.eq(true));
    found.one(connection).await.map_err(db)
}

/// Returns the stored form of a token.
pub fn hash(token: &str) -> String {
    hex::encode(digest(&SHA256, token.as_bytes()))
}
