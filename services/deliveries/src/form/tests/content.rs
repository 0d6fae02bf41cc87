//! Converts the frozen content of a form to what is printed.

use proto::deliveries::v1 as wire;

use super::sample::at;
use crate::domain::delivery::Status;
use crate::domain::line::Condition;
use crate::domain::state::Relation;
use crate::form::content::{Issued, form};
use crate::form::{Form, Organization, Without};

fn attachment(id: &str, kind: &str, item: Option<&str>, note: Option<&str>) -> wire::Attachment {
    wire::Attachment {
        id: id.to_owned(),
        kind: kind.to_owned(),
        item_number: item.map(str::to_owned),
        note: note.map(str::to_owned),
        filename: format!("{id}.jpg"),
        captured_at: Some(proto::timestamp(at("2026-11-20T02:58:00Z"))),
        received_at: Some(proto::timestamp(at("2026-11-20T03:00:00Z"))),
        ..Default::default()
    }
}

fn content() -> wire::FormContent {
    let delivery = wire::Delivery {
        id: "DR/1 %".to_owned(),
        deliverystatus: wire::DeliveryStatus::CompleteWithVariance.into(),
        shipmentnumber: "SH-1".to_owned(),
        customername: "Bayan Mart".to_owned(),
        trucker: "Fleet".to_owned(),
        driver_id: Some("DRV-014".to_owned()),
        scheduledatetime: Some(proto::timestamp(at("2026-11-20T01:30:00Z"))),
        deliverydatetime: Some(proto::timestamp(at("2026-11-20T03:08:00Z"))),
        scanmode: wire::ScanMode::Yes.into(),
        attempt: 2,
        max_attempts: 3,
        address_point: Some(wire::GeoPoint { lat: 14.5, lng: 121.0, accuracy: None }),
        received_by: Some("Carla Tan".to_owned()),
        received_by_relation: Some(wire::Relation::Colleague.into()),
        outcome_reason: Some("a_code".to_owned()),
        outcome_point: Some(wire::GeoPoint { lat: 900.0, lng: 0.0, accuracy: None }),
        outcome_distance_m: Some(38.0),
        outcome_occurred_at: Some(proto::timestamp(at("2026-11-20T04:00:00Z"))),
        outcome_received_at: Some(proto::timestamp(at("2026-11-20T03:06:00Z"))),
        late: true,
        ..Default::default()
    };
    let item = |number: &str, delivered| wire::DeliveryItem {
        item_number: number.to_owned(),
        quantity_thousandths: 5_000,
        delivered_thousandths: delivered,
        condition: wire::Condition::Damaged.into(),
        variance_reason: Some("short_shipped".to_owned()),
        ..Default::default()
    };
    let variance = |item: Option<&str>, reason: Option<&str>, difference| wire::Variance {
        item_number: item.map(str::to_owned),
        reason: reason.map(str::to_owned),
        difference_thousandths: difference,
        ..Default::default()
    };
    wire::FormContent {
        delivery: Some(delivery),
        items: vec![item("10", 5_000), item("20", 3_000)],
        variances: vec![
            variance(Some("20"), Some("Short shipped"), -2_000),
            variance(None, Some("Refused: late"), 0),
            variance(None, Some("Price or document mismatch"), 0),
        ],
        attachments: vec![
            attachment("a", "signature", None, None),
            attachment("b", "photo", Some("20"), None),
            attachment("c", "photo", None, Some("At the gate")),
            attachment("d", "id_check", None, None),
            attachment("e", "of the future", None, None),
        ],
        reason: Some("Refused: late".to_owned()),
        correction_reason: Some(" ".to_owned()),
        driver_name: Some("Rico Santos".to_owned()),
    }
}

fn printed(content: wire::FormContent) -> Form {
    let issued = Issued {
        form_version: 2,
        issued_at: at("2026-11-20T03:09:00Z"),
        superseded_by: None,
        verification_code: "7KQ2-M4XD".to_owned(),
        content_hash: "c0ffee".to_owned(),
        url: "https://waybill.example/forms/x".to_owned(),
    };
    form(content, issued, Organization::default(), chrono_tz::UTC, Without::default()).unwrap()
}

#[test]
fn everything_that_was_frozen_is_printed() {
    let form = printed(content());
    assert_eq!((form.delivery_id.as_str(), form.status), ("DR/1 %", Status::CompleteWithVariance));
    assert_eq!((form.attempt, form.max_attempts, form.form_version), (2, 3, 2));
    assert_eq!(form.trucker, "Fleet");
    let driver = form.driver.unwrap();
    assert_eq!((driver.id.as_str(), driver.name.as_deref()), ("DRV-014", Some("Rico Santos")));
    let outcome = form.outcome.unwrap();
    assert_eq!(outcome.reason.as_deref(), Some("Refused: late"), "the label, not the code");
    assert_eq!((outcome.relation, outcome.late), (Some(Relation::Colleague), true));
    assert_eq!(outcome.processed_at, at("2026-11-20T03:08:00Z"));
    assert_eq!(outcome.occurred_at, at("2026-11-20T04:00:00Z"));
    let counted: Vec<_> = form.items.iter().map(|item| item.counted.as_ref().unwrap()).collect();
    assert_eq!(counted[0].reason.as_deref(), Some("short_shipped"));
    assert_eq!(counted[1].reason.as_deref(), Some("Short shipped"));
    assert_eq!((counted[1].delivered, counted[1].condition), (3_000, Condition::Damaged));
    let variances: Vec<_> = form.variances.iter().map(|it| it.reason.as_deref().unwrap()).collect();
    assert_eq!(variances, ["Price or document mismatch"], "the reason of the outcome is told once");
    assert_eq!(form.correction_reason, None, "nothing was corrected");
}

#[test]
fn signature_and_photos_are_shown_and_other_files_named() {
    let form = printed(content());
    let shown = form.pictures.iter().map(|it| (it.id.as_str(), it.item.as_deref(), it.note.as_deref()));
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown, [("a", None, None), ("b", Some("20"), None), ("c", None, Some("At the gate"))]);
    let named: Vec<_> = form.files.iter().map(|file| (file.filename.as_str(), file.kind)).collect();
    assert_eq!(named, [("d.jpg", "ID check"), ("e.jpg", "File")]);
}

#[test]
fn a_pending_delivery_has_no_outcome_and_nothing_counted() {
    let mut content = content();
    content.delivery.as_mut().unwrap().deliverystatus = wire::DeliveryStatus::Pending.into();
    let form = printed(content);
    assert!(form.outcome.is_none());
    assert!(form.items.iter().all(|item| item.counted.is_none()));
}

#[test]
fn content_without_its_delivery_is_an_error() {
    let issued = Issued {
        form_version: 1,
        issued_at: at("2026-11-20T03:09:00Z"),
        superseded_by: None,
        verification_code: String::new(),
        content_hash: String::new(),
        url: String::new(),
    };
    let nothing = wire::FormContent::default();
    assert!(form(nothing, issued, Organization::default(), chrono_tz::UTC, Without::default()).is_err());
}
