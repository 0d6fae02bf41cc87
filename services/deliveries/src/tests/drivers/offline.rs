//! Outcomes that drivers recorded without network, before the office changed something.

use super::*;
use crate::domain::outbound::Method;
use crate::entity::dead_letter;
use crate::tests::outbound;

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
