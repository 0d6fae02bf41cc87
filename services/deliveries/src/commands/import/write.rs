//! Writes what a batch changes in deliveries, with their history, edit records, shipments and events.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::Result;
use uuid::Uuid;

use super::rows::{delivery_row, first_step, imported, item_row};
use super::undoable::{self, Change};
use super::{Batch, Loaded, record};
use crate::domain::row::Write;
use crate::entity::{delivery, edit, history, item};
use crate::events::change::ImportedDelivery;
use crate::events::emit::{self, Imported};
use crate::tables::{removed_deliveries, shipments, upsert};
use ::store::filter::fold;
use ::store::{Tx, bulk};

/// What a batch writes.
#[derive(Default)]
struct Rows {
    inserts: Vec<delivery::ActiveModel>,
    updates: Vec<delivery::ActiveModel>,
    new_items: Vec<item::ActiveModel>,
    changed_items: Vec<item::ActiveModel>,
    steps: Vec<history::ActiveModel>,
    edits: Vec<edit::ActiveModel>,
    /// Keys of the deliveries that come back after an undo.
    back: Vec<String>,
    touched: shipments::Touched,
    /// The shipments that no changed delivery is in any more, by folded number.
    left: BTreeMap<String, String>,
    deliveries: Vec<ImportedDelivery>,
    changes: Vec<Change>,
}

impl Rows {
    /// Makes all rows before the first one is written, and frees the loaded values, so that both are not in memory
    /// during the large statements.
    fn of(
        changed: BTreeMap<String, Loaded>,
        batch: &Batch,
        source_id: Uuid,
        max_attempts: i32,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        let mut rows = Self::default();
        for (key, it) in changed {
            let row = delivery_row(&key, &it, batch, source_id, max_attempts, now);
            touch(&mut rows.touched, &it);
            match &it.stored {
                None => {
                    rows.steps.push(first_step(&key, &it, batch, now));
                    rows.inserts.push(row);
                }
                Some(stored) => {
                    rows.left.insert(stored.shipmentnumber_key.clone(), stored.shipmentnumber.clone());
                    rows.edits.push(record::edit_row(&it, stored, batch, now)?);
                    rows.updates.push(row);
                }
            }
            for (item_key, entry) in &it.known.items {
                match entry.write {
                    Some(Write::Insert) => rows.new_items.push(item_row(&key, item_key, entry)),
                    Some(Write::Update) => rows.changed_items.push(item_row(&key, item_key, entry)),
                    None => {}
                }
            }
            rows.deliveries.push(imported(&it, source_id));
            rows.back.extend(it.removed.is_some().then(|| key.clone()));
            rows.changes.push(Change::of(key, it));
        }
        for it in &rows.deliveries {
            rows.left.remove(&fold(&it.fact.shipmentnumber));
        }
        Ok(rows)
    }
}

pub(super) async fn write(
    tx: &Tx,
    config: &kit::config::Deliveries,
    batch: &Batch,
    source_id: Uuid,
    changed: BTreeMap<String, Loaded>,
    now: DateTime<Utc>,
) -> Result<()> {
    let rows = Rows::of(changed, batch, source_id, config.max_attempts, now)?;
    removed_deliveries::forget(tx, rows.back.iter().map(String::as_str)).await?;
    // Plain INSERT for new rows: if another import creates the same delivery in the meantime, the key
    // conflicts, and the batch is retried and then sees it.
    bulk::insert(&**tx, rows.inserts).await?;
    kit::fail_point("deliveries.import.deliveries_created");
    upsert::deliveries(tx, rows.updates).await?;
    bulk::insert(&**tx, rows.new_items).await?;
    kit::fail_point("deliveries.import.items_created");
    upsert::items(tx, rows.changed_items).await?;
    bulk::insert(&**tx, rows.steps).await?;
    kit::fail_point("deliveries.import.history_written");
    bulk::insert(&**tx, rows.edits).await?;
    undoable::note(tx, batch.upload, rows.changes, now).await?;
    let statuses = shipments::roll_up_touched(tx, rows.touched, config.undelivered_is_final).await?;
    let imported = Imported {
        upload: batch.upload,
        number: batch.number,
        source_id: &batch.source_id,
        actor: &batch.actor,
        deliveries: rows.deliveries,
        left: rows.left.into_values().collect(),
        shipments: &statuses,
    };
    emit::deliveries_imported(tx, imported, now).await
}

/// Records a delivery's effect on its shipment. Recounting the whole shipment for each batch would take
/// quadratic time for a file with a single shipment number.
fn touch(touched: &mut shipments::Touched, it: &Loaded) {
    let header = &it.known.header;
    let same_shipment = |row: &delivery::Model| row.shipmentnumber_key == fold(&header.shipmentnumber);
    match &it.stored {
        None => touched.joined(&header.shipmentnumber, header.scheduledatetime, 1),
        // The delivery is still Pending and in the same shipment: no count changes, and the shipment's first
        // dispatch does not get later.
        Some(row) if same_shipment(row) && row.scheduledatetime >= header.scheduledatetime => {
            touched.joined(&header.shipmentnumber, header.scheduledatetime, 0);
        }
        Some(row) => {
            touched.recount(&header.shipmentnumber);
            touched.recount(&row.shipmentnumber);
        }
    }
}
