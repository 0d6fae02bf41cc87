//! Cells that people change in a checked file, before it is imported.
//!
//! An edit replaces the file's cell in every pass over the file from then on. Edits change only while the file is
//! checked, so the import builds the same batches in every pass. Unlike a correction, an edit is never withdrawn:
//! the rows that are kept of a check may contain edits themselves, so they do not say what the file has.

use std::collections::{BTreeMap, HashMap};

use kit::{Error, Result};
use proto::upload::v1::UploadReviewRow;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};
use uuid::Uuid;

use super::cells::{self, CorrectedRow, Draft, Edit, Replace, Typed};
use super::parts::{self, Head};
use super::warnings::NewWarning;
use crate::entity::upload_edit::{ActiveModel, Column, Entity, Model};
use crate::entity::upload_log::{self, Model as UploadLog};
use crate::file::place::row_text;
use ::store::audit::By;
use ::store::{Db, Tx, bulk, db};

/// Maximum number of changed cells per file.
const MOST: u64 = 100_000;
/// Number of cells read at a time: more than a row can have.
const WINDOW: u64 = 1_000;

fn of_log(log: Uuid) -> Condition {
    Condition::all().add(Column::UploadLogId.eq(log))
}

fn not_kept() -> Error {
    Error::precondition(
        "ROWS_NOT_KEPT",
        "The rows of this file are no longer kept. Check the file again to review them.",
    )
}

fn missing(row: u32) -> Error {
    let text = format!("The file has no row {}, or the row is too long to change.", row_text(row));
    Error::precondition("ROW_NOT_KEPT", text)
}

/// Returns rows with their edits. Leaves out rows that are too long to keep.
async fn drafts(
    connection: &impl ConnectionTrait,
    log: Uuid,
    rows: Vec<UploadReviewRow>,
) -> Result<BTreeMap<i64, Draft>> {
    let kept = rows.into_iter().filter(|row| !row.cells.is_empty());
    let mut drafts: BTreeMap<i64, Draft> = kept
        .map(|UploadReviewRow { row_number, cells, .. }| {
            (row_number.into(), Draft { cells, corrections: BTreeMap::new(), is_file: false })
        })
        .collect();
    let (Some((first, _)), Some((last, _))) = (drafts.first_key_value(), drafts.last_key_value()) else {
        return Ok(drafts);
    };
    let between = Entity::find().filter(of_log(log)).filter(Column::RowNumber.between(*first, *last));
    for edit in between.all(connection).await.map_err(db)? {
        if let Some(draft) = drafts.get_mut(&edit.row_number) {
            draft.corrections.insert(edit.place, edit.value);
        }
    }
    Ok(drafts)
}

/// Stores changed cells. Fails when the file then has too many of them.
async fn keep(
    tx: &Tx,
    log: Uuid,
    changed: &[(i64, i32)],
    drafts: &BTreeMap<i64, Draft>,
    by: By<'_>,
) -> Result<()> {
    let rows = changed.iter().filter_map(|(row, place)| {
        Some(ActiveModel {
            upload_log_id: Set(log),
            row_number: Set(*row),
            place: Set(*place),
            value: Set(drafts.get(row)?.corrections.get(place)?.clone()),
            edited_by: Set(by.actor.to_owned()),
            edited_at: Set(by.now),
        })
    });
    let again = OnConflict::columns([Column::UploadLogId, Column::RowNumber, Column::Place])
        .update_columns([Column::Value, Column::EditedBy, Column::EditedAt])
        .to_owned();
    bulk::upsert(&**tx, rows.collect(), &again).await?;
    Ok(())
}

/// Requires that a file does not have too many changed cells, and notes that cells were changed since the check.
async fn note_change(tx: &Tx, log: Uuid) -> Result<()> {
    use upload_log::{Column as C, Entity as Logs};
    if Entity::find().filter(of_log(log)).count(&**tx).await.map_err(db)? > MOST {
        let text = format!(
            "More than {MOST} cells of this file would be changed here. Change them in the file, and upload it again."
        );
        return Err(Error::precondition("TOO_MANY_CHANGES", text));
    }
    let changed = Logs::update_many().col_expr(C::ChangedSinceCheck, Expr::value(true)).filter(C::Id.eq(log));
    changed.exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// Changes cells of a checked file; returns how many changed.
pub(super) async fn change(tx: &Tx, log: &UploadLog, edits: Vec<Edit>, by: By<'_>) -> Result<usize> {
    let heads = parts::heads(&**tx, log).await?.ok_or_else(not_kept)?;
    // A few parts at most: the cells of a request are near each other, as somebody sees them.
    let mut by_part: BTreeMap<i32, Vec<Edit>> = BTreeMap::new();
    for edit in edits {
        let row = i64::from(edit.row);
        let holds = |head: &&Head| (head.first_row..=head.last_row).contains(&row);
        let head = heads.iter().find(holds).ok_or_else(|| missing(edit.row))?;
        by_part.entry(head.number).or_default().push(edit);
    }
    let (typed, mut number) = (Typed::of(log)?, 0);
    for (part, edits) in by_part {
        let mut rows = parts::read(&**tx, log.id, part).await?;
        rows.retain(|row| edits.iter().any(|edit| edit.row == row.row_number));
        let mut drafts = drafts(&**tx, log.id, rows).await?;
        let changed = cells::change(&mut drafts, edits, &typed, missing)?;
        keep(tx, log.id, &changed, &drafts, by).await?;
        number += changed.len();
    }
    if number > 0 {
        note_change(tx, log.id).await?;
    }
    Ok(number)
}

/// Replaces a value in one column of a checked file, part by part; returns how many cells changed.
pub(super) async fn replace(tx: &Tx, log: &UploadLog, replace: &Replace, by: By<'_>) -> Result<usize> {
    let (typed, mut number) = (Typed::of(log)?, 0);
    for head in parts::heads(&**tx, log).await?.ok_or_else(not_kept)? {
        let rows = parts::read(&**tx, log.id, head.number).await?;
        let mut drafts = drafts(&**tx, log.id, rows).await?;
        let changed = replace.apply(&mut drafts, &typed)?;
        keep(tx, log.id, &changed, &drafts, by).await?;
        number += changed.len();
        if number > MOST as usize {
            break;
        }
    }
    if number > 0 {
        note_change(tx, log.id).await?;
    }
    Ok(number)
}

/// Counts the cells that [`replace`] would change.
pub(super) async fn count(db_: &Db, log: &UploadLog, replace: &Replace) -> Result<usize> {
    let (typed, mut number) = (Typed::of(log)?, 0);
    for head in parts::heads(db_.read(), log).await?.ok_or_else(not_kept)? {
        let rows = parts::read(db_.read(), log.id, head.number).await?;
        number += replace.apply(&mut drafts(db_.read(), log.id, rows).await?, &typed)?.len();
    }
    Ok(number)
}

/// Returns the edits of some rows, by row.
pub async fn edits_of(db_: &Db, log: Uuid, rows: &[i64]) -> Result<HashMap<i64, Vec<Model>>> {
    let mut found: HashMap<i64, Vec<Model>> = HashMap::new();
    let query = Entity::find().filter(of_log(log)).filter(Column::RowNumber.is_in(rows.iter().copied()));
    for edit in query.order_by_asc(Column::Place).all(db_.read()).await.map_err(db)? {
        found.entry(edit.row_number).or_default().push(edit);
    }
    Ok(found)
}

/// Returns the next edited rows after the line `after`, in file order.
pub async fn edited_rows(db_: &Db, log: Uuid, after: i64) -> Result<Vec<CorrectedRow>> {
    let cells = Entity::find()
        .filter(of_log(log))
        .filter(Column::RowNumber.gt(after))
        .order_by_asc(Column::RowNumber)
        .order_by_asc(Column::Place)
        .limit(WINDOW);
    let cells = cells.all(db_.read()).await.map_err(db)?;
    let is_cut = cells.len() as u64 == WINDOW;
    let mut rows: Vec<CorrectedRow> = Vec::new();
    for Model { row_number, place, value, .. } in cells {
        let cell = (usize::try_from(place).unwrap_or_default(), value);
        match rows.last_mut().filter(|row| row.row == row_number) {
            Some(row) => row.cells.push(cell),
            None => rows.push(CorrectedRow { row: row_number, cells: vec![cell] }),
        }
    }
    // The last row may have more cells, so it is read again.
    if is_cut {
        rows.pop();
    }
    Ok(rows)
}

/// Returns whether cells of a file were changed.
pub async fn has_edits(connection: &impl ConnectionTrait, log: Uuid) -> Result<bool> {
    Ok(Entity::find().filter(of_log(log)).one(connection).await.map_err(db)?.is_some())
}

/// Returns the warning that changed cells are lost.
pub(super) fn dropped(cells: u64) -> NewWarning {
    let cells =
        if cells == 1 { "One changed cell was".to_owned() } else { format!("{cells} changed cells were") };
    NewWarning {
        line: None,
        column: None,
        code: "EDITS_DROPPED".to_owned(),
        text: format!(
            "{cells} dropped, because the file is read with other columns now. Change them again where needed."
        ),
    }
}

/// Returns how many columns, from the first, are the same in two readings of the same columns of a file. Those that
/// default values add behind them may differ.
pub fn same_columns(before: &[String], now: &[String]) -> usize {
    if before == now {
        return usize::MAX;
    }
    before.iter().zip(now).take_while(|(before, now)| before == now).count()
}

/// Removes the edits behind the first `columns` columns; returns how many there were.
pub(super) async fn clear_behind(tx: &Tx, log: Uuid, columns: usize) -> Result<u64> {
    let Ok(columns) = i32::try_from(columns) else { return Ok(0) };
    let gone = Entity::delete_many().filter(of_log(log)).filter(Column::Place.gte(columns));
    Ok(gone.exec(&**tx).await.map_err(db)?.rows_affected)
}

/// Removes the edits of a file; returns how many there were.
pub(super) async fn clear(tx: &Tx, log: Uuid) -> Result<u64> {
    let gone = Entity::delete_many().filter(of_log(log)).exec(&**tx).await.map_err(db)?;
    Ok(gone.rows_affected)
}
