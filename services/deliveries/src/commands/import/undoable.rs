//! Records what a batch does to deliveries, for undo.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::Loaded;
use super::rows::version;
use crate::commands::undo_import::image::{self, Image};
use crate::entity::import_change::{ActiveModel, Column, Entity, Model};
use crate::tables::columns::head_of;
use ::store::bulk;
use ::store::{Tx, db};

/// What a batch does to a delivery.
pub(super) struct Change {
    key: String,
    delivery_id: String,
    /// `None` for a new delivery.
    version_before: Option<i64>,
    version_after: i64,
    /// The previous values; `None` for a new delivery.
    image: Option<Image>,
}

/// Records the change of each delivery. A delivery that an earlier batch of the same import changed keeps the
/// values from before that batch.
pub(super) async fn note(tx: &Tx, upload: Uuid, changes: Vec<Change>, now: DateTime<Utc>) -> Result<()> {
    let there = changes.iter().filter(|it| it.version_before.is_some()).map(|it| it.key.as_str());
    let there: Vec<&str> = there.collect();
    let mut noted: BTreeMap<String, Model> = BTreeMap::new();
    if !there.is_empty() {
        let rows = Entity::find()
            .filter(Column::UploadLogId.eq(upload))
            .filter(bulk::among(&**tx, Column::DeliveryKey, there))
            .all(&**tx)
            .await
            .map_err(db)?;
        noted.extend(rows.into_iter().map(|row| (row.delivery_key.clone(), row)));
    }
    let mut rows = Vec::with_capacity(changes.len());
    for change in changes {
        rows.push(match noted.remove(&change.key) {
            Some(before) => change.again(before)?,
            None => change.first(upload, now)?,
        });
    }
    let over = OnConflict::columns([Column::UploadLogId, Column::DeliveryKey])
        .update_columns([Column::VersionAfter, Column::Image])
        .to_owned();
    bulk::upsert(&**tx, rows, &over).await?;
    kit::fail_point("deliveries.import.undo_noted");
    Ok(())
}

impl Change {
    pub(super) fn of(key: String, it: Loaded) -> Self {
        Self {
            key,
            version_before: it.stored.as_ref().map(|row| row.version),
            version_after: version(&it),
            image: image_of(&it),
            delivery_id: it.known.header.id,
        }
    }

    fn first(self, upload: Uuid, now: DateTime<Utc>) -> Result<ActiveModel> {
        let image = match self.image {
            Some(image) => image.text()?,
            None => None,
        };
        Ok(ActiveModel {
            upload_log_id: Set(upload),
            delivery_key: Set(self.key),
            delivery_id: Set(self.delivery_id),
            created: Set(self.version_before.is_none()),
            version_before: Set(self.version_before.unwrap_or_default()),
            version_after: Set(self.version_after),
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
    fn again(self, before: Model) -> Result<ActiveModel> {
        let untouched = self.version_before == Some(before.version_after);
        let image = match (&before.image, self.image) {
            (Some(text), Some(later)) => {
                let mut all: Image = image::read(text)?;
                all.add_items(later);
                all.text()?
            }
            (image, _) => image.clone(),
        };
        let version_after = if untouched { self.version_after } else { before.version_after };
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
}

/// Returns the previous values; `None` for a new delivery.
fn image_of(it: &Loaded) -> Option<Image> {
    let stored = it.stored.as_ref()?;
    let head = head_of(stored);
    let items = it.known.items.iter().filter(|(_, item)| item.write.is_some());
    let items = items.map(|(key, _)| (key.clone(), it.items.get(key).cloned())).collect();
    Some(Image::new(head, stored.incomplete_upload_id, items))
}
