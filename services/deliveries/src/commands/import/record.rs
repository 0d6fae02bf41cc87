//! Edit records for what an import changed in existing deliveries.

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;

use super::rows::{place_after, version};
use super::{Batch, Loaded};
use crate::domain::entry::{Head, head_changes, item_changes};
use crate::domain::import::incomplete_change;
use crate::domain::state::FieldChange;
use crate::entity::{delivery, edit};
use crate::tables::columns::head_of;

/// Returns the edit record for the version that the import creates.
pub(super) fn edit_row(
    it: &Loaded,
    stored: &delivery::Model,
    batch: &Batch,
    now: DateTime<Utc>,
) -> Result<edit::ActiveModel> {
    Ok(edit::ActiveModel {
        delivery_key: Set(stored.id_key.clone()),
        version: Set(version(it)),
        at: Set(now),
        actor: Set(batch.actor.clone()),
        changes: Set(edit::write(&changes(it, stored))?),
    })
}

/// Returns the fields of an existing delivery that the import changes, with their values before and after.
pub(super) fn changes(it: &Loaded, stored: &delivery::Model) -> Vec<FieldChange> {
    let before = head_of(stored);
    let after = Head { header: it.known.header.clone(), place: place_after(stored, &it.known.header) };
    let mut changes = head_changes(&before, &after);
    for (key, entry) in &it.known.items {
        if entry.write.is_some() {
            changes.extend(item_changes(it.items.get(key), Some(&entry.item)));
        }
    }
    changes.extend(incomplete_change(stored.incomplete_upload_id, it.known.incomplete));
    changes
}
