//! Changed cells of a file, put in place while the file is read: corrections of refused rows, and edits of any row.

use std::collections::VecDeque;

use ::store::Db;
use kit::Result;
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::file::ordinals::Ordinals;
use crate::file::{Cell, Mapping, RawRow, refused};
use crate::store::{self, CorrectedRow};

/// Replaces cells of the file by corrected ones.
pub(super) fn apply(row: &mut RawRow, corrected: CorrectedRow, mapping: &Mapping) {
    for (place, value) in corrected.cells {
        if row.cells.len() <= place {
            row.cells.resize(place + 1, Cell::Empty);
        }
        if let Some(cell) = row.cells.get_mut(place) {
            *cell = if value.is_empty() { Cell::Empty } else { refused::typed(value, place, mapping) };
        }
    }
}

enum Of {
    /// Every refused row, with its corrections if it has any.
    Refused,
    /// Every row with edits.
    Edited,
}

/// Rows of a file with their changed cells, in file order, one window at a time.
struct Windows {
    db: Db,
    log: Uuid,
    of: Of,
    runtime: Handle,
    after: i64,
    window: VecDeque<CorrectedRow>,
    ended: bool,
}

impl Windows {
    fn new(db: Db, log: Uuid, of: Of, after: i64) -> Self {
        Self { db, log, of, runtime: Handle::current(), after, window: VecDeque::new(), ended: false }
    }

    /// Returns the row on a line, if it is one of these rows. Blocks. Call it with ascending lines.
    fn on(&mut self, line: u32) -> Result<Option<CorrectedRow>> {
        let line = i64::from(line);
        loop {
            match self.window.front() {
                Some(first) if first.row < line => drop(self.window.pop_front()),
                Some(first) if first.row == line => return Ok(self.window.pop_front()),
                Some(_) => return Ok(None),
                None if self.ended => return Ok(None),
                None => {
                    self.window = self.next()?.into();
                    self.ended = self.window.is_empty();
                    self.after = self.window.back().map_or(self.after, |last| last.row);
                }
            }
        }
    }

    fn next(&self) -> Result<Vec<CorrectedRow>> {
        let Self { db, log, after, runtime, .. } = self;
        match self.of {
            Of::Refused => runtime.block_on(store::corrected_rows(db, *log, *after)),
            Of::Edited => runtime.block_on(store::edited_rows(db, *log, *after)),
        }
    }
}

/// The refused rows of an import, with their corrections.
pub(super) struct Corrections {
    rows: Windows,
    /// Numbers lines that a correction moved to another document, from 1. Deliveries gives such an item
    /// another number if its own is taken.
    pub(super) moved: Ordinals,
}

impl Corrections {
    pub(super) fn new(db: Db, log: Uuid, after: i64) -> Self {
        Self { rows: Windows::new(db, log, Of::Refused, after), moved: Ordinals::new() }
    }

    /// Returns the corrections of a refused row, possibly none; `None` for a row that is not refused. Blocks.
    /// Call it with ascending lines.
    pub(super) fn of(&mut self, line: u32) -> Result<Option<CorrectedRow>> {
        self.rows.on(line)
    }
}

/// The cells that people changed in a checked file, in its first `columns` columns.
pub(super) struct Edits {
    rows: Windows,
    columns: usize,
}

impl Edits {
    pub(super) fn new(db: Db, log: Uuid, columns: usize) -> Self {
        Self { rows: Windows::new(db, log, Of::Edited, 0), columns }
    }

    /// Returns the edits of a row, if it has any. Blocks. Call it with ascending lines.
    pub(super) fn of(&mut self, line: u32) -> Result<Option<CorrectedRow>> {
        let mut row = self.rows.on(line)?;
        if let Some(row) = &mut row {
            row.cells.retain(|(place, _)| *place < self.columns);
        }
        Ok(row)
    }
}
