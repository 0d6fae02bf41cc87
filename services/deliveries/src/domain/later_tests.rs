//! What happens to a delivery after its outcome: late reports of devices, further attempts, corrections, and
//! assignments of drivers.

use chrono::TimeDelta;
use kit::Kind;
use kit::input::limits;

use super::actor::Actor;
use super::clocks::Clocks;
use super::command::{Command, Correct, RecordOutcome, Request};
use super::delivery::Status;
use super::line::{Line, VarianceKind};
use super::state::State;
use super::testing::{
    admin, at, because, change, correction, count, dispatcher, driver, field, fields, is_no_op, lines,
    one_short, outcome, planner, record, refused, request, state, superseded,
};

use Status::{CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered};

// Late devices.

/// Returns a delivery for which the office decided on this status at minute 100.
fn decided(status: Status) -> State {
    State { office_decided_at: Some(at(100)), ..state(status) }
}

fn event(minutes: i64, it: RecordOutcome) -> Request {
    let clocks = Clocks { occurred_at: at(minutes), received_at: at(120) };
    Request { clocks, ..request(driver(), record(it)) }
}

#[test]
fn a_late_event_does_not_go_over_the_office() {
    for status in [CompleteNoVariance, CompleteWithVariance, Rejected, Pending] {
        let before = decided(status);
        let (after, step) = superseded(&before, &event(90, outcome(Some(Undelivered), None)));
        assert_eq!(after, State { conflict: true, version: 8, ..before.clone() }, "a version of its own");
        assert!(step.superseded && !step.correction);
        assert_eq!((step.from, step.to), (Some(status), Undelivered));
        assert_eq!((step.reason.as_deref(), step.occurred_at), (Some("recipient_absent"), at(90)));
        assert!(field(&step, "outcomeReason").is_some(), "what was said is kept: {:?}", step.changes);
    }
}

#[test]
fn a_late_event_needs_no_proof_to_be_kept() {
    let bare = RecordOutcome { reason: None, note: None, photo: false, ..outcome(Some(Undelivered), None) };
    let (after, _) = superseded(&decided(Rejected), &event(90, bare));
    assert!(after.conflict);
    // The version is outdated, but the device could not know that.
    let seen = Request { expected_version: Some(3), ..event(90, outcome(Some(Rejected), None)) };
    superseded(&decided(Pending), &seen);
}

#[test]
fn a_late_event_has_to_be_readable() {
    let said = |counts| event(90, outcome(None, Some(counts)));
    for (counts, field) in [
        (vec![count("1", -1, 0)], "lines.0.quantityDelivered"),
        (vec![count("9", 1, 0), count(" 9", 1, 0)], "lines.1.itemNumber"),
        (vec![count(" ", 1, 0)], "lines.0.itemNumber"),
        (vec![because(&"x".repeat(65), count("9", 1, 0))], "lines.0.varianceReason"),
        (vec![], "deliverystatus"),
    ] {
        assert_eq!(fields(&refused(&decided(Pending), &said(counts))), [field]);
    }
    let many = (0..=limits::ITEMS).map(|number| count(&number.to_string(), 1, 0)).collect();
    assert_eq!(fields(&refused(&decided(Pending), &said(many))), ["lines"]);
}

/// The office changed the items, and the phone sends what it counted before.
#[test]
fn counts_of_earlier_items_are_kept() {
    let before = decided(Pending);
    let said = |status, counts| superseded(&before, &event(90, outcome(status, Some(counts))));
    let (after, step) = said(None, vec![count("1", 5_000, 0), count(" 3 ", 1_000, 500)]);
    assert_eq!(after, State { conflict: true, version: 8, ..before.clone() });
    assert_eq!(step.to, CompleteWithVariance);
    let of = |number: &str| -> Vec<_> {
        let own = step.changes.iter().filter(|it| it.item_number.as_deref() == Some(number));
        own.map(|it| (it.field, it.before.as_deref(), it.after.as_deref())).collect()
    };
    assert_eq!(of("1"), [("quantityDelivered", Some("0"), Some("5"))]);
    assert_eq!(of("2"), [], "it was not counted");
    let gone = [
        ("quantityDelivered", None, Some("1")),
        ("quantityRejected", None, Some("0.5")),
        ("condition", None, Some("ok")),
    ];
    assert_eq!(of("3"), gone);
    // No rule of the present is asked: expected quantities, reasons, notes, what the lines imply.
    assert_eq!(said(None, vec![count("1", 9_000, 0)]).1.to, CompleteNoVariance);
    let unknown = because("made_up", count("1", 4_000, 0));
    assert_eq!(said(None, vec![unknown, because("other", count("2", 0, 0))]).1.to, CompleteWithVariance);
    assert_eq!(said(Some(Rejected), vec![count("1", 5_000, 0)]).1.to, Rejected);
}

#[test]
fn a_late_event_about_other_items_does_not_agree() {
    let complete = decided(CompleteNoVariance);
    let said = |counts| event(90, outcome(None, Some(counts)));
    superseded(&complete, &said(vec![count("1", 5_000, 0)]));
    superseded(&complete, &said(vec![count("1", 5_000, 0), count("2", 2_500, 0), count("3", 1_000, 0)]));
    // The quantities expected are known where the counts are those that are recorded.
    let mut failed = decided(Undelivered);
    failed.lines[0].rejected = 3_000;
    assert!(is_no_op(&failed, &said(vec![count("1", 0, 3_000), count("2", 0, 0)])));
    let second = State { attempt: 2, ..state(Pending) };
    let first = |counts| RecordOutcome { attempt: Some(1), ..outcome(Some(Undelivered), Some(counts)) };
    assert!(is_no_op(&second, &event(119, first(vec![count("3", 0, 0)]))));
    superseded(&second, &event(119, first(vec![count("3", 1_000, 0)])));
}

#[test]
fn only_what_happened_before_is_late() {
    let said = || outcome(Some(CompleteNoVariance), None);
    superseded(&decided(Pending), &event(100, said()));
    assert_eq!(change(&decided(Pending), &event(101, said())).state.status, CompleteNoVariance);
    assert_eq!(refused(&decided(Undelivered), &event(101, said())).reason, "DELIVERY_TRANSITION_NOT_ALLOWED");
    // The office itself is never late.
    let clocks = Clocks { occurred_at: at(90), received_at: at(120) };
    let by_phone = Request { clocks, ..request(dispatcher(), record(said())) };
    assert_eq!(change(&decided(Pending), &by_phone).state.status, CompleteNoVariance);
    // If the office did not decide, the transition table applies.
    assert_eq!(refused(&state(Undelivered), &event(90, said())).reason, "DELIVERY_TRANSITION_NOT_ALLOWED");
}

/// A phone that is slow says an earlier time.
#[test]
fn who_has_seen_the_decision_is_not_late() {
    let said = |it| Request { saw_decision: true, ..event(90, it) };
    let done = || outcome(Some(CompleteNoVariance), None);
    assert_eq!(change(&decided(Pending), &said(done())).state.status, CompleteNoVariance);
    // What is said about an earlier attempt is late by any clock.
    let second = State { attempt: 2, ..decided(Pending) };
    superseded(&second, &said(RecordOutcome { attempt: Some(1), ..done() }));
}

#[test]
fn a_late_event_that_agrees_is_nothing_to_do() {
    assert!(is_no_op(&decided(Rejected), &event(90, outcome(Some(Rejected), None))));
    assert!(is_no_op(&decided(CompleteWithVariance), &event(90, outcome(None, Some(one_short())))));
    let fewer = vec![because("short_shipped", count("1", 3_000, 0)), count("2", 2_500, 0)];
    let (_, step) = superseded(&decided(CompleteWithVariance), &event(90, outcome(None, Some(fewer))));
    assert_eq!((step.from, step.to), (Some(CompleteWithVariance), CompleteWithVariance));
}

#[test]
fn an_event_of_an_attempt_that_is_over_is_late() {
    let second = State { attempt: 2, ..state(Pending) };
    let first = |status| event(119, RecordOutcome { attempt: Some(1), ..outcome(Some(status), None) });
    let (after, step) = superseded(&second, &first(CompleteNoVariance));
    assert_eq!((after.attempt, step.attempt), (2, 1));
    assert!(is_no_op(&second, &first(Undelivered)), "it failed, or there would be no second one");
}

#[test]
fn the_office_ends_a_conflict_by_what_it_decides() {
    let conflict = State { conflict: true, ..decided(Pending) };
    let said = || record(outcome(Some(Undelivered), None));
    assert!(change(&conflict, &request(driver(), said())).state.conflict);
    assert!(!change(&conflict, &request(dispatcher(), said())).state.conflict);
    let assign = Command::AssignDriver { driver_id: Some("D-2".into()) };
    assert!(change(&conflict, &request(dispatcher(), assign)).state.conflict);
    let again = Command::Reschedule { scheduledatetime: at(1_440), note: None };
    let failed = State { conflict: true, ..state(Undelivered) };
    let seen = Request { expected_version: Some(7), ..request(dispatcher(), again.clone()) };
    assert!(!change(&failed, &seen).state.conflict);
    let unseen = refused(&failed, &request(dispatcher(), again.clone()));
    assert_eq!(unseen.reason, "DELIVERY_TRANSITION_NOT_ALLOWED");
    assert!(unseen.message.contains("has to be reviewed first"), "{unseen}");
    let system = Actor::System { name: "system:deliveries".into() };
    assert!(change(&failed, &request(system, again)).state.conflict, "nobody looked at it");
}

// Rescheduling: a further attempt after a failed one.

#[test]
fn another_attempt_begins_with_nothing_counted() {
    let note = Some("Tomorrow".to_owned());
    let request = request(dispatcher(), Command::Reschedule { scheduledatetime: at(1_440), note });
    let before = state(Undelivered);
    let change = change(&before, &request);
    let after = &change.state;
    assert_eq!((after.attempt, after.scheduledatetime), (2, at(1_440)));
    let window = (after.time_window_start, after.time_window_end);
    assert_eq!(window, (Some(at(1_410)), None), "it moves along");
    assert_eq!((after.deliverydatetime, &after.outcome, &after.lines), (None, &None, &lines()));
    assert_eq!((after.form_version, change.form_issued), (1, false), "the form of the attempt stays");
    assert!(change.variances.is_empty());
    let step = change.step.unwrap();
    assert_eq!((step.attempt, step.note.as_deref()), (2, Some("Tomorrow")));
    assert_eq!(field(&step, "outcomeReason").unwrap().before.as_deref(), Some("site_closed"));
    assert_eq!(field(&step, "deliverydatetime").unwrap().after, None);
    // A request that is sent twice makes one attempt.
    assert!(is_no_op(after, &request));
    let third = State { attempt: 3, ..before };
    assert_eq!(refused(&third, &request).kind, Kind::FailedPrecondition);
}

#[test]
fn a_refusal_by_phone_belongs_to_the_attempt() {
    let reason = Some("refused_not_ordered".to_owned());
    let command = Command::RefuseAfterAttempt { reason, note: Some("Called back".into()) };
    let change = change(&State { attempt: 3, ..state(Undelivered) }, &request(dispatcher(), command));
    let after = change.state;
    assert_eq!((after.status, after.attempt, after.deliverydatetime), (Rejected, 3, Some(at(60))));
    assert!(change.form_issued);
    let kept = after.outcome.unwrap();
    assert_eq!(
        (kept.reason.as_deref(), kept.note.as_deref()),
        (Some("refused_not_ordered"), Some("Called back"))
    );
    let kinds: Vec<_> = change.variances.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [VarianceKind::RejectedLine, VarianceKind::RejectedLine]);
    assert_eq!(change.variances[0].reason.as_ref().unwrap().label, "Refused: not ordered");
}

#[test]
fn a_reopened_delivery_is_in_the_same_attempt() {
    let command = Command::Reopen { reason: Some("Changed their mind".into()) };
    let change = change(&state(Rejected), &request(admin(), command));
    assert_eq!((change.state.attempt, change.state.deliverydatetime), (1, None));
    assert_eq!((change.state.form_version, change.form_issued), (2, true));
    let step = change.step.unwrap();
    assert_eq!(step.note.as_deref(), Some("Changed their mind"));
    assert_eq!(field(&step, "outcomeReason").unwrap().before.as_deref(), Some("refused_late"));
}

#[test]
fn lines_are_corrected_one_by_one() {
    let counts = vec![because("short_shipped", count("2", 2_000, 0))];
    let request = request(planner(), Command::Correct(correction(None, Some(counts))));
    let change = change(&state(CompleteNoVariance), &request);
    let after = &change.state;
    assert_eq!((after.status, after.deliverydatetime), (CompleteWithVariance, Some(at(60))));
    assert_eq!((after.lines[0].delivered, after.lines[1].delivered), (5_000, 2_000));
    assert_eq!(after.outcome, state(CompleteNoVariance).outcome);
    assert_eq!((after.form_version, change.form_issued), (2, true));
    let step = change.step.unwrap();
    assert!(step.correction && !step.superseded);
    assert_eq!((step.note.as_deref(), step.changes.len()), (Some("Counted again"), 2));
}

#[test]
fn corrected_lines_of_the_same_status_are_a_step_too() {
    let fewer = Some(vec![because("short_delivered", count("1", 3_000, 0))]);
    let request = request(planner(), Command::Correct(correction(None, fewer)));
    let change = change(&state(CompleteWithVariance), &request);
    let step = change.step.unwrap();
    assert_eq!((step.from, step.to), (Some(CompleteWithVariance), CompleteWithVariance));
    assert_eq!((change.state.version, change.state.form_version), (8, 2));
    assert_eq!(change.variances[0].difference, -2_000);
}

#[test]
fn lines_that_say_nothing_came_are_for_an_admin() {
    let nothing = || {
        let counts = vec![count("1", 0, 0), count("2", 0, 0)];
        Command::Correct(Correct {
            outcome_reason: Some("goods_not_loaded".into()),
            ..correction(None, Some(counts))
        })
    };
    let error = refused(&state(CompleteNoVariance), &request(planner(), nothing()));
    assert_eq!((error.reason.as_str(), error.kind), ("DELIVERY_TRANSITION_NOT_ALLOWED", Kind::Forbidden));
    assert_eq!(change(&state(CompleteNoVariance), &request(admin(), nothing())).state.status, Undelivered);
}

#[test]
fn a_completed_delivery_is_taken_back_by_correction() {
    let taken = |to| {
        change(&state(CompleteWithVariance), &request(admin(), Command::Correct(correction(Some(to), None))))
    };
    let pending = taken(Pending);
    assert_eq!((pending.state.attempt, pending.state.deliverydatetime), (1, None));
    assert_eq!((&pending.state.outcome, &pending.state.lines), (&None, &lines()));
    let step = pending.step.unwrap();
    let moved = field(&step, "deliverydatetime").unwrap();
    assert_eq!((moved.before.as_deref(), &moved.after), (Some("2027-01-15T09:00:00.000000Z"), &None));

    let undelivered = taken(Undelivered);
    assert_eq!(undelivered.state.deliverydatetime, Some(at(60)), "the attempt was made then");
    let kept = undelivered.state.outcome.as_ref().unwrap();
    assert_eq!(
        (kept.reason.as_deref(), &kept.received_by, kept.relation),
        (Some("goods_not_loaded"), &None, None)
    );
    let step = undelivered.step.unwrap();
    assert_eq!(
        (step.reason.as_deref(), step.note.as_deref()),
        (Some("goods_not_loaded"), Some("Counted again"))
    );
    assert_eq!(undelivered.variances.len(), 2);

    let rejected = taken(Rejected);
    assert_eq!(rejected.state.outcome.as_ref().unwrap().received_by.as_deref(), Some("Nena"));
    assert!(rejected.state.lines.iter().all(|line| line.rejected == line.expected));
    for change in [taken(Pending), taken(Undelivered), taken(Rejected)] {
        assert!(change.form_issued && change.step.unwrap().correction);
        assert_eq!(change.state.form_version, 2);
    }
}

#[test]
fn a_corrected_line_needs_the_photo_of_its_reason() {
    let damaged = |photo| {
        let counts = vec![because("damaged_in_transit", count("1", 4_000, 1_000))];
        request(planner(), Command::Correct(Correct { photo, ..correction(None, Some(counts)) }))
    };
    assert_eq!(fields(&refused(&state(CompleteNoVariance), &damaged(false))), ["photos"]);
    change(&state(CompleteNoVariance), &damaged(true));
    // The reason of a line that stays as it is asks for nothing.
    let mut before = state(CompleteWithVariance);
    before.lines[0].reason = Some("damaged_in_transit".into());
    let counts = vec![because("short_shipped", count("2", 2_000, 0))];
    change(&before, &request(planner(), Command::Correct(correction(None, Some(counts)))));
}

#[test]
fn a_corrected_outcome_needs_the_photo_of_its_reason() {
    let rejected = |photo| {
        let outcome_reason = Some("refused_all_damaged".to_owned());
        let correct = Correct { outcome_reason, photo, ..correction(Some(Rejected), None) };
        request(admin(), Command::Correct(correct))
    };
    let before = state(CompleteNoVariance);
    assert_eq!(fields(&refused(&before, &rejected(false))), ["photos"]);
    assert_eq!(change(&before, &rejected(true)).state.status, Rejected);
}

// Assignment.

#[test]
fn a_driver_is_assigned_without_a_step() {
    let assign = |id: Option<&str>| Command::AssignDriver { driver_id: id.map(str::to_owned) };
    for status in [Pending, Undelivered] {
        for id in [Some(" D-2 "), None] {
            let before = state(status);
            let change = change(&before, &request(dispatcher(), assign(id)));
            assert_eq!(change.state.driver_id.as_deref(), id.map(str::trim));
            assert_eq!((change.state.status, change.state.version), (status, 8));
            assert_eq!(
                (&change.step, change.form_issued, change.state.office_decided_at),
                (&None, false, None)
            );
        }
    }
    assert!(is_no_op(&state(Pending), &request(dispatcher(), assign(Some("d-1")))));
    assert_eq!(
        fields(&refused(&state(Pending), &request(dispatcher(), assign(Some(&"x".repeat(65)))))),
        ["driverId"]
    );
    assert_eq!(refused(&state(Pending), &request(driver(), assign(None))).kind, Kind::Forbidden);
}

#[test]
fn another_driver_afterwards_is_a_correction() {
    let assign = || Command::AssignDriver { driver_id: Some("D-2".into()) };
    for status in [CompleteNoVariance, CompleteWithVariance, Rejected] {
        let error = refused(&state(status), &request(dispatcher(), assign()));
        assert_eq!((error.reason.as_str(), error.kind), ("DELIVERY_ACTION_NOT_ALLOWED", Kind::Forbidden));
        let change = change(&state(status), &request(planner(), assign()));
        assert_eq!((change.state.form_version, change.form_issued), (2, true), "the form names the driver");
        assert_eq!(change.state.status, status);
    }
    let change = change(&state(CompleteWithVariance), &request(planner(), assign()));
    assert_eq!(change.variances.len(), 1, "they stay");
}

#[test]
fn another_attempt_lies_ahead() {
    let again = |minutes| Command::Reschedule { scheduledatetime: at(minutes), note: None };
    // It is minute 120: a form that was open for a few minutes may name a time just past.
    change(&state(Undelivered), &request(dispatcher(), again(116)));
    let error = refused(&state(Undelivered), &request(dispatcher(), again(114)));
    assert_eq!(error.fields["scheduledatetime"], ["Dispatch date and time must not be in the past"]);
}

#[test]
fn a_change_of_time_alone_is_no_attempt() {
    let later = Command::Reschedule { scheduledatetime: at(0) + TimeDelta::hours(1), note: None };
    let error = refused(&state(Pending), &request(dispatcher(), later));
    assert!(error.message.contains("it is still Pending"), "{error}");
}

#[test]
fn an_item_number_is_found_however_it_is_spelled() {
    let before = State { lines: vec![Line::open("Ab-1", 1_000)], ..state(Pending) };
    let said = outcome(None, Some(vec![count(" aB-1", 1_000, 0)]));
    let change = change(&before, &request(driver(), record(said)));
    assert_eq!(change.state.lines[0].item_number, "Ab-1");
}
