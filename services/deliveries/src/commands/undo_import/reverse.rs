//! Writes the decisions of an undo: removed deliveries, and restored values.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::DeliveryFact;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, TryIntoModel};

use super::Undo;
use super::image::{self, Image, RemovedImage};
use crate::Context;
use crate::domain::document::Item;
use crate::domain::driver::DriverStatus;
use crate::domain::entry::{head_changes, item_changes};
use crate::domain::import::incomplete_change;
use crate::domain::outbound::Method;
use crate::domain::state::FieldChange;
use crate::entity::import_change::{self, Column, Entity, Model};
use crate::entity::{delivery, edit, history, item, removed_delivery};
use crate::events::change::ImportedDelivery;
use crate::events::emit::{self, Imported};
use crate::tables::columns::{all_columns, both, columns_of, head_of, item_of, new_item};
use crate::tables::removed_deliveries::{self, Step};
use crate::tables::{deliveries, drivers, shipments, upsert};
use ::store::bulk;
use ::store::filter::fold;
use ::store::{Tx, counter, db};

const REMOVED: &str = "Removed: its import was undone";

/// Items of a delivery, by key.
type Items = BTreeMap<String, item::Model>;

/// The rows to write, collected from all deliveries of the part.
#[derive(Default)]
struct Writes {
    changed: Vec<ImportedDelivery>,
    touched: shipments::Touched,
    /// Numbers of the shipments that deliveries left, by folded number.
    left: BTreeMap<String, String>,
    // The deliveries to remove.
    removed: Vec<removed_delivery::Model>,
    steps: Vec<history::ActiveModel>,
    // The deliveries to restore.
    deliveries: Vec<delivery::ActiveModel>,
    edits: Vec<edit::ActiveModel>,
    items: Vec<item::ActiveModel>,
    gone_items: Vec<(String, Vec<String>)>,
    /// The version before the import and the new one, by delivery.
    restored: BTreeMap<String, (i64, i64)>,
}

/// Reverses deliveries. Returns the records of earlier imports that can be undone in turn, because their
/// deliveries are again as those imports left them.
pub(super) async fn run(
    tx: &Tx,
    context: &Context,
    undo: &Undo,
    reversed: Vec<(Model, delivery::Model)>,
    now: DateTime<Utc>,
) -> Result<Vec<Model>> {
    if reversed.is_empty() {
        return Ok(Vec::new());
    }
    let images = images(tx, &reversed).await?;
    let mut items = items(tx, &reversed).await?;
    let steps = last_steps(tx, &reversed).await?;
    let mut writes = Writes::default();
    for ((note, row), before) in reversed.iter().zip(images) {
        let own = items.remove(&row.id_key).unwrap_or_default();
        if note.created {
            let step = steps.get(&row.id_key).copied().unwrap_or_default() + 1;
            writes.remove(undo, row, own, step, now)?;
        } else if let Some(before) = before {
            writes.restore(undo, (note, before), row, own, now)?;
        }
    }
    writes.run(tx, context, undo, now).await
}

impl Writes {
    fn remove(
        &mut self,
        undo: &Undo,
        row: &delivery::Model,
        items: Items,
        step: i32,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let head = head_of(row);
        let kept = items.into_iter().map(|(key, item)| (key, Some(item_of(&item)))).collect();
        let image = RemovedImage::new(row, Image::new(head, row.incomplete_upload_id, kept));
        self.removed.push(removed_delivery::Model {
            delivery_key: row.id_key.clone(),
            delivery_id: row.id.clone(),
            version: row.version + 1,
            last_step: step,
            upload_log_id: undo.upload,
            removed_by: undo.actor.name().to_owned(),
            removed_at: now,
            image: Some(image.text()?),
        });
        let told = Step { of: row, number: step, note: REMOVED, now };
        self.steps.push(told.row(&undo.actor));
        self.touched.recount(&row.shipmentnumber);
        self.left.insert(row.shipmentnumber_key.clone(), row.shipmentnumber.clone());
        let gone = delivery::Model { version: row.version + 1, ..row.clone() };
        let left_driver_id = row.driver_id.clone().unwrap_or_default();
        let fact = DeliveryFact { removed: true, left_driver_id, ..emit::fact(&gone, String::new()) };
        self.changed.push(ImportedDelivery::new(&gone, fact, Method::Cancel));
        Ok(())
    }

    fn restore(
        &mut self,
        undo: &Undo,
        (note, before): (&Model, Image),
        row: &delivery::Model,
        mut items: Items,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let head = before.head();
        let mut changes = vec![FieldChange {
            item_number: None,
            field: "undoneUploadLogId",
            before: None,
            after: Some(undo.upload.to_string()),
        }];
        changes.extend(head_changes(&head_of(row), &head));
        let mut gone = Vec::new();
        let counted = !before.items.is_empty();
        for (key, kept) in before.items {
            let there = items.get(&key).map(item_of);
            changes.extend(item_changes(there.as_ref(), kept.as_ref()));
            match kept {
                Some(kept) => self.items.push(restored_item(&row.id_key, &key, kept, items.get(&key))),
                None => {
                    items.remove(&key);
                    gone.push(key);
                }
            }
        }
        changes.extend(incomplete_change(row.incomplete_upload_id, before.incomplete));
        if !gone.is_empty() {
            self.gone_items.push((row.id_key.clone(), gone));
        }
        let version = row.version + 1;
        self.edits.push(edit::ActiveModel {
            delivery_key: Set(row.id_key.clone()),
            version: Set(version),
            at: Set(now),
            actor: Set(undo.actor.name().to_owned()),
            changes: Set(edit::write(&changes)?),
        });
        let changed = delivery::ActiveModel {
            version: Set(version),
            updated_at: Set(now),
            updated_by: Set(undo.actor.name().to_owned()),
            linecount: Set(i32::try_from(items.len()).unwrap_or(i32::MAX)),
            incomplete_upload_id: Set(before.incomplete),
            office_decided_at: Set(if counted { Some(now) } else { row.office_decided_at }),
            ..columns_of(head)
        };
        let changed = both(changed, all_columns::<delivery::Entity, _>(row.clone()));
        let after = changed.clone().try_into_model().map_err(db)?;
        self.touched.recount(&row.shipmentnumber);
        self.touched.recount(&after.shipmentnumber);
        if row.shipmentnumber_key != after.shipmentnumber_key {
            self.left.insert(row.shipmentnumber_key.clone(), row.shipmentnumber.clone());
        }
        let fact = emit::with_driver_before(emit::fact(&after, String::new()), row.driver_id.as_deref());
        self.changed.push(ImportedDelivery::new(&after, fact, Method::Update));
        self.deliveries.push(changed);
        self.restored.insert(row.id_key.clone(), (note.version_before, version));
        Ok(())
    }

    async fn run(self, tx: &Tx, context: &Context, undo: &Undo, now: DateTime<Utc>) -> Result<Vec<Model>> {
        let removed = self.removed.len() as i64;
        let keys: Vec<String> = self.removed.iter().map(|row| row.delivery_key.clone()).collect();
        removed_deliveries::keep(tx, self.removed).await?;
        if !keys.is_empty() {
            use {delivery::Column as D, item::Column as I};
            let own = item::Entity::delete_many().filter(bulk::among(&**tx, I::DeliveryKey, &keys));
            own.exec(&**tx).await.map_err(db)?;
            let rows = delivery::Entity::delete_many().filter(bulk::among(&**tx, D::IdKey, &keys));
            rows.exec(&**tx).await.map_err(db)?;
        }
        bulk::insert(&**tx, self.steps).await?;
        kit::fail_point("deliveries.undo.removed");
        upsert::deliveries(tx, self.deliveries).await?;
        upsert::items(tx, self.items).await?;
        delete_items(tx, &self.gone_items).await?;
        bulk::insert(&**tx, self.edits).await?;
        kit::fail_point("deliveries.undo.values_restored");
        let rules = context.rules();
        let statuses = shipments::roll_up_touched(tx, self.touched, rules.undelivered_is_final).await?;
        let imported = Imported {
            upload: undo.upload,
            number: 0,
            source_id: "",
            actor: undo.actor.name(),
            deliveries: self.changed,
            left: self.left.into_values().collect(),
            shipments: &statuses,
        };
        emit::deliveries_imported(tx, imported, now).await?;
        let others = earlier(tx, undo, &self.restored).await?;
        counter::add(&**tx, deliveries::COUNTER, -removed).await?;
        Ok(others)
    }
}

/// Returns the item with its previous values, in its existing row.
fn restored_item(
    delivery_key: &str,
    key: &str,
    kept: Item,
    there: Option<&item::Model>,
) -> item::ActiveModel {
    let Item { item_number: _, sku, description, unit, quantity, weight_grams, barcode } = kept.clone();
    match there {
        Some(row) => all_columns::<item::Entity, _>(item::Model {
            sku,
            description,
            unit,
            quantity,
            weight_grams,
            barcode,
            ..row.clone()
        }),
        // Unreachable in practice: an import never removes an item, so an item that it changed exists.
        None => item::ActiveModel { item_key: Set(key.to_owned()), ..new_item(delivery_key, kept) },
    }
}

async fn delete_items(tx: &Tx, gone: &[(String, Vec<String>)]) -> Result<()> {
    use item::Column as C;
    for some in gone.chunks(100) {
        let mut any = Condition::any();
        for (delivery, keys) in some {
            any = any.add(Condition::all().add(C::DeliveryKey.eq(delivery)).add(C::ItemKey.is_in(keys)));
        }
        item::Entity::delete_many().filter(any).exec(&**tx).await.map_err(db)?;
    }
    Ok(())
}

/// Returns the values to restore; `None` if none were kept. As in an import, a blocked driver is not assigned; one who
/// still has the delivery keeps it.
async fn images(tx: &Tx, reversed: &[(Model, delivery::Model)]) -> Result<Vec<Option<Image>>> {
    let read = |note: &Model| note.image.as_deref().map(image::read::<Image>).transpose();
    let mut images = reversed.iter().map(|(note, _)| read(note)).collect::<Result<Vec<_>>>()?;
    let named: BTreeSet<String> = images.iter().flatten().filter_map(Image::driver_id).map(fold).collect();
    let known = drivers::by_keys(&**tx, named).await?;
    let blocked = known.into_iter().filter(|driver| driver.status == DriverStatus::Blocked);
    let blocked: BTreeSet<String> = blocked.map(|driver| driver.driver_id_key).collect();
    for ((_, row), image) in reversed.iter().zip(&mut images) {
        let Some(image) = image else { continue };
        let driver = image.driver_id().map(fold);
        if driver != row.driver_id_key && driver.is_some_and(|key| blocked.contains(&key)) {
            image.unassign();
        }
    }
    Ok(images)
}

async fn items(tx: &Tx, reversed: &[(Model, delivery::Model)]) -> Result<BTreeMap<String, Items>> {
    let keys = reversed.iter().map(|(_, row)| row.id_key.as_str());
    let rows = item::Entity::find().filter(bulk::among(&**tx, item::Column::DeliveryKey, keys));
    let mut items: BTreeMap<String, Items> = BTreeMap::new();
    for row in rows.all(&**tx).await.map_err(db)? {
        items.entry(row.delivery_key.clone()).or_default().insert(row.item_key.clone(), row);
    }
    Ok(items)
}

/// Returns the last history step of each delivery that the import created.
async fn last_steps(tx: &Tx, reversed: &[(Model, delivery::Model)]) -> Result<BTreeMap<String, i32>> {
    use history::Column as C;
    let made = reversed.iter().filter(|(note, _)| note.created).map(|(_, row)| row.id_key.as_str());
    let rows: Vec<(String, i32)> = history::Entity::find()
        .select_only()
        .column(C::DeliveryKey)
        .column_as(C::Step.max(), "last")
        .filter(bulk::among(&**tx, C::DeliveryKey, made))
        .group_by(C::DeliveryKey)
        .into_tuple()
        .all(&**tx)
        .await
        .map_err(db)?;
    Ok(rows.into_iter().collect())
}

/// Returns the records of earlier imports whose result a delivery has again, now that it is restored.
async fn earlier(tx: &Tx, undo: &Undo, restored: &BTreeMap<String, (i64, i64)>) -> Result<Vec<Model>> {
    if restored.is_empty() {
        return Ok(Vec::new());
    }
    let keys: BTreeSet<&str> = restored.keys().map(String::as_str).collect();
    let rows = Entity::find()
        .filter(bulk::among(&**tx, Column::DeliveryKey, keys))
        .filter(Column::UploadLogId.ne(undo.upload))
        .filter(Column::Result.is_null())
        .all(&**tx)
        .await
        .map_err(db)?;
    let again = rows.into_iter().filter_map(|row| {
        let (before, now) = restored.get(&row.delivery_key)?;
        (row.version_after == *before).then_some(import_change::Model { version_after: *now, ..row })
    });
    Ok(again.collect())
}
