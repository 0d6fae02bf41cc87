//! Items on a sheet of their own.

use async_graphql::{InputObject, SimpleObject};
use proto::upload::v1 as contract;

use super::error::Failure;
use super::upload_columns::{ImportColumn, ImportPreviewRow, column, row, some};

/// The sheet with the items, if another sheet has only the deliveries. Both are joined by the Delivery Doc.
#[derive(InputObject)]
pub struct ImportItemsInput {
    /// The sheet's name; empty: the items have no sheet of their own.
    sheet: String,
    /// Null: the line that is most likely the header.
    header_line: Option<u32>,
    /// The field name for each column; null leaves the column out. Without any: as proposed.
    #[graphql(default)]
    fields: Vec<Option<String>>,
}

impl From<ImportItemsInput> for contract::UploadItemsSheet {
    fn from(ImportItemsInput { sheet, header_line, fields }: ImportItemsInput) -> Self {
        let fields = fields.into_iter().map(Option::unwrap_or_default).collect();
        Self { sheet, header_line: header_line.unwrap_or_default(), fields }
    }
}

#[derive(SimpleObject)]
pub struct ImportItems {
    sheet: String,
    header_line: u32,
    /// Number of rows with content below the header.
    row_count: u32,
    /// The rows that may be the header.
    rows: Vec<ImportPreviewRow>,
    columns: Vec<ImportColumn>,
    /// The field of each column, as asked for, kept or proposed; null leaves the column out.
    chosen: Vec<Option<String>>,
}

impl TryFrom<contract::UploadItems> for ImportItems {
    type Error = Failure;

    fn try_from(items: contract::UploadItems) -> Result<Self, Failure> {
        let contract::UploadItems { sheet, header_line, rows, columns, chosen, row_count } = items;
        let columns: Result<_, Failure> = columns.into_iter().map(column).collect();
        Ok(Self {
            sheet,
            header_line,
            row_count,
            rows: rows.into_iter().map(row).collect(),
            columns: columns?,
            chosen: chosen.into_iter().map(some).collect(),
        })
    }
}
