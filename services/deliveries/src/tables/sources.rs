//! The source that new deliveries name.

use ::store::db;
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, EntityTrait, QuerySelect};
use uuid::Uuid;

use crate::entity::source::{Entity, Model};

/// Returns the source for new deliveries, by an import or by hand; refuses a disabled one.
pub async fn active(connection: &impl ConnectionTrait, id: &str) -> Result<Model> {
    let unknown = || Error::precondition("SOURCE_UNKNOWN", "The source does not exist. Choose another one.");
    let id: Uuid = id.parse().map_err(|_| unknown())?;
    // Lock the source, so that disabling it waits for running imports and no delivery comes afterwards.
    let source =
        Entity::find_by_id(id).lock_shared().one(connection).await.map_err(db)?.ok_or_else(unknown)?;
    if !source.is_active {
        return Err(Error::precondition(
            "SOURCE_DISABLED",
            format!(
                "The source {} is disabled and takes no new deliveries. Enable it or choose another one.",
                source.name
            ),
        ));
    }
    Ok(source)
}
