//! What the office enters of a delivery and its items: checked, and compared with what was there.
//!
//! Limits are those of an import. A text is kept without the space around it; an empty one is none.

use chrono::{DateTime, Datelike, SecondsFormat, SubsecRound, Utc};
use kit::error::Fields;
use kit::{Error, Result};
use proto::deliveries::v1 as wire;

use super::delivery::Priority;
use super::import::{Header, Item, key};
use super::line::MAX_QUANTITY;
use super::state::{FieldChange, Place, decimal};
use super::text;

/// Items of one delivery.
pub const MAX_ITEMS: usize = 1_000;
/// A thousand tonnes, in grams.
const MAX_WEIGHT: i64 = 1_000_000_000;
const EMAIL_CHARS: usize = 254;
/// As far as an import goes.
const YEARS: std::ops::Range<i32> = 2000..2100;

/// The head of a delivery. An empty address stands for that of the customer until it is looked up.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub header: Header,
    pub place: Option<Place>,
}

/// A delivery to be made: its head and its items, everything that is wrong told at once.
pub fn new(
    id: &str,
    head: wire::DeliveryHead,
    items: Vec<wire::DeliveryItemInput>,
) -> Result<(Head, Vec<Item>)> {
    let mut check = Check::default();
    let id = check.required("id", "Delivery Doc", id, 64);
    let head = check.head(id, head);
    if items.len() > MAX_ITEMS {
        check.say("items", format!("Items must be no more than {MAX_ITEMS}"));
        return Err(check.refusal());
    }
    let mut checked: Vec<Item> = Vec::with_capacity(items.len());
    let mut numbers = std::collections::BTreeSet::new();
    for (index, item) in items.into_iter().enumerate() {
        check.prefix = format!("items.{index}.");
        let item = check.item(item);
        if !item.item_number.is_empty() && !numbers.insert(key(&item.item_number)) {
            check.say("itemNumber", "Item number is there twice".to_owned());
        }
        checked.push(item);
    }
    check.done((head, checked))
}

/// The head of a delivery that there is.
pub fn head(id: &str, head: wire::DeliveryHead) -> Result<Head> {
    let mut check = Check::default();
    let head = check.head(id.to_owned(), head);
    check.done(head)
}

pub fn item(item: wire::DeliveryItemInput) -> Result<Item> {
    let mut check = Check::default();
    let item = check.item(item);
    check.done(item)
}

/// A time that somebody chose for a dispatch.
pub fn dispatch_time(at: Option<prost_types::Timestamp>) -> Result<DateTime<Utc>> {
    let mut check = Check::default();
    let at = check.dispatch_time(at);
    check.done(at)
}

#[derive(Default)]
struct Check {
    wrong: Fields,
    /// Before the name of a field that is part of a list.
    prefix: String,
}

impl Check {
    fn done<T>(self, good: T) -> Result<T> {
        if self.wrong.is_empty() { Ok(good) } else { Err(self.refusal()) }
    }

    fn refusal(self) -> Error {
        let texts: Vec<&str> = self.wrong.values().flatten().map(String::as_str).collect();
        Error { fields: self.wrong.clone(), ..Error::invalid("INVALID_FIELDS", texts.join("; ")) }
    }

    fn say(&mut self, field: &str, text: String) {
        self.wrong.entry(format!("{}{field}", self.prefix)).or_default().push(text);
    }

    fn good(&mut self, field: &str, text: Result<Option<String>, String>) -> Option<String> {
        text.unwrap_or_else(|text| {
            self.say(field, text);
            None
        })
    }

    fn required(&mut self, field: &str, label: &str, text: &str, most: usize) -> String {
        if text.trim().is_empty() {
            self.say(field, format!("{label} is required"));
            return String::new();
        }
        self.line(field, label, Some(text), most).unwrap_or_default()
    }

    fn line(&mut self, field: &str, label: &str, text: Option<&str>, most: usize) -> Option<String> {
        self.good(field, text::line(label, text, most))
    }

    fn lines(&mut self, field: &str, label: &str, text: Option<&str>, most: usize) -> Option<String> {
        self.good(field, text::lines(label, text, most))
    }

    fn email(&mut self, field: &str, label: &str, text: Option<&str>) -> Option<String> {
        let text = self.line(field, label, text, EMAIL_CHARS)?;
        if !is_email(&text) {
            self.say(field, format!("{label} must be formatted like an email address"));
        }
        Some(text)
    }

    fn head(&mut self, id: String, head: wire::DeliveryHead) -> Head {
        let priority = match wire::Priority::try_from(head.priority) {
            Ok(wire::Priority::Unspecified) => Priority::Normal,
            known => match known.ok().and_then(|it| it.try_into().ok()) {
                Some(priority) => priority,
                None => {
                    self.say(
                        "priority",
                        format!("Priority must be one of {}", Priority::SPELLINGS.join(", ")),
                    );
                    Priority::Normal
                }
            },
        };
        let scheduledatetime = self.dispatch_time(head.scheduledatetime);
        let time_window_start = self.time("timeWindowStart", "Time window start", head.time_window_start);
        let time_window_end = self.time("timeWindowEnd", "Time window end", head.time_window_end);
        if let (Some(start), Some(end)) = (time_window_start, time_window_end)
            && end < start
        {
            self.say("timeWindowEnd", "Time window must not end before it starts".to_owned());
        }
        let place = head.address_point.map(Place::from);
        if place.is_some_and(|place| !place.is_on_earth()) {
            self.say("addressPoint", "Location must be in degrees, its accuracy in metres".to_owned());
        }
        let header = Header {
            id,
            shipmentnumber: self.required("shipmentnumber", "Shipment no.", &head.shipmentnumber, 64),
            customername: self.required("customername", "Customer name", &head.customername, 200),
            scheduledatetime,
            trucker: self.line("trucker", "Trucker", Some(&head.trucker), 100).unwrap_or_default(),
            driver_id: self.line("driverId", "Driver ID", head.driver_id.as_deref(), 64),
            referencedoc: self.line("referencedoc", "Reference Doc", head.referencedoc.as_deref(), 100),
            customeraddress: self
                .lines("customeraddress", "Customer address", Some(&head.customeraddress), 500)
                .unwrap_or_default(),
            contact_name: self.line("contactName", "Contact name", head.contact_name.as_deref(), 200),
            contact_phone: self.line("contactPhone", "Contact phone", head.contact_phone.as_deref(), 40),
            contact_email: self.email("contactEmail", "Contact email", head.contact_email.as_deref()),
            instructions: self.lines("instructions", "Instructions", head.instructions.as_deref(), 2000),
            internal_note: self.lines("internalNote", "Internal note", head.internal_note.as_deref(), 2000),
            priority,
            time_window_start,
            time_window_end,
        };
        Head { header, place }
    }

    fn item(&mut self, item: wire::DeliveryItemInput) -> Item {
        let quantity = item.quantity_thousandths;
        if !(0..=MAX_QUANTITY).contains(&quantity) {
            self.say("quantity", format!("Quantity must be between 0 and {}", MAX_QUANTITY / 1000));
        }
        if item.weight_grams.is_some_and(|grams| !(0..=MAX_WEIGHT).contains(&grams)) {
            self.say("weightKg", format!("Weight must be between 0 and {}", MAX_WEIGHT / 1000));
        }
        Item {
            item_number: self.required("itemNumber", "Item number", &item.item_number, 64),
            sku: self.line("sku", "SKU", item.sku.as_deref(), 100),
            description: self.lines("description", "Description", item.description.as_deref(), 2000),
            unit: self.line("unit", "Unit", item.unit.as_deref(), 20),
            quantity,
            weight_grams: item.weight_grams,
            barcode: self.line("barcode", "Barcode", item.barcode.as_deref(), 100),
        }
    }

    fn dispatch_time(&mut self, at: Option<prost_types::Timestamp>) -> DateTime<Utc> {
        const FIELD: &str = "scheduledatetime";
        if at.is_none() {
            self.say(FIELD, "Dispatch date and time is required".to_owned());
        }
        self.time(FIELD, "Dispatch date and time", at).unwrap_or_default()
    }

    fn time(
        &mut self,
        field: &str,
        label: &str,
        at: Option<prost_types::Timestamp>,
    ) -> Option<DateTime<Utc>> {
        // To the microsecond, as databases keep it.
        let at = proto::instant(at?).map(|at| at.trunc_subsecs(6)).filter(|at| YEARS.contains(&at.year()));
        if at.is_none() {
            self.say(field, format!("{label} must be between the years {} and {}", YEARS.start, YEARS.end));
        }
        at
    }
}

fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let plain =
        |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || ",;<>@".contains(c));
    plain(name) && plain(host) && host.contains('.') && !host.starts_with('.') && !host.ends_with('.')
}

/// What an edit of the head changes.
pub fn head_changes(before: &Head, after: &Head) -> Vec<FieldChange> {
    between(None, fields_of_head(before), fields_of_head(after))
}

/// What becomes of an item: made, changed or removed.
pub fn item_changes(before: Option<&Item>, after: Option<&Item>) -> Vec<FieldChange> {
    let number = after.or(before).map(|item| item.item_number.clone());
    let fields = |item: Option<&Item>| item.map_or([const { None }; 6], values_of_item);
    let named = |values: [Option<String>; 6]| ITEM_FIELDS.into_iter().zip(values).collect();
    between(number.as_deref(), named(fields(before)), named(fields(after)))
}

type Values = Vec<(&'static str, Option<String>)>;

fn between(item_number: Option<&str>, before: Values, after: Values) -> Vec<FieldChange> {
    let pairs = before.into_iter().zip(after).filter(|((_, before), (_, after))| before != after);
    pairs
        .map(|((field, before), (_, after))| FieldChange {
            item_number: item_number.map(str::to_owned),
            field,
            before,
            after,
        })
        .collect()
}

fn fields_of_head(head: &Head) -> Values {
    let Header {
        id: _,
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
    } = &head.header;
    let filled = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let instant = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
    vec![
        ("shipmentnumber", filled(shipmentnumber)),
        ("customername", filled(customername)),
        ("scheduledatetime", Some(instant(*scheduledatetime))),
        ("trucker", filled(trucker)),
        ("driverId", driver_id.clone()),
        ("referencedoc", referencedoc.clone()),
        ("customeraddress", filled(customeraddress)),
        ("addressLat", head.place.map(|it| it.lat.to_string())),
        ("addressLng", head.place.map(|it| it.lng.to_string())),
        ("addressAccuracy", head.place.and_then(|it| it.accuracy).map(|it| it.to_string())),
        ("contactName", contact_name.clone()),
        ("contactPhone", contact_phone.clone()),
        ("contactEmail", contact_email.clone()),
        ("instructions", instructions.clone()),
        ("internalNote", internal_note.clone()),
        ("priority", Some(priority.as_str().to_owned())),
        ("timeWindowStart", time_window_start.map(instant)),
        ("timeWindowEnd", time_window_end.map(instant)),
    ]
}

const ITEM_FIELDS: [&str; 6] = ["sku", "description", "unit", "quantity", "weightKg", "barcode"];

fn values_of_item(item: &Item) -> [Option<String>; 6] {
    let Item { item_number: _, sku, description, unit, quantity, weight_grams, barcode } = item;
    [
        sku.clone(),
        description.clone(),
        unit.clone(),
        Some(decimal(*quantity)),
        weight_grams.map(decimal),
        barcode.clone(),
    ]
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
