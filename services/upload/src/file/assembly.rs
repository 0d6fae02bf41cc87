//! Cells of a workbook to rows, and rows to batches for whoever reads them.
//!
//! A workbook is read in a thread of its own that is a few batches ahead. Here are the bounds that hold for
//! every kind of workbook: columns, rows in order, and how much text all cells together may have.

use std::sync::mpsc::SyncSender;

use super::damage::{damaged, unpacked_too_large};
use super::records::too_many_columns;
use super::{Cell, FileError, Limits, RawRow};

const MAX_SHEET_ROW: u32 = 1 << 20;
/// A batch is handed over at so many rows or bytes of text; two wait, one is filled, one is used.
const BATCH_ROWS: usize = 64;
const BATCH_BYTES: usize = 256 * 1024;
pub(super) const BATCHES_WAITING: usize = 2;
/// Bytes that a cell counts for besides its text: one written once may be repeated very often.
const CELL_BYTES: u64 = 8;

#[derive(Default)]
pub(super) struct Batch {
    pub(super) rows: Vec<RawRow>,
    /// How much of the sheet was read with it, from 0 to 1.
    pub(super) share: f64,
    /// Other visible sheets with content; in the last batch only.
    pub(super) not_read: Vec<String>,
}

pub(super) type Sender = SyncSender<Result<Batch, FileError>>;

pub(super) enum Stop {
    Failed(FileError),
    /// Receiver dropped.
    Unwanted,
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Self {
        Self::Failed(error)
    }
}

/// Names sheets with content that were not read.
pub(super) fn tell_not_read(sender: &Sender, not_read: Vec<String>) -> Result<(), Stop> {
    if not_read.is_empty() {
        return Ok(());
    }
    let last = Batch { not_read, share: 1.0, ..Batch::default() };
    sender.send(Ok(last)).map_err(|_| Stop::Unwanted)
}

/// Cells to rows to batches.
pub(super) struct Assembly<'a> {
    limits: &'a Limits,
    sender: &'a Sender,
    batch: Vec<RawRow>,
    batch_bytes: usize,
    all_bytes: u64,
    line: u32,
    cells: Vec<Cell>,
    any: bool,
    /// How much of the sheet was read, from 0 to 1.
    pub(super) share: f64,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(limits: &'a Limits, sender: &'a Sender) -> Self {
        Self {
            limits,
            sender,
            batch: Vec::new(),
            batch_bytes: 0,
            all_bytes: 0,
            line: 0,
            cells: Vec::new(),
            any: false,
            share: 0.0,
        }
    }

    /// Takes a cell; rows in order, the columns of one in any.
    pub(super) fn add(&mut self, line: u32, column: usize, cell: Cell) -> Result<(), Stop> {
        if line != self.line {
            self.end_row()?;
            // Rows are known by their number: one that comes twice would be two rows of one name.
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
        let batch = Batch { rows, share: self.share, not_read: Vec::new() };
        self.sender.send(Ok(batch)).map_err(|_| Stop::Unwanted)
    }

    /// Whether there was any row.
    pub(super) fn finish(mut self) -> Result<bool, Stop> {
        self.end_row()?;
        if !self.batch.is_empty() {
            self.hand_over()?;
        }
        Ok(self.any)
    }
}
