use chrono::TimeZone;
use proto::deliveries::v1::{DeliveryHead, DeliveryItemInput, GeoPoint};

use super::*;

fn at(year: i32) -> Option<prost_types::Timestamp> {
    Some(proto::timestamp(Utc.with_ymd_and_hms(year, 11, 21, 8, 0, 0).unwrap()))
}

fn plain() -> DeliveryHead {
    DeliveryHead {
        shipmentnumber: " S-1 ".into(),
        customername: "Aling Nena Store".into(),
        scheduledatetime: at(2026),
        ..Default::default()
    }
}

fn item_of(number: &str, quantity: i64) -> DeliveryItemInput {
    DeliveryItemInput { item_number: number.into(), quantity_thousandths: quantity, ..Default::default() }
}

fn wrong(head: DeliveryHead) -> Vec<String> {
    super::head("DR-1", head).unwrap_err().fields.into_keys().collect()
}

#[test]
fn space_around_is_taken_off_and_nothing_is_none() {
    let (head, items) = new(" DR-1 ", plain(), vec![item_of(" 1 ", 5)]).unwrap();
    assert_eq!((head.header.id.as_str(), head.header.shipmentnumber.as_str()), ("DR-1", "S-1"));
    assert_eq!((head.header.trucker.as_str(), head.header.priority), ("", Priority::Normal));
    assert_eq!(items[0].item_number, "1");
    let spaces = DeliveryHead { referencedoc: Some("  ".into()), ..plain() };
    assert_eq!(super::head("DR-1", spaces).unwrap().header.texts.referencedoc, None);
}

#[test]
fn identifiers_lose_invisible_characters_when_they_are_entered() {
    let marked = DeliveryHead {
        shipmentnumber: "\u{feff}S-1".into(),
        customername: "می\u{200c}خواهم\u{200f}".into(),
        driver_id: Some("DRV-7\u{3164}".into()),
        ..plain()
    };
    let (head, items) = new("D-10\u{ad}01 \u{200e}", marked.clone(), vec![item_of("1\u{2060}", 5)]).unwrap();
    let Header { id, shipmentnumber, customername, texts, .. } = head.header;
    assert_eq!((id.as_str(), shipmentnumber.as_str()), ("D-1001", "S-1"));
    assert_eq!((customername.as_str(), texts.driver_id.as_deref()), ("می\u{200c}خواهم", Some("DRV-7")));
    assert_eq!(items[0].item_number, "1");
    assert!(new("D\u{202e}1", plain(), vec![]).is_err() && new("\u{200e}", plain(), vec![]).is_err());

    // What an earlier release stored is not changed by an edit of something else.
    let mut stored = super::head("D-1", plain()).unwrap().header;
    stored.shipmentnumber = marked.shipmentnumber.clone();
    stored.customername = marked.customername.clone();
    stored.texts.driver_id = marked.driver_id.clone();
    let mut edited = super::head("D-1", marked).unwrap().header;
    keep_unedited(&stored, &mut edited);
    assert_eq!(edited, stored);
    let mut edited = super::head("D-1", plain()).unwrap().header;
    edited.customername = "Another".into();
    keep_unedited(&stored, &mut edited);
    assert_eq!(edited.customername, "Another");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let empty = new("", DeliveryHead::default(), vec![item_of("", -1), item_of("a", 1), item_of(" A", 1)]);
    let fields: Vec<String> = empty.unwrap_err().fields.into_keys().collect();
    assert_eq!(
        fields,
        [
            "customername",
            "id",
            "items.0.itemNumber",
            "items.0.quantity",
            "items.2.itemNumber",
            "scheduledatetime",
            "shipmentnumber"
        ]
    );
}

#[test]
fn each_field_has_its_limits() {
    let long = |most: usize| Some("x".repeat(most + 1));
    for (field, head) in [
        ("shipmentnumber", DeliveryHead { shipmentnumber: "x".repeat(65), ..plain() }),
        ("customername", DeliveryHead { customername: "x".repeat(201), ..plain() }),
        ("trucker", DeliveryHead { trucker: "x".repeat(101), ..plain() }),
        ("driverId", DeliveryHead { driver_id: long(64), ..plain() }),
        ("referencedoc", DeliveryHead { referencedoc: long(100), ..plain() }),
        ("customeraddress", DeliveryHead { customeraddress: "x".repeat(501), ..plain() }),
        ("contactName", DeliveryHead { contact_name: long(200), ..plain() }),
        ("contactPhone", DeliveryHead { contact_phone: long(40), ..plain() }),
        ("contactEmail", DeliveryHead { contact_email: long(254), ..plain() }),
        ("instructions", DeliveryHead { instructions: long(2000), ..plain() }),
        ("internalNote", DeliveryHead { internal_note: long(2000), ..plain() }),
        ("priority", DeliveryHead { priority: 9, ..plain() }),
        ("scheduledatetime", DeliveryHead { scheduledatetime: at(2101), ..plain() }),
        ("timeWindowStart", DeliveryHead { time_window_start: at(1999), ..plain() }),
        ("timeWindowEnd", DeliveryHead { time_window_start: at(2027), time_window_end: at(2026), ..plain() }),
        (
            "addressPoint",
            DeliveryHead { address_point: Some(GeoPoint { lat: 91.0, lng: 0.0, accuracy: None }), ..plain() },
        ),
        ("trucker", DeliveryHead { trucker: "Isla\u{202e}".into(), ..plain() }),
    ] {
        assert_eq!(wrong(head), [field]);
    }
    for (field, item) in [
        ("itemNumber", DeliveryItemInput { item_number: "x".repeat(65), ..item_of("1", 1) }),
        ("sku", DeliveryItemInput { sku: long(100), ..item_of("1", 1) }),
        ("description", DeliveryItemInput { description: long(2000), ..item_of("1", 1) }),
        ("unit", DeliveryItemInput { unit: long(20), ..item_of("1", 1) }),
        ("quantity", item_of("1", limits::QUANTITY_THOUSANDTHS + 1)),
        ("weightKg", DeliveryItemInput { weight_grams: Some(-1), ..item_of("1", 1) }),
        ("barcode", DeliveryItemInput { barcode: long(100), ..item_of("1", 1) }),
    ] {
        let fields: Vec<String> = super::item(item).unwrap_err().fields.into_keys().collect();
        assert_eq!(fields, [field]);
    }
    let many = vec![item_of("1", 1); limits::ITEMS + 1];
    assert!(new("DR-1", plain(), many).unwrap_err().fields.contains_key("items"));
}

/// The last year that an import accepts, in the westernmost time zone.
#[test]
fn what_may_be_imported_may_be_edited() {
    let end = Utc.with_ymd_and_hms(2101, 1, 1, 11, 59, 59).unwrap();
    let head = DeliveryHead { scheduledatetime: Some(proto::timestamp(end)), ..plain() };
    assert_eq!(super::head("DR-1", head).unwrap().header.scheduledatetime, end);
    let text = "Dispatch date and time must be between the years 2000 and 2100";
    let beyond = DeliveryHead { scheduledatetime: at(2101), ..plain() };
    assert_eq!(super::head("DR-1", beyond).unwrap_err().fields["scheduledatetime"], [text]);
}

#[test]
fn addresses_of_mails_look_like_it() {
    for (text, good) in [
        ("nena@store.example", true),
        ("nena", false),
        ("nena@store", false),
        ("nena@@store.example", false),
        ("a b@store.example", false),
        ("nena@.example", false),
        ("<nena@store.example>", false),
        (".nena@store.example", false),
        ("ne..na@store.example", false),
        ("nena@store.example, other@store.example", false),
    ] {
        let head = DeliveryHead { contact_email: Some(text.into()), ..plain() };
        assert_eq!(super::head("DR-1", head).is_ok(), good, "{text}");
    }
}

#[test]
fn what_an_edit_changes_is_told_field_by_field() {
    let before = super::head("DR-1", plain()).unwrap();
    let edited = DeliveryHead {
        trucker: "Isla Express".into(),
        scheduledatetime: at(2027),
        address_point: Some(GeoPoint { lat: 14.5, lng: 121.0, accuracy: None }),
        ..plain()
    };
    let after = super::head("DR-1", edited).unwrap();
    let changes = head_changes(&before, &after);
    let fields: Vec<&str> = changes.iter().map(|it| it.field).collect();
    assert_eq!(fields, ["scheduledatetime", "trucker", "addressLat", "addressLng"]);
    assert_eq!((changes[1].before.as_deref(), changes[1].after.as_deref()), (None, Some("Isla Express")));
    assert!(head_changes(&after, &after).is_empty());
}

#[test]
fn what_becomes_of_an_item_is_told_field_by_field() {
    let before = super::item(item_of("1", 1_500)).unwrap();
    let after = Item { quantity: 2_000, sku: Some("RICE-25".into()), ..before.clone() };
    let told = |changes: Vec<FieldChange>| -> Vec<(&'static str, Option<String>, Option<String>)> {
        assert!(changes.iter().all(|it| it.item_number.as_deref() == Some("1")));
        changes.into_iter().map(|it| (it.field, it.before, it.after)).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        told(item_changes(Some(&before), Some(&after))),
        [("sku", None, text("RICE-25")), ("quantity", text("1.5"), text("2"))]
    );
    assert_eq!(told(item_changes(None, Some(&before))), [("quantity", None, text("1.5"))]);
    assert_eq!(told(item_changes(Some(&before), None)), [("quantity", text("1.5"), None)]);
}
