//! The rows of a file with the cells that people changed in place: the only place where an import reads rows.
//!
//! So a changed cell is validated, numbered, sent and, if refused, kept like one of the file. How the columns are
//! read is decided from the file's own cells: one cell that somebody typed must not change how all others are read.

use std::path::PathBuf;

use ::store::Db;
use ::store::jobs::Halt;
use kit::{Error, Result};
use uuid::Uuid;

use super::corrections::{Edits, apply};
use crate::Context;
use crate::entity::upload_log::Model as UploadLog;
use crate::file::columns::Chosen;
use crate::file::place::row_text;
use crate::file::{self, FileError, Layout, Limits, Mapping, RawRow, Warning};
use crate::store;

/// A downloaded file.
#[derive(Clone)]
pub(super) struct Source {
    pub path: PathBuf,
    pub filename: String,
    pub limits: Limits,
    /// A person's decision about the header, if there is one.
    pub layout: Option<Layout>,
    /// `None` if nobody changed a cell.
    pub edits: Option<SourceEdits>,
}

/// The cells of a file that people changed.
#[derive(Clone)]
pub(super) struct SourceEdits {
    db: Db,
    log: Uuid,
    /// The columns that the places of the cells refer to, and their headings with those that default values added.
    columns_key: String,
    headings: Vec<String>,
}

impl SourceEdits {
    pub(super) async fn of(context: &Context, log: &UploadLog) -> Result<Option<Self>> {
        let Some(columns_key) = log.columns_key.clone() else { return Ok(None) };
        let found = store::has_edits(context.db.read(), log.id).await?;
        let headings = log.headings.clone().map(|it| it.0).unwrap_or_default();
        Ok(found.then(|| Self { db: context.db.clone(), log: log.id, columns_key, headings }))
    }
}

impl Source {
    /// Opens the file. Edits of other columns than these are not put in place.
    pub(super) fn open(&self) -> Result<Rows, Halt> {
        let rows = file::open_as(&self.path, &self.filename, &self.limits, self.layout.as_ref())?;
        let mut columns_key = self.columns_key(&rows, rows.header())?;
        if let Some(edits) = &self.edits {
            // The previous release counted the columns that default values add, too.
            let earlier = self.columns_key(&rows, rows.mapping().headings())?;
            if edits.columns_key == earlier {
                columns_key = earlier;
            }
        }
        let edits = self.edits.as_ref().filter(|edits| edits.columns_key == columns_key).map(|edits| {
            let columns = store::same_columns(&edits.headings, rows.mapping().headings());
            Edits::new(edits.db.clone(), edits.log, columns)
        });
        Ok(Rows { rows, columns_key, edits })
    }

    /// Identifies what the places of cells refer to: the sheet, the headings, and which columns are joined. How
    /// values are read, which field a column has, and default values may change without it.
    fn columns_key(&self, rows: &file::Rows, headings: &[String]) -> Result<String> {
        let fields = self.layout.as_ref().map(Layout::fields).unwrap_or_default();
        let joined = fields.iter().enumerate().filter_map(|(at, field)| {
            let first = fields.iter().position(|it| it.is_some() && it == field)?;
            (first < at).then_some((first, at))
        });
        let joined: Vec<_> = joined.collect();
        let sheet = self.layout.as_ref().and_then(|layout| layout.sheet.as_deref());
        let items = self.layout.as_ref().and_then(|layout| layout.items.as_ref());
        let items = items.map(|items| (&items.sheet, items.header_line));
        // Of two sheets, the first one is named only once the file has been read.
        let sheet = rows.deliveries_sheet().or(sheet);
        let key = (sheet, rows.header_line(), headings, joined, items);
        let text = serde_json::to_string(&key).map_err(Error::internal)?;
        Ok(hex::encode(ring::digest::digest(&ring::digest::SHA256, text.as_bytes())))
    }

    /// Returns how a person decided to read dates and numbers.
    pub(super) fn chosen(&self) -> Chosen {
        self.layout.as_ref().map(|layout| layout.chosen).unwrap_or_default()
    }
}

/// The rows of a file below its header, in file order.
pub(super) struct Rows {
    rows: file::Rows,
    edits: Option<Edits>,
    columns_key: String,
}

impl Rows {
    pub(super) fn mapping(&self) -> &Mapping {
        self.rows.mapping()
    }

    pub(super) fn header_line(&self) -> u32 {
        self.rows.header_line()
    }

    pub(super) fn columns_key(&self) -> &str {
        &self.columns_key
    }

    /// Returns the next row with its changed cells, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<RawRow>, Halt> {
        self.next_seen(|_| ())
    }

    /// Returns the next row with its changed cells, and shows the row as it is in the file before.
    pub(super) fn next_seen(&mut self, see: impl FnOnce(&RawRow)) -> Result<Option<RawRow>, Halt> {
        let Some(mut row) = self.rows.next()? else { return Ok(None) };
        see(&row);
        if let Some(edits) = &mut self.edits
            && let Some(edited) = edits.of(row.line)?
        {
            apply(&mut row, edited, self.rows.mapping());
        }
        Ok(Some(row))
    }

    pub(super) fn deliveries_sheet(&self) -> Option<&str> {
        self.rows.deliveries_sheet()
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        self.rows.warnings()
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.rows.bytes_read()
    }
}

/// An unreadable file fails as invalid input, unless the operating system caused the error.
impl From<FileError> for Halt {
    fn from(error: FileError) -> Self {
        let FileError { code, text, line, io } = error;
        let kind = if io { kit::Kind::Internal } else { kit::Kind::InvalidInput };
        let text = match line {
            Some(line) => format!("Line {}: {text}", row_text(line)),
            None => text,
        };
        Halt::Failed(Error::new(kind, code, text))
    }
}
