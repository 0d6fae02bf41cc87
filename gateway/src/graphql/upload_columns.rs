//! The columns of a sheet, for a person who maps them to fields.

use async_graphql::{Enum, SimpleObject};
use proto::upload::v1 as contract;

use super::error::Failure;
use super::value::known;

#[derive(SimpleObject)]
pub struct ImportPreviewRow {
    line: u32,
    cells: Vec<String>,
}

#[derive(SimpleObject)]
pub struct ImportColumn {
    heading: String,
    /// The first three values of the column.
    examples: Vec<String>,
    /// The field that is proposed for the column.
    field: Option<String>,
    confidence: ImportConfidence,
    /// Label of the other field that fits, if the confidence is `check`.
    alternative: Option<String>,
}

/// Why a field is proposed for a column.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum ImportConfidence {
    /// The heading is a known name of the field.
    Exact,
    /// Somebody chose the field for a file with the same headings, or in the saved mapping.
    Saved,
    /// The heading is similar to a name of the field.
    Likely,
    /// The heading is similar to the names of two fields.
    Check,
    /// No field is proposed.
    None,
}

proto::same_enum!(contract::UploadConfidence => ImportConfidence {
    Exact => Exact,
    Saved => Saved,
    Likely => Likely,
    Check => Check,
    None => None,
});

/// Converts a text that the contract leaves empty when there is none.
pub(super) fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

pub(super) fn row(
    contract::UploadPreviewRow { line, cells }: contract::UploadPreviewRow,
) -> ImportPreviewRow {
    ImportPreviewRow { line, cells }
}

pub(super) fn column(column: contract::UploadMappingColumn) -> Result<ImportColumn, Failure> {
    let contract::UploadMappingColumn { heading, examples, field, confidence, alternative } = column;
    let confidence = known::<contract::UploadConfidence, _>(confidence)?;
    Ok(ImportColumn { heading, examples, field: some(field), confidence, alternative: some(alternative) })
}
