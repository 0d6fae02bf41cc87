//! Reads rows of an old Excel workbook (Excel 5 to 2003).
//!
//! Here: which sheet is read, its cells record by record, and their order: Excel writes rows in order, but
//! programs that export XLS may write cells in the order in which they made them. Then the cells of the sheet
//! are collected and sorted, within the limit of what a reader may keep. Deliberately absent: formulas (their
//! stored value is used) and merged regions (their value is in the first cell, the others are empty).

use std::fs::File;

use calamine::{ExcelDateTime, ExcelDateTimeType};

use super::assembly::{Assembly, MAX_NAMED, Sender, Stop, Wanted, tell_not_read};
use super::damage::{damaged, too_complex};
use super::number_format::{Shown, padded, to_date};
use super::ole::Container;
use super::xls_book::{BOF, Book, EOF, OF_SHEET, Sheet};
use super::xls_records::Records;
use super::{Cell, FileError, Limits};

const FORMULA: u16 = 0x0006;
const MUL_RK: u16 = 0x00BD;
const RICH_TEXT: u16 = 0x00D6;
const SHARED_TEXT: u16 = 0x00FD;
const NUMBER: u16 = 0x0203;
const TEXT: u16 = 0x0204;
const TRUTH_OR_ERROR: u16 = 0x0205;
const RESULT_TEXT: u16 = 0x0207;
const RK: u16 = 0x027E;
/// Bytes of a cell within MULRK: its format and its value.
const RK_BYTES: usize = 6;

/// Names of the stream that holds the workbook. A file for several versions of Excel has both, the newer first.
const STREAMS: [&str; 2] = ["Workbook", "Book"];

/// Returns whether the container holds a workbook.
pub(super) fn is_in(container: &Container<'_>) -> bool {
    STREAMS.iter().any(|name| container.has(name))
}

pub(super) fn read(file: &File, limits: &Limits, wanted: &Wanted, sender: &Sender) -> Result<(), Stop> {
    let container = Container::open(file)?;
    let name = STREAMS.into_iter().find(|name| container.has(name)).unwrap_or_default();
    let mut records = Records::new(container.stream(name)?, limits);
    let book = Book::read(&mut records, limits)?;
    let (mut found, mut not_read) = (false, Vec::new());
    for sheet in &book.sheets {
        if wanted.takes(&sheet.name, found) {
            found |= rows(&mut records, &book, sheet, limits, sender)?;
        } else if not_read.len() < MAX_NAMED && has_content(&mut records, &book, sheet).unwrap_or(true) {
            not_read.push(sheet.name.clone());
        }
    }
    tell_not_read(sender, not_read)
}

/// Sends the rows of a sheet; returns whether there were any.
fn rows(
    records: &mut Records,
    book: &Book,
    sheet: &Sheet,
    limits: &Limits,
    sender: &Sender,
) -> Result<bool, Stop> {
    let order = order(records, sheet)?;
    let length = order.end.saturating_sub(sheet.position).max(1) as f64;
    let mut cells = Cells::open(records, book, sheet)?;
    let mut rows = Assembly::new(limits, sender).of(&sheet.name);
    if order.sorted {
        let mut found = Vec::new();
        while let Some(row) = cells.next(&mut found)? {
            rows.share = (cells.records.position() - sheet.position) as f64 / length;
            for (column, cell) in found.drain(..) {
                rows.add(row, column, cell)?;
            }
        }
        return rows.finish();
    }
    let all = sorted(cells, limits)?;
    let count = all.len().max(1) as f64;
    for (at, (row, column, cell)) in all.into_iter().enumerate() {
        rows.share = at as f64 / count;
        rows.add(row, column, cell)?;
    }
    rows.finish()
}

type Placed = (u32, usize, Cell);

/// Returns the cells in the order of their rows. Of two in one place, the second comes last.
fn sorted(mut cells: Cells<'_>, limits: &Limits) -> Result<Vec<Placed>, FileError> {
    let (mut all, mut found) = (Vec::new(), Vec::new());
    let mut kept = cells.book.shared.bytes();
    while let Some(row) = cells.next(&mut found)? {
        for (column, cell) in found.drain(..).filter(|(_, cell)| !cell.is_blank()) {
            let text = if let Cell::Text(text) = &cell { text.len() } else { 0 };
            // Twice, because the list takes that much while it grows and is sorted.
            kept += (2 * size_of::<Placed>() + text) as u64;
            if kept > limits.max_kept_bytes {
                return Err(too_complex("has too many cells that aren't in the order of their rows"));
            }
            all.push((row, column, cell));
        }
    }
    all.sort_by_key(|(row, ..)| *row);
    Ok(all)
}

/// Returns whether a sheet has any content. Fails when it cannot be read.
fn has_content(records: &mut Records, book: &Book, sheet: &Sheet) -> Result<bool, FileError> {
    let mut cells = Cells::open(records, book, sheet)?;
    let mut found = Vec::new();
    while cells.next(&mut found)?.is_some() {
        if found.drain(..).any(|(_, cell)| !cell.is_blank()) {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Order {
    /// Whether no cell is above one that comes before it.
    sorted: bool,
    /// Where the sheet ends in the stream.
    end: u64,
}

/// Reads a sheet to its end, so that one that is incomplete is refused before any of its rows is used.
fn order(records: &mut Records, sheet: &Sheet) -> Result<Order, FileError> {
    let mut walk = Walk::open(records, sheet)?;
    let (mut last, mut sorted) = (0, true);
    while let Some(kind) = walk.next(records)? {
        if is_cell(kind) {
            let row = records.u16()?;
            sorted &= row >= last;
            last = row;
        }
    }
    Ok(Order { sorted, end: records.position() })
}

fn is_cell(kind: u16) -> bool {
    matches!(kind, FORMULA | MUL_RK | RICH_TEXT | SHARED_TEXT | NUMBER | TEXT | TRUTH_OR_ERROR | RK)
}

/// Walks through the records of a sheet, without those of its charts.
struct Walk {
    depth: u32,
}

impl Walk {
    fn open(records: &mut Records, sheet: &Sheet) -> Result<Self, FileError> {
        records.go_to(sheet.position)?;
        let begins = records.next()? == BOF;
        records.skip(2)?;
        if begins && records.u16()? == OF_SHEET {
            Ok(Self { depth: 0 })
        } else {
            Err(damaged("a sheet is not where it should be"))
        }
    }

    /// Reads the next record; returns its type, or `None` at the end of the sheet.
    fn next(&mut self, records: &mut Records) -> Result<Option<u16>, FileError> {
        loop {
            match (records.next()?, self.depth) {
                (EOF, 0) => return Ok(None),
                (EOF, _) => self.depth -= 1,
                (BOF, _) => self.depth += 1,
                (kind, 0) => return Ok(Some(kind)),
                _ => {}
            }
        }
    }
}

/// Reads the cells of a sheet with a value, as they come.
struct Cells<'a> {
    records: &'a mut Records,
    book: &'a Book,
    walk: Walk,
    /// The row and column of a formula whose text follows.
    awaits: Option<(u32, usize)>,
}

impl<'a> Cells<'a> {
    fn open(records: &'a mut Records, book: &'a Book, sheet: &Sheet) -> Result<Self, FileError> {
        let walk = Walk::open(records, sheet)?;
        Ok(Self { records, book, walk, awaits: None })
    }

    /// Puts the next cells of a row into `found` and returns the row's number, from 1.
    fn next(&mut self, found: &mut Vec<(usize, Cell)>) -> Result<Option<u32>, FileError> {
        while let Some(kind) = self.walk.next(self.records)? {
            if kind == RESULT_TEXT
                && let Some((row, column)) = self.awaits.take()
            {
                found.push((column, Cell::text(self.records.text(self.book.texts)?)));
                return Ok(Some(row));
            }
            if is_cell(kind) {
                let row = u32::from(self.records.u16()?) + 1;
                let column = self.records.u16()?.into();
                self.awaits = None;
                self.cell(kind, row, column, found).map_err(|error| error.at(row))?;
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    fn cell(
        &mut self,
        kind: u16,
        row: u32,
        column: usize,
        found: &mut Vec<(usize, Cell)>,
    ) -> Result<(), FileError> {
        if kind == MUL_RK {
            // The last column follows its cells.
            for column in (column..).take(self.records.rest() / RK_BYTES) {
                let format = self.records.u16()?;
                let value = compact(self.records.u32()?);
                found.push((column, self.number(value, format)));
            }
            return Ok(());
        }
        let format = self.records.u16()?;
        let cell = match kind {
            SHARED_TEXT => {
                let text = self.book.shared.get(self.records.u32()?);
                Cell::text(
                    text.ok_or_else(|| damaged("a cell refers to a text that is not there"))?.to_owned(),
                )
            }
            TEXT | RICH_TEXT => Cell::text(self.records.text(self.book.texts)?),
            NUMBER => {
                let value = f64::from_le_bytes(self.records.eight()?);
                self.number(value, format)
            }
            RK => {
                let value = compact(self.records.u32()?);
                self.number(value, format)
            }
            TRUTH_OR_ERROR => {
                let value = self.records.u8()?;
                if self.records.u8()? == 0 { Cell::Bool(value != 0) } else { error(value) }
            }
            _ => match self.records.eight()? {
                [0, .., 0xFF, 0xFF] => {
                    self.awaits = Some((row, column));
                    Cell::Empty
                }
                [1, _, value, .., 0xFF, 0xFF] => Cell::Bool(value != 0),
                [2, _, value, .., 0xFF, 0xFF] => error(value),
                [.., 0xFF, 0xFF] => Cell::Empty,
                value => self.number(f64::from_le_bytes(value), format),
            },
        };
        found.push((column, cell));
        Ok(())
    }

    fn number(&self, value: f64, format: u16) -> Cell {
        let kind = match self.book.shown(format) {
            Shown::Moment => ExcelDateTimeType::DateTime,
            Shown::Duration => ExcelDateTimeType::TimeDelta,
            Shown::Number | Shown::Padded(_) if !value.is_finite() => return Cell::Text(value.to_string()),
            Shown::Padded(digits) => return padded(value, digits),
            Shown::Number => return Cell::Number(value),
        };
        to_date(&ExcelDateTime::new(value, kind, self.book.since_1904))
    }
}

/// Expands a number of four bytes: a whole number or the upper half of a fraction, either of them possibly in
/// hundredths.
fn compact(bits: u32) -> f64 {
    let value = if bits & 2 != 0 {
        f64::from(bits.cast_signed() >> 2)
    } else {
        f64::from_bits(u64::from(bits & !3) << 32)
    };
    if bits & 1 != 0 { value / 100.0 } else { value }
}

fn error(code: u8) -> Cell {
    let name = match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x17 => "#REF!",
        0x1D => "#NAME?",
        0x24 => "#NUM!",
        0x2A => "#N/A",
        _ => "#VALUE!",
    };
    Cell::Text(name.to_owned())
}
