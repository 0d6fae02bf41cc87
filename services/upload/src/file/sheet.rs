//! Rows of a workbook.
//!
//! Here: the first visible sheet with data, cell by cell, as typed rows, and which other visible
//! sheets have data. The reader borrows the
//! workbook it reads from, and a panic of it must not reach the process, so it works in a thread
//! of its own that is a few rows ahead and ends when the rows are dropped. Deliberately absent:
//! formulas (the value stored with them is taken), merged regions (their value stands in their
//! first cell, the others are empty) and formats other than what tells a date from a number.

use std::fs::File;
use std::io::BufReader;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::vec::IntoIter;

use calamine::{DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx, XlsxError};
use chrono::{NaiveDate, NaiveTime, TimeDelta};

use super::package::{damaged, unpacked_too_large};
use super::records::too_many_columns;
use super::text::cut;
use super::{Cell, FileError, Limits, RawRow};

const MAX_SHEET_ROW: u32 = 1 << 20;
/// A batch is handed over at so many rows or bytes of text; two wait, one is filled, one is used.
const BATCH_ROWS: usize = 64;
const BATCH_BYTES: usize = 256 * 1024;
const BATCHES_WAITING: usize = 2;

#[derive(Default)]
struct Batch {
    rows: Vec<RawRow>,
    /// Of how many rows the last one is.
    of: u32,
    /// Other visible sheets with content; in the last batch only.
    not_read: Vec<String>,
}

pub(super) struct SheetRows {
    batches: Option<Receiver<Result<Batch, FileError>>>,
    reader: Option<JoinHandle<()>>,
    rows: IntoIter<RawRow>,
    row: u32,
    of: u32,
    not_read: Vec<String>,
}

impl SheetRows {
    /// Starts reading a workbook that `package` has checked.
    pub(super) fn open(file: File, limits: &Limits) -> Result<Self, FileError> {
        let limits = limits.clone();
        let (sender, batches) = sync_channel(BATCHES_WAITING);
        let reader = std::thread::Builder::new()
            .name("sheet".to_owned())
            .spawn(move || {
                if let Err(Stop::Failed(error)) = read(file, &limits, &sender) {
                    // Nobody listens any more when this fails.
                    let _ = sender.send(Err(error));
                }
            })
            .map_err(|e| FileError::io(&e))?;
        Ok(Self {
            batches: Some(batches),
            reader: Some(reader),
            rows: Vec::new().into_iter(),
            row: 0,
            of: 0,
            not_read: Vec::new(),
        })
    }

    /// The next row with content.
    pub(super) fn next(&mut self) -> Result<Option<RawRow>, FileError> {
        loop {
            if let Some(row) = self.rows.next() {
                self.row = row.line;
                return Ok(Some(row));
            }
            let Some(batches) = &self.batches else {
                return Ok(None);
            };
            match batches.recv() {
                Ok(Ok(batch)) => {
                    self.rows = batch.rows.into_iter();
                    self.of = self.of.max(batch.of);
                    self.not_read = batch.not_read;
                }
                Ok(Err(error)) => {
                    self.batches = None;
                    return Err(error);
                }
                Err(_) => {
                    self.batches = None;
                    let ended = self.reader.take().map(JoinHandle::join);
                    if let Some(Err(_)) = ended {
                        return Err(damaged("its sheet is not as it should be").at(self.row.max(1)));
                    }
                }
            }
        }
    }

    /// Other visible sheets with content, once all rows were given.
    pub(super) fn not_read(&self) -> &[String] {
        &self.not_read
    }

    /// `size` in proportion to the rows given, by the last row the sheet says it has.
    pub(super) fn progress(&self, size: u64) -> u64 {
        let of = u64::from(self.of.max(self.row).max(1));
        size * u64::from(self.row) / of
    }
}

enum Stop {
    Failed(FileError),
    /// The rows were dropped.
    Unwanted,
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Self {
        Self::Failed(error)
    }
}

type Sender = SyncSender<Result<Batch, FileError>>;

fn read(file: File, limits: &Limits, sender: &Sender) -> Result<(), Stop> {
    let mut book = Xlsx::new(BufReader::new(file)).map_err(|e| failed(e, 0))?;
    let visible: Vec<String> = book
        .sheets_metadata()
        .iter()
        .filter(|s| s.typ == SheetType::WorkSheet && s.visible == SheetVisible::Visible)
        .map(|s| s.name.clone())
        .collect();
    let mut sheets = visible.into_iter();
    for name in sheets.by_ref() {
        let mut cells = book.worksheet_cells_reader(&name).map_err(|e| failed(e, 0))?;
        let of = cells.dimensions().end.0.saturating_add(1);
        let mut rows = Assembly::new(limits, sender, of);
        let mut last = 0;
        while let Some(cell) = cells.next_cell().map_err(|e| failed(e, last))? {
            let (row, column) = cell.get_position();
            last = row.saturating_add(1);
            rows.add(last, column as usize, cell.get_value())?;
        }
        if rows.finish()? {
            break;
        }
    }
    let not_read: Vec<String> = sheets.filter(|name| has_content(&mut book, name)).collect();
    if !not_read.is_empty() {
        let last = Batch { not_read, ..Batch::default() };
        sender.send(Ok(last)).map_err(|_| Stop::Unwanted)?;
    }
    Ok(())
}

/// Whether a sheet has anything in it; one that cannot be read may have.
fn has_content(book: &mut Xlsx<BufReader<File>>, name: &str) -> bool {
    let Ok(mut cells) = book.worksheet_cells_reader(name) else { return true };
    loop {
        match cells.next_cell() {
            Ok(Some(cell)) if to_cell(cell.get_value(), 8).is_blank() => {}
            Ok(None) => return false,
            _ => return true,
        }
    }
}

/// Cells to rows to batches.
struct Assembly<'a> {
    limits: &'a Limits,
    sender: &'a Sender,
    of: u32,
    batch: Vec<RawRow>,
    batch_bytes: usize,
    all_bytes: u64,
    line: u32,
    cells: Vec<Cell>,
    any: bool,
}

impl<'a> Assembly<'a> {
    fn new(limits: &'a Limits, sender: &'a Sender, of: u32) -> Self {
        Self {
            limits,
            sender,
            of,
            batch: Vec::new(),
            batch_bytes: 0,
            all_bytes: 0,
            line: 0,
            cells: Vec::new(),
            any: false,
        }
    }

    fn add(&mut self, line: u32, column: usize, value: &DataRef<'_>) -> Result<(), Stop> {
        if line != self.line {
            self.end_row()?;
            // Rows are known by their number: one that comes twice would be two rows of one name.
            if line < self.line || line > MAX_SHEET_ROW {
                return Err(damaged("its rows are not in order").at(self.line.max(1)).into());
            }
            self.line = line;
        }
        let cell = to_cell(value, self.limits.max_cell_chars);
        if cell.is_blank() {
            return Ok(());
        }
        if column >= self.limits.max_columns {
            return Err(too_many_columns(self.limits.max_columns, line).into());
        }
        if let Cell::Text(text) = &cell {
            self.batch_bytes += text.len();
            self.all_bytes += text.len() as u64;
            if self.all_bytes > self.limits.max_unpacked_bytes {
                return Err(unpacked_too_large(self.limits).at(line).into());
            }
        }
        if self.cells.len() <= column {
            self.cells.resize(column + 1, Cell::Empty);
        }
        if let Some(place) = self.cells.get_mut(column) {
            *place = cell;
        }
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), Stop> {
        if self.cells.is_empty() {
            return Ok(());
        }
        self.any = true;
        // Most rows are as wide as the one before.
        let next = Vec::with_capacity(self.cells.len());
        self.batch.push(RawRow { line: self.line, cells: std::mem::replace(&mut self.cells, next) });
        if self.batch.len() >= BATCH_ROWS || self.batch_bytes >= BATCH_BYTES {
            self.hand_over()?;
        }
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), Stop> {
        self.batch_bytes = 0;
        let rows = std::mem::take(&mut self.batch);
        let batch = Batch { rows, of: self.of, not_read: Vec::new() };
        self.sender.send(Ok(batch)).map_err(|_| Stop::Unwanted)
    }

    /// Whether there was any row.
    fn finish(mut self) -> Result<bool, Stop> {
        self.end_row()?;
        if !self.batch.is_empty() {
            self.hand_over()?;
        }
        Ok(self.any)
    }
}

fn to_cell(value: &DataRef<'_>, max_chars: usize) -> Cell {
    let text = |text: &str| {
        // No more is copied than is kept: a character has four bytes at most.
        let mut end = text.len().min(max_chars.saturating_mul(4));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Cell::text(cut(text.get(..end).unwrap_or_default().to_owned(), max_chars))
    };
    match value {
        DataRef::Empty => Cell::Empty,
        DataRef::Int(number) => Cell::Number(*number as f64),
        DataRef::Float(number) if number.is_finite() => Cell::Number(*number),
        DataRef::Float(number) => Cell::Text(number.to_string()),
        DataRef::String(string) | DataRef::DateTimeIso(string) | DataRef::DurationIso(string) => text(string),
        DataRef::SharedString(string) => text(string),
        DataRef::Bool(value) => Cell::Bool(*value),
        DataRef::DateTime(at) => to_date(at),
        DataRef::Error(error) => Cell::Text(error.to_string()),
    }
}

fn to_date(at: &ExcelDateTime) -> Cell {
    let value = at.as_f64();
    let number = if value.is_finite() { Cell::Number(value) } else { Cell::Text(value.to_string()) };
    if (0.0..1.0).contains(&value) {
        // A time of day, which must not depend on the date system of the workbook.
        let time = TimeDelta::milliseconds((value * 86_400_000.0).round() as i64);
        let day = NaiveDate::from_ymd_opt(1899, 12, 31).unwrap_or_default();
        return Cell::DateTime(day.and_time(NaiveTime::MIN) + time);
    }
    // An elapsed time ("[h]:mm") is no moment.
    match at.as_datetime() {
        Some(moment) if at.is_datetime() => Cell::DateTime(moment),
        _ => number,
    }
}

fn failed(error: XlsxError, line: u32) -> FileError {
    let told = match error {
        XlsxError::Password => FileError::new(
            "FILE_PROTECTED",
            "The workbook is protected by a password. Remove the password and upload it again.",
        ),
        XlsxError::CellError(value) => damaged(&format!("a cell below row {line} holds the error {value}")),
        other => damaged(&other.to_string()),
    };
    if line > 0 { told.at(line) } else { told }
}
