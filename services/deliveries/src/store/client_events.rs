//! Events that clients told, so that each counts once.

use chrono::{DateTime, TimeDelta, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::domain::command::Effect;
use crate::entity::client_event::{ActiveModel, Column, Entity};
use crate::entity::delivery;
use ::store::{Db, Tx, db};

/// Longer than a device stays away from the network.
const KEPT: TimeDelta = TimeDelta::days(90);
/// Deleted at once, so that nobody waits long for it.
const PRUNED_AT_ONCE: u64 = 5_000;

/// An event as the client calls it, and what it says, in short.
#[derive(Debug, Clone)]
pub struct Event {
    pub id: Uuid,
    pub fingerprint: Vec<u8>,
}

/// Whether the event was accepted before. The row of the delivery is locked: the same event at the
/// same moment waits there.
pub async fn is_known(tx: &Tx, delivery: &delivery::Model, event: &Event) -> Result<bool> {
    let known = Entity::find_by_id((delivery.id_key.clone(), event.id)).one(&**tx).await.map_err(db)?;
    match known {
        None => Ok(false),
        Some(known) if known.fingerprint == event.fingerprint => Ok(true),
        Some(_) => {
            let text =
                format!("The client event {} was told of {} with other content", event.id, delivery.id);
            Err(Error::invalid("CLIENT_EVENT_REUSED", text.clone()).field("clientEventId", text))
        }
    }
}

/// Remembers an event that was accepted; `delivery` is as it left it.
pub async fn keep(
    tx: &Tx,
    delivery: &delivery::Model,
    event: &Event,
    effect: Effect,
    now: DateTime<Utc>,
) -> Result<()> {
    let row = ActiveModel {
        delivery_key: Set(delivery.id_key.clone()),
        client_event_id: Set(event.id),
        fingerprint: Set(event.fingerprint.clone()),
        effect: Set(effect),
        version: Set(delivery.version),
        at: Set(now),
    };
    Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// Forgets what is too old to come again; returns how many those were.
pub async fn prune(db_: &Db, now: DateTime<Utc>) -> Result<u64> {
    let mut gone = 0;
    loop {
        let old: Vec<(String, Uuid)> = Entity::find()
            .select_only()
            .columns([Column::DeliveryKey, Column::ClientEventId])
            .filter(Column::At.lt(now - KEPT))
            .limit(PRUNED_AT_ONCE)
            .into_tuple()
            .all(db_.read())
            .await
            .map_err(db)?;
        if old.is_empty() {
            return Ok(gone);
        }
        let tx = db_.begin().await?;
        let ids = old.iter().map(|(_, id)| *id);
        let keys = old.iter().map(|(key, _)| key.as_str());
        let done = Entity::delete_many()
            .filter(Column::DeliveryKey.is_in(keys))
            .filter(Column::ClientEventId.is_in(ids))
            .filter(Column::At.lt(now - KEPT))
            .exec(&*tx)
            .await
            .map_err(db)?;
        tx.commit().await?;
        gone += done.rows_affected;
    }
}
