//! Queries for links, logs and refused rows. `queue` turns imports into jobs, `progress` writes the progress
//! of an import, and `undo` that of an undo. `changes` and `parts` have what a dry run found: changed fields and
//! all rows. `correct` changes `cells`, before the import (`edits`) and of refused rows (`corrections`). `warnings` has
//! what a person should check. `idempotency` recognizes repeated requests, `layouts` remembers decisions about
//! headers, `values` those about values, and `saved_mappings` those that somebody named. `start` records who
//! starts an import; `cancel` stops an upload's job, or ends an import that waits, and `abandoned` does so when nobody
//! continues it.

mod abandoned;
mod cancel;
mod cells;
mod changes;
mod correct;
mod corrections;
mod edits;
mod idempotency;
mod layouts;
mod parts;
mod progress;
mod queue;
mod same_file;
mod saved_mappings;
mod start;
mod undo;
mod values;
mod warnings;

use async_trait::async_trait;
use kit::blob::Blob;
use kit::clock::new_id;
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::entity::upload_link;
use crate::entity::upload_log::{ActiveModel, Column, Entity, Mode, Model, Status, came_to_nothing};
use crate::entity::upload_row::{self, Messages};
use crate::fields;
use ::store::audit::By;
use ::store::clearing::Doubts;
use ::store::filter::{condition, fold};
use ::store::links::{self, Needed, Referrer};
use ::store::page::{self, order};
use ::store::{Db, Tx, db, list};

pub use abandoned::prune as prune_abandoned;
pub use cancel::cancel;
pub use cells::{CorrectedRow, Edit, Replace};
pub use changes::{NewChange, changes};
pub use correct::{correct, replace};
pub use corrections::{
    confirm_corrected, corrected_rows, correcting, corrections_of, finish_corrected, start_corrected,
};
pub use edits::{edited_rows, edits_of, has_edits, same_columns};
pub use idempotency::{Key as IdempotencyKey, prune as prune_keys};
pub use layouts::{
    Known, Remembered, check_unfinished, choose_columns, headings_of, keep_draft, keep_layout,
    known_layout_or_wait, layout_of, preview_of, prune as prune_layouts, remembered, remembered_layout,
    remembered_line, save_layout, unknown_sheet, wait_for_columns,
};
pub use parts::{NewPart, Window, prune as prune_parts, window};
pub use progress::{Begun, Refused, Step, begin, confirm, elsewhere, finish, note_hash, set_status};
pub use queue::{
    CHECK, CORRECT, EDITED, KIND, MATCHED, PREVIEW, UNDO, adopt, is_with_release_before, log_of, open,
};
pub use saved_mappings::{
    NewMapping, Person, SAVED_MAPPINGS, delete_mapping, rename_mapping, save_mapping, saved_mapping,
    saved_mappings, saved_mappings_of,
};
pub use start::Importer;
pub use undo::{StartUndo, commit_checked, finish_undo, nothing_to_undo, start_undo, undo_step, undoing};
pub use values::{
    Choice, Chosen, Decision, LISTED, NewValue, ValueKey, check_again, chosen, match_values,
    prune as prune_values, remembered_choices, values,
};
pub use warnings::{NewWarning, warnings};

/// Number of refused rows read at a time.
const WINDOW: u64 = 1_000;

/// Records a link, unless the person has `most` unused ones.
pub async fn add_link(db_: &Db, object_key: &str, user: &str, most: usize) -> Result<()> {
    links::add::<upload_link::Entity>(db_, user, most, |now| upload_link::ActiveModel {
        object_key: Set(object_key.to_owned()),
        requested_by: Set(user.to_owned()),
        created_at: Set(now),
    })
    .await
}

/// Removes files from which no import was started, or whose import ended without importing anything. Returns how many
/// were removed.
pub async fn sweep(db_: &Db, blob: &Blob, doubts: &Doubts) -> Result<u64> {
    links::sweep::<upload_link::Entity>(db_, blob, &Imports, doubts).await
}

struct Imports;

#[async_trait]
impl Referrer for Imports {
    async fn needed(&self, tx: &Tx, object_key: &str) -> Result<Needed> {
        let imports = Entity::find().filter(Column::ObjectKey.eq(object_key)).filter(came_to_nothing().not());
        let is_needed = imports.one(&**tx).await.map_err(db)?.is_some();
        Ok(Needed { link: is_needed, object: is_needed })
    }
}

/// Returns whether this user got a link to this object.
pub async fn has_link(db_: &Db, object_key: &str, user: &str) -> Result<bool> {
    let link = upload_link::Entity::find_by_id(object_key.to_owned()).one(db_.read()).await.map_err(db)?;
    Ok(link.is_some_and(|link| link.requested_by == user))
}

pub struct NewLog {
    pub object_key: String,
    pub filename: String,
    pub source_id: Uuid,
    pub size_bytes: u64,
    pub uploaded_by: String,
    /// Id of the user who uploads the file.
    pub uploaded_by_id: String,
    pub mode: Mode,
    /// Whether only to count what would happen.
    pub dry_run: bool,
    /// Whether to wait for a person to choose the columns, even if all are known.
    pub choose_columns: bool,
    pub key: Option<IdempotencyKey>,
}

/// Returns the log of an object, new or existing. Fails with UPLOAD_REUSED when the existing log has another
/// file name, source or mode, or when only one of the two requests is a dry run: returning the log would hide
/// that the second request was not carried out.
pub async fn create(db_: &Db, new: NewLog, by: By<'_>) -> Result<Model> {
    let now = by.now;
    let tx = db_.begin().await?;
    // Lock the link, so that the sweep waits. If the sweep has removed the file already, the link is gone,
    // too.
    let link = upload_link::Entity::find_by_id(new.object_key.clone()).lock_exclusive();
    if link.one(&*tx).await.map_err(db)?.is_none() {
        return Err(Error::invalid_field("url", "The file was not uploaded. Upload it again."));
    }
    let id = new_id();
    let row = row_of(id, &new, now);
    Entity::insert(row)
        .on_conflict(OnConflict::column(Column::ObjectKey).do_nothing().to_owned())
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    let mut log = Entity::find()
        .filter(Column::ObjectKey.eq(new.object_key.as_str()))
        .one(&*tx)
        .await
        .map_err(db)?
        .ok_or_else(|| Error::internal("an upload log vanished"))?;
    // Another request with this key may have come first meanwhile, also for this object.
    if let Some(key) = &new.key {
        idempotency::check(&tx, key).await?;
    }
    // Before the key is stored: a request that is refused must be refused again when it is repeated.
    require_same(&log, &new)?;
    // Start only a new import. A request for the same object refers to the import that was started before.
    if log.id == id {
        let preview = new.choose_columns;
        match new.dry_run {
            true => {
                let kind = if preview { queue::PREVIEW } else { queue::CHECK };
                log = undo::enqueue_check(&tx, kind, log, now).await?;
            }
            false => {
                start::record(&tx, &log, by).await?;
                queue::enqueue(&tx, if preview { queue::PREVIEW } else { queue::KIND }, &log).await?;
            }
        }
    }
    if let Some(key) = &new.key {
        idempotency::keep(&tx, key, log.id, now).await?;
    }
    kit::fail_point("upload.import.created");
    tx.commit().await?;
    Ok(log)
}

/// Refuses a request for an object that another request imported or checked in another way.
fn require_same(log: &Model, new: &NewLog) -> Result<()> {
    if (&log.filename, log.source_id, log.mode) != (&new.filename, new.source_id, new.mode) {
        return Err(Error::invalid(
            "UPLOAD_REUSED",
            "This upload was already imported under another file name, for another source or in another mode. Upload the file again.",
        ));
    }
    match (log.dry_run, new.dry_run) {
        (true, false) => Err(Error::invalid(
            "UPLOAD_REUSED",
            "This upload was started as a check. Import the checked file with commitUpload, or upload the \
             file again.",
        )),
        (false, true) => Err(Error::invalid(
            "UPLOAD_REUSED",
            "This upload was started as an import, not as a check. Upload the file again to check it.",
        )),
        (true, true) | (false, false) => Ok(()),
    }
}

/// Builds the row of an upload that was not read yet.
fn row_of(id: Uuid, new: &NewLog, now: chrono::DateTime<chrono::Utc>) -> ActiveModel {
    ActiveModel {
        id: Set(id),
        object_key: Set(new.object_key.clone()),
        filename_key: Set(fold(&new.filename)),
        filename: Set(new.filename.clone()),
        status: Set(if new.dry_run { Status::Checking } else { Status::Uploaded }),
        source_id: Set(new.source_id),
        size_bytes: Set(i64::try_from(new.size_bytes).unwrap_or(i64::MAX)),
        sha256: Set(None),
        reading: Set(None),
        bytes_read: Set(0),
        next_batch: Set(0),
        rows_total: Set(0),
        rows_created: Set(0),
        rows_updated: Set(0),
        rows_skipped: Set(0),
        rows_failed: Set(0),
        deliveries_created: Set(0),
        items_created: Set(0),
        failure_code: Set(None),
        failure_text: Set(None),
        started_at: Set(None),
        finished_at: Set(None),
        uploaded_by_key: Set(fold(&new.uploaded_by)),
        uploaded_by: Set(new.uploaded_by.clone()),
        created_at: Set(now),
        claimed_until: Set(None),
        headings: Set(None),
        warnings: Set(0),
        mode: Set(new.mode),
        job_id: Set(None),
        undo_reversed: Set(0),
        undo_kept: Set(0),
        undo_failed: Set(0),
        undo_total: Set(None),
        undo_failure_text: Set(None),
        undone_at: Set(None),
        undone_by: Set(None),
        uploaded_by_id: Set(Some(new.uploaded_by_id.clone())),
        preview: Set(None),
        layout: Set(None),
        dry_run: Set(new.dry_run),
        values_to_match: Set(0),
        values_undecided: Set(0),
        changed_since_check: Set(false),
        columns_key: Set(None),
        imported_by: Set(None),
        imported_by_id: Set(None),
    }
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let unknown = || Error::not_found("UPLOAD_LOG_NOT_FOUND", "There is no such upload");
    let id: Uuid = id.parse().map_err(|_| unknown())?;
    Entity::find_by_id(id).one(db_.read()).await.map_err(db)?.ok_or_else(unknown)
}

pub async fn list(db_: &Db, page: &Page) -> Result<(Vec<Model>, bool)> {
    let condition = condition(fields::UPLOAD_LOGS, &page.r#where)?;
    let order = order(fields::UPLOAD_LOGS, &page.sort, (Column::CreatedAt, Order::Desc), Column::Id)?;
    list::page::<Entity, _>(db_, condition, &order, Column::Id, page::window(page)?).await
}

pub async fn count(db_: &Db, filters: &[Filter]) -> Result<Count> {
    list::count::<Entity>(db_, condition(fields::UPLOAD_LOGS, filters)?, Column::Id).await
}

/// Returns the refused rows of one upload, in file order unless sorted.
pub async fn rows(db_: &Db, log: Uuid, page: &Page) -> Result<(Vec<upload_row::Model>, bool)> {
    use upload_row::Column as C;
    let condition = of_log(log, condition(fields::UPLOAD_ROWS, &page.r#where)?);
    let order = order(fields::UPLOAD_ROWS, &page.sort, (C::RowNumber, Order::Asc), C::RowNumber)?;
    let key = [C::UploadLogId, C::RowNumber];
    list::page_by::<upload_row::Entity, _>(db_, condition, &order, &key, page::window(page)?).await
}

pub async fn count_rows(db_: &Db, log: Uuid, filters: &[Filter]) -> Result<Count> {
    let condition = of_log(log, condition(fields::UPLOAD_ROWS, filters)?);
    list::count::<upload_row::Entity>(db_, condition, upload_row::Column::RowNumber).await
}

/// Returns the next refused rows of an import between two lines, the last included, in file order and without cells.
pub async fn refused_rows(db_: &Db, log: Uuid, after: i64, last: i64) -> Result<Vec<Refused>> {
    use upload_row::Column as C;
    let rows: Vec<(i64, Option<String>, Messages)> = upload_row::Entity::find()
        .select_only()
        .columns([C::RowNumber, C::DeliveryId, C::Messages])
        .filter(C::UploadLogId.eq(log))
        .filter(C::RowNumber.gt(after))
        .filter(C::RowNumber.lte(last))
        .order_by_asc(C::RowNumber)
        .limit(WINDOW)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let row = |(line, delivery, messages): (i64, _, _)| {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Refused { line, delivery, messages, cells: None }
    };
    Ok(rows.into_iter().map(row).collect())
}

fn of_log(log: Uuid, condition: Condition) -> Condition {
    Condition::all().add(upload_row::Column::UploadLogId.eq(log)).add(condition)
}
