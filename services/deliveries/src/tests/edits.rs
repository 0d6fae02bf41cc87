//! Edits of heads, items, drivers and reasons; of many deliveries at once; and what the database itself
//! refuses.

use ::store::{Db, counter, on_both};
use kit::{Kind, Result, Role};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait};

use super::office::*;
use crate::Migrator;
use crate::entity::{address, customer, edit, trucker};
use crate::tables::deliveries::COUNTER;

impl Office {
    async fn edit(&self, id: &str, version: u64, head: DeliveryHead) -> Result<Delivery> {
        let request = UpdateDeliveryRequest { id: id.into(), version, head: Some(head) };
        told(self.service().update_delivery(by(Role::Dispatcher, request)).await)
    }

    async fn add_item(&self, id: &str, version: u64, item: DeliveryItemInput) -> Result<Delivery> {
        let request = CreateDeliveryItemRequest { delivery_id: id.into(), version, item: Some(item) };
        told(self.service().create_delivery_item(by(Role::Dispatcher, request)).await)
    }

    async fn edit_item(&self, id: &str, version: u64, item: DeliveryItemInput) -> Result<Delivery> {
        let request = UpdateDeliveryItemRequest { delivery_id: id.into(), version, item: Some(item) };
        told(self.service().update_delivery_item(by(Role::Dispatcher, request)).await)
    }

    async fn drop_item(&self, id: &str, version: u64, number: &str) -> Result<Delivery> {
        let request =
            DeleteDeliveryItemRequest { delivery_id: id.into(), version, item_number: number.into() };
        told(self.service().delete_delivery_item(by(Role::Dispatcher, request)).await)
    }

    async fn assign(&self, role: Role, ids: &[&str], driver: Option<&str>) -> Vec<BulkResult> {
        let delivery_ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let request =
            AssignDriverRequest { delivery_ids, driver_id: driver.map(str::to_owned), ..Default::default() };
        told(self.service().assign_driver(by(role, request)).await).unwrap().results
    }
}

async fn edits(db: &Db) -> Vec<edit::Model> {
    let mut rows = edit::Entity::find().all(db.read()).await.unwrap();
    rows.sort_by_key(|row| (row.delivery_key.clone(), row.version));
    rows
}

on_both!(a_new_delivery_brings_along_what_it_names, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let made = office.create(" DR-1 ", "S-1", two_items()).await;
    assert_eq!((made.id.as_str(), made.version, made.linecount, made.max_attempts), ("DR-1", 1, 2, 3));
    assert_eq!(
        (made.created_by.as_str(), made.deliverystatus()),
        ("dispatcher.office", DeliveryStatus::Pending)
    );
    let step = &office.history("DR-1").await[0];
    assert_eq!((step.actor_type.as_str(), step.from_status, step.attempt), ("user", None, 1));
    assert_eq!(counter::get(db.read(), COUNTER).await.unwrap(), 1);
    assert_eq!(customer::Entity::find().count(db.read()).await.unwrap(), 1);
    assert_eq!(trucker::Entity::find().count(db.read()).await.unwrap(), 1);
    // The address is filled in from a known customer.
    let request = CreateDeliveryRequest {
        id: "DR-2".into(),
        head: Some(DeliveryHead {
            customeraddress: String::new(),
            customername: "ALING NENA STORE".into(),
            ..head("S-1")
        }),
        ..Default::default()
    };
    let second = told(office.service().create_delivery(by(Role::Admin, request)).await).unwrap();
    assert_eq!(second.customeraddress, "12 Mabini St, Pasig");
    let known = address::Entity::find().all(db.read()).await.unwrap();
    assert_eq!((known.len(), known[0].address.as_str()), (1, "12 Mabini St, Pasig"));
    assert_eq!(office.shipment("s-1").await.unwrap().delivery_count, 2);
    // The id is taken, ignoring case; the refused request leaves nothing behind.
    let request = CreateDeliveryRequest { id: "dr-1".into(), head: Some(head("S-9")), ..Default::default() };
    let error = told(office.service().create_delivery(by(Role::Admin, request)).await).unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "ALREADY_EXISTS"));
    assert_eq!(error.fields["id"], ["There is already a delivery dr-1"]);
    assert!(office.shipment("S-9").await.is_none());
    let request = CreateDeliveryRequest {
        id: "DR-3".into(),
        head: Some(head("S-9")),
        source_id: Some(kit::clock::new_id().to_string()),
        ..Default::default()
    };
    let error = told(office.service().create_delivery(by(Role::Admin, request)).await).unwrap_err();
    assert!(error.kind == Kind::FailedPrecondition && error.fields.contains_key("sourceId"), "{error}");
    assert_eq!(counter::get(db.read(), COUNTER).await.unwrap(), 2);
});

on_both!(an_edit_of_something_else_restores_no_location, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let placed = |lat, phone: &str| DeliveryHead {
        address_point: Some(GeoPoint { lat, lng: 121.02, accuracy: None }),
        contact_phone: Some(phone.into()),
        ..head("S-1")
    };
    let known = async || address::Entity::find().one(db.read()).await.unwrap().unwrap().lat;
    office.create("DR-1", "S-1", vec![]).await;
    office.create("DR-2", "S-1", vec![]).await;
    office.edit("DR-1", 1, placed(14.0, "1")).await.unwrap();
    assert_eq!(known().await, Some(14.0));
    // Somebody corrects the location of this address.
    office.edit("DR-2", 1, placed(14.5, "1")).await.unwrap();
    assert_eq!(known().await, Some(14.5));
    let edited = office.edit("DR-1", 2, placed(14.0, "2")).await.unwrap();
    assert_eq!((edited.version, known().await), (3, Some(14.5)));
    office.edit("DR-1", 3, placed(14.6, "2")).await.unwrap();
    assert_eq!(known().await, Some(14.6));
});

on_both!(the_same_delivery_made_by_many_is_made_once, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let made = (0..12).map(|_| {
        let office = office.clone();
        tokio::spawn(async move {
            let request =
                CreateDeliveryRequest { id: "DR-1".into(), head: Some(head("S-1")), ..Default::default() };
            told(office.service().create_delivery(by(Role::Dispatcher, request)).await)
        })
    });
    let mut good = 0;
    for made in made.collect::<Vec<_>>() {
        match made.await.unwrap() {
            Ok(_) => good += 1,
            Err(error) => assert!(error.fields.contains_key("id"), "{error}"),
        }
    }
    assert_eq!(good, 1);
    assert_eq!(counter::get(db.read(), COUNTER).await.unwrap(), 1);
    assert_eq!(emitted(&db).await.len(), 1);
});

on_both!(the_head_is_edited_whole_and_the_record_tells, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", vec![]).await;
    let moved = DeliveryHead { referencedoc: Some("SI-1".into()), ..head("S-2") };
    let edited = office.edit("dr-1", 1, moved.clone()).await.unwrap();
    assert_eq!((edited.version, edited.shipmentnumber.as_str()), (2, "S-2"));
    assert_eq!(edited.updated_by, "dispatcher.office");
    assert_eq!(office.shipment("S-1").await.unwrap().delivery_count, 1);
    assert_eq!(office.shipment("S-2").await.unwrap().delivery_count, 1);
    let last = emitted(&db).await.pop().unwrap();
    assert_eq!((last.change.as_str(), last.left_shipmentnumber.as_str()), ("edited", "S-1"));
    assert_eq!(last.left_shipmentstatus, "Pending");
    let [record] = &edits(&db).await[..] else { panic!("one edit") };
    assert_eq!((record.version, record.actor.as_str()), (2, "dispatcher.office"));
    let fields: Vec<String> = edit::read(&record.changes).into_iter().map(|it| it.field).collect();
    assert_eq!(fields, ["shipmentnumber", "referencedoc"]);

    // A repetition has nothing to do; an outdated version is refused.
    assert_eq!(office.edit("DR-1", 2, moved.clone()).await.unwrap().version, 2);
    let error = office.edit("DR-1", 1, head("S-3")).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "DELIVERY_CHANGED"));
    let error = office.edit("DR-9", 1, head("S-3")).await.unwrap_err();
    assert_eq!(error.reason, "DELIVERY_NOT_FOUND");
    // When the last delivery leaves, the shipment is removed.
    let gone = office.edit("DR-2", 1, head("S-2")).await.unwrap();
    assert_eq!(gone.version, 2);
    assert!(office.shipment("S-1").await.is_none());
    assert_eq!(emitted(&db).await.pop().unwrap().left_shipmentstatus, "");
    // An edit is refused once the delivery is done.
    office.record(Role::Admin, outcome("DR-1", None, as_expected())).await.unwrap();
    let error = office.edit("DR-1", 3, head("S-1")).await.unwrap_err();
    assert_eq!(error.reason, "DELIVERY_ACTION_NOT_ALLOWED");
});

on_both!(items_change_only_while_nothing_is_counted, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let more = office.add_item("DR-1", 1, item("3", 1_000)).await.unwrap();
    assert_eq!((more.version, more.linecount), (2, 3));
    let error = office.add_item("DR-1", 2, item(" 3 ", 1_000)).await.unwrap_err();
    assert!(error.kind == Kind::AlreadyExists && error.fields.contains_key("itemNumber"), "{error}");
    let other = DeliveryItemInput { sku: Some("RICE-25".into()), ..item("3", 2_000) };
    assert_eq!(office.edit_item("DR-1", 2, other.clone()).await.unwrap().version, 3);
    assert_eq!(office.edit_item("DR-1", 3, other).await.unwrap().version, 3, "nothing changed");
    let error = office.drop_item("DR-1", 3, "9").await.unwrap_err();
    assert_eq!(error.reason, "DELIVERY_ITEM_NOT_FOUND");
    let fewer = office.drop_item("DR-1", 3, "1").await.unwrap();
    assert_eq!((fewer.version, fewer.linecount), (4, 2));
    let numbers: Vec<String> = office.items("DR-1").await.into_iter().map(|it| it.item_number).collect();
    assert_eq!(numbers, ["2", "3"]);
    assert_eq!(edits(&db).await.iter().map(|it| it.version).collect::<Vec<_>>(), [2, 3, 4]);
    let told: Vec<String> = emitted(&db).await.into_iter().map(|it| it.change).collect();
    assert_eq!(told, ["created", "items_edited", "items_edited", "items_edited"]);
    let counted = vec![count("2", 2_500, 0, None), count("3", 2_000, 0, None)];
    office.record(Role::Admin, outcome("DR-1", None, counted)).await.unwrap();
    for refused in [
        office.add_item("DR-1", 5, item("4", 1)).await,
        office.edit_item("DR-1", 5, item("3", 1)).await,
        office.drop_item("DR-1", 5, "3").await,
    ] {
        assert_eq!(refused.unwrap_err().reason, "DELIVERY_ACTION_NOT_ALLOWED");
    }
});

on_both!(many_are_assigned_and_rescheduled_each_for_itself, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    for id in ["DR-1", "DR-2", "DR-3"] {
        office.create(id, "S-1", two_items()).await;
    }
    office.record(Role::Admin, outcome("DR-1", None, as_expected())).await.unwrap();
    office.record(Role::Admin, outcome("DR-2", Some(DeliveryStatus::Undelivered), vec![])).await.unwrap();
    let results = office.assign(Role::Dispatcher, &["DR-1", "DR-9", "DR-2", "dr-3"], Some("D-2")).await;
    let codes: Vec<(&str, bool, &str)> =
        results.iter().map(|it| (it.delivery_id.as_str(), it.ok, it.code.as_str())).collect();
    assert_eq!(
        codes,
        [
            ("DR-1", false, "DELIVERY_ACTION_NOT_ALLOWED"),
            ("DR-9", false, "DELIVERY_NOT_FOUND"),
            ("DR-2", true, ""),
            ("dr-3", true, "")
        ]
    );
    assert_eq!(office.get("DR-3").await.driver_id.as_deref(), Some("D-2"));
    assert_eq!(edits(&db).await.len(), 2);
    // Assigning the same driver again succeeds. A planner may change the driver even after the outcome, which
    // issues a new form.
    assert!(office.assign(Role::Dispatcher, &["DR-3"], Some("d-2")).await[0].ok);
    assert_eq!(office.get("DR-3").await.version, 2);
    assert!(office.assign(Role::TransportPlanner, &["DR-1"], None).await[0].ok);
    let done = office.get("DR-1").await;
    assert_eq!((done.driver_id, done.form_version, done.version), (None, 2, 3));
    assert_eq!(office.variances("DR-2").await.len(), 2, "they stay");

    let request = RescheduleDeliveriesRequest {
        delivery_ids: vec!["DR-2".into(), "DR-3".into(), "DR-1".into()],
        client_event_id: kit::clock::new_id().to_string(),
        scheduledatetime: Some(proto::timestamp(at(24 * 60))),
        note: Some("Tomorrow".into()),
    };
    for _ in 0..2 {
        let answer = office.service().reschedule_deliveries(by(Role::Dispatcher, request.clone())).await;
        let told: Vec<_> = told(answer).unwrap().results.into_iter().map(|it| (it.ok, it.text)).collect();
        let told: Vec<_> = told.iter().map(|(ok, text)| (*ok, text.as_str())).collect();
        // The text of a refused delivery omits its id, which is shown beside the text.
        assert_eq!(
            told,
            [
                (true, ""),
                (false, "Not rescheduled: it is still Pending"),
                (false, "Only an undelivered delivery can be rescheduled"),
            ]
        );
    }
    let second = office.get("DR-2").await;
    assert_eq!((second.attempt, second.version), (2, 4));
    let too_many = AssignDriverRequest { delivery_ids: vec!["DR-1".into(); 1_001], ..Default::default() };
    let error = told(office.service().assign_driver(by(Role::Admin, too_many)).await).unwrap_err();
    assert!(error.fields.contains_key("deliveryIds"), "{error}");
});

on_both!(pending_deliveries_are_put_off_together, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let start = office.context.clock.now();
    let soon = |hours: i64| start + chrono::TimeDelta::hours(hours);
    let window = |end| DeliveryHead { time_window_end: Some(proto::timestamp(end)), ..head("S-1") };
    office.create("DR-1", "S-1", two_items()).await;
    let first = office.edit("DR-1", 1, window(at(60))).await.unwrap();
    office.create("DR-2", "S-1", two_items()).await;
    office.create("DR-3", "S-1", two_items()).await;
    office.record(Role::Admin, outcome("DR-3", Some(DeliveryStatus::Undelivered), vec![])).await.unwrap();
    let change = |id: &str, version, to| DispatchTimeChange {
        delivery_id: id.into(),
        version,
        scheduledatetime: Some(proto::timestamp(to)),
    };
    let ask = |changes: Vec<DispatchTimeChange>| {
        let request = by(Role::Dispatcher, ChangeDispatchTimesRequest { changes, ..Default::default() });
        async { told(office.service().change_dispatch_times(request).await).unwrap().results }
    };
    let all = || {
        vec![
            change("DR-1", Some(first.version), soon(24)),
            change("DR-2", Some(7), soon(24)),
            change("DR-3", None, soon(24)),
            change("DR-9", None, soon(24)),
            change("dr-2", None, soon(-1)),
        ]
    };
    let results = ask(all()).await;
    let codes: Vec<(bool, &str)> = results.iter().map(|it| (it.ok, it.code.as_str())).collect();
    assert_eq!(
        codes,
        [
            (true, ""),
            (false, "DELIVERY_CHANGED"),
            (false, "DELIVERY_ACTION_NOT_ALLOWED"),
            (false, "DELIVERY_NOT_FOUND"),
            (false, "INVALID_FIELDS"),
        ]
    );
    assert!(results[2].text.contains("reschedule it instead"), "{}", results[2].text);
    assert!(results[4].text.contains("in the past"), "{}", results[4].text);
    let moved = office.get("DR-1").await;
    assert_eq!((moved.version, moved.scheduledatetime), (3, Some(proto::timestamp(soon(24)))));
    assert_eq!(moved.time_window_end, Some(proto::timestamp(at(60) + (soon(24) - at(0)))), "it moves along");
    let told_of = edits(&db).await.into_iter().rfind(|it| it.delivery_key == "dr-1").unwrap();
    assert_eq!(told_of.version, 3);
    assert!(told_of.changes.contains("scheduledatetime"), "{}", told_of.changes);
    // The delivery has this time already. A repeated request names the version from before its change.
    for version in [None, Some(first.version)] {
        assert!(ask(vec![change("DR-1", version, soon(24))]).await[0].ok, "{version:?}");
    }
    assert_eq!(office.get("DR-1").await.version, 3);
    let other = ask(vec![change("DR-1", Some(first.version), soon(25))]).await;
    assert_eq!(other[0].code, "DELIVERY_CHANGED");
    let nobody = by(Role::Viewer, ChangeDispatchTimesRequest { changes: all(), ..Default::default() });
    let error = told(office.service().change_dispatch_times(nobody).await).unwrap_err();
    assert_eq!(error.kind, Kind::Forbidden);
});

on_both!(everybody_sees_what_they_may_do, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", vec![]).await;
    let pending =
        ["edit", "edit_items", "complete", "mark_undelivered", "reject", "assign_driver", "add_evidence"];
    assert_eq!(office.get_as(Role::Dispatcher, "DR-1").await.allowed_actions, pending);
    assert_eq!(office.get_as(Role::Viewer, "DR-1").await.allowed_actions, [""; 0], "no form yet");
    for id in ["DR-1", "DR-2"] {
        let done = outcome(id, Some(DeliveryStatus::CompleteNoVariance), vec![]);
        let answer = office.record(Role::Dispatcher, done).await.unwrap();
        assert_eq!(answer.allowed_actions, ["add_evidence", "print"], "as the answer to a change says too");
    }
    let planner = office.get_as(Role::TransportPlanner, "DR-1").await;
    assert_eq!(planner.allowed_actions, ["correct_lines", "assign_driver", "add_evidence", "print"]);
    // Rows of the list have the same allowed actions as single deliveries.
    let request = by(Role::Admin, ListDeliveriesRequest::default());
    let listed = told(office.service().list_deliveries(request).await).unwrap().deliveries;
    let actions = |id: &str| &listed.iter().find(|it| it.id == id).unwrap().allowed_actions;
    assert_eq!(
        actions("DR-1")[..],
        ["correct_lines", "correct_status", "assign_driver", "add_evidence", "print"]
    );
    assert_eq!(actions("DR-2")[..], ["correct_status", "assign_driver", "add_evidence", "print"]);
});

on_both!(reasons_are_edited_with_care, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let list = async |applies_to: &str| {
        let request = ListReasonsRequest { applies_to: applies_to.into() };
        told(office.service().list_reasons(by(Role::Viewer, request)).await).map(|it| it.reasons)
    };
    let all = list("").await.unwrap();
    assert_eq!(all.len(), 38);
    assert_eq!((all[0].applies_to.as_str(), all[0].code.as_str()), ("variance", "short_shipped"));
    assert_eq!(list("rejected").await.unwrap().len(), 9);
    assert!(list("maybe").await.unwrap_err().fields.contains_key("appliesTo"));
    let edited = UpdateReasonRequest {
        applies_to: "rejected".into(),
        code: "refused_late".into(),
        version: 1,
        label: " Came too late ".into(),
        responsible: "carrier".into(),
        order: 1,
        ..Default::default()
    };
    let update = async |role: Role, request: &UpdateReasonRequest| {
        told(office.service().update_reason(by(role, request.clone())).await)
    };
    assert_eq!(update(Role::TransportPlanner, &edited).await.unwrap_err().kind, Kind::Forbidden);
    let after = update(Role::Admin, &edited).await.unwrap();
    assert_eq!((after.version, after.label.as_str(), after.is_active), (2, "Came too late", false));
    assert_eq!(update(Role::Admin, &edited).await.unwrap_err().reason, "REASON_CHANGED");
    let same = UpdateReasonRequest { version: 2, ..edited.clone() };
    assert_eq!(update(Role::Admin, &same).await.unwrap().version, 2, "nothing changed");
    let bad = UpdateReasonRequest { version: 2, label: " ".into(), order: 0, ..edited.clone() };
    let fields: Vec<String> = update(Role::Admin, &bad).await.unwrap_err().fields.into_keys().collect();
    assert_eq!(fields, ["label", "order"]);
    let unknown = UpdateReasonRequest { code: "made_up".into(), ..edited };
    assert_eq!(update(Role::Admin, &unknown).await.unwrap_err().reason, "REASON_NOT_FOUND");
    // An inactive reason cannot be used for a new outcome.
    office.create("DR-1", "S-1", vec![]).await;
    let rejected = outcome("DR-1", Some(DeliveryStatus::Rejected), vec![]);
    let late = RecordOutcomeRequest { reason: Some("refused_late".into()), ..rejected };
    assert!(office.record(Role::Admin, late).await.unwrap_err().fields.contains_key("outcomeReason"));
});

on_both!(the_database_refuses_to_change_what_was_recorded, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.edit("DR-1", 1, head("S-2")).await.unwrap();
    for statement in [
        "UPDATE delivery_status_history SET note = 'x'",
        "DELETE FROM delivery_status_history",
        "UPDATE edit SET actor = 'x'",
        "DELETE FROM edit",
    ] {
        let tx = db.begin().await.unwrap();
        let error = tx.execute_unprepared(statement).await.unwrap_err().to_string();
        assert!(error.contains("what was recorded is never changed or deleted"), "{statement}: {error}");
    }
    assert_eq!((office.history("DR-1").await.len(), edits(&db).await.len()), (1, 1));
});
