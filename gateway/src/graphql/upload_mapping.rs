//! The mapping of a file's columns to fields, when a person has to decide it or wants to.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use proto::upload::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::upload_columns::{ImportColumn, ImportPreviewRow, column, row, some};
use super::upload_items::{ImportItems, ImportItemsInput};
use super::upload_reading::UploadColumnReading;
use super::upload_rows::UploadWarning;
use super::uploads::UploadLog;
use super::value::known;

/// Expected number of columns of a file, for estimating the complexity of a query.
const COLUMNS: usize = 40;

#[derive(Default)]
pub struct UploadMappingQuery;

#[Object]
impl UploadMappingQuery {
    /// The proposed mapping of a waiting file's columns. The sheet and the header are the given ones, or else
    /// those chosen before, or else the first sheet and the line that is most likely the header. `choices`
    /// says how to read the file for `readings` and `firstRow`; without it, the file is read as proposed. The same
    /// holds for `items`.
    #[graphql(complexity = "page::times(COLUMNS, child_complexity)")]
    async fn import_mapping(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        sheet: Option<String>,
        header_line: Option<u32>,
        choices: Option<ImportChoicesInput>,
        items: Option<ImportItemsInput>,
    ) -> Result<ImportMapping, Failure> {
        let choices = choices.unwrap_or_default();
        let ask = contract::GetMappingRequest {
            id: upload_log,
            header_line: header_line.unwrap_or_default(),
            sheet,
            fields: choices.fields.into_iter().map(Option::unwrap_or_default).collect(),
            date_order: DateOrder::wire(choices.date_order),
            decimal_sign: DecimalSign::wire(choices.decimal_sign),
            defaults: choices.defaults.into_iter().map(Into::into).collect(),
            items: items.map(Into::into),
            saved_mapping: choices.saved_mapping,
        };
        clients::uploads(ctx)?.get_mapping(ask).await?.into_inner().try_into()
    }
}

#[derive(Default)]
pub struct UploadMappingMutation;

#[Object]
impl UploadMappingMutation {
    /// Makes a checked file wait for somebody to choose its columns. Deletes the result of the check.
    async fn choose_import_columns(
        &self,
        ctx: &Context<'_>,
        input: ChooseImportColumnsInput,
    ) -> Result<UploadLog, Failure> {
        let ask = contract::ChooseColumnsRequest { id: input.upload_log };
        Ok(UploadLog(clients::uploads(ctx)?.choose_columns(ask).await?.into_inner()))
    }

    /// Saves the mapping of the columns and continues the import, unless it is a draft.
    async fn save_import_mapping(
        &self,
        ctx: &Context<'_>,
        input: SaveImportMappingInput,
    ) -> Result<UploadLog, Failure> {
        let SaveImportMappingInput {
            upload_log,
            sheet,
            header_line,
            fields,
            date_order,
            decimal_sign,
            defaults,
            items,
            draft,
            saved_mapping,
        } = input;
        let ask = contract::SaveMappingRequest {
            id: upload_log,
            header_line,
            fields: fields.into_iter().map(Option::unwrap_or_default).collect(),
            sheet,
            date_order: DateOrder::wire(date_order),
            decimal_sign: DecimalSign::wire(decimal_sign),
            defaults: defaults.into_iter().map(Into::into).collect(),
            items: items.map(Into::into),
            draft,
            saved_mapping: saved_mapping.unwrap_or_default(),
        };
        Ok(UploadLog(clients::uploads(ctx)?.save_mapping(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct ChooseImportColumnsInput {
    upload_log: String,
}

#[derive(InputObject)]
pub struct SaveImportMappingInput {
    upload_log: String,
    /// The sheet's name; null for the first visible sheet with content.
    sheet: Option<String>,
    header_line: u32,
    /// The field name for each column; null leaves the column out.
    fields: Vec<Option<String>>,
    /// Null: as the values of the file show.
    date_order: Option<DateOrder>,
    /// Null: as the values of the file show.
    decimal_sign: Option<DecimalSign>,
    #[graphql(default)]
    defaults: Vec<ImportDefaultInput>,
    /// Null: the items have no sheet of their own.
    items: Option<ImportItemsInput>,
    /// Only keeps the choices, which may be unfinished.
    #[graphql(default)]
    draft: bool,
    /// Id of the saved mapping from which the choices come, even if they were changed since. A draft without fields
    /// gets the choices of the mapping.
    saved_mapping: Option<String>,
}

/// A value for all rows that have none, because the file has no such column or their cell is empty.
#[derive(InputObject)]
pub struct ImportDefaultInput {
    /// Name of the field.
    field: String,
    /// At most 500 characters; empty for no default.
    value: String,
}

impl From<ImportDefaultInput> for contract::UploadDefault {
    fn from(ImportDefaultInput { field, value }: ImportDefaultInput) -> Self {
        Self { field, value }
    }
}

#[derive(InputObject, Default)]
pub struct ImportChoicesInput {
    /// The field name for each column; null leaves the column out. Without any: as proposed.
    fields: Vec<Option<String>>,
    date_order: Option<DateOrder>,
    decimal_sign: Option<DecimalSign>,
    #[graphql(default)]
    defaults: Vec<ImportDefaultInput>,
    /// Id of the saved mapping to propose, or from which the choices come. Empty: none. Null: without fields, one that
    /// fits.
    saved_mapping: Option<String>,
}

/// Whether the month or the day comes first.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(name = "ImportDateOrder", rename_items = "snake_case")]
pub enum DateOrder {
    Mdy,
    Dmy,
}

impl DateOrder {
    pub(super) fn wire(order: Option<Self>) -> i32 {
        use contract::UploadDateOrder as Wire;
        match order {
            None => Wire::Unspecified,
            Some(Self::Mdy) => Wire::Mdy,
            Some(Self::Dmy) => Wire::Dmy,
        }
        .into()
    }

    fn of(order: contract::UploadDateOrder) -> Option<Self> {
        match order {
            contract::UploadDateOrder::Unspecified => None,
            contract::UploadDateOrder::Mdy => Some(Self::Mdy),
            contract::UploadDateOrder::Dmy => Some(Self::Dmy),
        }
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(name = "ImportDecimalSign", rename_items = "snake_case")]
pub enum DecimalSign {
    Point,
    Comma,
}

impl DecimalSign {
    pub(super) fn wire(sign: Option<Self>) -> i32 {
        use contract::UploadDecimalSign as Wire;
        match sign {
            None => Wire::Unspecified,
            Some(Self::Point) => Wire::Point,
            Some(Self::Comma) => Wire::Comma,
        }
        .into()
    }

    fn of(sign: contract::UploadDecimalSign) -> Option<Self> {
        match sign {
            contract::UploadDecimalSign::Unspecified => None,
            contract::UploadDecimalSign::Point => Some(Self::Point),
            contract::UploadDecimalSign::Comma => Some(Self::Comma),
        }
    }
}

#[derive(SimpleObject)]
pub struct ImportMapping {
    /// The visible sheets with content; a text file is one sheet without a name.
    sheets: Vec<ImportSheet>,
    header_line: u32,
    /// Number of rows with content below the header.
    row_count: u32,
    /// The rows that may be the header.
    rows: Vec<ImportPreviewRow>,
    columns: Vec<ImportColumn>,
    /// The field of each column, as asked for, kept or proposed; null leaves the column out.
    chosen: Vec<Option<String>>,
    /// All fields that a column may hold.
    fields: Vec<ImportField>,
    /// Whether a check comes next.
    dry_run: bool,
    /// The chosen date order; null: as the values of the file show.
    date_order: Option<DateOrder>,
    /// The chosen decimal sign; null: as the values of the file show.
    decimal_sign: Option<DecimalSign>,
    /// Values for all rows that have none.
    defaults: Vec<ImportDefault>,
    /// How the mapped columns of dates and numbers are read.
    readings: Vec<ImportColumnReading>,
    /// The first row below the header, as it would be read.
    first_row: Option<ImportFirstRow>,
    /// Why the file cannot be read like this.
    problem: Option<String>,
    /// The sheet with the items; null if they have none of their own.
    items: Option<ImportItems>,
    /// The saved mapping that is proposed.
    saved_mapping: Option<AppliedImportMapping>,
    /// Warnings about the whole file under these choices.
    warnings: Vec<UploadWarning>,
}

/// A saved mapping on a file.
#[derive(SimpleObject)]
pub struct AppliedImportMapping {
    id: String,
    name: String,
    /// Headings of its columns that the file doesn't have.
    missing: Vec<String>,
    /// Whether the server found it, because it fits the file and is of the import's source.
    proposed: bool,
}

impl From<contract::UploadAppliedMapping> for AppliedImportMapping {
    fn from(mapping: contract::UploadAppliedMapping) -> Self {
        let contract::UploadAppliedMapping { id, name, missing, proposed } = mapping;
        Self { id, name, missing, proposed }
    }
}

#[derive(SimpleObject)]
pub struct ImportSheet {
    name: String,
    chosen: bool,
    /// The line that is most likely the header.
    header_line: u32,
    /// Number of rows with content below that line.
    row_count: u32,
}

#[derive(SimpleObject)]
pub struct ImportField {
    name: String,
    label: String,
    required: bool,
    /// Whether rows without a value can get a default.
    can_default: bool,
    /// Whether several columns can hold the field; their values are joined.
    can_join: bool,
}

#[derive(SimpleObject)]
pub struct ImportDefault {
    field: String,
    value: String,
}

#[derive(SimpleObject)]
pub struct ImportColumnReading {
    /// Index of the column, from 0.
    column: u32,
    heading: String,
    reading: UploadColumnReading,
    /// Whether any value of the column is read otherwise in the other way.
    depends: bool,
    /// At most three.
    examples: Vec<ImportReadingExample>,
}

#[derive(SimpleObject)]
pub struct ImportReadingExample {
    value: String,
    /// What the import makes of the value; null if it refuses it.
    chosen: Option<String>,
    /// With the other date order or decimal sign.
    other: Option<String>,
}

#[derive(SimpleObject)]
pub struct ImportFirstRow {
    line: u32,
    values: Vec<ImportFirstRowValue>,
}

#[derive(SimpleObject)]
pub struct ImportFirstRowValue {
    field: String,
    label: String,
    text: String,
    /// Why the value is refused.
    problem: Option<String>,
}

impl TryFrom<contract::UploadMapping> for ImportMapping {
    type Error = Failure;

    fn try_from(mapping: contract::UploadMapping) -> Result<Self, Failure> {
        let (date_order, decimal_sign) = (mapping.date_order(), mapping.decimal_sign());
        let sheet = |it: contract::UploadSheet| {
            let contract::UploadSheet { name, chosen, header_line, row_count } = it;
            ImportSheet { name, chosen, header_line, row_count }
        };
        let field = |it: contract::UploadField| {
            let contract::UploadField { name, label, required, can_default, can_join } = it;
            ImportField { name, label, required, can_default, can_join }
        };
        let default = |contract::UploadDefault { field, value }| ImportDefault { field, value };
        let columns: Result<_, Failure> = mapping.columns.into_iter().map(column).collect();
        let readings: Result<_, Failure> = mapping.readings.into_iter().map(reading).collect();
        Ok(Self {
            sheets: mapping.sheets.into_iter().map(sheet).collect(),
            header_line: mapping.header_line,
            row_count: mapping.row_count,
            rows: mapping.rows.into_iter().map(row).collect(),
            columns: columns?,
            chosen: mapping.chosen.into_iter().map(some).collect(),
            fields: mapping.fields.into_iter().map(field).collect(),
            dry_run: mapping.dry_run,
            date_order: DateOrder::of(date_order),
            decimal_sign: DecimalSign::of(decimal_sign),
            defaults: mapping.defaults.into_iter().map(default).collect(),
            readings: readings?,
            first_row: mapping.first_row.map(first_row),
            problem: some(mapping.problem),
            items: mapping.items.map(TryInto::try_into).transpose()?,
            saved_mapping: mapping.saved_mapping.map(Into::into),
            warnings: mapping.warnings.into_iter().map(Into::into).collect(),
        })
    }
}

fn reading(column: contract::UploadColumnExamples) -> Result<ImportColumnReading, Failure> {
    let contract::UploadColumnExamples { column, heading, reading, depends, examples } = column;
    let reading = known::<contract::UploadColumnReading, _>(reading)?;
    let example = |contract::UploadReadingExample { value, chosen, other }| ImportReadingExample {
        value,
        chosen: some(chosen),
        other: some(other),
    };
    let examples = examples.into_iter().map(example).collect();
    Ok(ImportColumnReading { column, heading, reading, depends, examples })
}

fn first_row(row: contract::UploadFirstRow) -> ImportFirstRow {
    let value = |it: contract::UploadFirstRowValue| {
        let contract::UploadFirstRowValue { field, label, text, problem } = it;
        ImportFirstRowValue { field, label, text, problem: some(problem) }
    };
    ImportFirstRow { line: row.line, values: row.values.into_iter().map(value).collect() }
}
