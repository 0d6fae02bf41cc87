//! Corrections of refused rows, and their import.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use proto::upload::v1 as contract;

use super::clients;
use super::error::Failure;
use super::uploads::UploadLog;

#[derive(Default)]
pub struct UploadCorrectionsMutation;

#[Object]
impl UploadCorrectionsMutation {
    /// Stores corrections of cells, at most 1,000 at a time: in any row of a checked file, and in refused rows after
    /// an import. Returns how many cells changed.
    async fn correct_upload_rows(
        &self,
        ctx: &Context<'_>,
        input: CorrectUploadRowsInput,
    ) -> Result<CorrectedCells, Failure> {
        let CorrectUploadRowsInput { upload_log, cells } = input;
        let corrections = cells.into_iter().map(|CorrectCellInput { row_number, column, value }| {
            contract::CellCorrection { row_number, column, value }
        });
        let ask =
            contract::CorrectRowsRequest { upload_log_id: upload_log, corrections: corrections.collect() };
        Ok(clients::uploads(ctx)?.correct_rows(ask).await?.into_inner().into())
    }

    /// Replaces a value in one column of all rows that can be corrected. With `dryRun`, only counts the cells that
    /// would change. A checked file can have 100,000 changed cells.
    async fn replace_in_upload_column(
        &self,
        ctx: &Context<'_>,
        input: ReplaceInUploadColumnInput,
    ) -> Result<CorrectedCells, Failure> {
        let ReplaceInUploadColumnInput { upload_log, column, find, value, whole_cell, dry_run } = input;
        let ask = contract::ReplaceInColumnRequest {
            upload_log_id: upload_log,
            column,
            find,
            value,
            whole_cell,
            dry_run,
        };
        Ok(clients::uploads(ctx)?.replace_in_column(ask).await?.into_inner().into())
    }

    /// Imports corrected rows under the same upload log. Rows that are still wrong stay refused.
    async fn import_corrected_rows(
        &self,
        ctx: &Context<'_>,
        input: ImportCorrectedRowsInput,
    ) -> Result<UploadLog, Failure> {
        let ask = contract::ImportCorrectedRowsRequest { id: input.id };
        Ok(UploadLog(clients::uploads(ctx)?.import_corrected_rows(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct CorrectUploadRowsInput {
    upload_log: String,
    cells: Vec<CorrectCellInput>,
}

#[derive(InputObject)]
pub struct CorrectCellInput {
    row_number: u32,
    /// Index of the column, from 0.
    column: u32,
    /// The corrected value. In a refused row, the value from the file withdraws the correction.
    value: String,
}

#[derive(InputObject)]
pub struct ReplaceInUploadColumnInput {
    upload_log: String,
    /// Index of the column, from 0.
    column: u32,
    find: String,
    value: String,
    /// Whether `find` must match a whole cell.
    whole_cell: bool,
    /// Whether to count the cells without changing them.
    #[graphql(default)]
    dry_run: bool,
}

#[derive(InputObject)]
pub struct ImportCorrectedRowsInput {
    id: String,
}

#[derive(SimpleObject)]
pub struct CorrectedCells {
    changed: u32,
}

impl From<contract::CorrectRowsResponse> for CorrectedCells {
    fn from(answer: contract::CorrectRowsResponse) -> Self {
        Self { changed: answer.changed }
    }
}
