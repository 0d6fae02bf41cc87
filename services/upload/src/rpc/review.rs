//! The rows of a checked file, in the contract's terms.

use std::collections::HashMap;

use kit::{Error, Result};
use proto::upload::v1::*;
use uuid::Uuid;

use super::places::Sheets;
use crate::entity::upload_log::Status;
use crate::{Context, store};

/// Maximum number of rows per request.
const ROWS: u32 = 200;

/// Returns the cells of refused rows that people changed: before the import these are edits, which the rows of the import
/// contain, and afterwards corrections.
pub(super) async fn changes_of(
    context: &Context,
    log: Uuid,
    rows: &[i64],
) -> Result<HashMap<i64, Vec<UploadCorrection>>> {
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    if store::get(&context.db, &log.to_string()).await?.status == Status::Validated {
        let edits = store::edits_of(&context.db, log, rows).await?;
        return Ok(edits.into_iter().map(in_terms).collect());
    }
    let corrections = store::corrections_of(&context.db, log, rows).await?;
    Ok(corrections.into_iter().map(in_terms).collect())
}

fn in_terms<T: Into<UploadCorrection>>((row, cells): (i64, Vec<T>)) -> (i64, Vec<UploadCorrection>) {
    (row, cells.into_iter().map(Into::into).collect())
}

/// Returns a window of the rows of a checked file, with the cells that people changed since.
pub(super) async fn listed(
    context: &Context,
    request: ListReviewRowsRequest,
) -> Result<ListReviewRowsResponse> {
    let result = UploadRowResult::try_from(request.result)
        .map_err(|_| Error::invalid_field("result", "There is no such result"))?;
    let ListReviewRowsRequest { upload_log_id, result: _, offset, limit } = request;
    if limit == 0 || limit > ROWS {
        return Err(Error::invalid_field("limit", format!("must be between 1 and {ROWS}")));
    }
    let log = store::get(&context.db, &upload_log_id).await?;
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let found = store::window(&context.db, &log, result, size(offset), size(limit)).await?;
    let Some(store::Window { mut rows, total }) = found else { return Ok(ListReviewRowsResponse::default()) };
    let numbers: Vec<i64> = rows.iter().map(|row| row.row_number.into()).collect();
    let mut edits = store::edits_of(&context.db, log.id, &numbers).await?;
    let sheets = Sheets::of(context, log.id).await?;
    for row in &mut rows {
        let edits = edits.remove(&row.row_number.into()).unwrap_or_default();
        row.corrections = edits.into_iter().map(Into::into).collect();
        (row.sheet_row, row.sheet) = sheets.place(row.row_number);
    }
    let total = u32::try_from(total).unwrap_or(u32::MAX);
    Ok(ListReviewRowsResponse { rows, total, kept: true })
}
