//! Changes that an import would make, found by a dry run.

use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::entity::upload_change::{ActiveModel, Column, Entity, Model};
use ::store::{Db, Tx, bulk, db};

/// Maximum number of changes kept per dry run.
const KEPT: u64 = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    pub delivery_id: String,
    pub item_number: Option<String>,
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Stores changes until the dry run has [`KEPT`] of them.
pub(super) async fn add(tx: &Tx, log: Uuid, changes: Vec<NewChange>) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let kept = Entity::find().filter(Column::UploadLogId.eq(log)).count(&**tx).await.map_err(db)?;
    let rows = (kept..KEPT).zip(changes).map(|(number, change)| ActiveModel {
        upload_log_id: Set(log),
        number: Set(i32::try_from(number).unwrap_or(i32::MAX)),
        delivery_id: Set(change.delivery_id),
        item_number: Set(change.item_number),
        field: Set(change.field),
        before: Set(change.before),
        after: Set(change.after),
    });
    bulk::insert(&**tx, rows.collect()).await
}

pub(super) async fn clear(tx: &Tx, log: Uuid) -> Result<()> {
    Entity::delete_many().filter(Column::UploadLogId.eq(log)).exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// Returns the changes of one dry run, in the order they were found.
pub async fn changes(db_: &Db, log: Uuid) -> Result<Vec<Model>> {
    Entity::find()
        .filter(Column::UploadLogId.eq(log))
        .order_by_asc(Column::Number)
        .limit(KEPT)
        .all(db_.read())
        .await
        .map_err(db)
}
