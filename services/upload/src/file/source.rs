//! Opens a file by its content, and reads its rows.

use std::fs::File;
use std::path::Path;

use super::assembly::Wanted;
use super::columns::Example;
use super::kind::{self, Kind};
use super::package::{self, Format};
use super::sheet::SheetRows;
use super::text::TextRows;
use super::{FileError, Limits, RawRow, empty};

pub(super) enum Source {
    Text(Box<TextRows>),
    Sheet(SheetRows),
}

impl Source {
    /// Opens a file by its content; also returns its size.
    pub(super) fn open(
        path: &Path,
        filename: &str,
        limits: &Limits,
        wanted: Wanted,
    ) -> Result<(Self, u64), FileError> {
        let file = File::open(path).map_err(|e| FileError::io(&e))?;
        let size = file.metadata().map_err(|e| FileError::io(&e))?.len();
        if size == 0 {
            return Err(empty());
        }
        if size > limits.max_bytes {
            return Err(FileError::new(
                "FILE_TOO_LARGE",
                format!(
                    "The file has {} MB, but only {} MB are allowed. Split it into several files.",
                    size.div_ceil(1 << 20),
                    limits.max_bytes >> 20
                ),
            ));
        }
        let source = match kind::detect(&file, filename, limits)? {
            Kind::Text(encoding) => Self::Text(Box::new(TextRows::open(file, encoding, limits)?)),
            Kind::Workbook(format) => {
                if format != Format::Xls {
                    package::check(&file, limits)?;
                }
                Self::Sheet(SheetRows::open(file, format, limits, wanted)?)
            }
        };
        Ok((source, size))
    }

    pub(super) fn next(&mut self) -> Result<Option<RawRow>, FileError> {
        match self {
            Self::Text(rows) => rows.next(),
            Self::Sheet(rows) => rows.next(),
        }
    }

    /// Returns the names of the other visible sheets with content. Complete after the last row.
    pub(super) fn not_read(&self) -> &[String] {
        match self {
            Self::Text(_) => &[],
            Self::Sheet(rows) => rows.not_read(),
        }
    }

    /// Returns a word of a text file that its assumed encoding may have changed. Complete after the last row.
    pub(super) fn assumed_encoding(&self) -> Option<&Example> {
        match self {
            Self::Text(rows) => rows.assumed_encoding(),
            Self::Sheet(_) => None,
        }
    }

    /// Returns how many bytes of a file of this size were read.
    pub(super) fn progress(&self, size: u64) -> u64 {
        match self {
            Self::Text(rows) => rows.bytes_read(),
            Self::Sheet(rows) => rows.progress(size),
        }
    }

    /// Returns the name of the sheet that the latest row is from; empty for a text file.
    pub(super) fn sheet(&self) -> &str {
        match self {
            Self::Text(_) => "",
            Self::Sheet(rows) => rows.sheet(),
        }
    }
}
