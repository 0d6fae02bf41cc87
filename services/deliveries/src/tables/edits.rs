//! Records of edits. The database refuses to change or delete a row.

use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;

use crate::domain::actor::Actor;
use crate::domain::state::FieldChange;
use crate::entity::{delivery, edit};

/// Adds an edit record. The delivery must have its new version already.
pub async fn append(
    tx: &Tx,
    delivery: &delivery::Model,
    actor: &Actor,
    changes: &[FieldChange],
    now: DateTime<Utc>,
) -> Result<()> {
    let row = edit::ActiveModel {
        delivery_key: Set(delivery.id_key.clone()),
        version: Set(delivery.version),
        at: Set(now),
        actor: Set(actor.name().to_owned()),
        changes: Set(edit::write(changes)?),
    };
    edit::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}
