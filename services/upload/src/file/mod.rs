//! Reads a file on disk into validated import rows.
//!
//! Here: which files are accepted (`kind`), how their text is decoded and split into records (`decode`,
//! `records`, `text`), how a workbook is checked before it is read (`package`, `xml_budget`) and then read
//! (`sheet`, `ods`, `xls`, `assembly`), which column is which field (`fields`, `header`), what a person sees and
//! decides about that (`layout`, `items`, `proposal`, `saved`, `reading`, `transform`), how two sheets become one (`joined`), how the values of a column are read (`columns`), what a
//! row must contain (`row`, `time`, `number`, `ordinals`), what
//! is kept of a refused row (`refused`), and what a person should check (`warning`).
//!
//! Deliberately absent: storage, the import task, gRPC, and every other crate of ours except the contracts.
//! Nothing here depends on stored data: equal lines get equal item numbers (`ordinals`), and the service that
//! stores the rows handles repetitions. Everything blocks: call it from a blocking task.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod assembly;
pub mod columns;
mod damage;
mod decode;
mod fields;
mod fit;
pub mod header;
pub mod items;
mod joined;
mod kind;
pub mod layout;
pub mod number;
mod number_format;
mod ods;
mod ods_xml;
mod ole;
pub mod ordinals;
mod package;
pub mod place;
pub mod proposal;
mod quoting;
pub mod reading;
mod records;
pub mod refused;
pub mod row;
pub mod saved;
mod sheet;
mod source;
mod text;
mod time;
pub mod transform;
mod values;
mod warning;
mod xls;
mod xls_book;
mod xls_records;
mod xml_budget;

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;

use chrono::NaiveDateTime;

pub use fields::Field;
pub use header::Mapping;
pub use layout::Layout;
pub use warning::Warning;

use assembly::Wanted;
use columns::Example;
use joined::JoinedRows;
use source::Source;
use transform::Transform;

/// Limits of a file. All are inclusive.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Size of the file, in bytes.
    pub max_bytes: u64,
    /// Rows with data, without the header.
    pub max_rows: u32,
    /// Columns up to the rightmost one with content.
    pub max_columns: usize,
    /// Maximum characters kept of one cell; the rest is cut off. Higher than every field's own limit, so a
    /// truncated cell of a known column is always refused by the check of its row.
    pub max_cell_chars: usize,
    /// Maximum size of an unpacked workbook in bytes, all parts together. It also limits the texts of all
    /// cells together, because millions of cells may use one shared string.
    pub max_unpacked_bytes: u64,
    /// Maximum estimated memory of a workbook's reader in bytes: shared strings, formats, names.
    pub max_kept_bytes: u64,
    /// How many rows with content, from the first, are searched for the header.
    pub max_header_scan: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 50 << 20,
            max_rows: 1_000_000,
            max_columns: 200,
            max_cell_chars: 10_000,
            max_unpacked_bytes: 512 << 20,
            max_kept_bytes: 128 << 20,
            max_header_scan: 10,
        }
    }
}

/// Why a whole file is refused.
///
/// Stable codes: FILE_EMPTY, FILE_TYPE_UNKNOWN, FILE_PROTECTED, FILE_NOT_READABLE, FILE_TOO_LARGE,
/// FILE_UNPACKED_TOO_LARGE, FILE_TOO_COMPLEX, FILE_TOO_MANY_ROWS, FILE_TOO_MANY_COLUMNS, FILE_ROW_TOO_LONG,
/// FILE_QUOTE_NOT_CLOSED, FILE_MIXES_ENCODINGS, FILE_DATES_CONTRADICT, FILE_NUMBERS_CONTRADICT, FILE_NO_ROWS,
/// HEADER_MISSING_COLUMNS, HEADER_REPEATED_COLUMN, DEFAULT_NOT_VALID, ITEMS_SHEET_MISSING,
/// ITEMS_WITHOUT_DOCUMENT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    pub code: &'static str,
    /// What is wrong and what to do, for people.
    pub text: String,
    /// The line or sheet row where the problem was found, from 1.
    pub line: Option<u32>,
    /// Whether the operating system failed to read the file, which itself may be fine.
    pub io: bool,
}

impl FileError {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), line: None, io: false }
    }

    fn at(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }

    fn io(error: &std::io::Error) -> Self {
        let text = error.to_string();
        Self {
            io: true,
            ..Self::new("FILE_NOT_READABLE", format!("The file could not be read ({text}). Upload it again."))
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.text)?;
        match self.line {
            Some(line) => write!(f, " (line {})", place::row_text(line)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FileError {}

/// One value of the file. Text files have only `Text` and `Empty`.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A text that is never empty and not trimmed. Error values of a workbook ("#REF!") are texts, too.
    Text(String),
    /// A finite number.
    Number(f64),
    /// A wall-clock time without a zone, to the second. A bare time of day is on 1899-12-31.
    DateTime(NaiveDateTime),
    Bool(bool),
    Empty,
}

impl Cell {
    fn text(value: String) -> Self {
        if value.is_empty() { Self::Empty } else { Self::Text(value) }
    }

    fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }
}

/// A row with content.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRow {
    /// Counts from 1. In a text file, the physical line where the record starts; in a workbook, the sheet's
    /// row number.
    pub line: u32,
    /// In column order. May be shorter than the header; in a text file, also longer.
    pub cells: Vec<Cell>,
}

enum Reader {
    One(Source),
    Two(Box<JoinedRows>),
}

/// The rows of a file below its header, in file order. `Send`, not `Sync`.
pub struct Rows {
    reader: Reader,
    /// Rows below the header that were read while searching for it.
    ahead: VecDeque<RawRow>,
    header: Vec<String>,
    header_line: u32,
    transform: Transform,
    given: u32,
    max_rows: u32,
    size: u64,
    ended: bool,
}

/// Opens a file and reads up to its header.
///
/// The type is detected by content; `filename`, as the person named it, only improves the wording of a
/// refusal. Fails when the file is not CSV, XLSX, XLS or ODS, exceeds a limit, or has no header with the
/// required columns. `Ok` says nothing yet about the rows below.
pub fn open(path: &Path, filename: &str, limits: &Limits) -> Result<Rows, FileError> {
    open_as(path, filename, limits, None)
}

/// Opens a file like [`open`], with a person's decision about sheet and header if there is one.
pub fn open_as(
    path: &Path,
    filename: &str,
    limits: &Limits,
    layout: Option<&Layout>,
) -> Result<Rows, FileError> {
    if let Some((layout, items)) = layout.and_then(|it| Some((it, it.items.as_ref()?))) {
        let joined::Opened { rows, header, transform, size } =
            joined::open(path, filename, limits, layout, items)?;
        let reader = Reader::Two(Box::new(rows));
        return Ok(Rows::new(reader, VecDeque::new(), (header, layout.header_line), transform, limits, size));
    }
    let wanted = layout.map_or(Wanted::First, Layout::wanted);
    let (mut source, size) = Source::open(path, filename, limits, wanted)?;
    let mut ahead = VecDeque::new();
    while ahead.len() < limits.max_header_scan.max(1) {
        match source.next()? {
            Some(row) => ahead.push_back(row),
            None => break,
        }
    }
    if ahead.is_empty() {
        return Err(empty());
    }
    let index = match layout {
        None => header::locate(ahead.make_contiguous())?,
        // The file is the one that the person saw, so it has this line.
        Some(layout) => ahead.iter().position(|row| row.line == layout.header_line).ok_or_else(empty)?,
    };
    let found = ahead.drain(..=index).next_back().ok_or_else(empty)?;
    let header = header::texts(&found);
    let transform = match layout {
        None => Transform::none(Mapping::new(&header, found.line)?),
        Some(layout) => Transform::of(&header, layout)?,
    };
    Ok(Rows::new(Reader::One(source), ahead, (header, found.line), transform, limits, size))
}

fn empty() -> FileError {
    FileError::new(
        "FILE_EMPTY",
        "The file holds no rows. Choose the file with the deliveries and upload it again.",
    )
}

impl Rows {
    fn new(
        reader: Reader,
        ahead: VecDeque<RawRow>,
        (header, header_line): (Vec<String>, u32),
        transform: Transform,
        limits: &Limits,
        size: u64,
    ) -> Self {
        let max_rows = limits.max_rows;
        Self { reader, ahead, header, header_line, transform, given: 0, max_rows, size, ended: false }
    }

    /// Returns the headings of the file, trimmed.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Returns the header's line, from 1.
    pub fn header_line(&self) -> u32 {
        self.header_line
    }

    /// Returns the name of the sheet with the deliveries, if another one has their items.
    pub fn deliveries_sheet(&self) -> Option<&str> {
        match &self.reader {
            Reader::One(_) => None,
            Reader::Two(rows) => Some(rows.deliveries_sheet()),
        }
    }

    /// Returns which column holds which field, with the columns that default values add.
    pub fn mapping(&self) -> &Mapping {
        &self.transform.mapping
    }

    /// Returns the next row with content, or `None` at the end. After an error every call returns `None`,
    /// because what follows a broken place cannot be trusted. This is not an iterator, because rows may fail:
    /// read them with `while let Some(row) = rows.next()?`.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<RawRow>, FileError> {
        if self.ended {
            return Ok(None);
        }
        let next = match self.ahead.pop_front() {
            Some(row) => Ok(Some(row)),
            None => match &mut self.reader {
                Reader::One(source) => source.next(),
                Reader::Two(rows) => rows.next(),
            },
        };
        match next {
            Ok(Some(mut row)) => {
                if self.given >= self.max_rows {
                    self.ended = true;
                    return Err(FileError::new(
                        "FILE_TOO_MANY_ROWS",
                        format!(
                            "The file has more than {} rows. Split it into several files.",
                            self.max_rows
                        ),
                    )
                    .at(row.line));
                }
                self.given += 1;
                // Cut a sheet's row at the header's width: its cells have addresses, so cells further right
                // are side notes. In a text file, further cells mean that a separator within a text shifted
                // the columns, so `row` must see them.
                if matches!(self.reader, Reader::One(Source::Sheet(_))) {
                    row.cells.truncate(self.header.len());
                }
                self.transform.apply(&mut row);
                Ok(Some(row))
            }
            Ok(None) => {
                self.ended = true;
                Ok(None)
            }
            Err(error) => {
                self.ended = true;
                Err(error)
            }
        }
    }

    /// Returns warnings about an assumed encoding and about what was not read: headings that name no field, and
    /// other sheets with content. Call it after the last row.
    pub fn warnings(&self) -> Vec<Warning> {
        let encoding = match &self.reader {
            Reader::One(source) => source.assumed_encoding().map(Example::assumed),
            Reader::Two(_) => None,
        };
        let headings = self.transform.mapping.unused().map(|heading| {
            Warning::new(
                "HEADING_NOT_USED",
                "No field has this heading, so the values below it weren't imported. If they belong to a field, rename the heading as in the template and import the file again.",
            )
            .of(heading.to_owned())
        });
        let (sheets, joined): (Vec<&String>, _) = match &self.reader {
            Reader::One(source) => (source.not_read().iter().collect(), None),
            Reader::Two(rows) => (rows.not_read().collect(), rows.warning()),
        };
        let sheets = sheets.into_iter().map(|name| warning::sheet_not_read(name));
        encoding.into_iter().chain(headings).chain(sheets).chain(joined).collect()
    }

    /// Returns how many bytes of the file were read; after the last row, the file's size. In text files it is
    /// at most one buffer too high; in workbooks it is estimated from row numbers. Never decreases.
    pub fn bytes_read(&self) -> u64 {
        if self.ended {
            return self.size;
        }
        match &self.reader {
            Reader::One(source) => source.progress(self.size),
            Reader::Two(rows) => rows.progress(self.size),
        }
        .min(self.size)
    }
}

#[cfg(test)]
mod tests;
