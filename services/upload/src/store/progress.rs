//! Writes the progress of an import. Every write requires the lease of its job and an open import.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::events::ImportFinished;
use proto::events::envelope::Payload;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QueryOrder};
use uuid::Uuid;

use super::changes::{self, NewChange};
use super::edits;
use super::layouts;
use super::parts::{self, NewPart};
use super::queue::is_open;
use super::same_file;
use super::values::{self, NewValue};
use super::warnings::{self, NewWarning};
use crate::entity::upload_log::{Column, Entity, Model, Status};
use crate::entity::upload_row::{self, Messages, Texts};
use ::store::filter::fold;
use ::store::jobs::{End, Halt, Hold, Progress};
use ::store::outbox::{self, NewEvent};
use ::store::{Tx, bulk, db};

/// Maximum number of refused rows per import whose cells are kept, so that they can be corrected and imported
/// again.
const ROWS_WITH_CELLS: usize = 50_000;

/// Returns the error for an import on which an importer of the previous release works, or of which it has
/// confirmed a batch or the end. The job is tried again later.
pub fn elsewhere() -> Halt {
    Error::unavailable("IMPORT_ELSEWHERE", "A process of the release before works on this import").into()
}

/// Stores the import's status, which says what the importer is doing.
pub async fn set_status(hold: &Hold, log: &Model, status: Status, now: DateTime<Utc>) -> Result<(), Halt> {
    let tx = hold.begin().await?;
    // A dry run keeps its status from beginning to end.
    let status = if log.status == Status::Checking { Status::Checking } else { status };
    let set = Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::StartedAt, Expr::col(Column::StartedAt).if_null(now))
        .filter(is_open(log.id))
        .exec(&**tx)
        .await
        .map_err(db)?;
    if set.rows_affected == 0 {
        return Err(elsewhere());
    }
    kit::fail_point("upload.import.status_set");
    Ok(tx.commit().await?)
}

/// Records the file's hash when the file is first read. Returns the last import of the same file for the same
/// source, if there was one.
///
/// # Errors
///
/// `FILE_BEING_IMPORTED` when the person sent the file twice and its first import has not ended.
pub async fn note_hash(hold: &Hold, log: &Model, sha256: &str) -> Result<Option<Model>, Halt> {
    let tx = hold.begin().await?;
    if log.sha256.is_none() {
        // A check imports nothing.
        if log.status != Status::Checking {
            same_file::refuse_twice(&tx, log, sha256).await?;
        }
        Entity::update_many()
            .col_expr(Column::Sha256, Expr::value(sha256))
            .filter(is_open(log.id))
            .filter(Column::Sha256.is_null())
            .exec(&**tx)
            .await
            .map_err(db)?;
    }
    let earlier = same_file::others(log, sha256)
        .filter(Column::Status.is_in([Status::Imported, Status::ImportedWithErrors]))
        .order_by(Column::FinishedAt, Order::Desc)
        .one(&**tx)
        .await
        .map_err(db)?;
    kit::fail_point("upload.import.hash_noted");
    tx.commit().await?;
    Ok(earlier)
}

/// What is known about a file before its first batch is sent.
pub struct Begun {
    /// How the file is read, kept until the import has ended.
    pub reading: String,
    pub headings: Vec<String>,
    /// Identifies the columns. Cells that people changed in other columns are lost.
    pub columns_key: String,
    pub warnings: Vec<NewWarning>,
    /// The values to match; `None` leaves those of the dry run.
    pub values: Option<Vec<NewValue>>,
    pub at: DateTime<Utc>,
}

/// Records how an import begins. Does nothing for a resumed import, which has begun already.
pub async fn begin(hold: &Hold, log: &Model, begun: Begun) -> Result<(), Halt> {
    let Begun { reading, headings, columns_key, mut warnings, values, at } = begun;
    let tx = hold.begin().await?;
    let dropped = match &log.columns_key {
        Some(before) if *before != columns_key => edits::clear(&tx, log.id).await?,
        Some(_) => {
            let before = log.headings.as_ref().map_or(&[][..], |before| before.0.as_slice());
            edits::clear_behind(&tx, log.id, edits::same_columns(before, &headings)).await?
        }
        None => 0,
    };
    warnings.extend((dropped > 0).then(|| edits::dropped(dropped)));
    layouts::note_use(&tx, &headings, at).await?;
    let noted = Entity::update_many()
        .col_expr(Column::Reading, Expr::value(reading))
        .col_expr(Column::Headings, Expr::value(Texts(headings.clone())))
        .col_expr(Column::ColumnsKey, Expr::value(columns_key))
        .col_expr(Column::Warnings, Expr::col(Column::Warnings).add(warnings::number(&warnings)))
        .filter(is_open(log.id))
        .filter(Column::NextBatch.eq(0))
        .filter(Column::Warnings.eq(0))
        .exec_with_returning(&**tx)
        .await
        .map_err(db)?;
    if let Some(log) = noted.into_iter().next() {
        warnings::add(&tx, &log, warnings).await?;
        if let Some(values) = values {
            values::replace(&tx, log.id, &headings, values, at).await?;
        }
    }
    kit::fail_point("upload.import.begun");
    Ok(tx.commit().await?)
}

/// A refused row.
#[derive(Debug, Clone)]
pub struct Refused {
    pub line: u32,
    /// The delivery that the row belongs to, if the row names one.
    pub delivery: Option<String>,
    pub messages: Messages,
    /// The row's cells; `None` when they are too long to keep.
    pub cells: Option<Vec<String>>,
}

/// What one batch adds to the upload log.
#[derive(Debug, Default)]
pub struct Step {
    pub batch: i32,
    pub bytes_read: u64,
    pub created: i32,
    pub updated: i32,
    pub skipped: i32,
    pub deliveries_created: i32,
    pub items_created: i32,
    pub refused: Vec<Refused>,
    pub warnings: Vec<NewWarning>,
    /// The changes that a dry run found.
    pub changes: Vec<NewChange>,
    /// The rows of the batch, with the results that a dry run found.
    pub part: Option<NewPart>,
}

/// Confirms a batch: stores its counts, refused rows, warnings and the next position in one transaction.
/// Fails if it is not the import's next batch, so that each batch is confirmed once, even if another process
/// works on the import.
pub async fn confirm(hold: &Hold, log: &Model, mut step: Step) -> Result<(), Halt> {
    let failed = i32::try_from(step.refused.len()).unwrap_or(i32::MAX);
    let add = |column: Column, by: i32| (column, Expr::col(column).add(by));
    let tx = hold.record().await?;
    step.warnings = warnings::unknown(&tx, log.id, step.warnings).await?;
    let status = if log.status == Status::Checking { Status::Checking } else { Status::Importing };
    let mut update = Entity::update_many()
        .filter(is_open(log.id))
        .filter(Column::NextBatch.eq(step.batch))
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::BytesRead, Expr::value(i64::try_from(step.bytes_read).unwrap_or(i64::MAX)));
    for (column, value) in [
        add(Column::NextBatch, 1),
        add(Column::RowsTotal, step.created + step.updated + step.skipped + failed),
        add(Column::RowsCreated, step.created),
        add(Column::RowsUpdated, step.updated),
        add(Column::RowsSkipped, step.skipped),
        add(Column::RowsFailed, failed),
        add(Column::DeliveriesCreated, step.deliveries_created),
        add(Column::ItemsCreated, step.items_created),
        add(Column::Warnings, warnings::number(&step.warnings)),
    ] {
        update = update.col_expr(column, value);
    }
    let confirmed = update.exec_with_returning(&**tx).await.map_err(db)?;
    let log = confirmed.into_iter().next().ok_or_else(elsewhere)?;
    let before = usize::try_from(log.rows_failed - failed).unwrap_or_default();
    let rows = step.refused.into_iter().enumerate().map(|(at, row)| {
        let cells = row.cells.filter(|_| before + at < ROWS_WITH_CELLS);
        upload_row::ActiveModel {
            upload_log_id: Set(log.id),
            row_number: Set(row.line.into()),
            delivery_id_key: Set(row.delivery.as_deref().map(fold)),
            delivery_id: Set(row.delivery),
            messages: Set(row.messages),
            cells: Set(cells.map(Texts)),
        }
    });
    bulk::insert(&**tx, rows.collect()).await?;
    warnings::add(&tx, &log, step.warnings).await?;
    changes::add(&tx, log.id, step.changes).await?;
    if let Some(part) = step.part {
        parts::add(&tx, log.id, step.batch, part).await?;
    }
    let progress =
        Progress { done: step.bytes_read, total: Some(log.size_bytes.unsigned_abs()), checkpoint: None };
    tx.advance(progress).await?;
    kit::fail_point("upload.import.batch_confirmed");
    Ok(tx.commit().await?)
}

/// Ends an import and emits its event, in the transaction that ends its job. Does nothing if the import has
/// ended already.
pub async fn finish(tx: &Tx, id: Uuid, end: &End, now: DateTime<Utc>) -> Result<()> {
    let Some(log) = Entity::find().filter(is_open(id)).one(&**tx).await.map_err(db)? else { return Ok(()) };
    // An importer of the previous release may end the import before this does.
    end_import(tx, &log, end, is_open(id), now).await
}

/// Ends a locked import that waits for a person.
pub(super) async fn end_waiting_import(tx: &Tx, log: &Model, end: &End, now: DateTime<Utc>) -> Result<()> {
    let condition = Condition::all().add(Column::Id.eq(log.id));
    end_import(tx, log, end, condition, now).await
}

/// Ends an import and emits its event, if `condition` still holds for its log.
async fn end_import(tx: &Tx, log: &Model, end: &End, condition: Condition, now: DateTime<Utc>) -> Result<()> {
    let id = log.id;
    let cancelled = Error::precondition(
        "IMPORT_CANCELLED",
        "The import was canceled. Rows that were imported before that are kept.",
    );
    let check_cancelled =
        Error::precondition("IMPORT_CANCELLED", "The check was canceled. Nothing was imported.");
    let waiting_cancelled = Error::precondition(
        "IMPORT_CANCELLED",
        "The import was canceled before it started. Nothing was imported.",
    );
    let checking = log.is_check();
    let (status, failure) = match end {
        End::Done if checking => (Status::Validated, None),
        End::Done if log.rows_failed > 0 => (Status::ImportedWithErrors, None),
        End::Done => (Status::Imported, None),
        End::Failed(error) => (Status::Failed, Some(error)),
        End::Cancelled if log.status.waits_for_person() => (Status::Failed, Some(&waiting_cancelled)),
        End::Cancelled => (Status::Failed, Some(if checking { &check_cancelled } else { &cancelled })),
    };
    let (code, text) = failure.map(|it| (it.reason.as_str(), it.message.as_str())).unzip();
    let bytes_read = if status == Status::Failed { log.bytes_read } else { log.size_bytes };
    let mut ended = Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::BytesRead, Expr::value(bytes_read))
        .col_expr(Column::FailureCode, Expr::value(code))
        .col_expr(Column::FailureText, Expr::value(text))
        .col_expr(Column::FinishedAt, Expr::value(now))
        .col_expr(Column::Preview, Expr::value(None::<String>))
        .filter(condition);
    if checking && status == Status::Failed {
        // Nothing was imported, so nothing can be undone or shown. The rows that are left still add up.
        for column in
            [Column::RowsCreated, Column::RowsUpdated, Column::DeliveriesCreated, Column::ItemsCreated]
        {
            ended = ended.col_expr(column, Expr::value(0));
        }
        let rows = Expr::col(Column::RowsSkipped).add(Expr::col(Column::RowsFailed));
        ended = ended.col_expr(Column::RowsTotal, rows);
    }
    let ended = ended.exec(&**tx).await.map_err(db)?;
    if ended.rows_affected > 0 && matches!(status, Status::Failed | Status::Imported) {
        // The file is not read again. Refused rows are corrected in the file with its edits, so they stay then.
        edits::clear(tx, id).await?;
        parts::clear(tx, id).await?;
    }
    if ended.rows_affected == 0 || checking {
        return Ok(());
    }
    let payload = Payload::ImportFinished(ImportFinished {
        upload_log_id: log.id.to_string(),
        status: status.as_str().to_owned(),
        rows_total: log.rows_total.unsigned_abs(),
        rows_created: log.rows_created.unsigned_abs(),
        rows_updated: log.rows_updated.unsigned_abs(),
        rows_skipped: log.rows_skipped.unsigned_abs(),
        rows_failed: log.rows_failed.unsigned_abs(),
    });
    let event = NewEvent {
        service: crate::NAME,
        actor: log.importer(),
        aggregate_id: &log.id.to_string(),
        aggregate_version: log.next_batch.unsigned_abs().into(),
        occurred_at: now,
        payload,
    };
    outbox::add(tx, event).await?;
    kit::fail_point("upload.import.finished");
    Ok(())
}
