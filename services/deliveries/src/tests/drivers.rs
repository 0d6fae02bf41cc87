//! Drivers through the handlers: they reach only their own deliveries, and their outcomes may arrive in every
//! possible order.

mod handed_over;
mod offline;

use ::store::consume;
use ::store::testing::copies::Case;
use ::store::{Db, on_both};
use kit::bus::Handler;
use kit::principal::Principal;
use kit::{Kind, Result, Role};
use proto::common::v1::{BatchGetRequest, CountRequest, Page};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::proof_service_server::ProofService;
use proto::deliveries::v1::*;
use proto::events::envelope::Payload;
use proto::events::{DELIVERIES_DRIVERS, DriverChanged, Envelope};
use sea_orm::{EntityTrait, PaginatorTrait, QueryOrder};
use tonic::Request;

use super::invariants::holds;
use super::lists::filter;
use super::office::*;
use crate::Migrator;
use crate::entity::driver;
use crate::events::on_driver_changed;
use crate::rpc::proof;

/// Returns the message as sent by that driver.
pub(super) fn from<T>(driver_id: &str, message: T) -> Request<T> {
    let principal = Principal::User {
        id: format!("phone-of-{driver_id}"),
        username: format!("phone of {driver_id}"),
        roles: vec![Role::Driver],
        session: "s".to_owned(),
        driver_id: Some(driver_id.to_owned()),
    };
    sent(principal, message)
}

impl Office {
    pub(super) async fn told_by(&self, driver_id: &str, request: RecordOutcomeRequest) -> Result<Delivery> {
        told(self.service().record_outcome(from(driver_id, request)).await)
    }

    async fn hand_over(&self, ids: &[&str], driver_id: &str) -> Result<BulkResults> {
        let delivery_ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let request =
            AssignDriverRequest { delivery_ids, driver_id: Some(driver_id.into()), ..Default::default() };
        told(self.service().assign_driver(by(Role::Dispatcher, request)).await)
    }

    /// Sends the state of a driver, as the drivers service does.
    pub(super) async fn hears(&self, driver_id: &str, status: &str, version: u64) -> Result<()> {
        let driver = DriverChanged {
            driver_id: driver_id.into(),
            name: format!("{driver_id} who drives"),
            username: driver_id.to_lowercase(),
            status: status.into(),
        };
        let event = Envelope {
            id: kit::clock::new_id().to_string(),
            aggregate_id: driver_id.into(),
            aggregate_version: version,
            payload: Some(Payload::DriverChanged(driver)),
            ..Envelope::default()
        };
        self.follower().handle(&event).await?;
        // Handle the event twice, because the bus may deliver it twice.
        self.follower().handle(&event).await
    }

    fn follower(&self) -> std::sync::Arc<dyn Handler> {
        crate::events::consumers(&self.context).remove(0).handler
    }
}

fn of<T>(answer: Result<T>) -> (Kind, String) {
    let error = answer.err().expect("refused");
    (error.kind, error.reason)
}

/// Returns the error for a missing delivery.
fn not_yours() -> (Kind, String) {
    (Kind::NotFound, "DELIVERY_NOT_FOUND".to_owned())
}

fn ids(ids: &[&str]) -> BatchGetRequest {
    BatchGetRequest { ids: ids.iter().map(|id| (*id).to_owned()).collect() }
}

on_both!(a_driver_reads_their_own_deliveries_without_the_offices_note, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let service = office.service();
    let head = DeliveryHead { internal_note: Some("Pays late, be firm".into()), ..head("S-1") };
    for (id, driver_id) in [("DR-1", Some("D-1")), ("DR-2", Some("D-2")), ("DR-3", None)] {
        let head = Some(DeliveryHead { driver_id: driver_id.map(str::to_owned), ..head.clone() });
        let request = CreateDeliveryRequest { id: id.into(), head, source_id: None, items: two_items() };
        service.create_delivery(by(Role::Dispatcher, request)).await.unwrap();
    }
    // Drivers may read items, and not the history.
    let get = |id: &str| {
        let ask = GetDeliveryRequest { id: id.into(), items_up_to: 10, history: true };
        service.get_delivery(from("d-1", ask))
    };
    let own = told(get("dr-1").await).unwrap();
    assert_eq!((own.id.as_str(), own.internal_note), ("DR-1", None));
    assert_eq!((own.items.map(|it| it.items.len()), own.history), (Some(2), None));
    assert_eq!(own.allowed_actions, ["complete", "mark_undelivered", "reject", "add_evidence"]);
    assert_eq!(office.get("DR-1").await.internal_note.as_deref(), Some("Pays late, be firm"));
    assert_eq!(of(told(get("DR-2").await)), not_yours());
    let texts = [told(get("dr-2").await), told(get("dr-9").await)].map(|it| it.unwrap_err().message);
    assert_eq!(texts, ["There is no delivery dr-2", "There is no delivery dr-9"], "nothing tells them apart");
    assert_eq!(of(told(get("DR-3").await)), not_yours());
    assert_eq!(of(told(get("DR-4").await)).0, Kind::NotFound);

    // Drivers get only their own deliveries, whatever they ask for.
    for filters in
        [vec![], vec![filter("driverId", "equals", &["D-2"])], vec![filter("driverId", "contains", &["d"])]]
    {
        let note = vec!["internal_note".to_owned()];
        for (ids_only, fields) in [(false, vec![]), (true, vec![]), (false, note)] {
            let page = Some(Page { r#where: filters.clone(), ..Page::default() });
            let ask = from("D-1", ListDeliveriesRequest { page, ids_only, fields });
            let listed = service.list_deliveries(ask).await.unwrap().into_inner().deliveries;
            assert_eq!(listed.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["DR-1"]);
            assert_eq!(listed[0].internal_note, None);
        }
    }
    let all = ["DR-1", "DR-2", "DR-3", "DR-4"];
    let items = service.batch_get_items(from("D-1", ids(&all))).await.unwrap().into_inner().items;
    assert_eq!(items.iter().map(|it| it.delivery_id.to_lowercase()).collect::<Vec<_>>(), ["dr-1", "dr-1"]);
    let wanted = service.batch_get_pod_requirements(from("D-1", ids(&all))).await.unwrap().into_inner();
    assert_eq!(wanted.requirements.iter().map(|it| it.delivery_id.as_str()).collect::<Vec<_>>(), ["DR-1"]);
    let reasons = service.list_reasons(from("D-1", ListReasonsRequest::default())).await.unwrap();
    assert!(reasons.into_inner().reasons.len() > 20);
    // A caller without a driver id is not a driver.
    let nobody = by(Role::Driver, GetDeliveryRequest { id: "DR-1".into(), ..Default::default() });
    assert_eq!(of(told(service.get_delivery(nobody).await)).1, "ROLE_MISSING");
    let history = service.batch_get_history(from("D-1", ids(&all))).await;
    assert_eq!(of(told(history)).1, "ROLE_MISSING");
    let count = service.count_deliveries(from("D-1", CountRequest::default())).await;
    assert_eq!(of(told(count)).1, "ROLE_MISSING");
});

on_both!(an_outcome_of_another_driver_is_refused, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let before = office.create("DR-1", "S-1", two_items()).await;
    let request = outcome("DR-1", None, as_expected());
    assert_eq!(of(office.told_by("D-2", request).await), not_yours());
    let proof = proof::Service::new(office.context.clone()).unwrap();
    let link = || RequestAttachmentLinkRequest { delivery_id: "DR-1".into(), filename: "a.png".into() };
    assert_eq!(of(told(proof.request_attachment_link(from("D-2", link())).await)), not_yours());
    let url = told(proof.request_attachment_link(from("D-1", link())).await).unwrap().url;
    let url = url.split('?').next().unwrap().to_owned();
    let add = || AddAttachmentRequest {
        delivery_id: "DR-1".into(),
        url: url.clone(),
        kind: "photo".into(),
        ..Default::default()
    };
    assert_eq!(of(told(proof.add_attachment(from("D-2", add())).await)), not_yours());
    assert_eq!(office.get("DR-1").await, before, "nothing of it happened");
    holds(&db, "DR-1").await;
});

on_both!(an_outcome_sent_twice_counts_once, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let request = outcome("DR-1", None, one_short());
    let first = office.told_by("D-1", request.clone()).await.unwrap();
    assert_eq!(first.deliverystatus(), DeliveryStatus::CompleteWithVariance);
    office.later(90);
    for _ in 0..2 {
        assert_eq!(office.told_by("D-1", request.clone()).await.unwrap(), first);
    }
    let history = office.history("DR-1").await;
    assert_eq!(history.len(), 2);
    let step = &history[1];
    assert_eq!((step.actor_type.as_str(), step.actor_name.as_str()), ("driver", "phone of D-1"));
    assert_eq!(office.variances("DR-1").await[0].reported_by, "driver");
    assert_eq!(emitted(&db).await.len(), 2);
    let other = RecordOutcomeRequest { note: Some("Something else".into()), ..request };
    assert_eq!(of(office.told_by("D-1", other).await).1, "CLIENT_EVENT_REUSED");
    holds(&db, "DR-1").await;
});

on_both!(a_late_outcome_is_taken_at_its_own_time_and_marked, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", two_items()).await;
    office.later(4 * 60);
    let occurred_at = |minutes| Some(proto::timestamp(at(minutes)));
    let late = RecordOutcomeRequest { occurred_at: occurred_at(45), ..outcome("DR-1", None, as_expected()) };
    let done = office.told_by("D-1", late).await.unwrap();
    assert!(done.late && !done.conflict);
    assert_eq!(done.deliverydatetime, occurred_at(45));
    assert_eq!(done.outcome_received_at, occurred_at(240));
    assert!(office.history("DR-1").await[1].late);
    // A clock that is ahead does not move a delivery into the future.
    let ahead =
        RecordOutcomeRequest { occurred_at: occurred_at(300), ..outcome("DR-2", None, as_expected()) };
    let done = office.told_by("D-1", ahead).await.unwrap();
    assert!(done.late);
    assert_eq!(done.deliverydatetime, occurred_at(242));
    holds(&db, "DR-1").await;
});

on_both!(outcomes_out_of_order_end_as_if_in_order, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let attempt = |attempt, minutes, status, lines| RecordOutcomeRequest {
        attempt: Some(attempt),
        occurred_at: Some(proto::timestamp(at(minutes))),
        ..outcome("DR-1", status, lines)
    };
    let failed = || attempt(1, 10, Some(DeliveryStatus::Undelivered), vec![]);
    // An outcome of an attempt that has not begun.
    let early = attempt(2, 70, None, as_expected());
    let error = office.told_by("D-1", early.clone()).await.unwrap_err();
    assert_eq!((error.kind, error.fields.contains_key("attempt")), (Kind::InvalidInput, true));
    office.later(30);
    // The office learned of the failure by phone before the device reported it.
    let undelivered = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    office.record(Role::Dispatcher, undelivered).await.unwrap();
    office.reschedule(Role::Dispatcher, "DR-1", at(60)).await.unwrap();
    office.later(60);
    let done = office.told_by("D-1", early).await.unwrap();
    assert_eq!((done.deliverystatus(), done.attempt), (DeliveryStatus::CompleteNoVariance, 2));
    // The outcome of attempt 1 arrives last, but the office had recorded it.
    let after = office.told_by("D-1", failed()).await.unwrap();
    assert_eq!(Delivery { allowed_actions: vec![], ..after }, Delivery { allowed_actions: vec![], ..done });
    assert_eq!(office.history("DR-1").await.len(), 4);
    holds(&db, "DR-1").await;
});

on_both!(an_outcome_after_a_correction_of_the_office_is_set_aside, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.told_by("D-1", outcome("DR-1", None, as_expected())).await.unwrap();
    office.later(60);
    let corrected =
        office.correct(Role::TransportPlanner, correction("DR-1", None, one_short())).await.unwrap();
    assert_eq!(corrected.deliverystatus(), DeliveryStatus::CompleteWithVariance);
    // The device captured this outcome before the correction, but it arrives afterwards.
    office.later(5);
    let request = RecordOutcomeRequest {
        occurred_at: Some(proto::timestamp(at(30))),
        ..outcome("DR-1", Some(DeliveryStatus::Rejected), vec![])
    };
    for _ in 0..2 {
        let answer = office.told_by("D-1", request.clone()).await.unwrap();
        assert!(answer.conflict);
        let marked = (corrected.deliverystatus, corrected.version + 1);
        assert_eq!((answer.deliverystatus, answer.version), marked);
    }
    let history = office.history("DR-1").await;
    assert_eq!(history.len(), 4);
    let step = &history[3];
    assert!(step.superseded && step.to_status() == DeliveryStatus::Rejected);
    assert_eq!(emitted(&db).await.pop().unwrap().change, "superseded");
    assert_eq!(office.items("DR-1").await[0].delivered_thousandths, 4_000);
    holds(&db, "DR-1").await;
});

on_both!(nothing_is_taken_from_a_blocked_driver, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let before = office.create("DR-1", "S-1", two_items()).await;
    office.hears("D-1", "active", 1).await.unwrap();
    office.hears("D-1", "blocked", 3).await.unwrap();
    // Older events about the driver arrive late and change nothing.
    office.hears("D-1", "active", 2).await.unwrap();
    let request = outcome("DR-1", None, as_expected());
    let blocked = (Kind::Forbidden, "DRIVER_BLOCKED".to_owned());
    assert_eq!(of(office.told_by("D-1", request.clone()).await), blocked);
    let proof = proof::Service::new(office.context.clone()).unwrap();
    let link = RequestAttachmentLinkRequest { delivery_id: "DR-1".into(), filename: "a.png".into() };
    assert_eq!(of(told(proof.request_attachment_link(from("D-1", link)).await)), blocked);
    assert_eq!(office.get("DR-1").await, before, "it stays assigned, and nothing happened");
    office.hears("d-1", "active", 4).await.unwrap();
    assert_eq!(driver::Entity::find().count(db.read()).await.unwrap(), 1, "one driver, however spelled");
    office.told_by("D-1", request).await.unwrap();
    assert_eq!(office.hears("D-1", "asleep", 5).await.unwrap_err().kind, Kind::InvalidInput);
    assert_eq!(office.hears(" ", "active", 1).await.unwrap_err().kind, Kind::InvalidInput);
});

on_both!(deliveries_go_to_drivers_who_may_work, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let service = office.service();
    office.create("DR-1", "S-1", two_items()).await;
    // While the drivers service has sent no driver, every driver id is accepted.
    assert!(office.hand_over(&["DR-1"], "whoever").await.unwrap().results[0].ok);
    office.hears("D-1", "active", 1).await.unwrap();
    office.hears("D-2", "blocked", 1).await.unwrap();
    for (driver_id, kind, reason, word) in [
        ("D-2", Kind::FailedPrecondition, "DRIVER_BLOCKED", "D-2 who drives (D-2) is blocked"),
        ("D-9", Kind::InvalidInput, "DRIVER_UNKNOWN", "no driver D-9"),
    ] {
        let error = office.hand_over(&["DR-1"], driver_id).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (kind, reason));
        assert!(error.fields["driverId"][0].contains(word), "{error:?}");
        // Creating or editing a delivery refuses the same drivers.
        let head = DeliveryHead { driver_id: Some(driver_id.into()), ..head("S-1") };
        let request =
            CreateDeliveryRequest { id: "DR-2".into(), head: Some(head.clone()), ..Default::default() };
        let error = told(service.create_delivery(by(Role::Dispatcher, request)).await).unwrap_err();
        assert_eq!(error.reason, reason);
        let version = office.get("DR-1").await.version;
        let request = UpdateDeliveryRequest { id: "DR-1".into(), version, head: Some(head) };
        let error = told(service.update_delivery(by(Role::Dispatcher, request)).await).unwrap_err();
        assert_eq!(error.reason, reason);
    }
    assert!(office.hand_over(&["DR-1"], "d-1").await.unwrap().results[0].ok);
    let nobody =
        AssignDriverRequest { delivery_ids: vec!["DR-1".into()], driver_id: None, ..Default::default() };
    assert!(told(service.assign_driver(by(Role::Dispatcher, nobody)).await).unwrap().results[0].ok);

    // An edit that leaves the driver unchanged can be saved, whatever happened to the driver.
    office.hand_over(&["DR-1"], "D-1").await.unwrap();
    office.hears("D-1", "blocked", 2).await.unwrap();
    let version = office.get("DR-1").await.version;
    let head = DeliveryHead { instructions: Some("Ring twice".into()), ..head("S-1") };
    let request = UpdateDeliveryRequest { id: "DR-1".into(), version, head: Some(head) };
    let edited = told(service.update_delivery(by(Role::Dispatcher, request)).await).unwrap();
    assert_eq!(
        (edited.driver_id.as_deref(), edited.instructions.as_deref()),
        (Some("D-1"), Some("Ring twice"))
    );

    // An imported file may name any driver, because its author may know a driver before this service does.
    crate::tests::default_source(&db).await;
    let mut row = crate::tests::row(2, "DR-9", "S-9", "1", 1);
    row.texts.driver_id = Some("D-9".into());
    crate::tests::import(&db, kit::clock::new_id(), 0, vec![row]).await.unwrap();
    assert_eq!(office.get("DR-9").await.driver_id.as_deref(), Some("D-9"));
});

on_both!(a_day_of_a_driver_in_numbers, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let service = office.service();
    // D-1 has four deliveries today, of which the second and third are open, and one tomorrow. D-2 has one.
    let plan = [
        ("DR-1", "D-1", 10),
        ("DR-2", "d-1", 20),
        ("DR-3", "D-1", 20),
        ("DR-4", "D-1", 40),
        ("DR-5", "D-1", 24 * 60),
        ("DR-6", "D-2", 59),
    ];
    for (id, driver_id, minutes) in plan {
        let head = DeliveryHead {
            driver_id: Some(driver_id.into()),
            scheduledatetime: Some(proto::timestamp(at(minutes))),
            ..head("S-1")
        };
        let request = CreateDeliveryRequest { id: id.into(), head: Some(head), ..Default::default() };
        service.create_delivery(by(Role::Dispatcher, request)).await.unwrap();
    }
    office.told_by("D-1", outcome("DR-1", Some(DeliveryStatus::CompleteNoVariance), vec![])).await.unwrap();
    office.told_by("D-1", outcome("DR-4", Some(DeliveryStatus::Undelivered), vec![])).await.unwrap();
    let days = async |driver_ids: &[&str], from, to| {
        let driver_ids = driver_ids.iter().map(|id| (*id).to_owned()).collect();
        let (from, to) = (Some(proto::timestamp(at(from))), Some(proto::timestamp(at(to))));
        let request = by(Role::Viewer, BatchGetDriverDaysRequest { driver_ids, from, to });
        told(office.service().batch_get_driver_days(request).await).map(|answer| {
            let mut days = answer.days;
            days.sort_by(|a, b| a.driver_id.cmp(&b.driver_id));
            days
        })
    };
    let first = DriverDay {
        driver_id: "D-1".into(),
        total: 4,
        done: 2,
        undelivered: 1,
        current_delivery_id: Some("DR-2".into()),
        next_delivery_id: Some("DR-3".into()),
    };
    let second = DriverDay {
        driver_id: "d-2".into(),
        total: 1,
        done: 0,
        undelivered: 0,
        current_delivery_id: Some("DR-6".into()),
        next_delivery_id: None,
    };
    assert_eq!(days(&["D-1", "d-2", "D-3"], 0, 60).await.unwrap(), [first.clone(), second]);
    // The first instant of a range is inclusive, the last is not.
    assert_eq!(days(&["D-2"], 0, 59).await.unwrap(), []);
    assert_eq!(days(&["D-2"], 59, 60).await.unwrap().len(), 1);
    assert_eq!(days(&["D-1"], 40, 41).await.unwrap()[0].current_delivery_id, None);
    assert_eq!(days(&[], 0, 60).await.unwrap(), []);
    assert!(days(&["D-1"], 60, 0).await.unwrap_err().fields.contains_key("to"));
    assert!(days(&["D-1"], 0, 32 * 24 * 60).await.unwrap_err().fields.contains_key("to"));
    let many: Vec<_> = (0..1_001).map(|at| format!("D-{at}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert!(days(&many, 0, 60).await.unwrap_err().fields.contains_key("driverIds"));
    assert_eq!(days(&many[..1_000], 0, 60).await.unwrap().len(), 2);
    let asked = from("D-1", BatchGetDriverDaysRequest::default());
    assert_eq!(of(told(service.batch_get_driver_days(asked).await)).1, "ROLE_MISSING");
});

on_both!(a_photo_of_a_driver_proves_an_outcome, Migrator, |db: Db| async move {
    let mut office = Office::open(&db);
    office.context.config.failed_attempt_proof = kit::config::FailedAttemptProof::Photo;
    office.create("DR-1", "S-1", two_items()).await;
    let request = outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]);
    assert_eq!(office.told_by("D-1", request.clone()).await.unwrap_err().kind, Kind::InvalidInput);
    let url = office.upload_photo("D-1", "DR-1").await;
    let added = office.add_photo("D-1", "DR-1", &url).await.unwrap();
    assert_eq!((added.source.as_str(), added.captured_by.as_str()), ("driver_app", "phone of D-1"));
    let done = office.told_by("D-1", request).await.unwrap();
    assert_eq!(done.deliverystatus(), DeliveryStatus::Undelivered);
});

on_both!(the_copy_of_drivers_is_rebuilt, Migrator, |db: Db| async move {
    let case = Case {
        copy: crate::copies().remove(0),
        make: |id, n| DriverChanged {
            driver_id: id.into(),
            name: format!("{id} for the {n}th time"),
            username: id.into(),
            status: if n % 3 == 2 { "blocked" } else { "active" }.into(),
        },
        handler: |db, clock| {
            consume::consumers(DELIVERIES_DRIVERS, db, clock, on_driver_changed::apply).remove(0).handler
        },
        rows: |db| {
            Box::pin(async move {
                let rows = driver::Entity::find().order_by_asc(driver::Column::DriverIdKey);
                rows.all(db.read()).await.unwrap().iter().map(|row| format!("{row:?}")).collect()
            })
        },
        removes: true,
    };
    ::store::testing::copies::hold::<Migrator, _>(db, case).await;
});
