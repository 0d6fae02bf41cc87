//! The mapping of a file's columns to fields, when a person has to decide it.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use proto::upload::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::uploads::UploadLog;

/// Expected number of columns of a file, for estimating the complexity of a query.
const COLUMNS: usize = 40;

#[derive(Default)]
pub struct UploadMappingQuery;

#[Object]
impl UploadMappingQuery {
    /// The proposed mapping of a file's columns. The header is `headerLine`, or else the line that is most
    /// likely the header.
    #[graphql(complexity = "page::times(COLUMNS, child_complexity)")]
    async fn import_mapping(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        header_line: Option<u32>,
    ) -> Result<ImportMapping, Failure> {
        let ask =
            contract::GetMappingRequest { id: upload_log, header_line: header_line.unwrap_or_default() };
        Ok(clients::uploads(ctx)?.get_mapping(ask).await?.into_inner().into())
    }
}

#[derive(Default)]
pub struct UploadMappingMutation;

#[Object]
impl UploadMappingMutation {
    /// Saves the mapping of the columns and continues the import.
    async fn save_import_mapping(
        &self,
        ctx: &Context<'_>,
        input: SaveImportMappingInput,
    ) -> Result<UploadLog, Failure> {
        let SaveImportMappingInput { upload_log, header_line, fields } = input;
        let fields = fields.into_iter().map(Option::unwrap_or_default).collect();
        let ask = contract::SaveMappingRequest { id: upload_log, header_line, fields };
        Ok(UploadLog(clients::uploads(ctx)?.save_mapping(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct SaveImportMappingInput {
    upload_log: String,
    header_line: u32,
    /// The field name for each column; null leaves the column out.
    fields: Vec<Option<String>>,
}

#[derive(SimpleObject)]
pub struct ImportMapping {
    header_line: u32,
    /// The rows that may be the header.
    rows: Vec<ImportPreviewRow>,
    columns: Vec<ImportColumn>,
    /// All fields that a column may hold.
    fields: Vec<ImportField>,
}

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
}

#[derive(SimpleObject)]
pub struct ImportField {
    name: String,
    label: String,
    required: bool,
}

impl From<contract::UploadMapping> for ImportMapping {
    fn from(mapping: contract::UploadMapping) -> Self {
        let contract::UploadMapping { header_line, rows, columns, fields } = mapping;
        let row = |contract::UploadPreviewRow { line, cells }| ImportPreviewRow { line, cells };
        let column = |contract::UploadMappingColumn { heading, examples, field }| ImportColumn {
            heading,
            examples,
            field: Some(field).filter(|field| !field.is_empty()),
        };
        let field = |contract::UploadField { name, label, required }| ImportField { name, label, required };
        Self {
            header_line,
            rows: rows.into_iter().map(row).collect(),
            columns: columns.into_iter().map(column).collect(),
            fields: fields.into_iter().map(field).collect(),
        }
    }
}
