//! Tries every status transition through the handlers, as each role. Those that `who` allows for the role are
//! accepted, all others are refused.

use ::store::{Db, on_both};
use kit::{Error, Kind, Result, Role};
use proto::deliveries::v1::DeliveryStatus::{
    CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered,
};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;

use super::invariants::*;
use super::office::*;
use crate::Migrator;

const STATUSES: [DeliveryStatus; 5] =
    [Pending, CompleteNoVariance, CompleteWithVariance, Undelivered, Rejected];
const OFFICE: [Role; 3] = [Role::Dispatcher, Role::TransportPlanner, Role::Admin];

/// Returns the roles that may make this transition; none if no role may.
fn who(from: DeliveryStatus, to: DeliveryStatus) -> &'static [Role] {
    match (from, to) {
        (Pending, _) | (Undelivered, Pending | Rejected) => &OFFICE,
        (Rejected, Pending) => &[Role::Admin],
        (CompleteNoVariance, CompleteWithVariance) | (CompleteWithVariance, CompleteNoVariance) => {
            &[Role::TransportPlanner, Role::Admin]
        }
        (CompleteNoVariance | CompleteWithVariance, Pending | Undelivered | Rejected) => &[Role::Admin],
        _ => &[],
    }
}

fn lines_of(status: DeliveryStatus) -> Vec<LineCount> {
    match status {
        CompleteNoVariance => as_expected(),
        CompleteWithVariance => one_short(),
        _ => vec![],
    }
}

/// A handler that can change the status.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Record,
    Correct,
    Reschedule,
}

/// Returns the handler that makes the transition.
fn way(from: DeliveryStatus, to: DeliveryStatus) -> Way {
    match (from, to) {
        (Pending, _) | (Undelivered, Rejected) => Way::Record,
        (Undelivered, Pending) => Way::Reschedule,
        _ => Way::Correct,
    }
}

impl Office {
    async fn ask(&self, role: Role, id: &str, way: Way, to: DeliveryStatus) -> Result<Delivery> {
        match way {
            Way::Record => self.record(role, outcome(id, Some(to), lines_of(to))).await,
            Way::Correct => self.correct(role, correction(id, Some(to), lines_of(to))).await,
            Way::Reschedule => self.reschedule(role, id, at(24 * 60)).await,
        }
    }

    /// Creates a delivery and brings it to this status.
    async fn standing(&self, id: &str, status: DeliveryStatus) {
        self.create(id, &format!("S-{id}"), two_items()).await;
        if status != Pending {
            self.ask(Role::Admin, id, Way::Record, status).await.unwrap();
        }
    }
}

on_both!(each_row_of_the_table_is_taken_by_its_actors_alone, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let mut number = 0;
    for from in STATUSES {
        for to in STATUSES.into_iter().filter(|to| from != *to) {
            for role in OFFICE {
                number += 1;
                let id = format!("DR-{number}");
                office.standing(&id, from).await;
                let before = office.get(&id).await;
                let steps = office.history(&id).await;
                let case = format!("{from:?} → {to:?} by {role}");
                if who(from, to).contains(&role) {
                    let after = office.ask(role, &id, way(from, to), to).await;
                    let after = after.unwrap_or_else(|error| panic!("{case}: {error}"));
                    assert_eq!(after.deliverystatus(), to, "{case}");
                    assert_eq!(after.version, before.version + 1, "{case}");
                    let history = office.history(&id).await;
                    assert_eq!(history.len(), steps.len() + 1, "{case}");
                    let step = history.last().unwrap();
                    assert_eq!((step.from_status(), step.to_status()), (from, to), "{case}");
                    let done = to != Pending && to != Undelivered;
                    let shipment = office.shipment(&format!("S-{id}")).await.unwrap();
                    assert_eq!(
                        (shipment.completed_count == 1, shipment.open_count == 0),
                        (done, done),
                        "{case}"
                    );
                } else {
                    for way in [Way::Record, Way::Correct, Way::Reschedule] {
                        if way == Way::Reschedule && to != Pending {
                            continue;
                        }
                        let error = office.ask(role, &id, way, to).await.unwrap_err();
                        refused_for_the_right_reason(&error, &case);
                    }
                    assert_eq!(office.get(&id).await, before, "{case}");
                    assert_eq!(office.history(&id).await, steps, "{case}");
                }
            }
        }
    }
    assert_eq!(number, 60);
});

fn refused_for_the_right_reason(error: &Error, case: &str) {
    assert_eq!(error.reason, "DELIVERY_TRANSITION_NOT_ALLOWED", "{case}: {error}");
    assert!(
        matches!(error.kind, Kind::Forbidden | Kind::FailedPrecondition | Kind::InvalidInput),
        "{case}: {error}"
    );
    assert!(error.message.contains(" cannot go from "), "{case}: {error}");
}

on_both!(the_same_status_again_is_nothing_to_do, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    for (number, status) in STATUSES.into_iter().enumerate() {
        let id = format!("DR-{number}");
        office.standing(&id, status).await;
        let (before, told) = (office.get(&id).await, events(&db).await.len());
        let again = office.record(Role::Dispatcher, outcome(&id, Some(status), vec![])).await.unwrap();
        assert_eq!((again.version, again.deliverystatus()), (before.version, status));
        assert_eq!(office.history(&id).await.len(), if status == Pending { 1 } else { 2 });
        assert_eq!(events(&db).await.len(), told);
    }
});

on_both!(who_is_not_of_the_office_changes_nothing, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.standing("DR-1", Pending).await;
    for role in [Role::Viewer, Role::Driver] {
        for way in [Way::Record, Way::Correct, Way::Reschedule] {
            let error = office.ask(role, "DR-1", way, CompleteNoVariance).await.unwrap_err();
            assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "ROLE_MISSING"));
        }
    }
    let service = kit::principal::Principal::Service { name: "upload".into() };
    let request = sent(service, outcome("DR-1", Some(CompleteNoVariance), vec![]));
    let error = told(office.service().record_outcome(request).await).unwrap_err();
    assert_eq!(error.kind, Kind::Forbidden);
    assert_eq!(office.get("DR-1").await.version, 1);
});

on_both!(what_a_guard_lacks_is_told_under_its_field, Migrator, |db: Db| async move {
    let mut office = Office::open(&db);
    use kit::config::Proof::{Location, Photo, RecipientName, Signature};
    office.context.config.pod_requirement = vec![Signature, Photo, RecipientName, Location];
    office.standing("DR-1", Pending).await;
    let fields = async |request: RecordOutcomeRequest| -> Vec<String> {
        let error = office.record(Role::Admin, request).await.unwrap_err();
        assert_eq!(error.kind, Kind::InvalidInput, "{error}");
        error.fields.into_keys().collect()
    };
    let complete = outcome("DR-1", Some(CompleteNoVariance), vec![]);
    let bare = RecordOutcomeRequest { received_by: None, ..complete };
    assert_eq!(fields(bare).await, ["location", "photos", "receivedBy", "signature"]);
    let no_reason = vec![count("1", 4_000, 0, None), count("2", 2_500, 0, None)];
    assert!(fields(outcome("DR-1", None, no_reason)).await.contains(&"lines.0.varianceReason".to_owned()));
    let failed = outcome("DR-1", Some(Undelivered), vec![]);
    let bare = RecordOutcomeRequest { note: None, reason: None, ..failed.clone() };
    assert_eq!(fields(bare).await, ["outcomeNote", "outcomeReason"]);
    let other_list = RecordOutcomeRequest { reason: Some("refused_late".into()), ..failed };
    assert_eq!(fields(other_list).await, ["outcomeReason"]);
    let refused = outcome("DR-1", Some(Rejected), vec![]);
    let nobody = RecordOutcomeRequest { received_by: None, received_by_relation: None, ..refused };
    assert_eq!(fields(nobody).await, ["receivedBy"]);
    let error = office.record(Role::Admin, outcome("DR-1", Some(Rejected), one_short())).await.unwrap_err();
    assert_eq!(error.reason, "DELIVERY_STATUS_CONTRADICTS_LINES");
    assert!(error.message.contains("Complete with variance"), "{error}");
    let mut over = as_expected();
    over[0].delivered_thousandths = 6_000;
    assert_eq!(fields(outcome("DR-1", None, over)).await, ["lines.0.quantityDelivered"]);
    let mut bad = outcome("DR-1", Some(CompleteNoVariance), vec![]);
    bad.client_event_id = "mine".into();
    assert_eq!(fields(bad).await, ["clientEventId"]);
    assert_eq!(office.get("DR-1").await.version, 1);
});

on_both!(attempts_come_to_an_end, Migrator, |db: Db| async move {
    let mut office = Office::open(&db);
    office.context.config.max_attempts = 2;
    let (from, to) = (proto::timestamp(at(-30)), proto::timestamp(at(90)));
    let head = DeliveryHead { time_window_start: Some(from), time_window_end: Some(to), ..head("S-1") };
    let request = CreateDeliveryRequest {
        id: "DR-1".into(),
        head: Some(head),
        items: two_items(),
        ..Default::default()
    };
    told(office.service().create_delivery(by(Role::Dispatcher, request)).await).unwrap();
    let failed = || outcome("DR-1", Some(Undelivered), vec![]);
    office.record(Role::Dispatcher, failed()).await.unwrap();
    assert_eq!(office.shipment("S-1").await.unwrap().shipmentstatus(), ShipmentStatus::Partial);
    office.later(60);
    let again = office.reschedule(Role::Dispatcher, "DR-1", at(24 * 60)).await.unwrap();
    assert_eq!((again.attempt, again.deliverystatus(), again.deliverydatetime), (2, Pending, None));
    assert_eq!((again.outcome_reason, again.received_by, again.late), (None, None, false));
    let moved = |minutes: i64| Some(proto::timestamp(at(24 * 60 + minutes)));
    assert_eq!((again.time_window_start, again.time_window_end), (moved(-30), moved(90)), "it moves along");
    assert_eq!(office.shipment("S-1").await.unwrap().shipmentstatus(), ShipmentStatus::Pending);
    office.record(Role::Dispatcher, failed()).await.unwrap();
    assert_eq!(office.shipment("S-1").await.unwrap().shipmentstatus(), ShipmentStatus::Completed);
    let error = office.reschedule(Role::Dispatcher, "DR-1", at(48 * 60)).await.unwrap_err();
    assert!(error.message.contains("attempts are used"), "{error}");
    // Both attempts keep all their variances.
    let attempts: Vec<u32> = office.variances("DR-1").await.iter().map(|it| it.attempt).collect();
    assert_eq!(attempts, [1, 1, 2, 2]);
    // If the setting makes Undelivered final, a failed attempt completes the shipment.
    office.context.config.max_attempts = 3;
    office.context.config.undelivered_is_final = true;
    office.create("DR-2", "S-2", vec![]).await;
    office.record(Role::Dispatcher, outcome("DR-2", Some(Undelivered), vec![])).await.unwrap();
    let shipment = office.shipment("S-2").await.unwrap();
    assert_eq!((shipment.shipmentstatus(), shipment.open_count), (ShipmentStatus::Completed, 0));
    let [whole] = &office.variances("DR-2").await[..] else { panic!("one for the whole delivery") };
    assert_eq!((whole.item_number.clone(), whole.reason.as_deref()), (None, Some("Recipient absent")));
});

on_both!(a_correction_names_the_step_it_corrects, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.standing("DR-1", CompleteNoVariance).await;
    office.later(60);
    let request = correction("DR-1", None, vec![count("1", 3_000, 0, Some("short_shipped"))]);
    let corrected = office.correct(Role::TransportPlanner, request).await.unwrap();
    assert_eq!((corrected.deliverystatus(), corrected.form_version), (CompleteWithVariance, 2));
    assert_eq!(corrected.deliverydatetime, Some(proto::timestamp(at(0))), "it was delivered when it was");
    let history = office.history("DR-1").await;
    assert_eq!(history[2].correction_of.as_deref(), Some(history[1].id.as_str()));
    assert_eq!(history[2].note.as_deref(), Some("Counted again"));
    let back = office.correct(Role::Admin, correction("DR-1", Some(Pending), vec![])).await.unwrap();
    assert_eq!((back.attempt, back.deliverydatetime, back.form_version), (1, None, 3));
    assert!(office.variances("DR-1").await.is_empty());
    let history = office.history("DR-1").await;
    assert_eq!(history[3].correction_of.as_deref(), Some(history[2].id.as_str()));
    assert!(history[3].changes.iter().any(|it| it.field == "deliverydatetime" && it.after.is_none()));
    let forms = forms(&db, "DR-1").await;
    let reasons: Vec<Option<&str>> = forms.iter().map(|it| it.correction_reason.as_deref()).collect();
    assert_eq!(reasons, [None, Some("Counted again"), Some("Counted again")]);
    assert_eq!(forms[1].items[0].delivered_thousandths, 3_000, "the form says what was counted");
    assert_eq!(forms[1].variances.len(), 1);
    let told: Vec<String> = emitted(&db).await.into_iter().map(|it| it.change).collect();
    assert_eq!(told, ["created", "outcome_recorded", "corrected", "corrected"]);
});
