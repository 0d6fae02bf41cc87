//! Reverses an import, some deliveries per transaction.
//!
//! An import records each delivery that it creates or changes (`import::undoable`), with previous values
//! (`image`). An undo goes through these records in key order, decides with `domain::undo` and writes with
//! `reverse`. The decision is stored in the record, so that a repeated request changes nothing.
//! `tables::removed_deliveries` has the deliveries that were removed, `queries::undo_import` counts without
//! changing anything, `clear` is retention.

use std::collections::{BTreeMap, BTreeSet};

use ::store::bulk;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::Result;
use proto::deliveries::v1::{UndoCounts, UndoImportResponse};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::Context;
use crate::commands::write;
use crate::domain::actor::Actor;
use crate::domain::undo::{Noted, Present, TOUCHED, Verdict, verdict};
use crate::entity::import_change::{Column, Entity, Model, UndoResult};
use crate::entity::{attachment, delivery};
use crate::tables::columns::all_columns;

pub use clear::clear;

mod clear;

pub mod image;

mod reverse;

/// Deliveries per transaction.
const BATCH: usize = 500;
/// Items per transaction, unless a single delivery has more.
const ITEMS: i64 = 20_000;

/// A part of an undo.
#[derive(Debug, Clone)]
pub struct Undo {
    pub upload: Uuid,
    /// Key of the last delivery of the previous part; empty at first.
    pub after: String,
    pub actor: Actor,
}

pub async fn run(context: &Context, undo: &Undo) -> Result<UndoImportResponse> {
    write(&context.db, |tx| async move {
        let done = apply(&tx, context, undo).await?;
        Ok((tx, done))
    })
    .await
}

async fn apply(tx: &Tx, context: &Context, undo: &Undo) -> Result<UndoImportResponse> {
    tx.plan_for_keys().await?;
    let mut notes = Entity::find()
        .filter(Column::UploadLogId.eq(undo.upload))
        .filter(Column::DeliveryKey.gt(undo.after.as_str()))
        .order_by_asc(Column::DeliveryKey)
        .limit(BATCH as u64)
        .lock_exclusive()
        .all(&**tx)
        .await
        .map_err(db)?;
    let mut more = notes.len() == BATCH;
    let keys: BTreeSet<&str> =
        notes.iter().filter(|it| it.result.is_none()).map(|it| it.delivery_key.as_str()).collect();
    let mut stored = lock(tx, &keys).await?;
    if let Some(end) = end_of_part(&notes, &stored) {
        notes.truncate(end);
        more = true;
    }
    let proven = attachments(tx, &notes).await?;
    let now = context.clock.now();
    let mut reversed = Vec::new();
    for note in notes.iter_mut().filter(|it| it.result.is_none()) {
        let row = stored.remove(&note.delivery_key);
        let present = row.as_ref().map(|row| present(row, proven.get(&note.delivery_key)));
        let noted =
            Noted { created: note.created, version: note.version_after, has_image: note.image.is_some() };
        match (verdict(noted, present.as_ref()), row) {
            (Verdict::Reverse, Some(row)) => {
                reversed.push((note.clone(), row));
                note.result = Some(UndoResult::Reversed);
                note.image = None;
            }
            (Verdict::Kept { by, at }, _) => {
                note.result = Some(UndoResult::Kept);
                note.reason = Some(TOUCHED.to_owned());
                (note.touched_by, note.touched_at) = (Some(by), Some(at));
            }
            (Verdict::Failed(code), _) => fail(note, code),
            (Verdict::Reverse, None) => fail(note, crate::domain::undo::GONE),
        }
    }
    let others = reverse::run(tx, context, undo, reversed, now).await?;
    let counts = count(&notes);
    let next = if more { notes.last().map(|it| it.delivery_key.clone()) } else { None };
    save(tx, notes.into_iter().chain(others)).await?;
    kit::fail_point("deliveries.undo.applied");
    Ok(UndoImportResponse { counts: Some(counts), next: next.unwrap_or_default() })
}

fn fail(note: &mut Model, code: &str) {
    note.result = Some(UndoResult::Failed);
    note.reason = Some(code.to_owned());
}

/// Returns the record at which the part ends because its deliveries have too many items; `None` when all fit.
fn end_of_part(notes: &[Model], stored: &BTreeMap<String, delivery::Model>) -> Option<usize> {
    let mut items = 0_i64;
    notes.iter().enumerate().find_map(|(at, note)| {
        items += stored.get(&note.delivery_key).map_or(0, |row| i64::from(row.linecount));
        (items > ITEMS && at > 0).then_some(at)
    })
}

/// Locks deliveries in key order, as imports do.
async fn lock(tx: &Tx, keys: &BTreeSet<&str>) -> Result<BTreeMap<String, delivery::Model>> {
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = delivery::Entity::find()
        .filter(bulk::among(&**tx, delivery::Column::IdKey, keys.iter().copied()))
        .order_by_asc(delivery::Column::IdKey)
        .lock_exclusive()
        .all(&**tx)
        .await
        .map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.id_key.clone(), row)).collect())
}

/// Returns who added the last file, and when, for each delivery that the import created.
async fn attachments(tx: &Tx, notes: &[Model]) -> Result<BTreeMap<String, (String, DateTime<Utc>)>> {
    use attachment::Column as C;
    let made = notes.iter().filter(|it| it.created && it.result.is_none());
    let keys: Vec<&str> = made.map(|it| it.delivery_key.as_str()).collect();
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(String, String, DateTime<Utc>)> = attachment::Entity::find()
        .select_only()
        .columns([C::DeliveryKey, C::CapturedBy, C::ReceivedAt])
        .filter(bulk::among(&**tx, C::DeliveryKey, keys))
        .order_by_asc(C::ReceivedAt)
        .into_tuple()
        .all(&**tx)
        .await
        .map_err(db)?;
    Ok(rows.into_iter().map(|(key, by, at)| (key, (by, at))).collect())
}

fn present(row: &delivery::Model, attachment: Option<&(String, DateTime<Utc>)>) -> Present {
    Present {
        version: row.version,
        updated_by: row.updated_by.clone(),
        updated_at: row.updated_at,
        conflict: row.conflict,
        attachment: attachment.cloned(),
    }
}

fn count(notes: &[Model]) -> UndoCounts {
    let of = |result| notes.iter().filter(|it| it.result == Some(result)).count() as u32;
    UndoCounts {
        reversed: of(UndoResult::Reversed),
        kept: of(UndoResult::Kept),
        failed: of(UndoResult::Failed),
    }
}

async fn save(tx: &Tx, notes: impl Iterator<Item = Model>) -> Result<()> {
    let rows: Vec<_> = notes.map(all_columns::<Entity, _>).collect();
    for some in bulk::chunks::<Entity, _>(&rows) {
        let key = OnConflict::columns([Column::UploadLogId, Column::DeliveryKey])
            .update_columns([
                Column::VersionAfter,
                Column::Image,
                Column::Result,
                Column::Reason,
                Column::TouchedBy,
                Column::TouchedAt,
            ])
            .to_owned();
        Entity::insert_many(some.to_vec())
            .on_conflict(key)
            .exec_without_returning(&**tx)
            .await
            .map_err(db)?;
    }
    Ok(())
}
