//! Outcomes of a delivery, through the handlers.

use ::store::{Db, on_both};
use kit::{Kind, Role};
use proto::deliveries::v1::*;

use super::office::*;
use crate::Migrator;

on_both!(an_outcome_is_written_whole, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", vec![]).await;
    office.later(60);
    let point = GeoPoint { lat: 14.5547, lng: 121.0244, accuracy: Some(8.0) };
    let request =
        RecordOutcomeRequest { version: Some(1), point: Some(point), ..outcome("dr-1", None, one_short()) };
    let delivery = office.record(Role::Dispatcher, request.clone()).await.unwrap();
    assert_eq!(delivery.deliverystatus(), DeliveryStatus::CompleteWithVariance);
    assert_eq!((delivery.version, delivery.form_version), (2, 1));
    assert_eq!(delivery.deliverydatetime, Some(proto::timestamp(at(60))));
    assert_eq!(delivery.received_by.as_deref(), Some("Nena"));
    assert_eq!(delivery.outcome_point, Some(point));
    assert_eq!(office.get_as(Role::Dispatcher, "DR-1").await, delivery);

    let items = office.items("DR-1").await;
    assert_eq!((items[0].delivered_thousandths, items[1].delivered_thousandths), (4_000, 2_500));
    let [variance] = &office.variances("DR-1").await[..] else { panic!("one") };
    assert_eq!(
        (variance.reason.as_deref(), variance.difference_thousandths),
        (Some("Short shipped"), -1_000)
    );
    assert_eq!((variance.kind.as_str(), variance.reported_by.as_str()), ("short", "office"));

    let history = office.history("DR-1").await;
    assert_eq!(history.len(), 2);
    assert_eq!(history[1].from_status(), DeliveryStatus::Pending);
    assert_eq!(history[1].to_status(), DeliveryStatus::CompleteWithVariance);
    assert_eq!(
        (history[1].actor_type.as_str(), history[1].actor_name.as_str()),
        ("user", "dispatcher.office")
    );
    assert_eq!(history[1].client_event_id.as_deref(), Some(request.client_event_id.as_str()));
    assert_eq!(history[1].point, Some(point));
    assert!(history[1].changes.iter().any(|it| it.item_number.as_deref() == Some("1")
        && it.field == "quantityDelivered"
        && it.before.as_deref() == Some("0")
        && it.after.as_deref() == Some("4")));

    let shipment = office.shipment("S-1").await.unwrap();
    assert_eq!(shipment.shipmentstatus(), ShipmentStatus::Partial);
    assert_eq!((shipment.open_count, shipment.completed_count), (1, 1));

    let told = emitted(&db).await;
    let names: Vec<&str> = told.iter().map(|it| it.change.as_str()).collect();
    assert_eq!(names, ["created", "created", "outcome_recorded"]);
    let fact = told[2].delivery.as_ref().unwrap();
    assert_eq!((fact.version, fact.shipmentstatus.as_str()), (2, "Partial"));
    assert_eq!((told[2].variances[0].responsible.as_str(), told[2].variances.len()), ("shipper", 1));

    // A repeated request changes nothing, whatever version it names. The same client event with other content
    // is refused.
    let again = RecordOutcomeRequest { version: Some(2), ..request.clone() };
    assert_eq!(office.record(Role::Dispatcher, again).await.unwrap(), delivery);
    let other = RecordOutcomeRequest { note: Some("Something else".into()), ..request };
    let error = office.record(Role::Dispatcher, other).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::InvalidInput, "CLIENT_EVENT_REUSED"));
    assert_eq!(emitted(&db).await.len(), 3);
    assert_eq!(office.history("DR-1").await.len(), 2);
});
