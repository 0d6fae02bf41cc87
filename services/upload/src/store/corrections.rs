//! Corrections of refused rows, stored until the rows are imported.
//!
//! A change requires that the import has ended with refused rows, so nothing changes while corrected rows are
//! being imported. `cells` locks the row of the log before.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::events::ImportFinished;
use proto::events::envelope::Payload;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::cells::{self, CorrectedRow, Draft, Edit, Replace, Typed};
use super::undo::{lock, read};
use super::{Step, WINDOW, edits, queue, warnings};
use crate::entity::upload_correction::{ActiveModel, Column, Entity, Model};
use crate::entity::upload_log::{self, Status};
use crate::entity::upload_row::{self, Texts};
use crate::file::place::row_text;
use crate::settings::Reading;
use ::store::audit::{self, Act, By, Changes};
use ::store::filter::fold;
use ::store::jobs::{End, Halt, Hold, Job, Progress};
use ::store::outbox::{self, NewEvent};
use ::store::{Db, Tx, bulk, db};

fn of_log(log: Uuid) -> sea_orm::Condition {
    sea_orm::Condition::all().add(Column::UploadLogId.eq(log))
}

fn require_refused(log: &upload_log::Model) -> Result<()> {
    match log.status {
        Status::ImportedWithErrors => Ok(()),
        Status::Checking => Err(Error::precondition(
            "IMPORT_NOT_CHECKED",
            "The file is still being checked. Wait until the check has finished.",
        )),
        Status::Correcting => Err(Error::precondition(
            "CORRECTIONS_RUNNING",
            "Corrected rows of this file are being imported. Wait until that has finished.",
        )),
        _ => Err(Error::precondition(
            "NOTHING_TO_CORRECT",
            "This import has no refused rows that can be corrected.",
        )),
    }
}

async fn corrections(tx: &Tx, log: Uuid, rows: &[i64]) -> Result<Vec<Model>> {
    let found = Entity::find().filter(of_log(log)).filter(Column::RowNumber.is_in(rows.iter().copied()));
    found.all(&**tx).await.map_err(db)
}

/// Returns rows with their corrections.
async fn drafts(tx: &Tx, log: Uuid, rows: Vec<upload_row::Model>) -> Result<BTreeMap<i64, Draft>> {
    let numbers: Vec<i64> = rows.iter().map(|row| row.row_number).collect();
    let kept = rows.into_iter().filter_map(|row| Some((row.row_number, row.cells?)));
    let draft = |(row, Texts(cells))| (row, Draft { cells, corrections: BTreeMap::new(), is_file: true });
    let mut drafts: BTreeMap<i64, Draft> = kept.map(draft).collect();
    for correction in corrections(tx, log, &numbers).await? {
        if let Some(draft) = drafts.get_mut(&correction.row_number) {
            draft.corrections.insert(correction.place, correction.value);
        }
    }
    Ok(drafts)
}

/// Stores the changed cells of some rows, in two statements.
async fn keep(
    tx: &Tx,
    log: Uuid,
    changed: &[(i64, i32)],
    drafts: &BTreeMap<i64, Draft>,
    by: By<'_>,
) -> Result<()> {
    let mut places: BTreeMap<i32, Vec<i64>> = BTreeMap::new();
    for (row, place) in changed {
        places.entry(*place).or_default().push(*row);
    }
    let which = places.into_iter().fold(sea_orm::Condition::any(), |any, (place, rows)| {
        any.add(Column::Place.eq(place).and(Column::RowNumber.is_in(rows)))
    });
    if changed.is_empty() {
        return Ok(());
    }
    Entity::delete_many().filter(of_log(log)).filter(which).exec(&**tx).await.map_err(db)?;
    let rows = changed.iter().filter_map(|(row, place)| {
        let value = drafts.get(row)?.corrections.get(place)?;
        Some(ActiveModel {
            upload_log_id: Set(log),
            row_number: Set(*row),
            place: Set(*place),
            value: Set(value.clone()),
            corrected_by: Set(by.actor.to_owned()),
            corrected_at: Set(by.now),
        })
    });
    bulk::insert(&**tx, rows.collect()).await
}

/// Corrects cells of refused rows; returns how many changed.
pub(super) async fn change(tx: &Tx, log: &upload_log::Model, edits: Vec<Edit>, by: By<'_>) -> Result<usize> {
    require_refused(log)?;
    let rows = upload_row::Entity::find()
        .filter(upload_row::Column::UploadLogId.eq(log.id))
        .filter(upload_row::Column::RowNumber.is_in(edits.iter().map(|edit| i64::from(edit.row))))
        .all(&**tx)
        .await
        .map_err(db)?;
    let mut drafts = drafts(tx, log.id, rows).await?;
    let changed = cells::change(&mut drafts, edits, &Typed::of(log)?, |row| {
        let text = format!("Row {} is no longer refused, or was too long to keep.", row_text(row));
        Error::precondition("ROW_NOT_REFUSED", text)
    })?;
    keep(tx, log.id, &changed, &drafts, by).await?;
    Ok(changed.len())
}

/// Replaces a value in one column of all refused rows; returns how many cells change.
pub(super) async fn replace(
    tx: &Tx,
    log: &upload_log::Model,
    replace: &Replace,
    by: By<'_>,
) -> Result<usize> {
    require_refused(log)?;
    let (typed, mut after, mut number) = (Typed::of(log)?, 0, 0);
    loop {
        let rows = window(tx, log.id, after).await?;
        let Some(last) = rows.last() else { break };
        after = last.row_number;
        let mut drafts = drafts(tx, log.id, rows).await?;
        let changed = replace.apply(&mut drafts, &typed)?;
        number += changed.len();
        if !replace.dry_run {
            keep(tx, log.id, &changed, &drafts, by).await?;
        }
    }
    Ok(number)
}

async fn window(tx: &Tx, log: Uuid, after: i64) -> Result<Vec<upload_row::Model>> {
    use upload_row::{Column as C, Entity};
    let rows = Entity::find().filter(C::UploadLogId.eq(log)).filter(C::RowNumber.gt(after));
    rows.order_by_asc(C::RowNumber).limit(WINDOW).all(&**tx).await.map_err(db)
}

/// Returns the corrections of some rows, by row.
pub async fn corrections_of(db_: &Db, log: Uuid, rows: &[i64]) -> Result<HashMap<i64, Vec<Model>>> {
    let mut found: HashMap<i64, Vec<Model>> = HashMap::new();
    if rows.is_empty() {
        return Ok(found);
    }
    let query = Entity::find().filter(of_log(log)).filter(Column::RowNumber.is_in(rows.iter().copied()));
    for row in query.order_by_asc(Column::Place).all(db_.read()).await.map_err(db)? {
        found.entry(row.row_number).or_default().push(row);
    }
    Ok(found)
}

/// Returns the next refused rows after the line `after`, with their corrections, in file order.
pub async fn corrected_rows(db_: &Db, log: Uuid, after: i64) -> Result<Vec<CorrectedRow>> {
    use upload_row::{Column as C, Entity};
    let rows = Entity::find()
        .select_only()
        .column(C::RowNumber)
        .filter(C::UploadLogId.eq(log))
        .filter(C::RowNumber.gt(after))
        .order_by_asc(C::RowNumber)
        .limit(WINDOW);
    let rows: Vec<i64> = rows.into_tuple().all(db_.read()).await.map_err(db)?;
    let mut corrections = corrections_of(db_, log, &rows).await?;
    let cell = |it: Model| (usize::try_from(it.place).unwrap_or_default(), it.value);
    let corrected = rows.into_iter().map(|row| {
        let cells = corrections.remove(&row).unwrap_or_default();
        CorrectedRow { row, cells: cells.into_iter().map(cell).collect() }
    });
    Ok(corrected.collect())
}

/// Queues the import of corrected rows, which reads the file as before, by the rules of `now`. A request that is repeated
/// during that import returns the log.
///
/// # Errors
///
/// `TIME_ZONE_CHANGED` if the dates of the file were read in another time zone.
pub async fn start_corrected(db_: &Db, id: Uuid, now: Reading, by: By<'_>) -> Result<upload_log::Model> {
    use upload_log::{Column as C, Entity};
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    if log.status == Status::Correcting {
        return Ok(log);
    }
    require_refused(&log)?;
    let advice = "Download the refused rows, correct them and import them as a file.";
    let read_before = log.reading.as_deref().map(Reading::parse).transpose()?;
    let reading = read_before.map(|it| it.with_rules_of(now, advice)?.text()).transpose()?;
    let job = queue::enqueue_other(&tx, queue::CORRECT, id, by.actor, by.now).await?;
    Entity::update_many()
        .col_expr(C::Status, Expr::value(Status::Correcting))
        .col_expr(C::JobId, Expr::value(job))
        .col_expr(C::Reading, Expr::value(reading))
        // Skip a number: if the previous job ended before it received an answer, deliveries has other rows
        // under this number, and would answer with their results. It skips rows that it has already.
        .col_expr(C::NextBatch, Expr::col(C::NextBatch).add(1))
        .col_expr(C::FailureCode, Expr::value(None::<String>))
        .col_expr(C::FailureText, Expr::value(None::<String>))
        .filter(C::Id.eq(id))
        .exec(&*tx)
        .await
        .map_err(db)?;
    let act = Act {
        service: crate::NAME,
        action: "import.corrected",
        entity: "import",
        entity_id: &id.to_string(),
        entity_name: &log.filename,
        changes: Changes::created(vec![("refusedRows", log.rows_failed.into())]),
    };
    audit::record(&tx, by, act).await?;
    let log = read(&tx, id).await?;
    kit::fail_point("upload.correct.started");
    tx.commit().await?;
    Ok(log)
}

/// Returns a log whose corrected rows are being imported.
pub async fn correcting(db_: &Db, id: Uuid) -> Result<Option<upload_log::Model>> {
    use upload_log::{Column as C, Entity};
    let open = Entity::find_by_id(id).filter(C::Status.eq(Status::Correcting));
    open.one(db_.read()).await.map_err(db)
}

/// Confirms a batch of corrected rows, which covers all refused rows between two lines: accepted rows are
/// deleted, rows refused again stay with new reasons, and the job continues after the last line.
pub async fn confirm_corrected(
    hold: &Hold,
    log: &upload_log::Model,
    mut step: Step,
    (after, last): (i64, i64),
) -> std::result::Result<(), Halt> {
    use upload_log::{Column as C, Entity as Logs};
    let taken = step.created + step.updated + step.skipped;
    let add = |column: C, by: i32| (column, Expr::col(column).add(by));
    let tx = hold.record().await?;
    step.warnings = warnings::unknown(&tx, log.id, step.warnings).await?;
    let mut update = Logs::update_many()
        .filter(C::Id.eq(log.id))
        .filter(C::Status.eq(Status::Correcting))
        .filter(C::NextBatch.eq(step.batch));
    for (column, value) in [
        add(C::NextBatch, 1),
        add(C::RowsCreated, step.created),
        add(C::RowsUpdated, step.updated),
        add(C::RowsSkipped, step.skipped),
        add(C::RowsFailed, -taken),
        add(C::DeliveriesCreated, step.deliveries_created),
        add(C::ItemsCreated, step.items_created),
        add(C::Warnings, warnings::number(&step.warnings)),
    ] {
        update = update.col_expr(column, value);
    }
    let confirmed = update.exec_with_returning(&**tx).await.map_err(db)?;
    let log = confirmed.into_iter().next().ok_or(Halt::Lost)?;
    refuse_again(&tx, log.id, step.refused, (after, last)).await?;
    warnings::add(&tx, &log, step.warnings).await?;
    let progress = Progress {
        done: step.bytes_read,
        total: Some(log.size_bytes.unsigned_abs()),
        checkpoint: Some(serde_json::json!({ "after": last })),
    };
    tx.advance(progress).await?;
    kit::fail_point("upload.correct.batch_confirmed");
    Ok(tx.commit().await?)
}

/// Of the rows between two lines, keeps only those that were refused again.
async fn refuse_again(
    tx: &Tx,
    log: Uuid,
    refused: Vec<super::Refused>,
    (after, last): (i64, i64),
) -> Result<()> {
    use upload_row::{Column as C, Entity as Rows};
    let between = sea_orm::Condition::all()
        .add(C::UploadLogId.eq(log))
        .add(C::RowNumber.gt(after))
        .add(C::RowNumber.lte(last));
    let kept = Rows::find().filter(between.clone()).all(&**tx).await.map_err(db)?;
    let mut kept: HashMap<i64, upload_row::Model> =
        kept.into_iter().map(|row| (row.row_number, row)).collect();
    let again: Vec<upload_row::ActiveModel> = refused
        .into_iter()
        .map(|row| {
            let number = i64::from(row.line);
            upload_row::ActiveModel {
                upload_log_id: Set(log),
                row_number: Set(number),
                delivery_id_key: Set(row.delivery.as_deref().map(fold)),
                delivery_id: Set(row.delivery),
                messages: Set(row.messages),
                // These are the cells of the file, because corrections are stored separately.
                cells: Set(kept.remove(&number).and_then(|row| row.cells)),
            }
        })
        .collect();
    // All other rows were accepted; delete them with their corrections.
    let taken: Vec<i64> = kept.into_keys().collect();
    for some in bulk::chunks::<Entity, _>(&taken) {
        let done = Entity::delete_many().filter(of_log(log));
        done.filter(Column::RowNumber.is_in(some.iter().copied())).exec(&**tx).await.map_err(db)?;
    }
    Rows::delete_many().filter(between).exec(&**tx).await.map_err(db)?;
    bulk::insert(&**tx, again).await
}

/// Ends the import of corrected rows in the transaction that ends its job. Rows that were not reached stay
/// refused, with their corrections.
pub async fn finish_corrected(tx: &Tx, job: &Job, end: &End, now: DateTime<Utc>) -> Result<()> {
    use upload_log::{Column as C, Entity as Logs};
    let open = Logs::find_by_id(queue::log_of(job)).filter(C::Status.eq(Status::Correcting));
    let Some(log) = open.one(&**tx).await.map_err(db)? else { return Ok(()) };
    let status = if log.rows_failed > 0 { Status::ImportedWithErrors } else { Status::Imported };
    let failure = if let End::Failed(error) = end { Some(error) } else { None };
    let (code, text) = failure.map(|it| (it.reason.as_str(), it.message.as_str())).unzip();
    let mut ended = Logs::update_many()
        .col_expr(C::Status, Expr::value(status))
        .col_expr(C::FailureCode, Expr::value(code))
        .col_expr(C::FailureText, Expr::value(text))
        .filter(C::Id.eq(log.id));
    let imported = job.checkpoint.is_some();
    if imported {
        // An import can be undone for a day. That day starts again, so that the rows imported now can be
        // undone, too.
        ended = ended.col_expr(C::FinishedAt, Expr::value(now));
    }
    ended.exec(&**tx).await.map_err(db)?;
    if status == Status::Imported {
        // No row is left for which the file would be read again.
        edits::clear(tx, log.id).await?;
    }
    if imported {
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
            actor: &job.created_by,
            aggregate_id: &log.id.to_string(),
            aggregate_version: log.next_batch.unsigned_abs().into(),
            occurred_at: now,
            payload,
        };
        outbox::add(tx, event).await?;
    }
    kit::fail_point("upload.correct.finished");
    Ok(())
}
