//! A line of a file, the existing state of its delivery, and the line's result.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::delivery::{Priority, Status};
use super::document::{Header, Item};
use super::head::Texts;

/// One line, validated by the upload service.
#[derive(Debug, Clone)]
pub struct Row {
    pub line: u32,
    pub id: String,
    pub shipmentnumber: String,
    pub customername: String,
    pub customer_email: Option<String>,
    pub scheduledatetime: DateTime<Utc>,
    pub trucker: Option<String>,
    pub customeraddress: Option<String>,
    pub texts: Texts,
    pub priority: Option<Priority>,
    pub time_window_start: Option<DateTime<Utc>>,
    pub time_window_end: Option<DateTime<Utc>>,
    pub item: Option<Item>,
    /// Whether the file gave the item number; if not, the number is the line's place among the file's lines
    /// of this delivery.
    pub item_number_given: bool,
    /// Whether another line of this delivery was refused: by the upload service, or in an earlier batch.
    pub document_incomplete: bool,
    /// Set if the line is refused for a reason that does not depend on existing data.
    pub refused: Option<Outcome>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Updated,
    Skipped,
    Refused { column: &'static str, code: &'static str, text: String },
}

/// An item, the upload that last named it, and whether this batch has to write it.
#[derive(Debug, Clone)]
pub struct KnownItem {
    pub item: Item,
    pub upload: Option<Uuid>,
    pub write: Option<Write>,
    /// Whether this batch named the item without changing it. That must be recorded, so that a contradicting
    /// later line of the file is noticed.
    pub seen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    Insert,
    Update,
}

/// A delivery as this batch sees it, after the lines applied so far.
#[derive(Debug, Clone)]
pub struct Known {
    pub status: Status,
    pub header: Header,
    /// The delivery's items by item number, in folded form (`store::filter::fold`).
    pub items: BTreeMap<String, KnownItem>,
    /// The upload that created the delivery.
    pub created_by_upload: Option<Uuid>,
    /// The upload that last named the delivery.
    pub upload: Option<Uuid>,
    /// The head as the lines of this upload give it, without the fields that they leave empty; `None` before the
    /// first line. After an earlier batch it is the whole stored head, because what that batch gave is not kept.
    pub file_head: Option<Header>,
    pub write: Option<Write>,
    /// Whether this batch named the delivery without changing it; see `KnownItem`.
    pub seen: bool,
    /// The shipment that the delivery was in before this batch, if it has moved.
    pub left_shipment: Option<String>,
    /// The upload that left the delivery incomplete, because some of its lines were refused.
    pub incomplete: Option<Uuid>,
}
