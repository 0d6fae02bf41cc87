//! The rows of a checked file, to be reviewed before the import.

use async_graphql::{Context, Enum, Object, SimpleObject};
use kit::Error;
use proto::upload::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::upload_rows::{UploadCorrection, UploadRowMessage};
use super::value::known;

#[derive(Default)]
pub struct UploadReviewQuery;

#[Object]
impl UploadReviewQuery {
    /// A window of the rows of a checked file, in file order, with what the import would do with each: at most 200.
    /// Without `result`, all rows.
    #[graphql(complexity = "page::times(usize::try_from(limit).unwrap_or(0), child_complexity)")]
    async fn review_rows(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        result: Option<UploadRowResult>,
        #[graphql(default)] offset: i32,
        #[graphql(default = 100)] limit: i32,
    ) -> Result<ReviewRows, Failure> {
        let positive = |name: &str, number: i32| {
            u32::try_from(number).map_err(|_| Error::invalid_field(name, "must not be negative"))
        };
        let ask = contract::ListReviewRowsRequest {
            upload_log_id: upload_log,
            result: result.map_or(contract::UploadRowResult::Unspecified, Into::into).into(),
            offset: positive("offset", offset)?,
            limit: positive("limit", limit)?,
        };
        clients::uploads(ctx)?.list_review_rows(ask).await?.into_inner().try_into()
    }
}

/// What an import would do with a row.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum UploadRowResult {
    Created,
    Updated,
    Skipped,
    Refused,
}

proto::same_enum!(contract::UploadRowResult => UploadRowResult {
    Created => Created,
    Updated => Updated,
    Skipped => Skipped,
    Refused => Refused,
});

#[derive(SimpleObject)]
pub struct ReviewRows {
    rows: Vec<ReviewRow>,
    /// Number of rows with the result.
    total: u32,
    /// False if the rows are not kept: 30 days after the check, or if an earlier release checked the file.
    kept: bool,
}

#[derive(SimpleObject)]
pub struct ReviewRow {
    /// Identifies the row: its number in the file, unless two sheets are read.
    row_number: u32,
    /// The number of the row on its sheet.
    sheet_row: u32,
    /// The sheet of the row; null unless the deliveries and their items are on two sheets.
    sheet: Option<String>,
    result: UploadRowResult,
    /// Why the row would be refused.
    messages: Vec<UploadRowMessage>,
    /// The cells when the file was checked, one for each heading; ambiguous dates and numbers are written
    /// unambiguously. Empty when the row was too long to keep.
    cells: Vec<String>,
    /// Changed cells, sorted by column. Those that were changed before the check equal the cells.
    corrections: Vec<UploadCorrection>,
}

impl TryFrom<contract::ListReviewRowsResponse> for ReviewRows {
    type Error = Failure;

    fn try_from(answer: contract::ListReviewRowsResponse) -> Result<Self, Failure> {
        let contract::ListReviewRowsResponse { rows, total, kept } = answer;
        let rows: Result<_, Failure> = rows.into_iter().map(ReviewRow::try_from).collect();
        Ok(Self { rows: rows?, total, kept })
    }
}

impl TryFrom<contract::UploadReviewRow> for ReviewRow {
    type Error = Failure;

    fn try_from(row: contract::UploadReviewRow) -> Result<Self, Failure> {
        let contract::UploadReviewRow { row_number, result, messages, cells, corrections, sheet_row, sheet } =
            row;
        Ok(Self {
            row_number,
            sheet_row,
            sheet,
            result: known::<contract::UploadRowResult, _>(result)?,
            messages: messages.into_iter().map(Into::into).collect(),
            cells,
            corrections: corrections.into_iter().map(Into::into).collect(),
        })
    }
}
