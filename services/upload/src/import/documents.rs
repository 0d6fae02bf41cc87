//! The documents that have a refused row. Their other rows are refused as well or, if parts of documents are imported,
//! their deliveries are marked.
//!
//! `survey` and `split` find those that the file itself shows, before the first batch. Deliveries refuses further rows
//! while batches are sent; their documents are added with each answer, for the batches that follow. A job that is taken
//! up again adds those of the confirmed batches, so a repeated batch has the same rows as before.

use std::collections::HashMap;

use ::store::Db;
use ::store::filter::fold;
use kit::Result;
use uuid::Uuid;

use crate::file::Field;
use crate::file::ordinals::hash;
use crate::store::{self, Refused};

/// A field whose value differs from that of an earlier row of the same document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contradiction {
    pub field: Field,
    /// Whether the value is that of an item with the same number, not of the document's head.
    pub is_item: bool,
    /// The line of the earlier row.
    pub earlier: u32,
}

/// The documents that have a refused row.
#[derive(Debug, Default)]
pub struct RefusedDocuments {
    /// The first refused line of each document; sixteen bytes per document.
    lines: HashMap<u64, u32>,
    /// The lines that are refused because they contradict an earlier one.
    contradictions: HashMap<u32, Contradiction>,
}

impl RefusedDocuments {
    pub fn add(&mut self, delivery: &str, line: u32) {
        self.lines.entry(key(delivery)).or_insert(line);
    }

    pub fn add_contradiction(&mut self, delivery: &str, line: u32, contradiction: Contradiction) {
        self.add(delivery, line);
        self.contradictions.insert(line, contradiction);
    }

    pub fn contradiction(&self, line: u32) -> Option<Contradiction> {
        self.contradictions.get(&line).copied()
    }

    /// Adds the documents of refused rows. A row that was refused only because of its document is not the reason.
    pub fn add_rows(&mut self, rows: &[Refused]) {
        for row in rows.iter().filter(|row| row.messages.are_about_the_row()) {
            if let Some(delivery) = &row.delivery {
                self.add(delivery, row.line);
            }
        }
    }

    /// Adds the documents of the refused rows that are stored for an import, up to the line `last`.
    pub async fn add_stored(&mut self, db: &Db, log: Uuid, last: i64) -> Result<()> {
        let mut after = 0;
        loop {
            let rows = store::refused_rows(db, log, after, last).await?;
            let Some(end) = rows.last() else { return Ok(()) };
            after = end.line.into();
            self.add_rows(&rows);
        }
    }

    pub fn line(&self, delivery: &str) -> Option<u32> {
        self.lines.get(&key(delivery)).copied()
    }
}

/// Hashes a document's id: among a million documents, two collide with a probability of 1 in 37 million.
pub(super) fn key(delivery: &str) -> u64 {
    hash(fold(delivery))
}
