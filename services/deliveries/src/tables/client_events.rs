//! Client events, so that each takes effect once.

use ::store::clearing::Doubts;
use ::store::{Db, Tx, db};
use chrono::{DateTime, TimeDelta, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;
use uuid::Uuid;

use crate::domain::command::Effect;
use crate::entity::client_event::{ActiveModel, Column, Entity};
use crate::entity::delivery;

/// How long events are kept: longer than a device stays offline.
const KEPT: TimeDelta = TimeDelta::days(90);

/// The client's id of an event, and a fingerprint of its content.
#[derive(Debug, Clone)]
pub struct Event {
    pub id: Uuid,
    pub fingerprint: Vec<u8>,
}

/// Returns whether the event was accepted before. The caller must hold the delivery's lock, so that a
/// concurrent repetition waits.
pub async fn is_known(tx: &Tx, delivery: &delivery::Model, event: &Event) -> Result<bool> {
    let known = Entity::find_by_id((delivery.id_key.clone(), event.id)).one(&**tx).await.map_err(db)?;
    match known {
        None => Ok(false),
        Some(known) if known.fingerprint == event.fingerprint => Ok(true),
        Some(_) => {
            let text = format!(
                "The client event {} was already sent for {} with other content",
                event.id, delivery.id
            );
            Err(Error::invalid("CLIENT_EVENT_REUSED", text.clone()).field("clientEventId", text))
        }
    }
}

/// Records an accepted event; `delivery` is its result.
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

/// Deletes events that are too old to be repeated, unless `doubts` suspects a wrong clock; returns how many.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    doubts.delete_old::<Entity>(db_, Column::At, now - KEPT).await
}
