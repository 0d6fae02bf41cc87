//! The documents that have a refused row. Their other rows are refused as well or, if parts of documents are imported,
//! their deliveries are marked.
//!
//! `survey` finds those that the file itself shows, before the first batch. Deliveries refuses further rows while
//! batches are sent; their documents are added with each answer, for the batches that follow. A job that is taken up
//! again adds those of the confirmed batches, so a repeated batch has the same rows as before.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use ::store::Db;
use ::store::filter::fold;
use kit::Result;
use uuid::Uuid;

use crate::store::{self, Refused};

/// The first refused line of each document that has one; sixteen bytes per document.
#[derive(Debug, Default)]
pub struct RefusedDocuments(HashMap<u64, u32>);

impl RefusedDocuments {
    pub fn add(&mut self, delivery: &str, line: u32) {
        self.0.entry(Self::key(delivery)).or_insert(line);
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
        self.0.get(&Self::key(delivery)).copied()
    }

    /// Hashes with SipHash and fixed keys: among a million documents, two collide with a probability of 1 in
    /// 37 million.
    fn key(delivery: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        fold(delivery).hash(&mut hasher);
        hasher.finish()
    }
}
