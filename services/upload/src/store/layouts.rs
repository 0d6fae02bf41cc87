//! Files whose header needs a decision, and decisions about earlier files with the same header.

use chrono::{DateTime, Duration, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::queue::{self, is_open};
use crate::entity::header_mapping;
use crate::entity::upload_log::{Column, Entity, Model, Status};
use crate::file::layout::{Layout, Preview};
use ::store::clearing::Doubts;
use ::store::jobs::{Halt, Hold};
use ::store::{Db, Tx, db};

/// How long an unused mapping is kept.
const REMEMBERED: Duration = Duration::days(365);

fn text(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}

fn fingerprint(preview: &Preview, line: u32) -> String {
    let headings = preview.fingerprint(line);
    hex::encode(ring::digest::digest(&ring::digest::SHA256, headings.as_bytes()))
}

/// Returns the mapping saved for this header; if there is none, makes the import wait for a person.
pub async fn known_layout_or_wait(
    hold: &Hold,
    log: &Model,
    preview: &Preview,
    now: DateTime<Utc>,
) -> Result<Option<Layout>, Halt> {
    let line = preview.header_line();
    let tx = hold.begin().await?;
    let known = remembered(&tx, &fingerprint(preview, line)).await?;
    let layout = known.map(|columns| Layout { header_line: line, columns });
    let layout = layout.filter(|layout| preview.check(layout).is_ok());
    if layout.is_some() {
        // Using a mapping keeps it for another year.
        let used = header_mapping::Entity::update_many()
            .col_expr(header_mapping::Column::UsedAt, Expr::value(now))
            .filter(header_mapping::Column::Fingerprint.eq(fingerprint(preview, line)));
        used.exec(&**tx).await.map_err(db)?;
    }
    let update = Entity::update_many().filter(is_open(log.id));
    let update = match &layout {
        Some(layout) => update.col_expr(Column::Layout, Expr::value(text(layout)?)),
        None => update
            .col_expr(Column::Status, Expr::value(Status::NeedsMapping))
            .col_expr(Column::Preview, Expr::value(text(preview)?)),
    };
    update.exec(&**tx).await.map_err(db)?;
    kit::fail_point("upload.import.header_noted");
    tx.commit().await?;
    Ok(layout)
}

async fn remembered(tx: &Tx, fingerprint: &str) -> Result<Option<Vec<Option<String>>>> {
    let found = header_mapping::Entity::find_by_id(fingerprint.to_owned()).one(&**tx).await.map_err(db)?;
    found.map(|row| serde_json::from_str(&row.columns).map_err(Error::internal)).transpose()
}

/// Returns the first rows of a waiting file.
pub fn preview_of(log: &Model) -> Result<Preview> {
    let waits = Some(&log.preview).filter(|_| log.status == Status::NeedsMapping);
    let Some(Some(text)) = waits else { return Err(nothing_to_decide()) };
    serde_json::from_str(text).map_err(Error::internal)
}

fn nothing_to_decide() -> Error {
    Error::precondition("MAPPING_NOT_NEEDED", "The columns of this file are already matched.")
}

/// Saves a decision, which also applies to files with the same header, and continues the import.
pub async fn save_layout(db_: &Db, id: Uuid, layout: &Layout, by: &str, now: DateTime<Utc>) -> Result<Model> {
    let tx = db_.begin().await?;
    let found = Entity::find_by_id(id).lock_exclusive().one(&*tx).await.map_err(db)?;
    let log = found.ok_or_else(|| Error::not_found("UPLOAD_LOG_NOT_FOUND", "There is no such upload"))?;
    let preview = preview_of(&log)?;
    preview.check(layout).map_err(|error| Error::invalid_field("fields", error.text))?;
    remember(&tx, &fingerprint(&preview, layout.header_line), layout, by, now).await?;
    // A dry run has its own job, and continues as a dry run.
    let status = if log.job_id.is_some() { Status::Checking } else { Status::Uploaded };
    let job = queue::enqueue_other(&tx, queue::CHECK, id, &log.uploaded_by, now).await?;
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::JobId, Expr::value(job))
        .col_expr(Column::Layout, Expr::value(text(layout)?))
        .col_expr(Column::Preview, Expr::value(None::<String>))
        .filter(Column::Id.eq(id))
        .exec(&*tx)
        .await
        .map_err(db)?;
    let log = Entity::find_by_id(id).one(&*tx).await.map_err(db)?;
    kit::fail_point("upload.import.header_decided");
    tx.commit().await?;
    log.ok_or_else(|| Error::internal("an upload log vanished"))
}

async fn remember(tx: &Tx, fingerprint: &str, layout: &Layout, by: &str, now: DateTime<Utc>) -> Result<()> {
    use header_mapping::{ActiveModel, Column as C, Entity};
    let row = ActiveModel {
        fingerprint: Set(fingerprint.to_owned()),
        columns: Set(text(&layout.columns)?),
        saved_by: Set(by.to_owned()),
        used_at: Set(now),
    };
    let again =
        OnConflict::column(C::Fingerprint).update_columns([C::Columns, C::SavedBy, C::UsedAt]).to_owned();
    Entity::insert(row).on_conflict(again).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// Deletes mappings that were unused for long, unless there are implausibly many. Returns how many were
/// deleted.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    use header_mapping::{Column as C, Entity};
    if !doubts.allow_old::<Entity>(db_, C::UsedAt, Condition::all(), now - REMEMBERED).await? {
        return Ok(0);
    }
    let tx = db_.begin().await?;
    let old = Entity::delete_many().filter(C::UsedAt.lt(now - REMEMBERED));
    let gone = old.exec(&*tx).await.map_err(db)?.rows_affected;
    tx.commit().await?;
    Ok(gone)
}
