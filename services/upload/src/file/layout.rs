//! The sheets of a file, as kept for a person who decides how it is read, and that decision.
//!
//! Here: reading the first rows of each sheet and what the values of its columns show, and the stored forms of
//! this and of the decision. `proposal` proposes fields, `reading` shows what values become.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::assembly::Wanted;
use super::columns::{Chosen, Example, Seen};
use super::fields::{self, Field};
use super::header::{known_columns, shorten};
use super::number::{self, DecimalSign};
use super::source::Source;
use super::time::{self, DateOrder};
use super::warning::{self, Warning};
use super::{Cell, FileError, Limits, RawRow, empty, refused};

/// Number of rows that are stored of each sheet, title rows included.
const ROWS: usize = 16;
/// How many of these rows, from the first, can be the header.
const HEADER_ROWS: usize = 10;
/// Characters kept of one cell.
const CHARS: usize = 100;
/// Characters of a heading that identify a header.
pub(super) const HEADING_CHARS: usize = 60;
/// Number of sheets that can be chosen.
const SHEETS: usize = 20;
/// Number of rows per sheet whose values are searched for date orders and decimal signs.
const SEARCHED: u32 = 50_000;
/// Longest text that can be a date or a number.
const VALUE_BYTES: usize = 64;

/// A person's decision about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    pub header_line: u32,
    /// The field name for each column; `None` leaves it out.
    pub columns: Vec<Option<String>>,
    /// The sheet to read; `None` for the first visible one with content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    #[serde(default, flatten)]
    pub chosen: Chosen,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: Defaults,
    /// The sheet with the items, if `sheet` has only the deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemsSheet>,
}

/// Values for rows that have none, by field name.
pub type Defaults = BTreeMap<String, String>;

/// A person's decision about the sheet with the items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemsSheet {
    pub sheet: String,
    pub header_line: u32,
    /// The field name for each column; `None` leaves it out.
    pub columns: Vec<Option<String>>,
    /// Identifies the headings, so that the decision isn't used for a later file with other columns. Empty until
    /// it is saved.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
}

impl ItemsSheet {
    /// Returns whether the decision was made for a sheet with these headings.
    pub(super) fn is_for(&self, headings: &[String]) -> bool {
        let is = |key: String| self.fingerprint == key;
        self.fingerprint.is_empty()
            || is(fingerprint(headings))
            || is(fields::earlier_fingerprint(&shortened(headings)))
    }

    /// Returns the index of the column with the Delivery Doc, from 0.
    pub(super) fn key(&self) -> Option<usize> {
        document_column(&self.columns)
    }

    /// Returns the error for a file without this sheet.
    pub(super) fn missing(&self) -> FileError {
        let Self { sheet, header_line, .. } = self;
        FileError::new(
            "ITEMS_SHEET_MISSING",
            format!(
                "The file has no sheet “{sheet}” with the same headings in row {header_line}. Choose the sheet with the items again."
            ),
        )
    }
}

/// Returns the index of the column that holds the Delivery Doc.
pub(super) fn document_column(columns: &[Option<String>]) -> Option<usize> {
    columns.iter().position(|name| name.as_deref() == Some(Field::DeliveryId.name()))
}

/// The stored form of a decision.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    /// A decision that the previous release cannot carry out. It fails to parse this, so its processes leave
    /// the import to newer ones.
    Extended {
        chosen: Layout,
    },
    Plain(Layout),
}

impl Layout {
    /// Returns the form in which the decision is stored.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let extended = self.sheet.is_some()
            || self.chosen != Chosen::default()
            || !self.defaults.is_empty()
            || self.items.is_some()
            || self.joins_columns();
        let layout = self.clone();
        serde_json::to_string(&if extended {
            Stored::Extended { chosen: layout }
        } else {
            Stored::Plain(layout)
        })
    }

    /// Parses the stored form of this release or the previous one.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        let (Stored::Extended { chosen: layout } | Stored::Plain(layout)) = serde_json::from_str(text)?;
        Ok(layout)
    }

    /// Returns the sheet to read, that of the deliveries if there are two.
    pub(super) fn wanted(&self) -> Wanted {
        self.sheet.clone().map_or(Wanted::First, Wanted::Named)
    }

    /// Returns whether several columns have the same field.
    pub fn joins_columns(&self) -> bool {
        let mut fields: Vec<&String> = self.columns.iter().flatten().collect();
        let columns = fields.len();
        fields.sort();
        fields.dedup();
        fields.len() < columns
    }

    /// Returns the default values that can also be right for the next file.
    pub fn lasting_defaults(&self) -> Defaults {
        let lasts = |name: &str| Field::named(name).is_some_and(Field::has_lasting_default);
        let lasting = self.defaults.iter().filter(|(name, _)| lasts(name));
        lasting.map(|(field, value)| (field.clone(), value.clone())).collect()
    }

    /// Returns the field of each column.
    pub fn fields(&self) -> Vec<Option<Field>> {
        self.columns.iter().map(|name| name.as_deref().and_then(Field::named)).collect()
    }
}

/// What a person sees of a file before deciding how it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// The first rows of the first sheet; processes of the previous release read only these.
    rows: Vec<PreviewRow>,
    #[serde(default)]
    sheets: Vec<Sheet>,
    /// A word that the assumed encoding of a text file may have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) assumed_encoding: Option<Example>,
}

/// The first rows of a sheet, and what all of its values show. A text file is one sheet without a name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sheet {
    pub name: String,
    pub(super) rows: Vec<PreviewRow>,
    /// Number of rows with content.
    pub(super) count: u32,
    /// What the values of each column show.
    pub(super) seen: Vec<(Seen<DateOrder>, Seen<DecimalSign>)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewRow {
    pub line: u32,
    pub cells: Vec<String>,
    /// Indexes of the cells that are numbers of a workbook. Rows stored by the previous release have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<usize>,
}

/// Reads a file's visible sheets with content.
pub fn preview(path: &Path, filename: &str, limits: &Limits) -> Result<Preview, FileError> {
    let (mut source, _) = Source::open(path, filename, limits, Wanted::Each)?;
    let mut sheets: Vec<Sheet> = Vec::new();
    loop {
        let row = match source.next() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(error) if sheets.is_empty() => return Err(error),
            // The import reports it if that sheet is chosen.
            Err(_) => break,
        };
        if sheets.last().is_none_or(|sheet| sheet.name != source.sheet()) {
            if sheets.len() == SHEETS {
                break;
            }
            sheets.push(Sheet { name: source.sheet().to_owned(), ..Sheet::default() });
        }
        if let Some(sheet) = sheets.last_mut() {
            sheet.add(&row);
        }
    }
    let assumed_encoding = source.assumed_encoding().cloned();
    match sheets.first() {
        Some(first) => Ok(Preview { rows: first.rows.clone(), sheets, assumed_encoding }),
        None => Err(empty()),
    }
}

impl Preview {
    /// Parses the stored form of this release or the previous one.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        let mut preview: Self = serde_json::from_str(text)?;
        if preview.sheets.is_empty() {
            let mut sheet = Sheet::default();
            for row in &preview.rows {
                sheet.add(&row.raw());
            }
            preview.sheets.push(sheet);
        }
        Ok(preview)
    }

    pub fn sheets(&self) -> &[Sheet] {
        &self.sheets
    }

    /// Returns the sheet with this name, or the first one without a name.
    pub fn sheet(&self, name: Option<&str>) -> Option<&Sheet> {
        match name {
            Some(name) => self.sheets.iter().find(|sheet| sheet.name == name),
            None => self.sheets.first(),
        }
    }

    /// Returns the decision with the name of its sheet as it is stored: `None` for the first sheet, unless the
    /// file has another one with the items.
    pub fn with_stored_name(&self, layout: Layout, sheet: &Sheet) -> Layout {
        let is_first = self.sheets.first().is_some_and(|first| first.name == sheet.name);
        let name = (!is_first || layout.items.is_some()).then(|| sheet.name.clone());
        Layout { sheet: name, ..layout }
    }

    /// Returns the warnings about the whole file that its import would give with this decision. Leaves out warnings
    /// about single columns, which the columns step shows anyway, and warnings that need the joined rows. In a damaged
    /// file, only the part before the damage counts.
    pub fn warnings(&self, layout: &Layout) -> Vec<Warning> {
        let read = self.sheet(layout.sheet.as_deref()).map(|sheet| sheet.name.as_str());
        let items = layout.items.as_ref().map(|items| items.sheet.as_str());
        let names = self.sheets.iter().map(|sheet| sheet.name.as_str());
        let not_read = names.filter(|name| Some(*name) != read && Some(*name) != items);
        let encoding = self.assumed_encoding.as_ref().map(Example::assumed);
        encoding.into_iter().chain(not_read.map(warning::sheet_not_read)).collect()
    }
}

impl Sheet {
    fn add(&mut self, row: &RawRow) {
        self.count += 1;
        if self.rows.len() < ROWS {
            self.rows.push(preview_row(row));
        }
        if self.count > SEARCHED {
            return;
        }
        if self.seen.len() < row.cells.len() {
            self.seen.resize_with(row.cells.len(), Default::default);
        }
        for ((dates, numbers), cell) in self.seen.iter_mut().zip(&row.cells) {
            let Cell::Text(text) = cell else { continue };
            if text.len() <= VALUE_BYTES && text.bytes().any(|byte| byte.is_ascii_digit()) {
                dates.add(time::fit(text), row.line, text);
                numbers.add(number::fit(text), row.line, text);
            }
        }
    }

    /// Returns the likeliest header line: the line that names the most fields, where each date or number counts
    /// against it. Of several, it is the one with the most other texts, or else the first.
    pub fn header_line(&self) -> u32 {
        let score = |row: &PreviewRow| {
            let row = row.raw();
            let filled = row.cells.iter().filter(|cell| !cell.is_blank()).count();
            let values = row.cells.iter().filter(|cell| is_value(cell)).count();
            (known_columns(&row).saturating_sub(values), filled.saturating_sub(values))
        };
        let rows = self.candidates().iter().enumerate();
        let best = rows.max_by_key(|(index, row)| (score(row), std::cmp::Reverse(*index)));
        best.map_or(1, |(_, row)| row.line)
    }

    /// Returns the lines that may be the header, the likeliest first.
    pub fn header_lines(&self) -> impl Iterator<Item = u32> {
        let likeliest = self.header_line();
        let others = self.candidates().iter().map(|row| row.line).filter(move |line| *line != likeliest);
        std::iter::once(likeliest).chain(others)
    }

    /// Returns the rows that may be the header.
    pub fn candidates(&self) -> &[PreviewRow] {
        &self.rows[..self.rows.len().min(HEADER_ROWS)]
    }

    /// Returns the headings of a line; `None` when the line is not among the candidates.
    pub fn headings(&self, line: u32) -> Option<&[String]> {
        self.candidates().iter().find(|row| row.line == line).map(|row| row.cells.as_slice())
    }

    /// Returns the number of rows with content below a line.
    pub fn rows_below(&self, line: u32) -> u32 {
        let above = self.rows.iter().filter(|row| row.line <= line).count();
        self.count.saturating_sub(u32::try_from(above).unwrap_or(u32::MAX))
    }

    /// Returns the key that identifies files with the same header.
    pub fn fingerprint(&self, line: u32) -> String {
        fingerprint(self.headings(line).unwrap_or_default())
    }
}

/// Returns the key that identifies files with these headings, and the download of their refused rows.
pub fn fingerprint(headings: &[String]) -> String {
    fields::fingerprint(&shortened(fields::without_download(headings)))
}

/// Returns whether these are the headings of a download of refused rows.
pub fn is_download(headings: &[String]) -> bool {
    headings.last().is_some_and(|heading| fields::is_of_download(heading))
}

fn shortened(headings: &[String]) -> Vec<String> {
    headings.iter().map(|text| shorten(text, HEADING_CHARS)).collect()
}

/// Returns whether a cell holds a date or a number, as rows of data do and headings seldom do.
fn is_value(cell: &Cell) -> bool {
    let Cell::Text(text) = cell else { return !cell.is_blank() };
    let orders = [DateOrder::Mdy, DateOrder::Dmy];
    let signs = [DecimalSign::Point, DecimalSign::Comma];
    signs.into_iter().any(|sign| number::plainly(text, sign).is_some())
        || orders.into_iter().any(|order| time::parse(text, order).is_ok())
}

pub(super) fn preview_row(row: &RawRow) -> PreviewRow {
    let cells = row.cells.iter().map(|cell| shorten(refused::shown(cell).trim(), CHARS));
    let mut cells: Vec<String> = cells.collect();
    while cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    let numbers = row.cells.iter().enumerate().filter(|(_, cell)| matches!(cell, Cell::Number(_)));
    PreviewRow { line: row.line, cells, numbers: numbers.map(|(index, _)| index).collect() }
}

impl PreviewRow {
    /// Returns a row of texts.
    pub(super) fn texts(line: u32, cells: Vec<String>) -> Self {
        Self { line, cells, numbers: Vec::new() }
    }

    pub(super) fn raw(&self) -> RawRow {
        RawRow {
            line: self.line,
            cells: (0..self.cells.len()).filter_map(|index| self.cell(index)).collect(),
        }
    }

    /// Returns the cell at an index from 0; `None` after the last one.
    pub(super) fn cell(&self, index: usize) -> Option<Cell> {
        let text = self.cells.get(index)?;
        let number = if self.numbers.contains(&index) { text.parse::<f64>().ok() } else { None };
        Some(number.map_or_else(|| Cell::text(text.clone()), Cell::Number))
    }
}

#[cfg(test)]
impl Sheet {
    /// Returns a sheet with these rows, from line 1.
    pub(super) fn of(rows: &[&[&str]]) -> Self {
        let mut sheet = Self::default();
        for (index, cells) in rows.iter().enumerate() {
            let cells = cells.iter().map(|cell| Cell::text((*cell).to_owned())).collect();
            sheet.add(&RawRow { line: index as u32 + 1, cells });
        }
        sheet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The previous release reads what it can carry out, and nothing else.
    #[test]
    fn neighboring_releases_understand_each_other() {
        #[derive(Deserialize)]
        struct Before {
            header_line: u32,
        }
        let kept = r#"{"header_line":2,"columns":["delivery_id",null]}"#;
        let plain = Layout::parse(kept).unwrap();
        assert_eq!((plain.header_line, plain.columns.len(), &plain.sheet), (2, 2, &None));
        assert_eq!(plain.to_text().unwrap(), kept);
        let chosen = Chosen { date_order: Some(DateOrder::Dmy), decimal_sign: Some(DecimalSign::Comma) };
        let defaults = Defaults::from([("trucker".to_owned(), "Luzon Haul".to_owned())]);
        let joined = vec![Some("customeraddress".to_owned()); 2];
        let items = ItemsSheet {
            sheet: "Lines".to_owned(),
            header_line: 1,
            columns: vec![None],
            fingerprint: "sku".to_owned(),
        };
        for layout in [
            Layout { sheet: Some("Orders".to_owned()), ..plain.clone() },
            Layout { chosen, ..plain.clone() },
            Layout { defaults, ..plain.clone() },
            Layout { columns: joined, ..plain.clone() },
            Layout { items: Some(items), ..plain.clone() },
        ] {
            let text = layout.to_text().unwrap();
            assert_eq!(Layout::parse(&text).unwrap(), layout);
            assert!(serde_json::from_str::<Before>(&text).is_err(), "{text}");
        }
        assert_eq!(serde_json::from_str::<Before>(kept).unwrap().header_line, 2);

        let preview = r#"{"rows":[{"line":3,"cells":["Doc","Date"]},{"line":5,"cells":["1","03/04/2026"]}]}"#;
        let preview = Preview::parse(preview).unwrap();
        let sheet = preview.sheet(None).unwrap();
        assert_eq!((sheet.rows_below(3), sheet.seen[1].0.open.len()), (1, 1));
    }
}
