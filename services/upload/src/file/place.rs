//! Where a row stands, when deliveries and their items are on two sheets.
//!
//! A row is identified by its number alone, so the numbers of one of the sheets are moved behind all others.

/// Added to the numbers of rows on the deliveries' sheet. Higher than the number of any row or line.
const DELIVERIES: u32 = 1 << 30;

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the row on its sheet, from 1.
    pub row: u32,
    /// Whether its sheet is that of the deliveries, beside one with items.
    pub is_delivery: bool,
}

impl Place {
    /// Returns the number that identifies a row of the deliveries' sheet, beside one with items.
    pub(super) fn on_deliveries(row: u32) -> u32 {
        DELIVERIES + row
    }

    pub fn of(line: u32) -> Self {
        match line.checked_sub(DELIVERIES) {
            Some(row) => Self { row, is_delivery: true },
            None => Self { row: line, is_delivery: false },
        }
    }
}

/// Returns the number that identifies a row as people know it, for a sentence.
pub fn row_text(line: u32) -> String {
    match Place::of(line) {
        Place { row, is_delivery: true } => format!("{row} of the sheet with the deliveries"),
        Place { row, is_delivery: false } => row.to_string(),
    }
}
