//! A line of a file, what is known of its delivery, and what becomes of the line.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::delivery::{Priority, Status};
use super::document::{Header, Item};

/// One line, checked for shape by the upload service.
#[derive(Debug, Clone)]
pub struct Row {
    pub line: u32,
    pub id: String,
    pub shipmentnumber: String,
    pub customername: String,
    pub customer_email: Option<String>,
    pub scheduledatetime: DateTime<Utc>,
    pub trucker: Option<String>,
    pub driver_id: Option<String>,
    pub referencedoc: Option<String>,
    pub customeraddress: Option<String>,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    pub contact_email: Option<String>,
    pub instructions: Option<String>,
    pub internal_note: Option<String>,
    pub priority: Option<Priority>,
    pub time_window_start: Option<DateTime<Utc>>,
    pub time_window_end: Option<DateTime<Utc>>,
    pub item: Option<Item>,
    /// If not, the item's number is the place of the line in the file's delivery.
    pub item_number_given: bool,
    /// Another line of the document was refused before it came here.
    pub document_incomplete: bool,
    /// Why the line is refused whatever is known of its delivery.
    pub refused: Option<Outcome>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Updated,
    Skipped,
    Refused { column: &'static str, code: &'static str, text: String },
}

/// An item with the upload that last named it, and whether this batch has to write it.
#[derive(Debug, Clone)]
pub struct KnownItem {
    pub item: Item,
    pub upload: Option<Uuid>,
    pub write: Option<Write>,
    /// Named by this batch without a change: to be noted, or a later line of the file could not
    /// be told to contradict it.
    pub seen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    Insert,
    Update,
}

/// A delivery as the batch sees it, by the lines so far.
#[derive(Debug, Clone)]
pub struct Known {
    pub status: Status,
    pub header: Header,
    /// By folded item number.
    pub items: BTreeMap<String, KnownItem>,
    /// The upload that made the delivery.
    pub created_by_upload: Option<Uuid>,
    /// The upload that last named it.
    pub upload: Option<Uuid>,
    pub write: Option<Write>,
    /// Named by this batch, as with items.
    pub seen: bool,
    /// The shipment it was in before this batch, when it has moved.
    pub left_shipment: Option<String>,
    /// The upload that brought only a part of it.
    pub incomplete: Option<Uuid>,
}
