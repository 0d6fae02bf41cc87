//! Corrections of refused rows, while the file is read again.

use std::collections::VecDeque;

use ::store::Db;
use kit::Result;
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::file::ordinals::Ordinals;
use crate::file::{Cell, RawRow};
use crate::store::{self, CorrectedRow};

/// Replaces cells of the file by corrected ones.
pub(super) fn apply(row: &mut RawRow, corrected: CorrectedRow) {
    for (place, value) in corrected.cells {
        if row.cells.len() <= place {
            row.cells.resize(place + 1, Cell::Empty);
        }
        if let Some(cell) = row.cells.get_mut(place) {
            *cell = if value.is_empty() { Cell::Empty } else { Cell::Text(value) };
        }
    }
}

/// The refused rows of an import in file order, with their corrections, one window at a time.
pub(super) struct Corrections {
    db: Db,
    log: Uuid,
    runtime: Handle,
    after: i64,
    window: VecDeque<CorrectedRow>,
    ended: bool,
    /// Numbers lines that a correction moved to another document, from 1. Deliveries gives such an item
    /// another number if its own is taken.
    pub(super) moved: Ordinals,
}

impl Corrections {
    pub(super) fn new(db: Db, log: Uuid, after: i64) -> Self {
        let (runtime, window, moved) = (Handle::current(), VecDeque::new(), Ordinals::new());
        Self { db, log, runtime, after, window, ended: false, moved }
    }

    /// Returns the corrections of a refused row, possibly none; `None` for a row that is not refused. Blocks.
    /// Call it with ascending lines.
    pub(super) fn of(&mut self, line: u32) -> Result<Option<CorrectedRow>> {
        let line = i64::from(line);
        loop {
            match self.window.front() {
                Some(first) if first.row < line => drop(self.window.pop_front()),
                Some(first) if first.row == line => return Ok(self.window.pop_front()),
                Some(_) => return Ok(None),
                None if self.ended => return Ok(None),
                None => {
                    let next = store::corrected_rows(&self.db, self.log, self.after);
                    self.window = self.runtime.block_on(next)?.into();
                    self.ended = self.window.is_empty();
                    self.after = self.window.back().map_or(self.after, |last| last.row);
                }
            }
        }
    }
}
