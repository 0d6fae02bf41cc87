//! Earlier states of deliveries, encoded as JSON: the values that an import changed, or all of a removed
//! delivery.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::document::{Header, Item};
use crate::domain::entry::Head;
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
    pub items: Vec<(String, Option<Item>)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptHead {
    #[serde(flatten)]
    header: Header,
    lat: Option<f64>,
    lng: Option<f64>,
    accuracy: Option<f64>,
}

impl Image {
    pub fn new(head: Head, incomplete: Option<Uuid>, items: Vec<(String, Option<Item>)>) -> Self {
        let Head { header, place } = head;
        let (lat, lng) = (place.map(|it| it.lat), place.map(|it| it.lng));
        let head = KeptHead { header, lat, lng, accuracy: place.and_then(|it| it.accuracy) };
        Self { head, incomplete, items }
    }

    pub fn head(&self) -> Head {
        let KeptHead { header, lat, lng, accuracy } = &self.head;
        Head { header: header.clone(), place: place(*lat, *lng, *accuracy) }
    }

    pub fn driver_id(&self) -> Option<&str> {
        self.head.header.texts.driver_id.as_deref()
    }

    pub fn unassign(&mut self) {
        self.head.header.texts.driver_id = None;
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

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = r#"{
        "head": {
            "id": "DR-1", "shipmentnumber": "S-1", "customername": "Aling Nena Store",
            "scheduledatetime": "2027-01-15T08:00:00Z", "trucker": "Isla Express", "driver_id": "D-1",
            "referencedoc": null, "customeraddress": "12 Mabini St", "contact_name": "Nena",
            "contact_phone": null, "contact_email": null, "instructions": "Ring twice", "internal_note": null,
            "priority": "high", "time_window_start": null, "time_window_end": "2027-01-15T10:00:00Z",
            "lat": 14.5, "lng": 121.0, "accuracy": null
        },
        "incomplete": null,
        "items": [
            ["1", { "item_number": "1", "sku": "RICE-25", "description": null, "unit": "sack",
                "quantity": 5000, "weight_grams": null, "barcode": null }],
            ["2", null]
        ]
    }"#;

    // Images are in the database for as long as an import can be undone, also over an upgrade.
    #[test]
    fn an_image_keeps_the_form_in_which_earlier_releases_wrote_it() {
        let image: Image = read(WRITTEN).unwrap();
        let Head { header, place } = image.head();
        assert_eq!((header.id.as_str(), header.priority.as_str()), ("DR-1", "high"));
        assert_eq!(header.texts.instructions.as_deref(), Some("Ring twice"));
        assert_eq!(place.map(|it| (it.lat, it.lng, it.accuracy)), Some((14.5, 121.0, None)));
        // A field that was added since may be there, too.
        let now = serde_json::to_value(&image).unwrap();
        let before: serde_json::Value = serde_json::from_str(WRITTEN).unwrap();
        for (name, value) in before["head"].as_object().unwrap() {
            assert_eq!(now["head"][name], *value, "{name}");
        }
        assert_eq!((&now["incomplete"], &now["items"]), (&before["incomplete"], &before["items"]));
    }
}
