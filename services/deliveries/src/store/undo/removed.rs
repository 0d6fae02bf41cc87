//! Deliveries that an undo took away, and how they come back: with a file, by hand, or with the outcome that
//! a driver had already got when the delivery was removed.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use kit::Result;
use kit::clock::new_id;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::image::{self, RemovedImage};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::delivery::{ScanMode, Status};
use crate::domain::document::Item;
use crate::domain::driver::is_same;
use crate::entity::removed_delivery::{Column, Entity, Model};
use crate::entity::{delivery, history};
use crate::events::emit::{self, Imported};
use crate::store::columns::{all_columns, columns_of, new_item};
use crate::store::{deliveries, drivers, shipments, write};
use ::store::filter::fold;
use ::store::{Tx, bulk, counter, db};

const RESTORED: &str = "Restored: an update arrived after the delivery was removed";

/// The removed deliveries among those with these keys.
pub async fn by_keys(tx: &Tx, keys: BTreeSet<String>) -> Result<BTreeMap<String, Model>> {
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = Entity::find().filter(Column::DeliveryKey.is_in(keys)).lock_exclusive();
    let rows = rows.all(&**tx).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.delivery_key.clone(), row)).collect())
}

/// Forgets deliveries that came back.
pub async fn forget<'a>(tx: &Tx, keys: impl Iterator<Item = &'a str>) -> Result<()> {
    let keys: Vec<&str> = keys.collect();
    if keys.is_empty() {
        return Ok(());
    }
    Entity::delete_many().filter(Column::DeliveryKey.is_in(keys)).exec(&**tx).await.map_err(db)?;
    Ok(())
}

pub(super) async fn keep(tx: &Tx, rows: Vec<Model>) -> Result<()> {
    for some in rows.chunks(bulk::chunk::<Entity>()) {
        let rows = some.iter().cloned().map(all_columns::<Entity, _>);
        let key = OnConflict::column(Column::DeliveryKey)
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
        Entity::insert_many(rows).on_conflict(key).exec_without_returning(&**tx).await.map_err(db)?;
    }
    Ok(())
}

/// Brings a removed delivery back for somebody who is with it: its driver, or the office. Does nothing about
/// a delivery that was not removed, is another driver's, or that retention has cleared.
pub async fn restore(context: &Context, id: &str, actor: &Actor) -> Result<()> {
    let key = fold(id);
    if Entity::find_by_id(key).one(context.db.read()).await.map_err(db)?.is_none() {
        return Ok(());
    }
    write(&context.db, |tx| async move {
        restore_in(&tx, context, id, actor).await?;
        Ok((tx, ()))
    })
    .await
}

/// The same within a transaction.
pub async fn restore_in(tx: &Tx, context: &Context, id: &str, actor: &Actor) -> Result<()> {
    let row = Entity::find_by_id(fold(id)).lock_exclusive().one(&**tx).await.map_err(db)?;
    let Some((row, text)) = row.and_then(|row| row.image.clone().map(|text| (row, text))) else {
        return Ok(());
    };
    let removed: RemovedImage = image::read(&text)?;
    if let Actor::Driver { driver_id, .. } = actor
        && !is_same(driver_id, removed.driver_id())
    {
        return Ok(());
    }
    drivers::require_permitted(&**tx, actor).await?;
    let now = context.clock.now();
    let head = removed.image.head()?;
    let mut items: Vec<Item> = Vec::with_capacity(removed.image.items.len());
    items.extend(removed.image.items.iter().filter_map(|(_, item)| item.clone()).map(Item::from));
    let delivery = delivery::ActiveModel {
        id_key: Set(row.delivery_key.clone()),
        id: Set(row.delivery_id.clone()),
        deliverystatus: Set(Status::Pending),
        scanmode: Set(ScanMode::No),
        source_id: Set(removed.source_id),
        upload_log_id: Set(removed.upload_log_id),
        last_upload_log_id: Set(removed.upload_log_id),
        linecount: Set(i32::try_from(items.len()).unwrap_or(i32::MAX)),
        attempt: Set(removed.attempt),
        max_attempts: Set(removed.max_attempts),
        created_at: Set(removed.created_at),
        created_by: Set(removed.created_by.clone()),
        updated_at: Set(now),
        updated_by: Set(actor.name().to_owned()),
        version: Set(row.version + 1),
        incomplete_upload_id: Set(removed.image.incomplete),
        ..columns_of(&head)
    };
    let delivery = delivery.insert(&**tx).await.map_err(db)?;
    let rows = items.into_iter().map(|item| new_item(&row.delivery_key, item)).collect();
    bulk::insert(&**tx, rows).await?;
    let step = Step { of: &delivery, number: row.last_step + 1, note: RESTORED, now };
    history::Entity::insert(step.row(actor)).exec_without_returning(&**tx).await.map_err(db)?;
    forget(tx, [row.delivery_key.as_str()].into_iter()).await?;
    kit::fail_point("deliveries.undo.restored");
    let numbers = [delivery.shipmentnumber.clone()];
    let statuses = shipments::roll_up(tx, &numbers, context.rules().undelivered_is_final).await?;
    let source_id = delivery.source_id.map(|id| id.to_string()).unwrap_or_default();
    let imported = Imported {
        upload: row.upload_log_id,
        number: 0,
        source_id: &source_id,
        actor: actor.name(),
        deliveries: vec![emit::fact(&delivery, String::new())],
        left: Vec::new(),
        shipments: &statuses,
    };
    emit::deliveries_imported(tx, imported, now).await?;
    counter::add(&**tx, deliveries::COUNTER, 1).await
}

/// A step of a delivery that stays Pending: it is removed, or comes back.
pub(super) struct Step<'a> {
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
