//! Earlier states of deliveries, encoded as JSON: the values that an import changed, or all of a removed
//! delivery.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::ActiveEnum;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::delivery::Priority;
use crate::domain::document::{Header, Item};
use crate::domain::entry::Head;
use crate::domain::state::Place;
use crate::entity::delivery;
use crate::entity::delivery::place;

/// Maximum bytes of one image. A delivery may need more if all of its items changed; its undo is then
/// reported as failed.
const MAX_BYTES: usize = 256 << 10;

/// The values that a delivery had before an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Image {
    head: KeptHead,
    pub incomplete: Option<Uuid>,
    /// Items that the import changed, by key; `None` for items that it created.
    pub items: Vec<(String, Option<KeptItem>)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptHead {
    id: String,
    shipmentnumber: String,
    customername: String,
    scheduledatetime: DateTime<Utc>,
    trucker: String,
    driver_id: Option<String>,
    referencedoc: Option<String>,
    customeraddress: String,
    contact_name: Option<String>,
    contact_phone: Option<String>,
    contact_email: Option<String>,
    instructions: Option<String>,
    internal_note: Option<String>,
    priority: String,
    time_window_start: Option<DateTime<Utc>>,
    time_window_end: Option<DateTime<Utc>>,
    lat: Option<f64>,
    lng: Option<f64>,
    accuracy: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptItem {
    item_number: String,
    sku: Option<String>,
    description: Option<String>,
    unit: Option<String>,
    quantity: i64,
    weight_grams: Option<i64>,
    barcode: Option<String>,
}

impl Image {
    pub fn new(head: Head, incomplete: Option<Uuid>, items: Vec<(String, Option<Item>)>) -> Self {
        let Head { header, place } = head;
        let Header {
            id,
            shipmentnumber,
            customername,
            scheduledatetime,
            trucker,
            driver_id,
            referencedoc,
            customeraddress,
            contact_name,
            contact_phone,
            contact_email,
            instructions,
            internal_note,
            priority,
            time_window_start,
            time_window_end,
        } = header;
        let head = KeptHead {
            id,
            shipmentnumber,
            customername,
            scheduledatetime,
            trucker,
            driver_id,
            referencedoc,
            customeraddress,
            contact_name,
            contact_phone,
            contact_email,
            instructions,
            internal_note,
            priority: priority.as_str().to_owned(),
            time_window_start,
            time_window_end,
            lat: place.map(|it| it.lat),
            lng: place.map(|it| it.lng),
            accuracy: place.and_then(|it| it.accuracy),
        };
        let items = items.into_iter().map(|(key, item)| (key, item.map(KeptItem::from))).collect();
        Self { head, incomplete, items }
    }

    pub fn head(&self) -> Result<Head> {
        let KeptHead {
            id,
            shipmentnumber,
            customername,
            scheduledatetime,
            trucker,
            driver_id,
            referencedoc,
            customeraddress,
            contact_name,
            contact_phone,
            contact_email,
            instructions,
            internal_note,
            priority,
            time_window_start,
            time_window_end,
            lat,
            lng,
            accuracy,
        } = self.head.clone();
        let header = Header {
            id,
            shipmentnumber,
            customername,
            scheduledatetime,
            trucker,
            driver_id,
            referencedoc,
            customeraddress,
            contact_name,
            contact_phone,
            contact_email,
            instructions,
            internal_note,
            priority: Priority::try_from_value(&priority).map_err(Error::internal)?,
            time_window_start,
            time_window_end,
        };
        let place: Option<Place> = place(lat, lng, accuracy);
        Ok(Head { header, place })
    }

    /// Adds items that a later batch of the same import changed. Earlier records win, because they have the
    /// values from before the import.
    pub fn add_items(&mut self, later: Image) {
        for (key, item) in later.items {
            if !self.items.iter().any(|(known, _)| *known == key) {
                self.items.push((key, item));
            }
        }
    }

    /// Encodes the image; `None` when it is too large to store.
    pub fn text(&self) -> Result<Option<String>> {
        bounded(self)
    }
}

impl From<Item> for KeptItem {
    fn from(item: Item) -> Self {
        let Item { item_number, sku, description, unit, quantity, weight_grams, barcode } = item;
        Self { item_number, sku, description, unit, quantity, weight_grams, barcode }
    }
}

impl From<KeptItem> for Item {
    fn from(item: KeptItem) -> Self {
        let KeptItem { item_number, sku, description, unit, quantity, weight_grams, barcode } = item;
        Self { item_number, sku, description, unit, quantity, weight_grams, barcode }
    }
}

/// A delivery that an undo removes: Pending, in its first attempt, with nothing counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemovedImage {
    pub image: Image,
    pub source_id: Option<Uuid>,
    pub upload_log_id: Option<Uuid>,
    pub attempt: i32,
    pub max_attempts: i32,
    pub created_at: DateTime<Utc>,
    pub created_by: String,
}

impl RemovedImage {
    pub fn new(row: &delivery::Model, image: Image) -> Self {
        Self {
            image,
            source_id: row.source_id,
            upload_log_id: row.upload_log_id,
            attempt: row.attempt,
            max_attempts: row.max_attempts,
            created_at: row.created_at,
            created_by: row.created_by.clone(),
        }
    }

    pub fn driver_id(&self) -> Option<&str> {
        self.image.head.driver_id.as_deref()
    }

    /// Encodes the image, whatever its size: it has one delivery, whose items are bounded.
    pub fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(Error::internal)
}

fn bounded(image: &impl Serialize) -> Result<Option<String>> {
    let text = serde_json::to_string(image).map_err(Error::internal)?;
    Ok(Some(text).filter(|text| text.len() <= MAX_BYTES))
}
