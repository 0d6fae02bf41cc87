//! Pauses of endpoints, which link each pause to its announcement.
//!
//! The events of a pause and of its end may be handled in either order, so the end is stored, too: a pause that
//! has ended is not announced any more.

use ::store::{Tx, db};
use kit::Result;
use sea_orm::ActiveValue::{Set, Unchanged};
use sea_orm::{ActiveModelTrait, EntityTrait, QuerySelect};
use uuid::Uuid;

use crate::entity::endpoint_pause::{ActiveModel, Entity, Model};

/// Returns the newest known pause of an endpoint, locked until the transaction ends.
pub async fn lock(tx: &Tx, endpoint: Uuid) -> Result<Option<Model>> {
    Entity::find_by_id(endpoint).lock_exclusive().one(&**tx).await.map_err(db)
}

/// Stores a pause in place of the one before, if there is one.
pub async fn save(tx: &Tx, before: Option<&Model>, pause: Model) -> Result<()> {
    let Model { endpoint_id, paused_at, announcement_id } = pause;
    let next = ActiveModel {
        endpoint_id: Unchanged(endpoint_id),
        paused_at: Set(paused_at),
        announcement_id: Set(announcement_id),
    };
    let saved = if before.is_some() {
        next.update(&**tx).await.map(|_| ())
    } else {
        let new = ActiveModel { endpoint_id: Set(endpoint_id), ..next };
        Entity::insert(new).exec_without_returning(&**tx).await.map(|_| ())
    };
    saved.map_err(db)
}
