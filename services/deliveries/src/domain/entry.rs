//! What the office enters about a delivery and its items: validation, and comparison with the previous
//! values.
//!
//! The limits are the same as for imports. Texts are stored trimmed; an empty text counts as missing.

use chrono::{DateTime, SecondsFormat, Utc};
use kit::Result;
use kit::input::text::{JOINERS, visible};
use kit::input::{Check, limits, time};
use kit::text::normalize;
use proto::deliveries::v1 as wire;

use super::delivery::Priority;
use super::document::{Header, Item, key};
use super::head::Texts;
use super::line::{beyond_quantity, is_quantity};
use super::state::{FieldChange, Place, decimal};

/// The head of a delivery. An empty address stands for the customer's address, which is filled in before the
/// head is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub header: Header,
    pub place: Option<Place>,
}

/// Validates a new delivery: its head and its items. The error lists everything that is wrong.
pub fn new(
    id: &str,
    head: wire::DeliveryHead,
    items: Vec<wire::DeliveryItemInput>,
) -> Result<(Head, Vec<Item>)> {
    let mut check = Check::new();
    let id = check.required("id", "Delivery Doc", &visible(id, &[]), limits::CODE);
    let head = read_head(&mut check, id, head);
    if items.len() > limits::ITEMS {
        check.refuse("items", format!("Items must be no more than {}", limits::ITEMS));
        return Err(check.refusal());
    }
    let mut checked: Vec<Item> = Vec::with_capacity(items.len());
    let mut numbers = std::collections::BTreeSet::new();
    for (index, item) in items.into_iter().enumerate() {
        check.set_prefix(format!("items.{index}."));
        let item = read_item(&mut check, item);
        if !item.item_number.is_empty() && !numbers.insert(key(&item.item_number)) {
            check.refuse("itemNumber", "Item number appears twice");
        }
        checked.push(item);
    }
    check.done((head, checked))
}

/// Validates the head of an existing delivery.
pub fn head(id: &str, head: wire::DeliveryHead) -> Result<Head> {
    let mut check = Check::new();
    let head = read_head(&mut check, id.to_owned(), head);
    check.done(head)
}

pub fn item(item: wire::DeliveryItemInput) -> Result<Item> {
    let mut check = Check::new();
    let item = read_item(&mut check, item);
    check.done(item)
}

/// Validates a dispatch time.
pub fn dispatch_time(at: Option<prost_types::Timestamp>) -> Result<DateTime<Utc>> {
    let mut check = Check::new();
    let at = read_dispatch_time(&mut check, at);
    check.done(at)
}

fn read_head(check: &mut Check, id: String, head: wire::DeliveryHead) -> Head {
    let scheduledatetime = read_dispatch_time(check, head.scheduledatetime);
    let time_window_start = read_time(check, "timeWindowStart", "Time window start", head.time_window_start);
    let time_window_end = read_time(check, "timeWindowEnd", "Time window end", head.time_window_end);
    if let (Some(start), Some(end)) = (time_window_start, time_window_end) {
        check.require(end >= start, "timeWindowEnd", "Time window must not end before it starts");
    }
    let place = head.address_point.map(Place::from);
    if place.is_some_and(|place| !place.is_on_earth()) {
        check.refuse("addressPoint", Place::NOT_ON_EARTH);
    }
    let (number, name) = (visible(&head.shipmentnumber, &[]), visible(&head.customername, JOINERS));
    let header = Header {
        id,
        shipmentnumber: check.required("shipmentnumber", "Shipment no.", &number, limits::CODE),
        customername: check.required("customername", "Customer name", &name, limits::NAME),
        scheduledatetime,
        trucker: check
            .line("trucker", "Trucker", Some(&head.trucker), limits::SHORT_NAME)
            .unwrap_or_default(),
        customeraddress: check
            .lines("customeraddress", "Customer address", Some(&head.customeraddress), limits::ADDRESS)
            .unwrap_or_default(),
        texts: Texts::entered(check, &head),
        priority: read_priority(check, head.priority),
        time_window_start,
        time_window_end,
    };
    Head { header, place }
}

fn read_priority(check: &mut Check, number: i32) -> Priority {
    match wire::Priority::try_from(number) {
        Ok(wire::Priority::Unspecified) => Priority::Normal,
        known => known.ok().and_then(|it| it.try_into().ok()).unwrap_or_else(|| {
            check.refuse("priority", format!("Priority must be one of {}", Priority::SPELLINGS.join(", ")));
            Priority::Normal
        }),
    }
}

fn read_item(check: &mut Check, item: wire::DeliveryItemInput) -> Item {
    let quantity = item.quantity_thousandths;
    check.require(is_quantity(quantity), "quantity", beyond_quantity("Quantity"));
    if item.weight_grams.is_some_and(|grams| !(0..=limits::WEIGHT_GRAMS).contains(&grams)) {
        let most = limits::WEIGHT_GRAMS / 1_000;
        check.refuse("weightKg", format!("Weight must be between 0 and {most}"));
    }
    Item {
        item_number: check.required(
            "itemNumber",
            "Item number",
            &visible(&item.item_number, &[]),
            limits::CODE,
        ),
        sku: check.line("sku", "SKU", item.sku.as_deref(), limits::SHORT_NAME),
        description: check.lines("description", "Description", item.description.as_deref(), limits::NOTE),
        unit: check.line("unit", "Unit", item.unit.as_deref(), limits::UNIT),
        quantity,
        weight_grams: item.weight_grams,
        barcode: check.line("barcode", "Barcode", item.barcode.as_deref(), limits::SHORT_NAME),
    }
}

fn read_dispatch_time(check: &mut Check, at: Option<prost_types::Timestamp>) -> DateTime<Utc> {
    const FIELD: &str = "scheduledatetime";
    check.require(at.is_some(), FIELD, "Dispatch date and time is required");
    read_time(check, FIELD, "Dispatch date and time", at).unwrap_or_default()
}

fn read_time(
    check: &mut Check,
    field: &str,
    label: &str,
    at: Option<prost_types::Timestamp>,
) -> Option<DateTime<Utc>> {
    check.read(field, time::instant(label, proto::instant(at?)))
}

/// Keeps a stored identifier if the entered one lacks only its invisible characters, which earlier releases stored.
/// Without them, an edit of something else would move the delivery to another shipment, customer or driver.
pub fn keep_unedited(before: &Header, after: &mut Header) {
    let keep = |before: &str, after: &mut String, kept: &[char]| {
        if normalize(&visible(before, kept)) == *after {
            before.clone_into(after);
        }
    };
    keep(&before.shipmentnumber, &mut after.shipmentnumber, &[]);
    keep(&before.customername, &mut after.customername, JOINERS);
    if let (Some(before), Some(after)) = (&before.texts.driver_id, &mut after.texts.driver_id) {
        keep(before, after, &[]);
    }
}

/// Returns the changes that an edit of the head makes.
pub fn head_changes(before: &Head, after: &Head) -> Vec<FieldChange> {
    between(None, fields_of_head(before), fields_of_head(after))
}

/// Returns the changes of an item that is added, edited or removed.
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
        customeraddress,
        texts,
        priority,
        time_window_start,
        time_window_end,
    } = &head.header;
    let filled = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let instant = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
    let mut fields = vec![
        ("shipmentnumber", filled(shipmentnumber)),
        ("customername", filled(customername)),
        ("scheduledatetime", Some(instant(*scheduledatetime))),
        ("trucker", filled(trucker)),
        ("customeraddress", filled(customeraddress)),
        ("addressLat", head.place.map(|it| it.lat.to_string())),
        ("addressLng", head.place.map(|it| it.lng.to_string())),
        ("addressAccuracy", head.place.and_then(|it| it.accuracy).map(|it| it.to_string())),
    ];
    fields.extend(texts.values());
    fields.extend([
        ("priority", Some(priority.as_str().to_owned())),
        ("timeWindowStart", time_window_start.map(instant)),
        ("timeWindowEnd", time_window_end.map(instant)),
    ]);
    fields
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
