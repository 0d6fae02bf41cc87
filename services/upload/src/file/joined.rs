//! Reads deliveries and their items from two sheets, as the rows of one.
//!
//! The rows of the deliveries are kept in memory; then each row of the items follows, with the cells of its
//! delivery before its own. It keeps its number. At the end come deliveries without items and repeated ones,
//! whose numbers are moved behind all others, because a row number identifies a row.

use std::collections::HashMap;
use std::path::Path;
use std::vec::IntoIter;

use super::assembly::Wanted;
use super::items::{key, without};
use super::layout::{ItemsSheet, Layout, document_column};
use super::place::Place;
use super::refused::shown;
use super::source::Source;
use super::transform::Transform;
use super::{Cell, FileError, Limits, RawRow, Warning, empty, header};

/// Bytes counted for each kept row and cell in addition to the text.
const ROW_BYTES: usize = 128;

/// The rows of both sheets.
pub(super) struct JoinedRows {
    decided: ItemsSheet,
    items: Source,
    /// Number of the items' columns.
    width: usize,
    deliveries: Deliveries,
    /// Deliveries without items; set once all items are read.
    rest: Option<IntoIter<RawRow>>,
    /// Number of rows whose Delivery Doc no delivery has, and the line of the first.
    unknown: (u32, u32),
}

/// What [`open`] returns.
pub(super) struct Opened {
    pub(super) rows: JoinedRows,
    pub(super) header: Vec<String>,
    pub(super) transform: Transform,
    pub(super) size: u64,
}

/// Reads the deliveries, and the items up to their header. Fails with ITEMS_SHEET_MISSING when there is no such
/// sheet, and with FILE_TOO_COMPLEX when the deliveries need more memory than the limits allow.
pub(super) fn open(
    path: &Path,
    filename: &str,
    limits: &Limits,
    layout: &Layout,
    decided: &ItemsSheet,
) -> Result<Opened, FileError> {
    let (mut source, size) = Source::open(path, filename, limits, layout.wanted())?;
    let own = header_at(&mut source, layout.header_line)?.ok_or_else(empty)?;
    let deliveries = Deliveries::read(source, document_column(&layout.columns), own.len(), limits)?;
    let wanted = Wanted::Named(decided.sheet.clone());
    let (mut items, _) = Source::open(path, filename, limits, wanted)?;
    let theirs = header_at(&mut items, decided.header_line)?.filter(|headings| decided.is_for(headings));
    let theirs = theirs.ok_or_else(|| decided.missing())?;
    let (header, joined) = layout.joined(&own, &theirs)?;
    let transform = Transform::of(&header, &joined)?;
    let (decided, width) = (decided.clone(), theirs.len());
    let rows = JoinedRows { decided, items, width, deliveries, rest: None, unknown: (0, 0) };
    Ok(Opened { rows, header, transform, size })
}

/// Returns the headings on a line, after reading up to it.
fn header_at(source: &mut Source, line: u32) -> Result<Option<Vec<String>>, FileError> {
    while let Some(row) = source.next()? {
        if row.line >= line {
            return Ok((row.line == line).then(|| header::texts(&row)));
        }
    }
    Ok(None)
}

impl JoinedRows {
    pub(super) fn next(&mut self) -> Result<Option<RawRow>, FileError> {
        if let Some(rest) = &mut self.rest {
            return Ok(rest.next());
        }
        let Some(mut row) = self.items.next()? else {
            let rest = self.deliveries.rest();
            return Ok(self.rest.insert(rest.into_iter()).next());
        };
        // Cells further right are side notes.
        row.cells.truncate(self.width);
        let at = self.decided.key();
        let document = at.and_then(|at| row.cells.get(at)).cloned().unwrap_or(Cell::Empty);
        let mut cells = self.deliveries.cells(&document).unwrap_or_else(|| {
            self.unknown = (self.unknown.0 + 1, if self.unknown.0 == 0 { row.line } else { self.unknown.1 });
            self.deliveries.unknown(document)
        });
        cells.extend(without(&row.cells, at));
        Ok(Some(RawRow { line: row.line, cells }))
    }

    pub(super) fn deliveries_sheet(&self) -> &str {
        &self.deliveries.sheet
    }

    pub(super) fn progress(&self, size: u64) -> u64 {
        self.items.progress(size)
    }

    /// Returns the other visible sheets with content. Complete after the last row.
    pub(super) fn not_read(&self) -> impl Iterator<Item = &String> {
        self.items.not_read().iter().filter(|name| **name != self.deliveries.sheet)
    }

    /// Returns a warning about items without a delivery.
    pub(super) fn warning(&self) -> Option<Warning> {
        let (rows @ 1.., line) = self.unknown else { return None };
        let (items, deliveries) =
            (header::shorten(&self.decided.sheet, 60), header::shorten(&self.deliveries.sheet, 60));
        let text = if rows == 1 {
            format!(
                "Row {line} of “{items}” can't be joined, because “{deliveries}” doesn't have its Delivery Doc. Add the delivery and import the file again."
            )
        } else {
            format!(
                "{rows} rows of “{items}” can't be joined, because “{deliveries}” doesn't have their Delivery Docs. The first is row {line}. Add the deliveries and import the file again."
            )
        };
        Some(Warning::new("ITEM_WITHOUT_DELIVERY", text).at(line))
    }
}

/// The rows of the deliveries' sheet.
struct Deliveries {
    sheet: String,
    of: HashMap<String, Kept>,
    /// Rows without a Delivery Doc, and those whose Delivery Doc an earlier row has.
    others: Vec<RawRow>,
    document: Option<usize>,
    width: usize,
}

struct Kept {
    row: RawRow,
    has_items: bool,
}

impl Deliveries {
    fn read(
        mut source: Source,
        document: Option<usize>,
        width: usize,
        limits: &Limits,
    ) -> Result<Self, FileError> {
        let sheet = source.sheet().to_owned();
        let mut all = Self { sheet, of: HashMap::new(), others: Vec::new(), document, width };
        let (mut bytes, mut count) = (0_u64, 0);
        while let Some(mut row) = source.next()? {
            row.cells.resize(width, Cell::Empty);
            count += 1;
            let text = |cell: &Cell| if let Cell::Text(text) = cell { text.len() } else { 0 };
            let cells: usize = row.cells.iter().map(|cell| size_of::<Cell>() + text(cell)).sum();
            bytes += (ROW_BYTES + cells) as u64;
            if bytes > limits.max_kept_bytes || count > limits.max_rows {
                return Err(FileError::new(
                    "FILE_TOO_COMPLEX",
                    format!("The sheet “{}” is too large to be joined with the items. Split the file into several ones, or put the deliveries and their items on one sheet.", header::shorten(&all.sheet, 60)),
                )
                .at(row.line));
            }
            let text = all.document.and_then(|at| row.cells.get(at)).map(shown).unwrap_or_default();
            let key = key(&text);
            if key.is_empty() || all.of.contains_key(&key) {
                all.others.push(row);
            } else {
                all.of.insert(key, Kept { row, has_items: false });
            }
        }
        Ok(all)
    }

    /// Returns the cells of the delivery with this Delivery Doc.
    fn cells(&mut self, document: &Cell) -> Option<Vec<Cell>> {
        let kept = self.of.get_mut(&key(&shown(document)))?;
        kept.has_items = true;
        Some(kept.row.cells.clone())
    }

    /// Returns the cells of a delivery of which only the Delivery Doc is known.
    fn unknown(&self, document: Cell) -> Vec<Cell> {
        let mut cells = vec![Cell::Empty; self.width];
        if let Some(cell) = self.document.and_then(|at| cells.get_mut(at)) {
            *cell = document;
        }
        cells
    }

    /// Returns the rows that belong to no item, with their moved numbers.
    fn rest(&mut self) -> Vec<RawRow> {
        let without_items = self.of.drain().map(|(_, kept)| kept).filter(|kept| !kept.has_items);
        let mut rows: Vec<RawRow> = without_items.map(|kept| kept.row).collect();
        rows.append(&mut self.others);
        rows.sort_unstable_by_key(|row| row.line);
        rows.into_iter().map(|row| RawRow { line: Place::on_deliveries(row.line), ..row }).collect()
    }
}
