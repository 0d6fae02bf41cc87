//! Bulk changes: as many deliveries change as were counted, and an undo restores those that nobody changed
//! since.

mod blocked;
mod repeated;

use std::collections::BTreeMap;

use ::store::clearing::Doubts;
use ::store::jobs::Jobs;
use ::store::{Db, on_both};
use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Kind, Result, Role};
use proto::common::v1::Filter;
use proto::deliveries::v1::bulk_service_server::BulkService;
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::start_bulk_change_request::Verb;
use proto::deliveries::v1::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use uuid::Uuid;

use super::invariants::{holds, sequences_hold, shipments_hold};
use super::office::*;
use crate::Migrator;
use crate::commands::bulk_change::records;
use crate::entity::{bulk_row, delivery, edit};

fn by_id(prefix: &str) -> Vec<Filter> {
    vec![Filter { key: "id".into(), operator: "startsWith".into(), values: vec![prefix.into()] }]
}

fn to(driver: &str) -> Verb {
    Verb::Assign(AssignAll { driver_id: Some(driver.into()) })
}

fn leave(minutes: i64) -> Verb {
    Verb::Dispatch(MoveAll { scheduledatetime: Some(proto::timestamp(at(minutes))) })
}

fn again(minutes: i64) -> Verb {
    let scheduledatetime = Some(proto::timestamp(at(minutes)));
    Verb::Reschedule(RescheduleAll { scheduledatetime, note: Some("Typhoon".into()) })
}

impl Office {
    fn bulk(&self) -> crate::rpc::bulk_change::Service {
        crate::rpc::bulk_change::Service { context: self.context.clone() }
    }

    async fn begin(&self, role: Role, id: &str, dry_run: bool, verb: Verb) -> Result<BulkChange> {
        let request =
            StartBulkChangeRequest { id: id.to_owned(), r#where: by_id("DR-"), dry_run, verb: Some(verb) };
        told(self.bulk().start_bulk_change(by(role, request)).await)
    }

    /// Starts a change and runs its job to the end.
    async fn change_all(&self, role: Role, verb: Verb) -> BulkChange {
        let id = new_id().to_string();
        self.begin(role, &id, false, verb).await.unwrap();
        self.ended(role, &id).await
    }

    async fn ended(&self, role: Role, id: &str) -> BulkChange {
        self.work().await;
        self.shown(role, id).await.unwrap()
    }

    async fn shown(&self, role: Role, id: &str) -> Result<BulkChange> {
        told(self.bulk().get_bulk_change(by(role, GetBulkChangeRequest { id: id.into() })).await)
    }

    async fn work(&self) {
        let jobs = Jobs::new(crate::NAME, self.context.db.clone(), self.context.clock.clone());
        crate::commands::bulk_change::with_jobs(&self.context, jobs).run_all().await.unwrap();
    }

    async fn undo_all(&self, role: Role, change: &str) -> Result<BulkChange> {
        let id = new_id().to_string();
        let request = UndoBulkChangeRequest { id: id.clone(), change_id: change.into() };
        told(self.bulk().undo_bulk_change(by(role, request)).await)?;
        Ok(self.ended(role, &id).await)
    }

    /// Creates this many Pending deliveries of driver D-1, four in each shipment.
    async fn stock(&self, many: usize) {
        for at in 0..many {
            self.create(&format!("DR-{at:03}"), &format!("S-{}", at / 4), vec![item("1", 1_000)]).await;
        }
    }

    async fn undelivered(&self, id: &str) {
        let request = outcome(id, Some(DeliveryStatus::Undelivered), vec![]);
        self.record(Role::Dispatcher, request).await.unwrap();
    }

    async fn complete(&self, id: &str) {
        let request = outcome(id, None, vec![count("1", 1_000, 0, None)]);
        self.record(Role::Dispatcher, request).await.unwrap();
    }
}

fn left_out(change: &BulkChange) -> BTreeMap<&str, u64> {
    change.left_out.iter().map(|it| (it.reason.as_str(), it.count)).collect()
}

fn counts(change: &BulkChange) -> (u64, u64, u64) {
    (change.total, change.changed, change.failed)
}

on_both!(as_many_change_as_were_counted, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(10).await;
    office.complete("DR-000").await;
    office.undelivered("DR-001").await;
    office.undelivered("DR-002").await;
    for (role, verb) in [
        (Role::Dispatcher, to("D-2")),
        (Role::TransportPlanner, to("D-3")),
        (Role::Dispatcher, leave(500)),
        (Role::Dispatcher, again(600)),
    ] {
        let dry = office.begin(role, &new_id().to_string(), true, verb.clone()).await.unwrap();
        assert!(dry.dry_run && dry.finished_at.is_none() && dry.state == "done");
        let done = office.change_all(role, verb.clone()).await;
        assert_eq!(done.state, "done");
        assert_eq!(counts(&done), counts(&dry), "{verb:?}");
        assert_eq!(left_out(&done), left_out(&dry), "{verb:?}");
        assert_eq!(done.changed + done.left_out.iter().map(|it| it.count).sum::<u64>(), 10, "{verb:?}");
        // A repetition finds nothing to do.
        let idle = office.change_all(role, verb).await;
        assert_eq!((idle.changed, idle.failed, idle.done), (0, 0, 10));
    }
    let all = office.get("DR-005").await;
    assert_eq!(
        (all.driver_id.as_deref(), all.scheduledatetime),
        (Some("D-3"), Some(proto::timestamp(at(500))))
    );
    // A planner may change the driver of the completed delivery, and then its form is issued again.
    let complete = office.get("DR-000").await;
    assert_eq!((complete.driver_id.as_deref(), complete.form_version), (Some("D-3"), 2));
    let retried = office.get("DR-001").await;
    assert_eq!((retried.attempt, retried.deliverystatus()), (2, DeliveryStatus::Pending));
    assert_eq!(office.history("DR-001").await.last().unwrap().note.as_deref(), Some("Typhoon"));
    for at in 0..10 {
        holds(&db, &format!("DR-{at:03}")).await;
    }
    shipments_hold(&db).await;
    sequences_hold(&db).await;
});

on_both!(those_left_out_are_counted_by_reason, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(5).await;
    office.complete("DR-000").await;
    office.undelivered("DR-001").await;
    let dispatcher = Role::Dispatcher;
    let done = office.change_all(dispatcher, to("D-2")).await;
    assert_eq!((done.changed, left_out(&done)), (4, BTreeMap::from([("not_allowed", 1)])));
    let done = office.change_all(dispatcher, to("d-2")).await;
    assert_eq!(left_out(&done), BTreeMap::from([("already", 4), ("not_allowed", 1)]));
    let done = office.change_all(dispatcher, leave(100)).await;
    assert_eq!((done.changed, left_out(&done)), (3, BTreeMap::from([("not_pending", 2)])));
    let done = office.change_all(dispatcher, again(100)).await;
    assert_eq!(done.changed, 1);
    assert_eq!(left_out(&done), BTreeMap::from([("already", 3), ("not_undelivered", 1)]));
});

on_both!(what_a_driver_told_too_late_is_not_rescheduled_unseen, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(2).await;
    office.undelivered("DR-000").await;
    office.undelivered("DR-001").await;
    let tx = db.begin().await.unwrap();
    let row = delivery::Entity::update_many()
        .col_expr(delivery::Column::Conflict, Expr::value(true))
        .filter(delivery::Column::IdKey.eq("dr-001"));
    row.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let request = RescheduleDeliveriesRequest {
        delivery_ids: vec!["DR-001".into()],
        client_event_id: new_id().to_string(),
        scheduledatetime: Some(proto::timestamp(at(100))),
        note: None,
    };
    let answer = office.service().reschedule_deliveries(by(Role::Dispatcher, request)).await;
    let text = told(answer).unwrap().results.remove(0).text;
    assert_eq!(text, "Not rescheduled: a late update from its driver has to be reviewed first");
    let dry = office.begin(Role::Dispatcher, &new_id().to_string(), true, again(100)).await.unwrap();
    let done = office.change_all(Role::Dispatcher, again(100)).await;
    for change in [dry, done] {
        assert_eq!((change.changed, left_out(&change)), (1, BTreeMap::from([("conflict", 1)])));
    }
    assert!(office.get("DR-001").await.conflict);
});

on_both!(those_that_matched_when_it_began_are_changed_and_no_others, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(250).await;
    let id = new_id().to_string();
    office.begin(Role::Dispatcher, &id, false, to("D-2")).await.unwrap();
    // The response was lost, and the request is repeated.
    let same = office.begin(Role::Dispatcher, &id, false, to("D-9")).await.unwrap();
    assert_eq!((same.id.as_str(), same.state.as_str()), (id.as_str(), "waiting"));
    office.create("DR-new", "S-new", vec![]).await;
    let one = AssignDriverRequest {
        delivery_ids: vec!["DR-210".into()],
        driver_id: Some("D-5".into()),
        ..Default::default()
    };
    told(office.service().assign_driver(by(Role::Dispatcher, one)).await).unwrap();

    let done = office.ended(Role::Dispatcher, &id).await;
    assert_eq!((counts(&done), done.done), ((250, 249, 0), 250));
    assert_eq!(left_out(&done), BTreeMap::from([("changed", 1)]));
    assert_eq!(office.get("DR-new").await.driver_id.as_deref(), Some("D-1"));
    assert_eq!(office.get("DR-210").await.driver_id.as_deref(), Some("D-5"));
    assert_eq!(office.get("DR-249").await.version, 2, "once");
    // For other people the job does not exist, but administrators may read it.
    assert_eq!(office.shown(Role::TransportPlanner, &id).await.unwrap_err().reason, "JOB_NOT_FOUND");
    assert_eq!(office.shown(Role::Admin, &id).await.unwrap().changed, 249);
    let mine = told(office.bulk().list_bulk_changes(by(Role::Dispatcher, ListBulkChangesRequest {})).await);
    assert_eq!(mine.unwrap().changes.len(), 1);
});

on_both!(one_that_was_interrupted_goes_on_where_it_was, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(250).await;
    let id = new_id().to_string();
    office.begin(Role::Dispatcher, &id, false, leave(300)).await.unwrap();
    let status_of_one = async |status: &str| {
        let tx = db.begin().await.unwrap();
        let row = delivery::Entity::update_many()
            .col_expr(delivery::Column::Deliverystatus, Expr::value(status))
            .filter(delivery::Column::IdKey.eq("dr-210"));
        row.exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    };
    // One row on the job's second page is unreadable.
    status_of_one("?").await;
    let cut = office.ended(Role::Dispatcher, &id).await;
    assert_eq!((cut.state.as_str(), cut.done, cut.changed), ("waiting", 200, 200));
    let refused = office.undo_all(Role::Dispatcher, &id).await.unwrap_err();
    assert_eq!(refused.reason, "BULK_CHANGE_RUNNING");
    status_of_one("Pending").await;
    office.later(1);
    let done = office.ended(Role::Dispatcher, &id).await;
    assert_eq!((done.state.as_str(), counts(&done), done.done), ("done", (250, 250, 0), 250));
    let record = edit::Entity::find().count(db.read()).await.unwrap();
    assert_eq!(record, 250, "each once");
    sequences_hold(&db).await;
});

on_both!(an_undo_puts_back_what_nobody_touched, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(6).await;
    let window = DeliveryHead {
        time_window_start: Some(proto::timestamp(at(-10))),
        time_window_end: Some(proto::timestamp(at(50))),
        ..head("S-0")
    };
    let request = UpdateDeliveryRequest { id: "DR-000".into(), version: 1, head: Some(window) };
    told(office.service().update_delivery(by(Role::Dispatcher, request)).await).unwrap();
    let before = office.get("DR-000").await;
    // When the change is undone, the restored dispatch time is in the past.
    office.later(90);
    let moved = office.change_all(Role::Dispatcher, leave(1_000)).await;
    assert_eq!(moved.changed, 6);
    assert_eq!(office.get("DR-000").await.time_window_end, Some(proto::timestamp(at(1_050))));
    office.undelivered("DR-001").await;
    let assigned = office.change_all(Role::Dispatcher, to("D-2")).await;
    assert_eq!(assigned.changed, 6);

    let not_theirs = office.undo_all(Role::Admin, &assigned.id).await.unwrap_err();
    assert_eq!(not_theirs.reason, "BULK_NOTHING_TO_UNDO");
    let back = office.undo_all(Role::Dispatcher, &assigned.id).await.unwrap();
    assert_eq!((back.verb.as_str(), counts(&back), back.left_out.len()), ("undo", (6, 6, 0), 0));
    assert_eq!(office.get("DR-003").await.driver_id.as_deref(), Some("D-1"));
    // The driver was changed and restored since, so no delivery is as the change left it.
    let kept = office.undo_all(Role::Dispatcher, &moved.id).await.unwrap();
    assert_eq!((kept.changed, left_out(&kept)), (0, BTreeMap::from([("changed", 6)])));

    let moved = office.change_all(Role::Dispatcher, leave(2_000)).await;
    assert_eq!(moved.changed, 5);
    let one = AssignDriverRequest { delivery_ids: vec!["DR-002".into()], ..Default::default() };
    told(office.service().assign_driver(by(Role::Dispatcher, one)).await).unwrap();
    let back = office.undo_all(Role::Dispatcher, &moved.id).await.unwrap();
    assert_eq!((back.changed, left_out(&back)), (4, BTreeMap::from([("changed", 1)])));
    let after = office.get("DR-000").await;
    assert_eq!(after.scheduledatetime, Some(proto::timestamp(at(1_000))));
    assert_eq!(after.time_window_end, Some(proto::timestamp(at(1_050))));
    assert!(after.version > before.version);
    for at in 0..6 {
        holds(&db, &format!("DR-{at:03}")).await;
    }
    // Six minutes later an undo is refused.
    let moved = office.change_all(Role::Dispatcher, leave(3_000)).await;
    office.later(6);
    assert_eq!(office.undo_all(Role::Dispatcher, &moved.id).await.unwrap_err().reason, "BULK_UNDO_OVER");
    // Planning a next attempt cannot be undone.
    let retried = office.change_all(Role::Dispatcher, again(4_000)).await;
    assert_eq!(retried.changed, 1);
    let none = office.undo_all(Role::Dispatcher, &retried.id).await.unwrap_err();
    assert_eq!(none.reason, "BULK_NOTHING_TO_UNDO");
});

on_both!(a_window_keeps_its_times_of_day_when_clocks_change, Migrator, |db: Db| async move {
    let mut office = Office::open(&db);
    office.context.organization.timezone = "Europe/Amsterdam".to_owned();
    office.stock(2).await;
    // The night to Monday: clocks there are put forward on Sunday, March 28, at 2:00.
    let instant = |text: &str| Some(proto::timestamp(text.parse::<DateTime<Utc>>().unwrap()));
    for id in ["DR-000", "DR-001"] {
        let planned = DeliveryHead {
            scheduledatetime: instant("2027-03-27T23:00:00Z"),
            time_window_start: instant("2027-03-28T07:00:00Z"),
            time_window_end: instant("2027-03-28T10:00:00Z"),
            ..head("S-0")
        };
        let request = UpdateDeliveryRequest { id: id.into(), version: 1, head: Some(planned) };
        told(office.service().update_delivery(by(Role::Dispatcher, request)).await).unwrap();
    }
    office.undelivered("DR-001").await;
    let monday = instant("2027-03-28T22:00:00Z");
    let moved = Verb::Dispatch(MoveAll { scheduledatetime: monday });
    assert_eq!(office.change_all(Role::Dispatcher, moved).await.changed, 1);
    let retried = Verb::Reschedule(RescheduleAll { scheduledatetime: monday, note: None });
    assert_eq!(office.change_all(Role::Dispatcher, retried).await.changed, 1);
    for id in ["DR-000", "DR-001"] {
        let after = office.get(id).await;
        let window = (after.time_window_start, after.time_window_end);
        assert_eq!(window, (instant("2027-03-29T07:00:00Z"), instant("2027-03-29T10:00:00Z")), "{id}");
    }
});

on_both!(rows_that_were_chosen_one_by_one_are_undone_too, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(3).await;
    let undo_id = new_id().to_string();
    // Unassign in two requests, as screens do.
    for ids in [vec!["DR-000", "dr-001"], vec!["DR-002"]] {
        let delivery_ids = ids.into_iter().map(str::to_owned).collect();
        let request = AssignDriverRequest { delivery_ids, driver_id: None, undo_id: undo_id.clone() };
        told(office.service().assign_driver(by(Role::Dispatcher, request)).await).unwrap();
    }
    let back = office.undo_all(Role::Dispatcher, &undo_id).await.unwrap();
    assert_eq!(counts(&back), (3, 3, 0));
    assert_eq!(office.get("DR-001").await.driver_id.as_deref(), Some("D-1"));

    let undo_id = new_id().to_string();
    let change = |id: &str| DispatchTimeChange {
        delivery_id: id.into(),
        version: None,
        scheduledatetime: Some(proto::timestamp(at(700))),
    };
    let changes = vec![change("DR-000"), change("DR-001")];
    let request = ChangeDispatchTimesRequest { changes, undo_id: undo_id.clone() };
    told(office.service().change_dispatch_times(by(Role::Dispatcher, request)).await).unwrap();
    let back = office.undo_all(Role::Dispatcher, &undo_id).await.unwrap();
    assert_eq!(counts(&back), (2, 2, 0));
    assert_eq!(office.get("DR-001").await.scheduledatetime, Some(proto::timestamp(at(0))));
    let wrong = AssignDriverRequest {
        delivery_ids: vec!["DR-000".into()],
        undo_id: "x".into(),
        ..Default::default()
    };
    let refused = told(office.service().assign_driver(by(Role::Dispatcher, wrong)).await).unwrap_err();
    assert!(refused.fields.contains_key("undoId"));
});

on_both!(an_undo_leaves_alone_what_another_person_changed_under_the_same_id, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(4).await;
    let (first, second) = (new_id(), new_id());
    let assign = async |role: Role, ids: Vec<&str>, undo: Uuid| {
        let request = AssignDriverRequest {
            delivery_ids: ids.into_iter().map(str::to_owned).collect(),
            driver_id: Some("D-2".into()),
            undo_id: undo.to_string(),
        };
        told(office.service().assign_driver(by(role, request)).await)
    };
    let drivers = async || {
        let mut drivers = Vec::new();
        for at in 0..4 {
            drivers.push(office.get(&format!("DR-{at:03}")).await.driver_id.unwrap_or_default());
        }
        drivers
    };
    let (planner, dispatcher) = (Role::TransportPlanner, Role::Dispatcher);
    assign(dispatcher, vec!["DR-000", "DR-001", "DR-002"], first).await.unwrap();
    // The id of one person's change is refused for changes of another person.
    let refused = assign(planner, vec!["DR-003"], first).await.unwrap_err();
    assert!(refused.fields.contains_key("undoId"), "{refused:?}");
    let refused = office.begin(planner, &first.to_string(), false, to("D-3")).await.unwrap_err();
    assert!(refused.fields.contains_key("id"), "{refused:?}");
    assert_eq!(drivers().await, ["D-2", "D-2", "D-2", "D-1"]);
    // Two requests at the same moment can still get the same id, as can those of an earlier release.
    assign(planner, vec!["DR-003"], second).await.unwrap();
    let tx = db.begin().await.unwrap();
    bulk_row::Entity::update_many()
        .col_expr(bulk_row::Column::ChangeId, Expr::value(first))
        .filter(bulk_row::Column::ChangeId.eq(second))
        .exec(&*tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let back = office.undo_all(planner, &first.to_string()).await.unwrap();
    assert_eq!((counts(&back), back.done), ((1, 1, 0), 1));
    assert_eq!(drivers().await, ["D-2", "D-2", "D-2", "D-1"]);
    let back = office.undo_all(dispatcher, &first.to_string()).await.unwrap();
    assert_eq!((counts(&back), back.done), ((3, 3, 0), 3));
    assert_eq!(drivers().await, ["D-1", "D-1", "D-1", "D-1"]);
});

on_both!(what_is_good_for_no_delivery_is_refused_at_once, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.stock(1).await;
    let id = new_id().to_string();
    for (role, verb, kind) in [
        (Role::Viewer, to("D-2"), Kind::Forbidden),
        (Role::Driver, to("D-2"), Kind::Forbidden),
        (Role::Dispatcher, leave(-60), Kind::InvalidInput),
        (Role::Dispatcher, again(-60), Kind::InvalidInput),
    ] {
        assert_eq!(office.begin(role, &id, true, verb).await.unwrap_err().kind, kind);
    }
    assert_eq!(office.begin(Role::Admin, "x", false, to("D-2")).await.unwrap_err().kind, Kind::InvalidInput);
    // A person may have five jobs, and each can be cancelled before it begins.
    let ids: Vec<String> = (0..5).map(|_| new_id().to_string()).collect();
    for id in &ids {
        office.begin(Role::Dispatcher, id, false, to("D-2")).await.unwrap();
    }
    let sixth = office.begin(Role::Dispatcher, &id, false, to("D-2")).await.unwrap_err();
    assert_eq!(sixth.reason, "BULK_TOO_MANY_JOBS");
    let cancel = CancelBulkChangeRequest { id: ids[0].clone() };
    told(office.bulk().cancel_bulk_change(by(Role::Dispatcher, cancel)).await).unwrap();
    let cancelled = office.ended(Role::Dispatcher, &ids[0]).await;
    assert_eq!((cancelled.state.as_str(), cancelled.changed), ("cancelled", 0));
    assert_eq!(office.shown(Role::Dispatcher, &ids[1]).await.unwrap().changed, 1);
    // The rows of jobs are kept for a week.
    let doubts = Doubts::holding(std::time::Duration::ZERO);
    records::clear(&db, at(60), &doubts).await.unwrap();
    assert_eq!(bulk_row::Entity::find().count(db.read()).await.unwrap(), 5);
    records::clear(&db, at(60 * 24 * 8), &doubts).await.unwrap();
    assert_eq!(bulk_row::Entity::find().count(db.read()).await.unwrap(), 0);
});
