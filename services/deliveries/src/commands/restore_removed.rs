//! Restores a delivery that an undo removed, because its driver may still report an outcome or send a file.
//!
//! An import or the office can also restore a removed delivery, by creating a delivery with its number:
//! history and versions continue.

use ::store::filter::fold;
use ::store::{Tx, bulk, counter, db};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, QuerySelect};

use crate::Context;
use crate::commands::undo_import::image::{self, RemovedImage};
use crate::commands::write;
use crate::domain::actor::Actor;
use crate::domain::delivery::{ScanMode, Status};
use crate::domain::document::Item;
use crate::domain::driver::is_same;
use crate::domain::outbound::Method;
use crate::entity::removed_delivery::Entity;
use crate::entity::{delivery, history};
use crate::events::change::ImportedDelivery;
use crate::events::emit::{self, Imported};
use crate::tables::columns::{columns_of, new_item};
use crate::tables::removed_deliveries::{Step, forget};
use crate::tables::{deliveries, drivers, shipments};

const RESTORED: &str = "Restored: an update arrived after the delivery was removed";

/// Restores a removed delivery for its driver or the office. Does nothing if the delivery was not removed,
/// belonged to another driver, or was cleared by retention.
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

/// Restores like [`restore`], within a transaction.
pub async fn restore_in(tx: &Tx, context: &Context, id: &str, actor: &Actor) -> Result<()> {
    let row = Entity::find_by_id(fold(id)).lock_exclusive().one(&**tx).await.map_err(db)?;
    let Some((row, text)) = row.and_then(|row| row.image.clone().map(|text| (row, text))) else {
        return Ok(());
    };
    let removed: RemovedImage = image::read(&text)?;
    if let Actor::Driver { driver_id, .. } = actor
        && !is_same(driver_id, removed.image.driver_id())
    {
        return Ok(());
    }
    drivers::require_permitted(&**tx, actor).await?;
    let now = context.clock.now();
    let head = removed.image.head();
    let items: Vec<Item> = removed.image.items.into_iter().filter_map(|(_, item)| item).collect();
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
        ..columns_of(head)
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
    let fact = emit::with_driver_before(emit::fact(&delivery, String::new()), None);
    let imported = Imported {
        upload: row.upload_log_id,
        number: 0,
        source_id: &source_id,
        actor: actor.name(),
        deliveries: vec![ImportedDelivery::new(&delivery, fact, Method::Create)],
        left: Vec::new(),
        shipments: &statuses,
    };
    emit::deliveries_imported(tx, imported, now).await?;
    counter::add(&**tx, deliveries::COUNTER, 1).await
}
