//! Records what a batch does to deliveries, for undo.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::rows::version;
use super::{Batch, Loaded};
use crate::commands::undo_import::image::{self, Image};
use crate::entity::import_change::{ActiveModel, Column, Entity, Model};
use crate::tables::columns::head_of;
use ::store::bulk;
use ::store::{Tx, db};

/// Records the change of each delivery. A delivery that an earlier batch of the same import changed keeps the
/// values from before that batch.
pub(super) async fn note(
    tx: &Tx,
    batch: &Batch,
    changed: &BTreeMap<String, Loaded>,
    now: DateTime<Utc>,
) -> Result<()> {
    let there = changed.iter().filter(|(_, it)| it.stored.is_some()).map(|(key, _)| key.as_str());
    let there: Vec<&str> = there.collect();
    let mut noted: BTreeMap<String, Model> = BTreeMap::new();
    if !there.is_empty() {
        let rows = Entity::find()
            .filter(Column::UploadLogId.eq(batch.upload))
            .filter(bulk::among(&**tx, Column::DeliveryKey, there))
            .all(&**tx)
            .await
            .map_err(db)?;
        noted.extend(rows.into_iter().map(|row| (row.delivery_key.clone(), row)));
    }
    let mut rows = Vec::with_capacity(changed.len());
    for (key, it) in changed {
        rows.push(match noted.remove(key) {
            Some(before) => again(it, before)?,
            None => first(key, it, batch, now)?,
        });
    }
    let over = OnConflict::columns([Column::UploadLogId, Column::DeliveryKey])
        .update_columns([Column::VersionAfter, Column::Image])
        .to_owned();
    bulk::upsert(&**tx, rows, &over).await?;
    kit::fail_point("deliveries.import.undo_noted");
    Ok(())
}

fn first(key: &str, it: &Loaded, batch: &Batch, now: DateTime<Utc>) -> Result<ActiveModel> {
    let stored = it.stored.as_ref();
    let image = match image_of(it) {
        Some(image) => image.text()?,
        None => None,
    };
    Ok(ActiveModel {
        upload_log_id: Set(batch.upload),
        delivery_key: Set(key.to_owned()),
        delivery_id: Set(it.known.header.id.clone()),
        created: Set(stored.is_none()),
        version_before: Set(stored.map_or(0, |row| row.version)),
        version_after: Set(version(it)),
        image: Set(image),
        changed_at: Set(now),
        result: Set(None),
        reason: Set(None),
        touched_by: Set(None),
        touched_at: Set(None),
    })
}

/// Merges with the record of an earlier batch of the same import. If somebody else changed the delivery in
/// between, the record keeps the earlier version, so that an undo treats the delivery as changed.
fn again(it: &Loaded, before: Model) -> Result<ActiveModel> {
    let untouched = it.stored.as_ref().is_some_and(|row| row.version == before.version_after);
    let image = match (&before.image, image_of(it)) {
        (Some(text), Some(later)) => {
            let mut all: Image = image::read(text)?;
            all.add_items(later);
            all.text()?
        }
        (image, _) => image.clone(),
    };
    let version_after = if untouched { version(it) } else { before.version_after };
    let Model {
        upload_log_id,
        delivery_key,
        delivery_id,
        created,
        version_before,
        version_after: _,
        image: _,
        changed_at,
        result,
        reason,
        touched_by,
        touched_at,
    } = before;
    Ok(ActiveModel {
        upload_log_id: Set(upload_log_id),
        delivery_key: Set(delivery_key),
        delivery_id: Set(delivery_id),
        created: Set(created),
        version_before: Set(version_before),
        version_after: Set(version_after),
        image: Set(image),
        changed_at: Set(changed_at),
        result: Set(result),
        reason: Set(reason),
        touched_by: Set(touched_by),
        touched_at: Set(touched_at),
    })
}

/// Returns the previous values; `None` for a new delivery.
fn image_of(it: &Loaded) -> Option<Image> {
    let stored = it.stored.as_ref()?;
    let head = head_of(stored);
    let items = it.known.items.iter().filter(|(_, item)| item.write.is_some());
    let items = items.map(|(key, _)| (key.clone(), it.items.get(key).cloned())).collect();
    Some(Image::new(head, stored.incomplete_upload_id, items))
}
