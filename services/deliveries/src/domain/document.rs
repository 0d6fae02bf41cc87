//! A delivery as a document: head and items, as files, forms and undo use it.

use chrono::{DateTime, Utc};
use kit::text::fold;
use serde::{Deserialize, Serialize};

use super::delivery::Priority;
use super::head::Texts;

/// The part of a delivery that an import may set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub id: String,
    pub shipmentnumber: String,
    pub customername: String,
    pub scheduledatetime: DateTime<Utc>,
    pub trucker: String,
    pub customeraddress: String,
    #[serde(flatten)]
    pub texts: Texts,
    pub priority: Priority,
    pub time_window_start: Option<DateTime<Utc>>,
    pub time_window_end: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub item_number: String,
    pub sku: Option<String>,
    pub description: Option<String>,
    pub unit: Option<String>,
    pub quantity: i64,
    pub weight_grams: Option<i64>,
    pub barcode: Option<String>,
}

/// Returns an item's key, which is unique within its delivery.
pub(super) fn key(item_number: &str) -> String {
    fold(item_number)
}
