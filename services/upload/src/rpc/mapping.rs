//! A file whose columns a person chooses, in the contract's terms.

use kit::Result;
use proto::upload::v1::*;
use uuid::Uuid;

use super::applied;
use crate::entity::upload_log;
use crate::file::columns::Chosen;
use crate::file::layout::{Defaults, ItemsSheet, Layout, Preview, PreviewRow, Sheet};
use crate::file::number::DecimalSign;
use crate::file::proposal::{Column, Confidence};
use crate::file::reading::{ColumnExamples, Example, FirstRow};
use crate::file::row::{DateOrder, RowContext};
use crate::file::{Field, Warning};
use crate::settings::{Reading, reading_of, require_open};
use crate::{Context, store};

/// Saves the decision that a request makes, or keeps it as a draft.
pub(super) async fn save(
    context: &Context,
    id: Uuid,
    request: SaveMappingRequest,
    importer: store::Importer<'_>,
) -> Result<upload_log::Model> {
    let db = &context.db;
    let (draft, saved) = (request.draft, request.saved_mapping.clone());
    let layout = decided(request);
    if draft {
        let saved = store::saved_mapping(db, &saved).await?;
        let saved = saved.map(|row| row.parsed()).transpose()?;
        return store::keep_draft(db, id, layout, saved.as_ref()).await;
    }
    // A dry run imports nothing.
    if !store::get(db, &id.to_string()).await?.is_check() {
        require_open(context)?;
    }
    store::save_layout(db, id, layout, &saved, &Reading::now(context), importer).await
}

/// Returns the decision that a request makes.
fn decided(request: SaveMappingRequest) -> Layout {
    let chosen = chosen(request.date_order(), request.decimal_sign());
    let SaveMappingRequest { header_line, fields, sheet, defaults, items, .. } = request;
    let defaults = default_values(defaults);
    let items = items.filter(|items| !items.sheet.is_empty()).map(decided_items);
    Layout { header_line, columns: columns(fields), sheet, chosen, defaults, items }
}

/// Returns what is proposed for a waiting file. Everything is as requested, or else as it was chosen for this
/// file before, or else as remembered, or else as a saved mapping says.
pub(super) async fn proposed(context: &Context, request: GetMappingRequest) -> Result<UploadMapping> {
    let log = store::get(&context.db, &request.id).await?;
    let preview = store::preview_of(&log)?;
    let before = log.layout.as_deref().and_then(|text| Layout::parse(text).ok());
    let before = before.filter(|_| request.sheet.is_none() && request.header_line == 0);
    let name = request.sheet.clone().or_else(|| before.as_ref()?.sheet.clone());
    let sheet = preview.sheet(name.as_deref()).ok_or_else(store::unknown_sheet)?;
    let mappings = store::saved_mappings_of(&context.db, log.source_id).await?;
    let lines = applied::header_lines(context, &mappings, preview.sheets()).await?;
    let sheets = sheets(&preview, &lines, sheet);
    let header_line = match (request.header_line, &before) {
        (0, Some(before)) => before.header_line,
        (0, None) => sheets.iter().find(|it| it.chosen).map_or(sheet.header_line(), |it| it.header_line),
        (line, _) => line,
    };
    let headings = sheet.headings(header_line).unwrap_or_default();
    let saved = store::remembered(context.db.read(), headings).await?;
    let kept = before.filter(|before| !before.columns.is_empty());
    let named = match request.saved_mapping.as_deref() {
        Some(id) => applied::requested(context, id, sheet, header_line).await?,
        None if saved.is_some() || kept.is_some() || !request.fields.is_empty() => None,
        None => applied::fitting(mappings, sheet, header_line)?,
    };
    let named_columns = named.as_ref().map(|it| it.applied.columns.as_slice());
    let known_columns = named_columns.or(saved.as_ref().map(|it| it.columns.as_slice()));
    let columns_of = sheet.columns(header_line, known_columns);
    let proposals = Proposals { preview: &preview, sheet, columns: &columns_of, saved: saved.as_ref() };
    let items = match (&kept, &request.items) {
        (Some(kept), None) => proposals.items(Some(&items_of(kept)))?,
        (_, asked) => proposals.items(asked.as_ref())?,
    };
    let items_shown = items.as_ref().and_then(|items| proposals.shown(items));
    let layout = if let Some(kept) = kept {
        Layout { items, ..kept }
    } else if request.fields.is_empty() {
        let proposed = columns_of.iter().map(|it| it.proposed.map(|field| field.name().to_owned()));
        let columns = proposed.collect();
        let of_name = named.as_ref().map(|it| (it.mapping.chosen, it.mapping.defaults.clone()));
        let of_header = saved.map(|it| (it.chosen, it.defaults));
        let (chosen, defaults) = of_name.or(of_header).unwrap_or_default();
        Layout { header_line, columns, sheet: name, chosen, defaults, items }
    } else {
        let chosen = chosen(request.date_order(), request.decimal_sign());
        let defaults = default_values(request.defaults);
        let columns = columns(request.fields);
        Layout { header_line, columns, sheet: name, chosen, defaults, items }
    };
    let now = Reading::now(context);
    let (joined, unjoined) = match preview.joined(&layout) {
        Ok(joined) => (joined, None),
        Err(error) => ((sheet.clone(), Layout { items: None, ..layout.clone() }), Some(error)),
    };
    let readings = joined.0.readings(&joined.1, now.order());
    let rows = RowContext { columns: readings.columns, ..now.rows() };
    let problem = joined.0.problem_of_defaults(&joined.1, &rows).or(readings.problem);
    let problem = unjoined.or(problem);
    let warnings = warnings(&preview, &layout);
    Ok(UploadMapping {
        header_line,
        rows: sheet.candidates().iter().map(row).collect(),
        columns: columns_of.into_iter().map(column).collect(),
        fields: Field::all().map(field).collect(),
        sheets,
        row_count: sheet.rows_below(header_line),
        dry_run: log.is_check(),
        date_order: date_order(layout.chosen).into(),
        decimal_sign: decimal_sign(layout.chosen).into(),
        readings: readings.examples.into_iter().map(examples).collect(),
        first_row: joined.0.first_row(&joined.1, &rows).map(first_row),
        problem: problem.map(|problem| problem.text).unwrap_or_default(),
        items: items_shown,
        chosen: layout.columns.into_iter().map(Option::unwrap_or_default).collect(),
        defaults: layout.defaults.into_iter().map(|(field, value)| UploadDefault { field, value }).collect(),
        saved_mapping: named.map(applied::Proposal::into_wire),
        warnings,
    })
}

/// What is known about a waiting file for proposing the sheet with its items.
struct Proposals<'a> {
    preview: &'a Preview,
    sheet: &'a Sheet,
    columns: &'a [Column],
    saved: Option<&'a store::Remembered>,
}

impl Proposals<'_> {
    /// Returns the sheet with the items as requested. Without a request, returns the remembered one or, if none
    /// is remembered that the file has, a likely one.
    fn items(&self, asked: Option<&UploadItemsSheet>) -> Result<Option<ItemsSheet>> {
        let fields: Vec<_> = self.columns.iter().map(|column| column.proposed).collect();
        let Some(asked) = asked else {
            let remembered = self.saved.map(|saved| saved.items.as_ref());
            return Ok(match remembered {
                Some(None) => None,
                Some(Some(items)) if self.preview.items(items).is_some() => Some(items.clone()),
                Some(Some(_)) | None => self.preview.likely_items(self.sheet, &fields),
            });
        };
        if asked.sheet.is_empty() {
            return Ok(None);
        }
        if !asked.fields.is_empty() {
            return Ok(Some(decided_items(asked.clone())));
        }
        let sheet = self.preview.sheet(Some(&asked.sheet)).ok_or_else(store::unknown_sheet)?;
        let line = if asked.header_line == 0 { sheet.header_line() } else { asked.header_line };
        Ok(Some(sheet.items(line, &fields)))
    }

    /// Returns the sheet with the items for a person; `None` if the file doesn't have it.
    fn shown(&self, items: &ItemsSheet) -> Option<UploadItems> {
        let sheet = self.preview.items(items)?;
        let saved = self.saved.and_then(|saved| saved.items.as_ref());
        let saved =
            saved.filter(|saved| (&saved.sheet, saved.header_line) == (&items.sheet, items.header_line));
        let columns = sheet.columns(items.header_line, saved.map(|saved| saved.columns.as_slice()));
        Some(UploadItems {
            sheet: items.sheet.clone(),
            header_line: items.header_line,
            rows: sheet.candidates().iter().map(row).collect(),
            columns: columns.into_iter().map(column).collect(),
            chosen: items.columns.iter().cloned().map(Option::unwrap_or_default).collect(),
            row_count: sheet.rows_below(items.header_line),
        })
    }
}

/// Returns the choice about the items that was kept, whose columns may not have been chosen yet.
fn items_of(kept: &Layout) -> UploadItemsSheet {
    let Some(ItemsSheet { sheet, header_line, columns, .. }) = kept.items.clone() else {
        return UploadItemsSheet::default();
    };
    let fields = columns.into_iter().map(Option::unwrap_or_default).collect();
    UploadItemsSheet { sheet, header_line, fields }
}

fn decided_items(items: UploadItemsSheet) -> ItemsSheet {
    let UploadItemsSheet { sheet, header_line, fields } = items;
    ItemsSheet { sheet, header_line, columns: columns(fields), fingerprint: String::new() }
}

pub(super) fn columns(fields: Vec<String>) -> Vec<Option<String>> {
    fields.into_iter().map(|name| Some(name).filter(|name| !name.is_empty())).collect()
}

/// Returns the default values that are filled in.
pub(super) fn default_values(defaults: Vec<UploadDefault>) -> Defaults {
    let trimmed = defaults.into_iter().map(|it| (it.field, it.value.trim().to_owned()));
    trimmed.filter(|(_, value)| !value.is_empty()).collect()
}

pub(super) fn chosen(order: UploadDateOrder, sign: UploadDecimalSign) -> Chosen {
    let date_order = match order {
        UploadDateOrder::Unspecified => None,
        UploadDateOrder::Mdy => Some(DateOrder::Mdy),
        UploadDateOrder::Dmy => Some(DateOrder::Dmy),
    };
    let decimal_sign = match sign {
        UploadDecimalSign::Unspecified => None,
        UploadDecimalSign::Point => Some(DecimalSign::Point),
        UploadDecimalSign::Comma => Some(DecimalSign::Comma),
    };
    Chosen { date_order, decimal_sign }
}

fn date_order(chosen: Chosen) -> UploadDateOrder {
    match chosen.date_order {
        None => UploadDateOrder::Unspecified,
        Some(DateOrder::Mdy) => UploadDateOrder::Mdy,
        Some(DateOrder::Dmy) => UploadDateOrder::Dmy,
    }
}

fn decimal_sign(chosen: Chosen) -> UploadDecimalSign {
    match chosen.decimal_sign {
        None => UploadDecimalSign::Unspecified,
        Some(DecimalSign::Point) => UploadDecimalSign::Point,
        Some(DecimalSign::Comma) => UploadDecimalSign::Comma,
    }
}

/// Returns the sheets that can be chosen, each with the header line to begin with.
fn sheets(preview: &Preview, lines: &[u32], chosen: &Sheet) -> Vec<UploadSheet> {
    let sheet = |(sheet, &header_line): (&Sheet, &u32)| UploadSheet {
        name: sheet.name.clone(),
        chosen: sheet.name == chosen.name,
        header_line,
        row_count: sheet.rows_below(header_line),
    };
    preview.sheets().iter().zip(lines).map(sheet).collect()
}

fn row(row: &PreviewRow) -> UploadPreviewRow {
    UploadPreviewRow { line: row.line, cells: row.cells.clone() }
}

fn column(column: Column) -> UploadMappingColumn {
    let confidence = match column.confidence {
        Confidence::Exact => UploadConfidence::Exact,
        Confidence::Saved => UploadConfidence::Saved,
        Confidence::Likely => UploadConfidence::Likely,
        Confidence::Unsure => UploadConfidence::Check,
        Confidence::None => UploadConfidence::None,
    };
    UploadMappingColumn {
        heading: column.heading,
        examples: column.examples,
        field: column.proposed.map(|field| field.name().to_owned()).unwrap_or_default(),
        confidence: confidence.into(),
        alternative: column.alternative.map(|field| field.label().to_owned()).unwrap_or_default(),
    }
}

fn field(field: Field) -> UploadField {
    UploadField {
        name: field.name().to_owned(),
        label: field.label().to_owned(),
        required: field.is_required(),
        can_default: field.can_default(),
        can_join: field.joined_by().is_some(),
    }
}

fn examples(column: ColumnExamples) -> UploadColumnExamples {
    let ColumnExamples { column, heading, decision, depends, examples } = column;
    let example = |Example { value, chosen, other }: Example| UploadReadingExample {
        value,
        chosen: chosen.unwrap_or_default(),
        other: other.unwrap_or_default(),
    };
    UploadColumnExamples {
        column: u32::try_from(column).unwrap_or(u32::MAX),
        heading,
        reading: reading_of(decision).into(),
        depends,
        examples: examples.into_iter().map(example).collect(),
    }
}

/// Returns what to check about the whole file under a decision, which may be unfinished.
fn warnings(preview: &Preview, layout: &Layout) -> Vec<UploadWarning> {
    let warning = |(number, warning): (u32, Warning)| {
        let Warning { line, column, code, text } = warning;
        UploadWarning { number, line, column, code: code.to_owned(), text, sheet: None }
    };
    (0..).zip(preview.warnings(layout)).map(warning).collect()
}

fn first_row(row: FirstRow) -> UploadFirstRow {
    let values = row.values.into_iter().map(|value| UploadFirstRowValue {
        field: value.field.name().to_owned(),
        label: value.field.label().to_owned(),
        text: value.text,
        problem: value.problem.unwrap_or_default(),
    });
    UploadFirstRow { line: row.line, values: values.collect() }
}
