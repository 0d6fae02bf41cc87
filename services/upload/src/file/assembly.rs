//! Assembles the cells of a workbook into rows, and rows into batches for the reader.
//!
//! A workbook is read in a thread of its own, a few batches ahead of the receiver. The checks for every kind
//! of workbook are here: the number of columns, the order of rows, and the total size of all cells.

use std::sync::mpsc::SyncSender;

use super::damage::{damaged, unpacked_too_large};
use super::records::too_many_columns;
use super::{Cell, FileError, Limits, RawRow};

const MAX_SHEET_ROW: u32 = 1 << 20;
/// Maximum number of sheets that are reported as not read.
pub(super) const MAX_NAMED: usize = 100;
/// A batch is sent when it has `BATCH_ROWS` rows or `BATCH_BYTES` bytes of text. At most two batches wait in
/// the channel, while the sender fills one and the receiver uses one.
const BATCH_ROWS: usize = 64;
const BATCH_BYTES: usize = 256 * 1024;
pub(super) const BATCHES_WAITING: usize = 2;
/// Bytes counted for each cell in addition to its text: a workbook may contain very many cells with little
/// text.
const CELL_BYTES: u64 = 8;

#[derive(Default)]
pub(super) struct Batch {
    pub(super) rows: Vec<RawRow>,
    /// The share of the sheet that was read when the batch was sent, from 0 to 1.
    pub(super) share: f64,
    /// Name of the sheet that the rows are from.
    pub(super) sheet: String,
    /// Names of other visible sheets with content; set in the last batch only.
    pub(super) not_read: Vec<String>,
}

/// The sheets of a workbook to read.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// The first visible sheet with content.
    First,
    Named(String),
    /// Every visible sheet with content, one after another.
    Each,
}

impl Wanted {
    /// Returns whether to read this sheet; `any` is whether a sheet with content was read already.
    pub(super) fn takes(&self, name: &str, any: bool) -> bool {
        match self {
            Self::First => !any,
            Self::Named(wanted) => !any && wanted == name,
            Self::Each => true,
        }
    }
}

pub(super) type Sender = SyncSender<Result<Batch, FileError>>;

pub(super) enum Stop {
    Failed(FileError),
    /// The receiver has gone.
    Unwanted,
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Self {
        Self::Failed(error)
    }
}

/// Sends the names of sheets with content that were not read.
pub(super) fn tell_not_read(sender: &Sender, not_read: Vec<String>) -> Result<(), Stop> {
    if not_read.is_empty() {
        return Ok(());
    }
    let last = Batch { not_read, share: 1.0, ..Batch::default() };
    sender.send(Ok(last)).map_err(|_| Stop::Unwanted)
}

/// Assembles cells into rows and batches.
pub(super) struct Assembly<'a> {
    limits: &'a Limits,
    sender: &'a Sender,
    sheet: String,
    batch: Vec<RawRow>,
    batch_bytes: usize,
    all_bytes: u64,
    line: u32,
    cells: Vec<Cell>,
    any: bool,
    /// The share of the sheet that has been read, from 0 to 1.
    pub(super) share: f64,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(limits: &'a Limits, sender: &'a Sender) -> Self {
        Self {
            limits,
            sender,
            sheet: String::new(),
            batch: Vec::new(),
            batch_bytes: 0,
            all_bytes: 0,
            line: 0,
            cells: Vec::new(),
            any: false,
            share: 0.0,
        }
    }

    /// Names the sheet that the cells are from.
    pub(super) fn of(self, sheet: &str) -> Self {
        Self { sheet: sheet.to_owned(), ..self }
    }

    /// Adds a cell. Rows must come in order; the columns of a row may come in any order.
    pub(super) fn add(&mut self, line: u32, column: usize, cell: Cell) -> Result<(), Stop> {
        if line != self.line {
            self.end_row()?;
            // A row number identifies a row, so two rows must not have the same number.
            if line < self.line || line > MAX_SHEET_ROW {
                return Err(damaged("its rows are not in order").at(self.line.max(1)).into());
            }
            self.line = line;
        }
        if cell.is_blank() {
            return Ok(());
        }
        if column >= self.limits.max_columns {
            return Err(too_many_columns(self.limits.max_columns, line).into());
        }
        let text = if let Cell::Text(text) = &cell { text.len() } else { 0 };
        self.batch_bytes += text;
        self.all_bytes += CELL_BYTES + text as u64;
        if self.all_bytes > self.limits.max_unpacked_bytes {
            return Err(unpacked_too_large(self.limits).at(line).into());
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
        // Most rows are as wide as the previous row.
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
        let batch = Batch { rows, share: self.share, sheet: self.sheet.clone(), not_read: Vec::new() };
        self.sender.send(Ok(batch)).map_err(|_| Stop::Unwanted)
    }

    /// Sends the last rows. Returns whether the sheet had any row with content.
    pub(super) fn finish(mut self) -> Result<bool, Stop> {
        self.end_row()?;
        if !self.batch.is_empty() {
            self.hand_over()?;
        }
        Ok(self.any)
    }
}
