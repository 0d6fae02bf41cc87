//! Offered actions are exactly those that would be accepted.

use std::collections::BTreeSet;

use kit::Kind;
use proptest::prelude::*;
use sea_orm::Iterable;

use super::actor::Actor;
use super::allowed::{Action, Missing, allowed, check, require};
use super::command::{Command, Decision, Policy, Request};
use super::delivery::Status;
use super::line::{self, Condition, Count, Line};
use super::state::State;
use super::testing::{STATUSES, at, correction, everybody, outcome, policy, request, state, user};
use super::transition::decide;

use Status::{CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered};

/// For each action: who may do it, by the letters of [`everybody`], and from which statuses. `V` stands for
/// the viewer, who has no letter in [`everybody`].
const ACTIONS: [(Action, &str, &[Status]); 13] = [
    (Action::Edit, "O", &[Pending, Undelivered]),
    (Action::EditItems, "O", &[Pending]),
    (Action::Complete, "DO", &[Pending]),
    (Action::MarkUndelivered, "DO", &[Pending]),
    (Action::Reject, "DO", &[Pending]),
    (Action::Reschedule, "OS", &[Undelivered]),
    (Action::RefuseAfterAttempt, "O", &[Undelivered]),
    (Action::Reopen, "A", &[Rejected]),
    (Action::CorrectLines, "P", &[CompleteNoVariance, CompleteWithVariance]),
    (Action::CorrectStatus, "A", &[CompleteNoVariance, CompleteWithVariance]),
    (Action::AssignDriver, "OS", &[Pending, Undelivered]),
    (Action::AddEvidence, "DOS", &STATUSES),
    // A delivery gets its form with its first outcome.
    (Action::Print, "OV", &[CompleteNoVariance, CompleteWithVariance, Undelivered, Rejected]),
];

fn letters(letters: &str, actor: &Actor) -> String {
    let viewer = if actor == &user(kit::Role::Viewer) { "V" } else { "" };
    format!("{letters}{viewer}")
}

#[test]
fn each_action_has_its_actors_and_statuses() {
    for status in STATUSES {
        for (known, actor) in everybody() {
            let letters = letters(known, &actor);
            let may = |who: &str| letters.chars().any(|letter| who.contains(letter));
            let expected: Vec<Action> = ACTIONS
                .into_iter()
                .filter(|(action, who, from)| {
                    // After the outcome, assigning another driver is a correction.
                    let corrects = *action == Action::AssignDriver && !from.contains(&status) && may("P");
                    (may(who) && from.contains(&status)) || corrects
                })
                .map(|(action, ..)| action)
                .collect();
            assert_eq!(allowed(&state(status), &actor), expected, "{status:?} {actor:?}");
        }
    }
    assert_eq!(Action::iter().count(), ACTIONS.len());
}

#[test]
fn what_is_missing_is_said() {
    let admin = user(kit::Role::Admin);
    let last = State { attempt: 3, ..state(Undelivered) };
    assert_eq!(
        check(Action::Reschedule, &last, &admin),
        Err(Missing::State("all 3 attempts are used".into()))
    );
    let bare = State { lines: vec![], ..state(CompleteNoVariance) };
    assert_eq!(
        check(Action::CorrectLines, &bare, &admin),
        Err(Missing::State("it has no items to correct".into()))
    );

    let error = require(Action::EditItems, "DR-1", &state(Rejected), &admin).unwrap_err();
    assert_eq!(
        (error.reason.as_str(), error.kind),
        ("DELIVERY_ACTION_NOT_ALLOWED", Kind::FailedPrecondition)
    );
    assert_eq!(error.message, "DR-1 is Rejected: its items can only be edited while it is Pending");
    let error = require(Action::Edit, "DR-1", &state(Pending), &user(kit::Role::Viewer)).unwrap_err();
    assert_eq!((error.reason.as_str(), error.kind), ("DELIVERY_ACTION_NOT_ALLOWED", Kind::Forbidden));
    let again = State { form_version: 1, attempt: 2, ..state(Pending) };
    assert!(
        require(Action::Print, "DR-1", &again, &user(kit::Role::Viewer)).is_ok(),
        "of the attempt before"
    );
}

/// Returns the action that an accepted command stands for.
fn action(from: Status, to: Status, command: &Command) -> Action {
    match (command, from, to) {
        (Command::AssignDriver { .. }, ..) => Action::AssignDriver,
        (_, Pending, CompleteNoVariance | CompleteWithVariance) => Action::Complete,
        (_, Pending, Undelivered) => Action::MarkUndelivered,
        (_, Pending, Rejected) => Action::Reject,
        (_, Undelivered, Pending) => Action::Reschedule,
        (_, Undelivered, Rejected) => Action::RefuseAfterAttempt,
        (_, Rejected, Pending) => Action::Reopen,
        (Command::Correct(_), _, CompleteNoVariance | CompleteWithVariance) => Action::CorrectLines,
        (Command::Correct(_), ..) => Action::CorrectStatus,
        other => panic!("{other:?} is no action"),
    }
}

/// Returns several counts of all lines, one for each case that the rules distinguish.
fn counts(lines: &[Line]) -> Vec<Vec<Count>> {
    let all = |count: &dyn Fn(&Line) -> Count| lines.iter().map(count).collect::<Vec<_>>();
    let plain = |line: &Line, delivered, rejected| Count {
        item_number: line.item_number.clone(),
        delivered,
        rejected,
        condition: Condition::Ok,
        reason: None,
        note: None,
    };
    let noted = |line: &Line, condition, delivered, rejected| Count {
        condition,
        reason: Some("other".into()),
        note: Some("Counted again".into()),
        ..plain(line, delivered, rejected)
    };
    vec![
        all(&|line| plain(line, line.expected, 0)),
        all(&|line| plain(line, 0, 0)),
        all(&|line| plain(line, 0, line.expected)),
        all(&|line| noted(line, Condition::Damaged, line.expected, 0)),
        all(&|line| noted(line, Condition::Ok, line.expected / 2, 0)),
        all(&|line| noted(line, Condition::Ok, line.expected + 1_000, 0)),
        // The same counts again with a note, which any line may have.
        all(&|line| Count {
            condition: line.condition,
            reason: line.reason.clone(),
            note: Some("Counted again".into()),
            ..plain(line, line.delivered, line.rejected)
        }),
    ]
}

/// Returns commands of every kind, each with many combinations of values.
fn commands(state: &State) -> Vec<Command> {
    let mut commands = vec![
        Command::Reschedule { scheduledatetime: at(1_440), note: None },
        Command::RefuseAfterAttempt { reason: Some("refused_late".into()), note: Some("Called".into()) },
        Command::Reopen { reason: Some("Changed their mind".into()) },
        Command::AssignDriver { driver_id: Some("D-2".into()) },
        Command::AssignDriver { driver_id: None },
    ];
    let statuses = STATUSES.into_iter().map(Some).chain([None]);
    let counts = counts(&state.lines);
    for status in statuses {
        for lines in counts.iter().cloned().map(Some).chain([None]) {
            commands.push(Command::RecordOutcome(outcome(status, lines.clone())));
            commands.push(Command::Correct(correction(status, lines)));
        }
    }
    commands
}

fn states() -> impl Strategy<Value = State> {
    let quantities = prop_oneof![Just(0_i64), Just(1), Just(5_000), 0..1_000_000_i64];
    let lines = prop::collection::vec((quantities, 0_u8..4), 0..4);
    (0_usize..5, 1_i32..4, 1_i32..4, lines, any::<bool>(), any::<bool>()).prop_map(
        |(status, attempt, max_attempts, lines, decided, conflict)| {
            let status = STATUSES[status];
            let open: Vec<Line> = (1..)
                .zip(&lines)
                .map(|(number, (expected, _)): (i32, _)| Line::open(number.to_string(), *expected))
                .collect();
            let lines = match status {
                Pending | Undelivered => open,
                Rejected => line::all_rejected(&open),
                CompleteNoVariance => line::all_delivered(&open),
                CompleteWithVariance => {
                    // At least one unit arrived and one line differs.
                    let first = Line { delivered: 1, condition: Condition::Damaged, ..Line::open("0", 1) };
                    let rest = line::all_delivered(&open).into_iter().zip(&lines);
                    let rest = rest.map(|(line, (_, share))| match share {
                        0 => Line { delivered: line.delivered / 2, ..line },
                        1 => Line { condition: Condition::Expired, ..line },
                        _ => line,
                    });
                    let named = |line: Line| match line.differs() {
                        true => Line { reason: Some("short_shipped".into()), ..line },
                        false => line,
                    };
                    std::iter::once(first).chain(rest).map(named).collect()
                }
            };
            let office_decided_at = decided.then(|| at(100));
            let max_attempts = max_attempts.max(attempt);
            State { attempt, max_attempts, lines, office_decided_at, conflict, ..state(status) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn an_action_is_listed_exactly_when_a_command_of_its_kind_is_accepted(
        state in states(), over_delivery in any::<bool>(),
    ) {
        let policy = Policy { over_delivery, ..policy() };
        let commands = commands(&state);
        for (_, actor) in everybody() {
            let mut accepted = BTreeSet::new();
            for command in &commands {
                let request = request(actor.clone(), command.clone());
                // Who names no version does not reschedule a delivery in conflict.
                let request = Request { expected_version: Some(state.version), ..request };
                if let Ok(Decision::Change(change)) = decide(&state, &request, policy) {
                    accepted.insert(action(state.status, change.state.status, command).as_str());
                }
            }
            // No command performs these actions; `require` guards them.
            let elsewhere = [Action::Edit, Action::EditItems, Action::AddEvidence, Action::Print];
            let listed = allowed(&state, &actor).into_iter().filter(|action| !elsewhere.contains(action));
            prop_assert_eq!(listed.map(Action::as_str).collect::<BTreeSet<_>>(), accepted, "{:?}", actor);
        }
    }
}
