//! Deliveries that an undo removed.

use std::collections::{BTreeMap, BTreeSet};

use ::store::filter::fold;
use ::store::{Tx, bulk, db};
use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::new_id;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{EntityTrait, QueryFilter, QuerySelect};

use crate::domain::actor::Actor;
use crate::domain::delivery::Status;
use crate::entity::removed_delivery::{Column, Entity, Model};
use crate::entity::{delivery, history};
use crate::tables::columns::all_columns;

/// Returns the removed deliveries among these keys.
pub async fn by_keys(tx: &Tx, keys: BTreeSet<String>) -> Result<BTreeMap<String, Model>> {
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = Entity::find().filter(bulk::among(&**tx, Column::DeliveryKey, keys)).lock_exclusive();
    let rows = rows.all(&**tx).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.delivery_key.clone(), row)).collect())
}

/// Deletes the rows of deliveries that were restored.
pub async fn forget<'a>(tx: &Tx, keys: impl Iterator<Item = &'a str>) -> Result<()> {
    let keys: Vec<&str> = keys.collect();
    if keys.is_empty() {
        return Ok(());
    }
    Entity::delete_many()
        .filter(bulk::among(&**tx, Column::DeliveryKey, keys))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

/// Records removed deliveries. A delivery that was removed before gets a new record in place of the old one.
pub async fn keep(tx: &Tx, rows: Vec<Model>) -> Result<()> {
    let over = OnConflict::column(Column::DeliveryKey)
        .update_columns([
            Column::DeliveryId,
            Column::Version,
            Column::LastStep,
            Column::UploadLogId,
            Column::RemovedBy,
            Column::RemovedAt,
            Column::Image,
        ])
        .to_owned();
    bulk::upsert(&**tx, rows.into_iter().map(all_columns::<Entity, _>).collect(), &over).await?;
    Ok(())
}

/// A step of a delivery that stays Pending: it was removed or restored.
pub struct Step<'a> {
    pub of: &'a delivery::Model,
    pub number: i32,
    pub note: &'a str,
    pub now: DateTime<Utc>,
}

impl Step<'_> {
    pub fn row(&self, actor: &Actor) -> history::ActiveModel {
        history::ActiveModel {
            delivery_key: Set(self.of.id_key.clone()),
            step: Set(self.number),
            id: Set(new_id()),
            delivery_id: Set(self.of.id.clone()),
            shipmentnumber: Set(self.of.shipmentnumber.clone()),
            from_status: Set(Some(Status::Pending)),
            to_status: Set(Status::Pending),
            attempt: Set(self.of.attempt),
            occurred_at: Set(self.now),
            received_at: Set(self.now),
            actor_type: Set(actor.kind()),
            actor_name: Set(actor.name().to_owned()),
            actor_name_key: Set(Some(fold(actor.name()))),
            note: Set(Some(self.note.to_owned())),
            upload_log_id: Set(self.of.upload_log_id),
            ..Default::default()
        }
    }
}
