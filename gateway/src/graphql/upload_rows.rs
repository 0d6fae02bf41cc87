//! Refused rows of an upload, and warnings about others.

use async_graphql::{Object, SimpleObject};
use proto::upload::v1 as contract;

pub struct UploadRow(pub(super) contract::UploadRow);

#[Object]
impl UploadRow {
    async fn upload_log_id(&self) -> &str {
        &self.0.upload_log_id
    }
    /// Identifies the row: its number in the file, unless two sheets are read.
    async fn row_number(&self) -> u32 {
        self.0.row_number
    }
    /// The number of the row on its sheet.
    async fn sheet_row(&self) -> u32 {
        // Upload services of the previous release leave it out.
        Some(self.0.sheet_row).filter(|row| *row > 0).unwrap_or(self.0.row_number)
    }
    /// The sheet of the row; null unless the deliveries and their items are on two sheets.
    async fn sheet(&self) -> Option<&str> {
        self.0.sheet.as_deref()
    }
    async fn delivery_id(&self) -> Option<&str> {
        self.0.delivery_id.as_deref()
    }
    async fn messages(&self) -> Vec<UploadRowMessage> {
        self.0.messages.iter().cloned().map(UploadRowMessage::from).collect()
    }
    /// The file's cells, one for each heading; ambiguous dates and numbers are written unambiguously. Empty
    /// when the row was too long to keep.
    async fn cells(&self) -> &[String] {
        &self.0.cells
    }
    /// Corrected cells, sorted by column.
    async fn corrections(&self) -> Vec<UploadCorrection> {
        self.0.corrections.iter().cloned().map(UploadCorrection::from).collect()
    }
}

#[derive(SimpleObject)]
pub struct UploadCorrection {
    /// Index of the column, from 0.
    column: u32,
    value: String,
}

impl From<contract::UploadCorrection> for UploadCorrection {
    fn from(it: contract::UploadCorrection) -> Self {
        Self { column: it.column, value: it.value }
    }
}

#[derive(SimpleObject)]
pub struct UploadWarning {
    /// Number of the warning, counted from 0 in the order in which the warnings were found.
    number: u32,
    /// The line in the file or, if two sheets are read, the row on its sheet.
    line: Option<u32>,
    /// The sheet of the row; null unless the deliveries and their items are on two sheets.
    sheet: Option<String>,
    column: Option<String>,
    code: String,
    text: String,
}

impl From<contract::UploadWarning> for UploadWarning {
    fn from(it: contract::UploadWarning) -> Self {
        let contract::UploadWarning { number, line, column, code, text, sheet } = it;
        Self { number, line, sheet, column, code, text }
    }
}

#[derive(SimpleObject)]
pub struct UploadRowMessage {
    column: Option<String>,
    /// Index of the column, from 0. Null for rows that earlier releases refused.
    column_index: Option<u32>,
    code: String,
    text: String,
}

impl From<contract::UploadRowMessage> for UploadRowMessage {
    fn from(it: contract::UploadRowMessage) -> Self {
        Self { column: it.column, column_index: it.column_index, code: it.code, text: it.text }
    }
}
