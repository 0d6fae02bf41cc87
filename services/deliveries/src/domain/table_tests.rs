//! The table of the state machine, written out: every pair of statuses, every actor, every guard.

use std::sync::LazyLock;

use kit::{Error, Kind};

use super::clocks::Clocks;
use super::command::{Command, Correct, Decision, New, RecordOutcome, Request};
use super::delivery::Status;
use super::line::Condition;
use super::state::{Relation, State};
use super::testing::{
    STATUSES, as_expected, at, because, correction, count, everybody, lines, one_short, outcome, policy,
    request, state, user,
};
use super::transition::{create, decide};

use Status::{CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered};

const NOT_ALLOWED: &str = "DELIVERY_TRANSITION_NOT_ALLOWED";
const CONTRADICTS: &str = "DELIVERY_STATUS_CONTRADICTS_LINES";

/// A delivery and a request.
#[derive(Clone)]
struct Case {
    state: State,
    request: Request,
}

impl Case {
    fn decide(&self) -> kit::Result<Decision> {
        decide(&self.state, &self.request, policy())
    }

    fn outcome(&mut self) -> &mut RecordOutcome {
        match &mut self.request.command {
            Command::RecordOutcome(outcome) => outcome,
            other => panic!("{other:?}"),
        }
    }

    fn correction(&mut self) -> &mut Correct {
        match &mut self.request.command {
            Command::Correct(correct) => correct,
            other => panic!("{other:?}"),
        }
    }
}

/// A guard of a transition, and how to violate it.
struct Guard {
    reason: &'static str,
    kind: Kind,
    /// Part of the error's text. `field` is the field that the error names, if any.
    says: &'static str,
    field: Option<&'static str>,
    miss: fn(&mut Case),
}

const fn field(field: &'static str, says: &'static str, miss: fn(&mut Case)) -> Guard {
    Guard { reason: NOT_ALLOWED, kind: Kind::InvalidInput, says, field: Some(field), miss }
}

/// A guard for lines that imply another status.
const fn lines_say(status: &'static str, miss: fn(&mut Case)) -> Guard {
    Guard { reason: CONTRADICTS, kind: Kind::InvalidInput, says: status, field: Some("deliverystatus"), miss }
}

const SIGNATURE: Guard = field("signature", "Signature is required", |it| it.outcome().signature = false);
const RECIPIENT_NAME: Guard =
    field("receivedBy", "Name of the recipient is required", |it| it.outcome().received_by = None);
const DELIVERED_AS_EXPECTED: Guard =
    lines_say("Complete with variance", |it| it.outcome().lines = Some(one_short()));
const CONDITION_OK: Guard = lines_say("Complete with variance", |it| {
    let mut counts = as_expected();
    counts[1].condition = Condition::Damaged;
    it.outcome().lines = Some(counts);
});
const ONE_VARIANCE: Guard = lines_say("Complete no variance", |it| it.outcome().lines = Some(as_expected()));
const ONE_UNIT: Guard = lines_say("Undelivered", |it| {
    let counts = [count("1", 0, 0), count("2", 0, 0)];
    it.outcome().lines = Some(counts.map(|count| because("short_shipped", count)).to_vec());
});
const EACH_HAS_A_REASON: Guard = field("lines.0.varianceReason", "Reason is required where", |it| {
    for count in it.outcome().lines.as_mut().unwrap() {
        count.reason = None;
    }
});
const OUTCOME_REASON: Guard = field("outcomeReason", "Reason is required", |it| it.outcome().reason = None);
const OF_THE_LIST: Guard = field("outcomeReason", "is not one for", |it| {
    let other = match it.outcome().status {
        Some(Undelivered) => "refused_late",
        _ => "site_closed",
    };
    it.outcome().reason = Some(other.into());
});
const NOTHING_DELIVERED: Guard = lines_say("Complete with variance", |it| {
    it.outcome().lines = Some(vec![because("short_shipped", count("1", 1, 0)), count("2", 0, 0)]);
});
const PHOTO_OR_NOTE: Guard = field("outcomeNote", "Photo or note is required", |it| {
    it.outcome().photo = false;
    it.outcome().note = None;
});
const REACHED: Guard = field("receivedBy", "enter who refused", |it| {
    it.outcome().received_by = None;
    it.outcome().relation = None;
});
const REACHED_SOMEBODY: Guard =
    field("receivedBy", "enter who refused", |it| it.outcome().relation = Some(Relation::Mailbox));
const EVERYTHING_REJECTED: Guard = lines_say("Undelivered", |it| {
    it.outcome().lines = Some(vec![count("1", 0, 5_000), count("2", 0, 2_499)]);
});
const ATTEMPT_LEFT: Guard = Guard {
    reason: NOT_ALLOWED,
    kind: Kind::FailedPrecondition,
    says: "all 3 attempts are used",
    field: None,
    miss: |it| it.state.attempt = it.state.max_attempts,
};
const NEW_TIME: Guard = field("scheduledatetime", "must be different", |it| {
    let note = None;
    it.request.command = Command::Reschedule { scheduledatetime: it.state.scheduledatetime, note };
});
const REFUSAL_NOTE: Guard = field("outcomeNote", "Note is required", |it| {
    if let Command::RefuseAfterAttempt { note, .. } = &mut it.request.command {
        *note = Some("  ".into());
    }
});
const REFUSAL_REASON: Guard = field("outcomeReason", "is not one for", |it| {
    if let Command::RefuseAfterAttempt { reason, .. } = &mut it.request.command {
        *reason = Some("recipient_absent".into());
    }
});
const REOPEN_REASON: Guard =
    field("reason", "Reason is required", |it| it.request.command = Command::Reopen { reason: None });
const BY_LINES: Guard = field("lines", "the status follows them", |it| it.correction().lines = None);
const WHY: Guard = field("reason", "Reason is required", |it| it.correction().reason = Some(" ".into()));
const CORRECTED_LINES_HAVE_REASONS: Guard =
    field("lines.0.varianceReason", "Reason is required where", |it| {
        for count in it.correction().lines.iter_mut().flatten() {
            count.reason = None;
        }
    });
const CORRECTED_REASON: Guard =
    field("outcomeReason", "Reason is required", |it| it.correction().outcome_reason = None);
const CORRECTED_LINE_HAS_A_PHOTO: Guard = field("photos", "Photo is required with the reason", |it| {
    for count in it.correction().lines.iter_mut().flatten() {
        count.reason = count.reason.is_some().then(|| "damaged_in_transit".into());
    }
});
const ITS_NOTE: Guard = field("outcomeNote", "Note is required with the reason", |it| {
    it.correction().outcome_reason = Some("other".into());
});

/// A row of the table. `who` uses the letters of [`everybody`].
struct Row {
    from: Status,
    to: Status,
    who: &'static str,
    ask: fn() -> Command,
    guards: &'static [Guard],
}

fn table() -> Vec<Row> {
    let row = |from, to, who, ask, guards| Row { from, to, who, ask, guards };
    vec![
        row(
            Pending,
            CompleteNoVariance,
            "DO",
            record_as_expected,
            &[DELIVERED_AS_EXPECTED, CONDITION_OK, SIGNATURE, RECIPIENT_NAME],
        ),
        row(
            Pending,
            CompleteWithVariance,
            "DO",
            record_one_short,
            &[ONE_VARIANCE, ONE_UNIT, EACH_HAS_A_REASON, SIGNATURE, RECIPIENT_NAME],
        ),
        row(
            Pending,
            Undelivered,
            "DO",
            record_nothing,
            &[OUTCOME_REASON, OF_THE_LIST, NOTHING_DELIVERED, PHOTO_OR_NOTE],
        ),
        row(
            Pending,
            Rejected,
            "DO",
            record_refusal,
            &[OUTCOME_REASON, OF_THE_LIST, REACHED, REACHED_SOMEBODY, NOTHING_DELIVERED, EVERYTHING_REJECTED],
        ),
        row(Undelivered, Pending, "OS", another_attempt, &[ATTEMPT_LEFT, NEW_TIME]),
        row(Undelivered, Rejected, "O", refused_by_phone, &[REFUSAL_NOTE, REFUSAL_REASON]),
        row(Rejected, Pending, "A", reopen, &[REOPEN_REASON]),
        row(
            CompleteNoVariance,
            CompleteWithVariance,
            "P",
            correct_to_one_short,
            &[BY_LINES, WHY, CORRECTED_LINES_HAVE_REASONS, CORRECTED_LINE_HAS_A_PHOTO],
        ),
        row(CompleteWithVariance, CompleteNoVariance, "P", correct_to_as_expected, &[BY_LINES, WHY]),
        row(CompleteNoVariance, Pending, "A", take_back, &[WHY]),
        row(CompleteNoVariance, Undelivered, "A", correct_to_nothing, &[WHY, CORRECTED_REASON, ITS_NOTE]),
        row(CompleteNoVariance, Rejected, "A", correct_to_refusal, &[WHY, CORRECTED_REASON, ITS_NOTE]),
        row(CompleteWithVariance, Pending, "A", take_back, &[WHY]),
        row(CompleteWithVariance, Undelivered, "A", correct_to_nothing, &[WHY, CORRECTED_REASON, ITS_NOTE]),
        row(CompleteWithVariance, Rejected, "A", correct_to_refusal, &[WHY, CORRECTED_REASON, ITS_NOTE]),
    ]
}

/// Returns who may make this transition, by the letters of [`everybody`].
pub(super) fn who(from: Status, to: Status) -> Option<&'static str> {
    static TABLE: LazyLock<Vec<Row>> = LazyLock::new(table);
    TABLE.iter().find(|row| (row.from, row.to) == (from, to)).map(|row| row.who)
}

fn record_as_expected() -> Command {
    Command::RecordOutcome(outcome(Some(CompleteNoVariance), Some(as_expected())))
}
fn record_one_short() -> Command {
    Command::RecordOutcome(outcome(Some(CompleteWithVariance), Some(one_short())))
}
fn record_nothing() -> Command {
    Command::RecordOutcome(outcome(Some(Undelivered), Some(vec![count("1", 0, 0), count("2", 0, 0)])))
}
fn record_refusal() -> Command {
    let counts = vec![count("1", 0, 5_000), count("2", 0, 2_500)];
    Command::RecordOutcome(outcome(Some(Rejected), Some(counts)))
}
fn another_attempt() -> Command {
    Command::Reschedule { scheduledatetime: at(1_440), note: None }
}
fn refused_by_phone() -> Command {
    Command::RefuseAfterAttempt {
        reason: Some("refused_not_ordered".into()),
        note: Some("Called back".into()),
    }
}
fn reopen() -> Command {
    Command::Reopen { reason: Some("Changed their mind".into()) }
}
fn correct_to_one_short() -> Command {
    Command::Correct(correction(Some(CompleteWithVariance), Some(one_short())))
}
fn correct_to_as_expected() -> Command {
    Command::Correct(correction(Some(CompleteNoVariance), Some(as_expected())))
}
fn take_back() -> Command {
    Command::Correct(correction(Some(Pending), None))
}
fn correct_to_nothing() -> Command {
    Command::Correct(correction(Some(Undelivered), None))
}
fn correct_to_refusal() -> Command {
    Command::Correct(correction(Some(Rejected), None))
}

/// Returns every command that could lead to this status.
fn towards(to: Status) -> Vec<Command> {
    let mut commands =
        vec![Command::RecordOutcome(outcome(Some(to), None)), Command::Correct(correction(Some(to), None))];
    commands.extend(match to {
        Pending => vec![another_attempt(), reopen()],
        CompleteNoVariance => vec![record_as_expected(), correct_to_as_expected()],
        CompleteWithVariance => vec![record_one_short(), correct_to_one_short()],
        Undelivered => vec![record_nothing()],
        Rejected => vec![record_refusal(), refused_by_phone()],
    });
    commands
}

fn is_same_kind(one: &Command, other: &Command) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

#[track_caller]
fn names(error: &Error, from: Status, to: Status) {
    let way = format!("DR-1 cannot go from {} to {}: ", from.label(), to.label());
    assert!(error.message.starts_with(&way) && error.message.len() > way.len(), "{error}");
}

#[test]
fn the_table_has_every_row() {
    let pairs: std::collections::BTreeSet<_> =
        table().iter().map(|row| (row.from.as_str(), row.to.as_str())).collect();
    assert_eq!((pairs.len(), table().len()), (15, 15));
}

#[test]
fn a_row_is_taken_by_its_actors_alone() {
    for row in table() {
        for (letters, actor) in everybody() {
            let case = Case { state: state(row.from), request: request(actor.clone(), (row.ask)()) };
            let told = format!("{:?} → {:?} by {actor:?}", row.from, row.to);
            if letters.chars().any(|letter| row.who.contains(letter)) {
                let Ok(Decision::Change(change)) = case.decide() else {
                    panic!("{told}: {:?}", case.decide())
                };
                let step = change.step.unwrap();
                assert_eq!((step.from, step.to), (Some(row.from), row.to), "{told}");
                assert_eq!((change.state.status, change.state.version), (row.to, 8), "{told}");
            } else {
                let error = case.decide().expect_err(&told);
                assert_eq!((error.reason.as_str(), error.kind), (NOT_ALLOWED, Kind::Forbidden), "{told}");
                names(&error, row.from, row.to);
            }
        }
    }
}

#[test]
fn a_row_is_refused_without_each_guard_and_without_any_several() {
    for row in table() {
        for (letters, actor) in everybody() {
            let may = letters.chars().any(|letter| row.who.contains(letter));
            for subset in 1_u32..1 << row.guards.len() {
                let mut case = Case { state: state(row.from), request: request(actor.clone(), (row.ask)()) };
                let missed = |index: &usize| subset & (1 << index) != 0;
                let missed: Vec<&Guard> =
                    (0..row.guards.len()).filter(missed).map(|index| &row.guards[index]).collect();
                for guard in &missed {
                    (guard.miss)(&mut case);
                }
                let told = format!("{:?} → {:?} by {actor:?} without {subset:b}", row.from, row.to);
                let error = case.decide().expect_err(&told);
                let expected = |guard: &&Guard| error.reason == guard.reason;
                assert!(error.reason == NOT_ALLOWED || missed.iter().any(expected), "{told}: {error}");
                if error.reason == NOT_ALLOWED {
                    names(&error, row.from, row.to);
                }
                if let ([guard], true) = (&missed[..], may) {
                    assert_eq!((error.reason.as_str(), error.kind), (guard.reason, guard.kind), "{told}");
                    assert!(error.message.contains(guard.says), "{told}: {error}");
                    let fields: Vec<&str> = error.fields.keys().map(String::as_str).collect();
                    assert_eq!(fields, guard.field.into_iter().collect::<Vec<_>>(), "{told}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_row_is_refused_to_everybody() {
    let table = table();
    let mut refused = 0;
    for from in STATUSES {
        for to in STATUSES.into_iter().filter(|to| *to != from) {
            let row = table.iter().find(|row| (row.from, row.to) == (from, to));
            for command in towards(to) {
                if row.is_some_and(|row| is_same_kind(&(row.ask)(), &command)) {
                    continue;
                }
                for (_, actor) in everybody() {
                    let case = Case { state: state(from), request: request(actor.clone(), command.clone()) };
                    let told = format!("{from:?} → {to:?} by {actor:?} with {command:?}");
                    let error = case.decide().expect_err(&told);
                    assert_eq!(error.reason, NOT_ALLOWED, "{told}");
                    names(&error, from, to);
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn the_same_status_again_is_nothing_to_do() {
    for status in STATUSES {
        let mut commands = vec![
            Command::RecordOutcome(outcome(Some(status), None)),
            Command::Correct(correction(Some(status), None)),
        ];
        match status {
            Pending => {
                let scheduledatetime = state(Pending).scheduledatetime;
                commands.extend([reopen(), Command::Reschedule { scheduledatetime, note: None }]);
            }
            CompleteNoVariance => commands.extend([record_as_expected(), correct_to_as_expected()]),
            CompleteWithVariance => commands.extend([record_one_short(), correct_to_one_short()]),
            Undelivered => commands.push(record_nothing()),
            Rejected => commands.extend([record_refusal(), refused_by_phone()]),
        }
        for command in commands {
            for (_, actor) in everybody() {
                let case = Case { state: state(status), request: request(actor.clone(), command.clone()) };
                let decision = case.decide();
                assert!(
                    matches!(decision, Ok(Decision::NoOp)),
                    "{status:?} {actor:?} {command:?}: {decision:?}"
                );
            }
        }
    }
}

#[test]
fn a_delivery_begins_pending_by_the_office_or_an_import() {
    let new = || New {
        id: "DR-1".into(),
        scheduledatetime: at(0),
        time_window_start: None,
        time_window_end: None,
        driver_id: None,
        max_attempts: 3,
        lines: lines(),
    };
    for (letters, actor) in everybody() {
        let created = create(&actor, Clocks::now(at(0)), new());
        if letters.chars().any(|letter| "OS".contains(letter)) {
            let change = created.unwrap();
            let step = change.step.unwrap();
            assert_eq!((step.from, step.to, step.attempt), (None, Pending, 1));
            assert_eq!((change.state.status, change.state.version), (Pending, 1));
            assert_eq!((change.state.deliverydatetime, change.state.outcome), (None, None));
            assert!(change.variances.is_empty() && !change.form_issued);
        } else {
            let error = created.expect_err(&format!("{actor:?}"));
            assert_eq!((error.reason.as_str(), error.kind), (NOT_ALLOWED, Kind::Forbidden));
            assert!(error.message.contains("DR-1 cannot become Pending"), "{error}");
        }
    }
    let mut bad = new();
    bad.lines[1].expected = -1;
    let error = create(&user(kit::Role::Admin), Clocks::now(at(0)), bad).unwrap_err();
    assert!(error.fields.contains_key("lines.1.quantity"), "{error}");
}
