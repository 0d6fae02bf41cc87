//! Rules beyond the table of transitions: what lines and status imply, what is recorded, and versions.

use chrono::TimeDelta;
use kit::Kind;

use super::clocks::Clocks;
use super::command::{Command, Policy, RecordOutcome, Request};
use super::delivery::{ActorType, ScanMode, Status};
use super::line::VarianceKind;
use super::proof::{FailedAttemptProof, PodRequirement, Proof};
use super::reason::{AppliesTo, Catalogue};
use super::state::{Change, Place, Relation, State};
use super::testing::{
    admin, as_expected, at, because, change, correction, count, dispatcher, driver, fields, one_short,
    outcome, policy, record, refused, request, state,
};
use super::transition::decide;

use Status::{CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered};

// The status of a completed delivery follows from the counts of its lines.

#[test]
fn lines_alone_say_the_status() {
    for (counts, reason, status) in [
        (as_expected(), None, CompleteNoVariance),
        (one_short(), None, CompleteWithVariance),
        (vec![count("1", 0, 0), count("2", 0, 0)], Some("site_closed"), Undelivered),
        (vec![count("1", 0, 5_000), count("2", 0, 2_500)], Some("refused_late"), Rejected),
    ] {
        let said = RecordOutcome { reason: reason.map(str::to_owned), ..outcome(None, Some(counts)) };
        assert_eq!(change(&state(Pending), &request(driver(), record(said))).state.status, status);
    }
}

#[test]
fn a_status_alone_says_the_lines() {
    let lines_of = |status| {
        let change = change(&state(Pending), &request(driver(), record(outcome(Some(status), None))));
        change.state.lines.iter().map(|it| (it.delivered, it.rejected)).collect::<Vec<_>>()
    };
    assert_eq!(lines_of(CompleteNoVariance), [(5_000, 0), (2_500, 0)]);
    assert_eq!(lines_of(Undelivered), [(0, 0), (0, 0)]);
    assert_eq!(lines_of(Rejected), [(0, 5_000), (0, 2_500)]);
    let error =
        refused(&state(Pending), &request(driver(), record(outcome(Some(CompleteWithVariance), None))));
    assert_eq!(
        (error.reason.as_str(), &fields(&error)[..]),
        ("DELIVERY_TRANSITION_NOT_ALLOWED", &["lines"][..])
    );
}

#[test]
fn a_contradiction_names_the_status_the_lines_imply() {
    let request = request(driver(), record(outcome(Some(CompleteNoVariance), Some(one_short()))));
    let error = refused(&state(Pending), &request);
    assert_eq!(error.reason, "DELIVERY_STATUS_CONTRADICTS_LINES");
    assert_eq!(error.message, "Status must be Complete with variance to match the items");
    assert_eq!(fields(&error), ["deliverystatus"]);
}

#[test]
fn all_lines_are_counted_at_an_outcome() {
    let said = outcome(None, Some(vec![count("1", 5_000, 0)]));
    let error = refused(&state(Pending), &request(driver(), record(said)));
    assert_eq!(error.fields["lines"], ["Items must all be counted; 2 is not"]);
    let error = refused(&state(Pending), &request(driver(), record(outcome(None, None))));
    assert_eq!(fields(&error), ["deliverystatus"]);
}

#[test]
fn a_delivery_without_lines_is_what_is_said() {
    let bare = State { lines: vec![], ..state(Pending) };
    for status in [CompleteNoVariance, Undelivered, Rejected] {
        for counts in [None, Some(vec![])] {
            let said = record(outcome(Some(status), counts));
            let change = change(&bare, &request(driver(), said));
            // Without lines, the reason is recorded as a variance of the whole delivery.
            let kept = usize::from(AppliesTo::of(status).is_some());
            assert_eq!((change.state.status, change.variances.len()), (status, kept));
        }
    }
    for counts in [None, Some(vec![])] {
        let said = record(outcome(Some(CompleteWithVariance), counts));
        assert_eq!(fields(&refused(&bare, &request(driver(), said))), ["lines"]);
    }
    let said = record(outcome(None, Some(vec![])));
    assert_eq!(fields(&refused(&bare, &request(driver(), said))), ["deliverystatus"]);
}

#[test]
fn more_than_expected_is_not_a_whole_refusal() {
    let policy = Policy { over_delivery: true, ..policy() };
    let counts = vec![because("over_delivered", count("1", 0, 6_000)), count("2", 0, 2_500)];
    let request = request(driver(), record(outcome(Some(Rejected), Some(counts))));
    let error = decide(&state(Pending), &request, policy).unwrap_err();
    assert_eq!(error.reason, "DELIVERY_TRANSITION_NOT_ALLOWED");
    assert_eq!(fields(&error), ["lines.0.quantityRejected"]);
}

// What is recorded with an outcome.

#[test]
fn an_outcome_is_kept_whole() {
    let place = Place { lat: 14.559, lng: 121.02, accuracy: Some(8.0) };
    let said = RecordOutcome { place: Some(place), ..outcome(Some(CompleteWithVariance), Some(one_short())) };
    let request = Request {
        clocks: Clocks { occurred_at: at(110), received_at: at(120) },
        ..request(driver(), record(said))
    };
    let Change { state: after, step, variances, form_issued } = change(&state(Pending), &request);
    assert_eq!((after.version, after.form_version, after.attempt), (8, 1, 1));
    assert_eq!(after.deliverydatetime, Some(at(110)));
    assert_eq!(after.office_decided_at, None, "a driver is not the office");
    assert!(form_issued);
    let kept = after.outcome.unwrap();
    assert_eq!((kept.received_by.as_deref(), kept.relation), (Some("Nena"), Some(Relation::Recipient)));
    assert_eq!((kept.scanmode, kept.place, kept.late), (ScanMode::Yes, Some(place), false));
    assert_eq!((kept.occurred_at, kept.received_at), (at(110), at(120)));
    let step = step.unwrap();
    assert_eq!((step.actor, step.actor_name.as_str()), (ActorType::Driver, "Ramon"));
    assert_eq!((step.place, step.client_event_id), (Some(place), request.client_event_id));
    assert!(!step.superseded && !step.correction && !step.late);
    let short: Vec<_> = step.changes.iter().filter(|it| it.item_number.as_deref() == Some("1")).collect();
    assert_eq!(short.len(), 2, "{short:?}");
    assert_eq!((short[0].field, short[0].after.as_deref()), ("quantityDelivered", Some("4")));
    assert_eq!((short[1].field, short[1].after.as_deref()), ("varianceReason", Some("short_shipped")));
    assert_eq!((variances.len(), variances[0].kind), (1, VarianceKind::Short));
}

#[test]
fn a_clock_that_is_ahead_is_capped_and_marked() {
    for (minutes, processed, late) in [(121, 121, false), (125, 122, false), (131, 122, true), (89, 89, true)]
    {
        let clocks = Clocks { occurred_at: at(minutes), received_at: at(120) };
        let said = record(outcome(Some(CompleteNoVariance), None));
        let change = change(&state(Pending), &Request { clocks, ..request(driver(), said) });
        assert_eq!(change.state.deliverydatetime, Some(at(processed)), "{minutes}");
        let step = change.step.unwrap();
        assert_eq!((step.occurred_at, step.late), (at(processed), late));
        let outcome = change.state.outcome.unwrap();
        assert_eq!((outcome.occurred_at, outcome.late), (at(minutes), late), "as the device said");
    }
}

#[test]
fn a_device_sends_an_id_with_its_event() {
    let said = || record(outcome(Some(CompleteNoVariance), None));
    let nameless = |actor| Request { client_event_id: None, ..request(actor, said()) };
    assert_eq!(fields(&refused(&state(Pending), &nameless(driver()))), ["clientEventId"]);
    assert!(change(&state(Pending), &nameless(dispatcher())).step.unwrap().client_event_id.is_none());
}

#[test]
fn texts_and_places_are_checked_all_at_once() {
    let said = RecordOutcome {
        reason: Some("x".repeat(65)),
        note: Some("x".repeat(2_001)),
        received_by: Some("Ne\u{202e}na".into()),
        place: Some(Place { lat: 91.0, lng: 0.0, accuracy: None }),
        ..outcome(Some(CompleteNoVariance), None)
    };
    let error = refused(&state(Pending), &request(driver(), record(said)));
    assert_eq!((error.reason.as_str(), error.kind), ("INVALID_FIELDS", Kind::InvalidInput));
    assert_eq!(fields(&error), ["location", "outcomeNote", "outcomeReason", "receivedBy"]);
}

#[test]
fn what_is_required_is_asked_for_at_once() {
    let all = PodRequirement::parse(Proof::SPELLINGS.iter().copied()).unwrap();
    let nothing = RecordOutcome {
        note: None,
        received_by: None,
        relation: None,
        scanmode: ScanMode::No,
        signature: false,
        photo: false,
        ..outcome(Some(CompleteNoVariance), None)
    };
    let strict = Policy { proof: &all, ..policy() };
    let request = |it: &RecordOutcome| request(driver(), record(it.clone()));
    let error = decide(&state(Pending), &request(&nothing), strict).unwrap_err();
    assert_eq!(fields(&error), ["location", "outcomeNote", "photos", "receivedBy", "scanmode", "signature"]);
    let free = PodRequirement::default();
    let generous = Policy { proof: &free, failed_attempt: FailedAttemptProof::Nothing, ..policy() };
    assert!(decide(&state(Pending), &request(&nothing), generous).is_ok());
    let absent = RecordOutcome { status: Some(Undelivered), reason: Some("site_closed".into()), ..nothing };
    assert!(decide(&state(Pending), &request(&absent), generous).is_ok());
    assert!(decide(&state(Pending), &request(&absent), strict).is_err());
}

#[test]
fn a_reason_may_ask_for_a_photo_or_a_note() {
    let lacking = |it: RecordOutcome| {
        let error = refused(&state(Pending), &request(driver(), record(it)));
        fields(&error).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let damaged = RecordOutcome {
        reason: Some("refused_all_damaged".into()),
        photo: false,
        ..outcome(Some(Rejected), None)
    };
    assert_eq!(lacking(damaged), ["photos"]);
    let unsafe_there =
        RecordOutcome { reason: Some("safety_issue".into()), note: None, ..outcome(Some(Undelivered), None) };
    assert_eq!(lacking(unsafe_there), ["outcomeNote"]);
    let counts = vec![because("damaged_in_transit", count("1", 4_000, 1_000)), count("2", 2_500, 0)];
    let broken = RecordOutcome { photo: false, ..outcome(None, Some(counts)) };
    assert_eq!(lacking(broken), ["photos"]);
    let idle =
        RecordOutcome { reason: Some("site_closed".into()), ..outcome(Some(CompleteNoVariance), None) };
    assert_eq!(lacking(idle), ["outcomeReason"]);
}

#[test]
fn a_reason_out_of_use_is_refused_as_such() {
    let mut reasons = Catalogue::seed().reasons().to_vec();
    for reason in &mut reasons {
        (reason.is_active, reason.requires_photo) = (false, true);
    }
    let reasons = Catalogue::new(reasons);
    let absent = RecordOutcome { photo: false, ..outcome(Some(Undelivered), None) };
    let policy = Policy { reasons: &reasons, ..policy() };
    let error = decide(&state(Pending), &request(driver(), record(absent)), policy).unwrap_err();
    assert_eq!(fields(&error), ["outcomeReason"]);
    let text = "Reason \"Recipient absent\" is no longer in use. Choose another one";
    assert_eq!(error.fields["outcomeReason"], [text]);
}

#[test]
fn the_shipper_cancels_without_anybody_there() {
    let said = RecordOutcome {
        reason: Some("cancelled_by_shipper".into()),
        received_by: None,
        relation: None,
        ..outcome(Some(Rejected), None)
    };
    let change = change(&state(Pending), &request(dispatcher(), record(said)));
    assert_eq!(change.state.status, Rejected);
    assert_eq!(change.state.office_decided_at, Some(at(120)));
}

// Versions.

#[test]
fn a_stale_version_is_refused_whatever_is_asked() {
    let ask = [
        (Pending, record(outcome(Some(CompleteNoVariance), None))),
        (Pending, record(outcome(Some(Pending), None))),
        (CompleteNoVariance, record(outcome(Some(CompleteNoVariance), None))),
        (Undelivered, Command::Reschedule { scheduledatetime: at(1_440), note: None }),
        (
            Undelivered,
            Command::RefuseAfterAttempt { reason: Some("refused_late".into()), note: Some("x".into()) },
        ),
        (Rejected, Command::Reopen { reason: Some("x".into()) }),
        (CompleteNoVariance, Command::Correct(correction(Some(Pending), None))),
        (Pending, Command::AssignDriver { driver_id: Some("D-2".into()) }),
    ];
    for (status, command) in ask {
        let seen = |version| Request { expected_version: Some(version), ..request(admin(), command.clone()) };
        for stale in [6, 8] {
            let error = refused(&state(status), &seen(stale));
            assert_eq!((error.reason.as_str(), error.kind), ("DELIVERY_CHANGED", Kind::FailedPrecondition));
        }
        assert!(decide(&state(status), &seen(7), policy()).is_ok(), "{command:?}");
    }
}

#[test]
fn an_outcome_of_an_attempt_that_is_over_is_stale() {
    let second = State { attempt: 2, ..state(Pending) };
    let said = |attempt| RecordOutcome { attempt, ..outcome(Some(CompleteNoVariance), None) };
    let error = refused(&second, &request(dispatcher(), record(said(Some(1)))));
    assert_eq!(error.reason, "DELIVERY_CHANGED");
    for attempt in [0, 3] {
        assert_eq!(fields(&refused(&second, &request(driver(), record(said(Some(attempt)))))), ["attempt"]);
    }
    assert_eq!(change(&second, &request(driver(), record(said(Some(2))))).state.attempt, 2);
}

#[test]
fn other_lines_of_the_same_status_are_not_lost_in_silence() {
    let request = request(
        driver(),
        record(outcome(
            None,
            Some(vec![because("short_shipped", count("1", 3_000, 0)), count("2", 2_500, 0)]),
        )),
    );
    let error = refused(&state(CompleteWithVariance), &request);
    assert_eq!(error.reason, "DELIVERY_TRANSITION_NOT_ALLOWED");
}

/// Refuses impossible times: a clock that was never set, or a mistyped year, must not become the delivery's
/// time.
#[test]
fn an_outcome_has_a_time_that_the_delivery_can_have() {
    let told = |actor, occurred_at, received_at| {
        let asked = request(actor, record(outcome(Some(CompleteNoVariance), None)));
        Request { clocks: Clocks { occurred_at, received_at }, ..asked }
    };
    let now = at(60);
    let year = |year: i32| format!("{year:04}-06-01T00:00:00Z").parse().unwrap();
    let said = |state: &State, request: &Request| {
        let error = refused(state, request);
        assert_eq!(fields(&error), ["occurredAt"]);
        error.message
    };
    for occurred_at in [year(1), year(1970), at(0) - TimeDelta::days(32)] {
        let text = said(&state(Pending), &told(driver(), occurred_at, now));
        assert!(text.starts_with("Time must not be before 20"), "{text}");
    }
    for occurred_at in [year(1), at(-31 * 24 * 60), at(-2)] {
        let text = said(&state(Pending), &told(dispatcher(), occurred_at, now));
        assert_eq!(text, "Time must not be before the delivery was created");
    }
    for ahead in [TimeDelta::minutes(5) + TimeDelta::microseconds(1), TimeDelta::days(2)] {
        let text = said(&state(Pending), &told(dispatcher(), now + ahead, now));
        assert_eq!(text, "Time must not be in the future");
    }
    // Forms send whole minutes, and clocks differ.
    for occurred_at in [at(0) - TimeDelta::seconds(59), at(0), now + TimeDelta::minutes(5)] {
        change(&state(Pending), &told(dispatcher(), occurred_at, now));
    }
    change(&state(Pending), &told(dispatcher(), at(-5), at(-5)));
    // If a device's clock is ahead, its time is limited to two minutes after the server's.
    let ahead = change(&state(Pending), &told(driver(), now + TimeDelta::days(2), now));
    assert_eq!(ahead.state.deliverydatetime, Some(now + TimeDelta::minutes(2)));
    // An event may arrive late, and a delivery that was planned long ago may be imported afterwards.
    change(&state(Pending), &told(driver(), at(0) - TimeDelta::days(30), now));
    let old = State { scheduledatetime: at(0) - TimeDelta::days(400), ..state(Pending) };
    change(&old, &told(dispatcher(), at(0) - TimeDelta::days(401), now));
    let text = said(&old, &told(dispatcher(), at(0) - TimeDelta::days(402), now));
    assert_eq!(text, "Time must not be more than one day before the planned dispatch");
}

#[test]
fn a_refusal_by_phone_is_not_before_the_attempt() {
    let told = |occurred_at| {
        let (reason, note) = (Some("refused_late".into()), Some("Called back".into()));
        let asked = request(dispatcher(), Command::RefuseAfterAttempt { reason, note });
        Request { clocks: Clocks { occurred_at, received_at: at(120) }, ..asked }
    };
    let year_one = "0001-01-01T00:00:00Z".parse().unwrap();
    for (occurred_at, text) in [
        (year_one, "Time must not be before the failed attempt"),
        (at(58), "Time must not be before the failed attempt"),
        (at(126), "Time must not be in the future"),
    ] {
        let error = refused(&state(Undelivered), &told(occurred_at));
        assert_eq!(error.fields["occurredAt"], [text]);
    }
    change(&state(Undelivered), &told(at(60)));
    // The attempt's device was a day ahead: the customer may refuse today.
    let mut ahead = state(Undelivered);
    if let Some(outcome) = &mut ahead.outcome {
        outcome.occurred_at = at(1_500);
    }
    change(&ahead, &told(at(120)));
}

#[test]
fn another_attempt_is_not_before_the_one_that_failed() {
    let to = |scheduledatetime| request(dispatcher(), Command::Reschedule { scheduledatetime, note: None });
    let error = refused(&state(Undelivered), &to(at(0) - TimeDelta::days(2)));
    assert_eq!(fields(&error), ["scheduledatetime"]);
    change(&state(Undelivered), &to(at(0) + TimeDelta::days(1)));
    // An attempt planned for next week was made today. The next one may still be planned for tomorrow.
    let early = State { scheduledatetime: at(0) + TimeDelta::days(7), ..state(Undelivered) };
    change(&early, &to(at(0) + TimeDelta::days(1)));
}
