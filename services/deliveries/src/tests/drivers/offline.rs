//! Outcomes that drivers recorded without network, before the office changed something, or by a wrong clock.

use chrono::TimeDelta;
use proto::common::v1::SortDirection;
use proto::deliveries::v1::parties_service_server::PartiesService;

use super::*;
use crate::domain::outbound::Method;
use crate::entity::dead_letter;
use crate::rpc::parties;
use crate::tests::lists::sort;
use crate::tests::outbound;

/// Returns the outcome as it happened at that minute.
fn happened(minutes: i64, outcome: RecordOutcomeRequest) -> RecordOutcomeRequest {
    RecordOutcomeRequest { occurred_at: Some(proto::timestamp(at(minutes))), ..outcome }
}

on_both!(an_outcome_from_before_the_items_changed_waits_for_review, Migrator, |db: Db| async move {
    let office = outbound::open(&db);
    let service = office.service();
    office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let made = office.create("DR-1", "S-1", two_items()).await;
    office.later(30);
    let delete = DeleteDeliveryItemRequest {
        delivery_id: "DR-1".into(),
        version: made.version,
        item_number: "2".into(),
    };
    let edited = told(service.delete_delivery_item(by(Role::Dispatcher, delete)).await).unwrap();
    let item = Some(item("3", 1_000));
    let add = CreateDeliveryItemRequest { delivery_id: "DR-1".into(), version: edited.version, item };
    let edited = told(service.create_delivery_item(by(Role::Dispatcher, add)).await).unwrap();
    office.later(30);
    let counted = outcome("DR-1", None, as_expected());
    let counted = RecordOutcomeRequest { occurred_at: Some(proto::timestamp(at(10))), ..counted };
    let answer = office.told_by("D-1", counted).await.unwrap();
    assert!(answer.conflict);
    let marked = (DeliveryStatus::Pending, edited.version + 1);
    assert_eq!((answer.deliverystatus(), answer.version), marked);
    let step = office.history("DR-1").await.pop().unwrap();
    assert!(step.superseded && step.to_status() == DeliveryStatus::CompleteNoVariance);
    let deleted = |it: &&FieldChange| {
        (it.item_number.as_deref(), it.field.as_str()) == (Some("2"), "quantityDelivered")
    };
    let change = step.changes.iter().find(deleted).unwrap();
    assert_eq!((change.before.as_deref(), change.after.as_deref()), (None, Some("2.5")));

    // Receivers get the mark.
    let sends = dead_letter::Entity::find().order_by_desc(dead_letter::Column::Position);
    let sent = sends.one(db.read()).await.unwrap().unwrap();
    let payload: serde_json::Value = serde_json::from_str(&sent.payload).unwrap();
    let (conflict, version) = (&payload["data"]["conflict"], &payload["data"]["version"]);
    assert_eq!(sent.method, Method::Update);
    assert_eq!((conflict.as_bool(), version.as_u64()), (Some(true), Some(answer.version)));

    // The dispatcher still sees the delivery without the mark.
    let unseen = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    let unseen = RecordOutcomeRequest { version: Some(edited.version), ..unseen };
    assert_eq!(office.record(Role::Dispatcher, unseen).await.unwrap_err().reason, "DELIVERY_CHANGED");
    assert!(office.get("DR-1").await.conflict);
    holds(&db, "DR-1").await;
});

on_both!(a_reason_counts_as_it_was_when_the_driver_named_it, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.later(60);
    let off = UpdateReasonRequest {
        applies_to: "undelivered".into(),
        code: "recipient_absent".into(),
        version: 1,
        label: "Recipient absent".into(),
        requires_photo: true,
        responsible: "customer".into(),
        order: 1,
        ..Default::default()
    };
    told(office.service().update_reason(by(Role::Admin, off)).await).unwrap();
    office.later(60);
    let absent = |minutes| RecordOutcomeRequest {
        occurred_at: Some(proto::timestamp(at(minutes))),
        ..outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![])
    };
    let text = "Reason \"Recipient absent\" is no longer in use. Choose another one";
    let by_office = office.record(Role::Dispatcher, absent(59)).await;
    for answer in [office.told_by("D-1", absent(61)).await, by_office] {
        assert_eq!(answer.unwrap_err().fields["outcomeReason"], [text]);
    }
    let done = office.told_by("D-1", absent(59)).await.unwrap();
    assert_eq!(done.outcome_reason.as_deref(), Some("recipient_absent"));
    holds(&db, "DR-1").await;
});

on_both!(proof_is_required_as_it_was_set_at_that_time, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    for id in ["DR-1", "DR-2"] {
        office.create(id, "S-1", two_items()).await;
    }
    office.set("delivery-over-delivery", 2, "true").await;
    office.later(60);
    office.set("delivery-over-delivery", 3, "false").await;
    office.set("delivery-proof", 2, "photo").await;
    office.set("delivery-failed-attempt-proof", 2, "photo").await;
    office.later(60);
    let done = || outcome("DR-1", None, as_expected());
    let more = || {
        let counts = vec![count("1", 6_000, 0, Some("over_delivered")), count("2", 2_500, 0, None)];
        outcome("DR-1", None, counts)
    };
    let failed = || outcome("DR-2", Some(DeliveryStatus::Undelivered), vec![]);
    for (said, field) in [(done(), "photos"), (more(), "lines.0.quantityDelivered"), (failed(), "photos")] {
        let since = office.told_by("D-1", happened(61, said.clone())).await.unwrap_err();
        let by_office = office.record(Role::Dispatcher, happened(59, said)).await.unwrap_err();
        for error in [since, by_office] {
            assert!(error.fields.contains_key(field), "{field}: {error:?}");
        }
    }
    let delivered = office.told_by("D-1", happened(59, more())).await.unwrap();
    assert_eq!(delivered.deliverystatus(), DeliveryStatus::CompleteWithVariance);
    let attempted = office.told_by("D-1", happened(59, failed())).await.unwrap();
    assert_eq!(attempted.deliverystatus(), DeliveryStatus::Undelivered);
    holds(&db, "DR-1").await;
    holds(&db, "DR-2").await;
});

on_both!(a_file_is_accepted_if_there_was_room_for_it_when_it_was_made, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.later(60);
    office.set("delivery-max-attachments", 2, "1").await;
    office.later(60);
    let proof = proof::Service::new(office.context.clone()).unwrap();
    let add = async |minutes| {
        let file = AddAttachmentRequest {
            delivery_id: "DR-1".into(),
            url: office.upload_photo("D-1", "DR-1").await,
            kind: "photo".into(),
            captured_at: Some(proto::timestamp(at(minutes))),
            ..Default::default()
        };
        told(proof.add_attachment(from("D-1", file)).await)
    };
    add(61).await.unwrap();
    assert_eq!(add(61).await.unwrap_err().reason, "ATTACHMENTS_FULL");
    add(59).await.unwrap();
});

on_both!(proof_is_required_as_the_customer_wanted_it_at_that_time, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let parties = parties::Service { context: office.context.clone() };
    let require_photo = async |name: &str| {
        let photo = ProofSet { proofs: vec!["photo".into()] };
        let request = UpdateCustomerRequest {
            customer_name: name.into(),
            version: 1,
            pod_requirement: Some(photo),
            ..Default::default()
        };
        told(parties.update_customer(by(Role::Dispatcher, request)).await).unwrap();
    };
    let elsewhere = || Some(DeliveryHead { customername: "Other Store".into(), ..head("S-1") });
    office.set("delivery-proof", 2, "photo").await;
    office.later(10);
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", two_items()).await;
    let third =
        CreateDeliveryRequest { id: "DR-3".into(), head: elsewhere(), source_id: None, items: two_items() };
    told(office.service().create_delivery(by(Role::Dispatcher, third)).await).unwrap();
    require_photo("Other Store").await;
    let photo_is_missing = async |id: &str, minutes| {
        let answer = office.told_by("D-1", happened(minutes, outcome(id, None, as_expected()))).await;
        let error = answer.unwrap_err();
        assert!(error.fields.contains_key("photos"), "{id} {minutes}: {error:?}");
    };
    // A customer that is new has changed nothing.
    photo_is_missing("DR-1", 5).await;
    office.set("delivery-proof", 3, "none").await;

    office.later(50);
    require_photo("Aling Nena Store").await;
    let moved = UpdateDeliveryRequest { id: "DR-2".into(), version: 1, head: elsewhere() };
    told(office.service().update_delivery(by(Role::Dispatcher, moved)).await).unwrap();
    office.later(60);
    for (id, minutes) in [("DR-1", 61), ("DR-2", 61), ("DR-3", 59)] {
        photo_is_missing(id, minutes).await;
    }
    for id in ["DR-1", "DR-2"] {
        let done = office.told_by("D-1", happened(59, outcome(id, None, as_expected()))).await.unwrap();
        assert_eq!(done.deliverystatus(), DeliveryStatus::CompleteNoVariance, "{id}");
        holds(&db, id).await;
    }
});

on_both!(a_phone_that_is_years_ahead_is_not_the_newest_in_the_history, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", two_items()).await;
    let years_ahead = proto::timestamp(at(0) + TimeDelta::days(73 * 365));
    let told_ahead =
        RecordOutcomeRequest { occurred_at: Some(years_ahead), ..outcome("DR-1", None, one_short()) };
    let done = office.told_by("D-1", told_ahead).await.unwrap();
    let counted = Some(proto::timestamp(at(2)));
    assert_eq!((done.deliverydatetime, done.late), (counted, true));
    assert_eq!(done.outcome_occurred_at, Some(years_ahead), "the form shows what the phone said");
    let step = office.history("DR-1").await.pop().unwrap();
    assert_eq!((step.occurred_at, step.received_at), (counted, Some(proto::timestamp(at(0)))));
    assert_eq!(office.variances("DR-1").await[0].occurred_at, counted);

    office.later(3);
    office.told_by("D-1", outcome("DR-2", None, as_expected())).await.unwrap();
    let page = Page { sort: vec![sort("occurredAt", SortDirection::Desc)], limit: 1, ..Page::default() };
    let newest = ListStatusHistoriesRequest { page: Some(page) };
    let newest = told(office.service().list_status_histories(by(Role::Viewer, newest)).await).unwrap();
    assert_eq!(newest.histories[0].delivery_id, "DR-2");
});

on_both!(an_outcome_that_names_the_new_attempt_is_not_late_by_a_slow_clock, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    for id in ["DR-1", "DR-2", "DR-3"] {
        office.create(id, "S-1", two_items()).await;
        office.told_by("D-1", outcome(id, Some(DeliveryStatus::Undelivered), vec![])).await.unwrap();
    }
    office.later(60);
    for id in ["DR-1", "DR-2", "DR-3"] {
        office.reschedule(Role::Dispatcher, id, at(75)).await.unwrap();
    }
    office.later(5);
    let version = office.get("DR-3").await.version;
    let delete = DeleteDeliveryItemRequest { delivery_id: "DR-3".into(), version, item_number: "2".into() };
    told(office.service().delete_delivery_item(by(Role::Dispatcher, delete)).await).unwrap();
    office.later(5);
    // The phone is twenty minutes slow. The first outcome names the new attempt, so it is later than the reschedule.
    // The second one may be earlier, and the third one may be from before the office changed the items.
    for (id, attempt, late) in [("DR-1", Some(2), false), ("DR-2", None, true), ("DR-3", Some(2), true)] {
        let done = outcome(id, Some(DeliveryStatus::CompleteNoVariance), vec![]);
        let done = RecordOutcomeRequest { attempt, ..happened(50, done) };
        let answer = office.told_by("D-1", done).await.unwrap();
        let status = if late { DeliveryStatus::Pending } else { DeliveryStatus::CompleteNoVariance };
        assert_eq!((answer.deliverystatus(), answer.conflict), (status, late), "{id}");
        holds(&db, id).await;
    }
});
