//! Outcomes of a delivery, through the handlers.

use ::store::{Db, on_both};
use kit::principal::Principal;
use kit::{Kind, Role};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::proof_service_server::ProofService;
use proto::deliveries::v1::*;

use super::office::*;
use crate::Migrator;
use crate::rpc::proof;

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

on_both!(a_correction_of_one_item_leaves_the_variances_of_others, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let driver = Principal::User {
        id: "phone".into(),
        username: "phone".into(),
        roles: vec![Role::Driver],
        session: "s".into(),
        driver_id: Some("D-1".into()),
    };
    let short = |item_number, delivered| count(item_number, delivered, 0, Some("short_shipped"));
    let request = outcome("DR-1", None, vec![short("1", 4_000), short("2", 2_000)]);
    told(office.service().record_outcome(sent(driver, request)).await).unwrap();
    let before = office.variances("DR-1").await;
    let renamed = UpdateReasonRequest {
        applies_to: "variance".into(),
        code: "short_shipped".into(),
        version: 1,
        label: "Left at the depot".into(),
        responsible: "carrier".into(),
        is_active: true,
        order: 1,
        ..Default::default()
    };
    told(office.service().update_reason(by(Role::Admin, renamed)).await).unwrap();

    office.later(60);
    let correction = correction("DR-1", None, vec![short("2", 1_500)]);
    office.correct(Role::TransportPlanner, correction).await.unwrap();
    let after = office.variances("DR-1").await;
    assert_eq!(after[0], before[0], "as the driver reported it");
    let corrected = &after[1];
    assert_ne!(corrected.id, before[1].id);
    assert_eq!(
        (corrected.reported_by.as_str(), corrected.reason.as_deref(), corrected.actual_thousandths),
        ("office", Some("Left at the depot"), 1_500)
    );
    let responsible: Vec<String> =
        emitted(&db).await.pop().unwrap().variances.into_iter().map(|it| it.responsible).collect();
    assert_eq!(responsible, ["shipper", "carrier"]);
});

on_both!(a_photo_of_the_attempt_proves_a_correction, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
    let damaged = correction("DR-1", None, vec![count("1", 4_000, 1_000, Some("damaged_in_transit"))]);
    let error = office.correct(Role::TransportPlanner, damaged.clone()).await.unwrap_err();
    assert_eq!(error.fields.into_keys().collect::<Vec<_>>(), ["photos"]);

    let proof = proof::Service::new(office.context.clone()).unwrap();
    let link = RequestAttachmentLinkRequest { delivery_id: "DR-1".into(), filename: "door.jpg".into() };
    let link = told(proof.request_attachment_link(by(Role::Dispatcher, link)).await).unwrap().url;
    let url = link.split('?').next().unwrap().to_owned();
    let key = office.context.blob.key_of(&url).unwrap();
    let photo = crate::form::tests::sample::photo(64, 48, 1);
    office.context.blob.put(&key, photo.into()).await.unwrap();
    let add =
        AddAttachmentRequest { delivery_id: "DR-1".into(), url, kind: "photo".into(), ..Default::default() };
    told(proof.add_attachment(by(Role::Dispatcher, add)).await).unwrap();
    let done = office.correct(Role::TransportPlanner, damaged).await.unwrap();
    assert_eq!(done.deliverystatus(), DeliveryStatus::CompleteWithVariance);
});
