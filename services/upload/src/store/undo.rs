//! Starts, continues and ends undos and dry runs.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::deliveries::v1::UndoCounts;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::idempotency::{self, Key};
use super::start::{self, Importer};
use super::{changes, edits, parts, queue, same_file};
use crate::entity::upload_log::{Column, Entity, Model, Status};
use crate::entity::{upload_row, upload_value, upload_warning};
use crate::settings::Reading;
use ::store::audit::{self, Act, By, Changes};
use ::store::jobs::{End, Halt, Hold, Progress};
use ::store::{Db, Tx, db};

fn not_found() -> Error {
    Error::not_found("UPLOAD_LOG_NOT_FOUND", "There is no such upload")
}

fn clamp(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub(super) async fn lock(tx: &Tx, id: Uuid) -> Result<Model> {
    let found = Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)?;
    found.ok_or_else(not_found)
}

pub(super) async fn read(tx: &Tx, id: Uuid) -> Result<Model> {
    Entity::find_by_id(id).one(&**tx).await.map_err(db)?.ok_or_else(not_found)
}

/// Queues a dry run of a new log, or the preview before it, as `kind` says.
pub(super) async fn enqueue_check(
    tx: &Tx,
    kind: &'static str,
    log: Model,
    now: DateTime<Utc>,
) -> Result<Model> {
    let job = queue::enqueue_other(tx, kind, log.id, &log.uploaded_by, now).await?;
    Entity::update_many()
        .col_expr(Column::JobId, Expr::value(job))
        .filter(Column::Id.eq(log.id))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(Model { job_id: Some(job), ..log })
}

/// Queues the import of a file after its dry run. The import reads the file as the dry run did, so that it
/// imports what was reviewed, by the rules of `now`. A repeated request returns the import.
///
/// # Errors
///
/// `FILE_BEING_IMPORTED` while the same person imports another upload of the file; `TIME_ZONE_CHANGED` if the dry run read
/// its dates in another time zone.
pub async fn commit_checked(db_: &Db, id: Uuid, now: Reading, importer: Importer<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    match log.status {
        Status::Validated => {}
        Status::Checking => {
            return Err(Error::precondition(
                "IMPORT_NOT_CHECKED",
                "The file is still being checked. Wait until the check has finished.",
            ));
        }
        _ => return Ok(log),
    }
    let log = start::start(&tx, log, importer).await?;
    if let Some(sha256) = &log.sha256 {
        same_file::refuse_twice(&tx, &log, sha256).await?;
    }
    let checked = log.reading.as_deref().map(Reading::parse).transpose()?.filter(Reading::is_current);
    let reading = checked.map(|it| it.with_rules_of(now, "Check it again.")?.text()).transpose()?;
    clear_check(&tx, id, Status::Uploaded, None, reading).await?;
    let log = read(&tx, id).await?;
    let kind = if edits::has_edits(&*tx, id).await? {
        queue::EDITED
    } else if replaces_values(&tx, id).await? {
        queue::MATCHED
    } else {
        queue::KIND
    };
    queue::enqueue(&tx, kind, &log).await?;
    kit::fail_point("upload.import.committed");
    tx.commit().await?;
    Ok(log)
}

/// Returns whether somebody chose records for values of the file.
async fn replaces_values(tx: &Tx, id: Uuid) -> Result<bool> {
    use upload_value::{Column as C, Entity};
    let chosen = Entity::find().filter(C::UploadLogId.eq(id)).filter(C::Target.is_not_null());
    Ok(chosen.one(&**tx).await.map_err(db)?.is_some())
}

/// Deletes what a dry run found, and sets the status, the job and the reading of what comes next.
pub(super) async fn clear_check(
    tx: &Tx,
    id: Uuid,
    status: Status,
    job: Option<Uuid>,
    reading: Option<String>,
) -> Result<()> {
    let zero = || Expr::value(0);
    let mut update = Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::JobId, Expr::value(job))
        .col_expr(Column::Reading, Expr::value(reading))
        .col_expr(Column::StartedAt, Expr::value(None::<DateTime<Utc>>))
        .col_expr(Column::FinishedAt, Expr::value(None::<DateTime<Utc>>))
        .filter(Column::Id.eq(id));
    for column in [
        Column::BytesRead,
        Column::NextBatch,
        Column::RowsTotal,
        Column::RowsCreated,
        Column::RowsUpdated,
        Column::RowsSkipped,
        Column::RowsFailed,
        Column::DeliveriesCreated,
        Column::ItemsCreated,
        Column::Warnings,
    ] {
        update = update.col_expr(column, zero());
    }
    update.exec(&**tx).await.map_err(db)?;
    let rows = upload_row::Entity::delete_many().filter(upload_row::Column::UploadLogId.eq(id));
    rows.exec(&**tx).await.map_err(db)?;
    let warnings = upload_warning::Entity::delete_many().filter(upload_warning::Column::UploadLogId.eq(id));
    warnings.exec(&**tx).await.map_err(db)?;
    parts::clear(tx, id).await?;
    changes::clear(tx, id).await
}

/// A request for an undo.
pub struct StartUndo<'a> {
    pub log: Uuid,
    /// What the undo would do if it ran now. `None` if an undo was running, so that nothing was checked: such a
    /// request starts none.
    pub expected: Option<UndoCounts>,
    pub key: Option<Key>,
    pub by: By<'a>,
}

/// Queues an undo. A request that is repeated while the undo runs returns the log, even if the undo has ended
/// meanwhile.
pub async fn start_undo(db_: &Db, start: StartUndo<'_>) -> Result<Model> {
    let StartUndo { log: id, expected, key, by } = start;
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    if let Some(expected) = expected.filter(|_| log.status != Status::Undoing) {
        if !log.has_more_to_undo() {
            return Err(nothing_to_undo());
        }
        let done = log.undo_reversed + log.undo_kept + log.undo_failed;
        let total = done + clamp(expected.reversed + expected.kept + expected.failed);
        let job = queue::enqueue_other(&tx, queue::UNDO, id, by.actor, by.now).await?;
        Entity::update_many()
            .col_expr(Column::Status, Expr::value(Status::Undoing))
            .col_expr(Column::JobId, Expr::value(job))
            .col_expr(Column::UndoReversed, Expr::value(0))
            .col_expr(Column::UndoKept, Expr::value(0))
            .col_expr(Column::UndoFailed, Expr::value(0))
            .col_expr(Column::UndoTotal, Expr::value(total))
            .col_expr(Column::UndoFailureText, Expr::value(None::<String>))
            .col_expr(Column::UndoneAt, Expr::value(None::<DateTime<Utc>>))
            .col_expr(Column::UndoneBy, Expr::value(by.actor))
            .filter(Column::Id.eq(id))
            .exec(&*tx)
            .await
            .map_err(db)?;
        // After an undo, no row is corrected any more, so the file is not read again.
        edits::clear(&tx, id).await?;
        let id = id.to_string();
        let act = Act {
            service: crate::NAME,
            action: "import.undone",
            entity: "import",
            entity_id: &id,
            entity_name: &log.filename,
            changes: Changes::created(vec![("deliveries", total.into())]),
        };
        audit::record(&tx, by, act).await?;
    }
    if let Some(key) = &key {
        idempotency::keep(&tx, key, id, by.now).await?;
    }
    let log = read(&tx, id).await?;
    kit::fail_point("upload.undo.started");
    tx.commit().await?;
    Ok(log)
}

pub fn nothing_to_undo() -> Error {
    Error::precondition(
        "NOTHING_TO_UNDO",
        "This import has nothing that can be undone: it changed nothing, is still running, or was undone before.",
    )
}

/// Returns a log whose undo has not ended.
pub async fn undoing(db_: &Db, id: Uuid) -> Result<Option<Model>> {
    let open = Entity::find_by_id(id).filter(Column::Status.eq(Status::Undoing));
    open.one(db_.read()).await.map_err(db)
}

/// Records the results for some deliveries, and where to continue.
pub async fn undo_step(hold: &Hold, log: &Model, counts: &UndoCounts, next: &str) -> Result<(), Halt> {
    let tx = hold.record().await?;
    let add = |column: Column, by: u32| (column, Expr::col(column).add(clamp(by)));
    let mut update =
        Entity::update_many().filter(Column::Id.eq(log.id)).filter(Column::Status.eq(Status::Undoing));
    for (column, value) in [
        add(Column::UndoReversed, counts.reversed),
        add(Column::UndoKept, counts.kept),
        add(Column::UndoFailed, counts.failed),
    ] {
        update = update.col_expr(column, value);
    }
    let noted = update.exec_with_returning(&**tx).await.map_err(db)?;
    let log = noted.into_iter().next().ok_or(Halt::Lost)?;
    let done = log.undo_reversed + log.undo_kept + log.undo_failed;
    let progress = Progress {
        done: u64::from(done.unsigned_abs()),
        total: log.undo_total.map(|total| u64::from(total.unsigned_abs())),
        checkpoint: Some(serde_json::json!({ "after": next })),
    };
    tx.advance(progress).await?;
    kit::fail_point("upload.undo.step_confirmed");
    Ok(tx.commit().await?)
}

/// Ends an undo in the transaction that ends its job.
pub async fn finish_undo(tx: &Tx, id: Uuid, end: &End, now: DateTime<Utc>) -> Result<()> {
    let open = Entity::find_by_id(id).filter(Column::Status.eq(Status::Undoing));
    let Some(log) = open.one(&**tx).await.map_err(db)? else { return Ok(()) };
    let whole = log.undo_kept + log.undo_failed == 0;
    let (status, failure) = match end {
        End::Done if whole => (Status::Undone, None),
        End::Done => (Status::PartlyUndone, None),
        End::Failed(error) => (Status::PartlyUndone, Some(error.message.clone())),
        End::Cancelled => {
            let text = "The undo was canceled. Deliveries that were undone before that stay undone.";
            (Status::PartlyUndone, Some(text.to_owned()))
        }
    };
    // Once done, the total is what was processed, which may differ from the estimate.
    let done = log.undo_reversed + log.undo_kept + log.undo_failed;
    let total = if matches!(end, End::Done) { Some(done) } else { log.undo_total };
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::UndoTotal, Expr::value(total))
        .col_expr(Column::UndoFailureText, Expr::value(failure))
        .col_expr(Column::UndoneAt, Expr::value(now))
        .filter(Column::Id.eq(id))
        .exec(&**tx)
        .await
        .map_err(db)?;
    kit::fail_point("upload.undo.finished");
    Ok(())
}
