//! Reads rows of a workbook.
//!
//! Here: the chosen sheet, or else the first visible one with data, cell by cell, as typed rows, and which
//! other visible sheets have data. XLSX is read in this file, ODS in `ods`, XLS in `xls`. The reader of XLSX borrows the workbook,
//! and its panics must not reach the process. So it runs a few rows ahead in its own thread, which ends when
//! `SheetRows` is dropped. Deliberately absent: formulas (their stored value is used), merged regions (their
//! value is in the first cell, the others are empty) and formats, except to distinguish dates from numbers and to
//! keep leading zeros.

use std::fs::File;
use std::io::BufReader;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;
use std::vec::IntoIter;

use calamine::{DataRef, Reader, SheetType, SheetVisible, Xlsx, XlsxError};

use super::assembly::{Assembly, BATCHES_WAITING, Batch, Sender, Stop, Wanted, tell_not_read};
use super::damage::{damaged, protected};
use super::number_format::{Shown, of_code, padded, to_date};
use super::ods;
use super::package::Format;
use super::text::cut;
use super::xls;
use super::{Cell, FileError, Limits, RawRow};

pub(super) struct SheetRows {
    batches: Option<Receiver<Result<Batch, FileError>>>,
    reader: Option<JoinHandle<()>>,
    rows: IntoIter<RawRow>,
    row: u32,
    share: f64,
    sheet: String,
    not_read: Vec<String>,
}

impl SheetRows {
    /// Starts reading a workbook. One that is a zip has been checked by `package`.
    pub(super) fn open(
        file: File,
        format: Format,
        limits: &Limits,
        wanted: Wanted,
    ) -> Result<Self, FileError> {
        let limits = limits.clone();
        let (sender, batches) = sync_channel(BATCHES_WAITING);
        let reader = std::thread::Builder::new()
            .name("sheet".to_owned())
            .spawn(move || {
                let ended = match format {
                    Format::Xlsx => read(file, &limits, &wanted, &sender),
                    Format::Ods => ods::read(file, &limits, &wanted, &sender),
                    Format::Xls => xls::read(&file, &limits, &wanted, &sender),
                };
                if let Err(Stop::Failed(error)) = ended {
                    // If sending fails, nobody is listening any more.
                    let _ = sender.send(Err(error));
                }
            })
            .map_err(|e| FileError::io(&e))?;
        Ok(Self {
            batches: Some(batches),
            reader: Some(reader),
            rows: Vec::new().into_iter(),
            row: 0,
            share: 0.0,
            sheet: String::new(),
            not_read: Vec::new(),
        })
    }

    /// Returns the next row with content.
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
                    self.share = self.share.max(batch.share);
                    self.sheet = batch.sheet;
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

    /// Returns the name of the sheet that the latest row is from.
    pub(super) fn sheet(&self) -> &str {
        &self.sheet
    }

    /// Returns the other visible sheets with content. Complete after the last row.
    pub(super) fn not_read(&self) -> &[String] {
        &self.not_read
    }

    /// Returns `size` times the share of the sheet that was read, as of the latest batch.
    pub(super) fn progress(&self, size: u64) -> u64 {
        (size as f64 * self.share.clamp(0.0, 1.0)) as u64
    }
}

fn read(file: File, limits: &Limits, wanted: &Wanted, sender: &Sender) -> Result<(), Stop> {
    let mut book = Xlsx::new(BufReader::new(file)).map_err(|e| failed(e, 0))?;
    let visible: Vec<String> = book
        .sheets_metadata()
        .iter()
        .filter(|s| s.typ == SheetType::WorkSheet && s.visible == SheetVisible::Visible)
        .map(|s| s.name.clone())
        .collect();
    let (mut any, mut not_read) = (false, Vec::new());
    for name in visible {
        if !wanted.takes(&name, any) {
            not_read.extend(has_content(&mut book, &name).then_some(name));
            continue;
        }
        let mut cells = book.worksheet_cells_reader(&name).map_err(|e| failed(e, 0))?;
        let of = f64::from(cells.dimensions().end.0.saturating_add(1));
        let formats = cells.styles().iter().map(|style| style.number_format.as_ref());
        let formats = formats.map(|format| format.map_or(Shown::Number, |it| of_code(&it.format_code)));
        let formats: Vec<Shown> = formats.collect();
        let mut rows = Assembly::new(limits, sender).of(&name);
        let mut last = 0;
        while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(|e| failed(e, last))? {
            let (row, column) = cell.get_position();
            last = row.saturating_add(1);
            rows.share = f64::from(last) / of;
            let cell = match (to_cell(cell.get_value(), limits.max_cell_chars), formats.get(style)) {
                (Cell::Number(number), Some(Shown::Padded(digits))) => padded(number, *digits),
                (cell, _) => cell,
            };
            rows.add(last, column as usize, cell)?;
        }
        any |= rows.finish()?;
    }
    tell_not_read(sender, not_read)
}

/// Returns whether a sheet has any content; true for a sheet that cannot be read.
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

fn to_cell(value: &DataRef<'_>, max_chars: usize) -> Cell {
    let text = |text: &str| {
        // Copy no more bytes than are kept: a character has at most four.
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

fn failed(error: XlsxError, line: u32) -> FileError {
    let told = match error {
        XlsxError::Password => protected(),
        XlsxError::CellError(value) => {
            damaged(&format!("a cell below row {line} contains the error {value}"))
        }
        other => damaged(&other.to_string()),
    };
    if line > 0 { told.at(line) } else { told }
}
