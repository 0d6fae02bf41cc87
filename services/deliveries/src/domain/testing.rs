//! Deliveries, people and requests for tests of the rules.

use std::sync::LazyLock;

use chrono::{DateTime, TimeDelta, Utc};
use kit::{Error, Role};
use uuid::Uuid;

use super::actor::Actor;
use super::clocks::Clocks;
use super::command::{Command, Correct, Decision, New, Policy, RecordOutcome, Request};
use super::delivery::{ScanMode, Status};
use super::line::{self, Condition, Count, Line};
use super::proof::{FailedAttemptProof, PodRequirement, Proof};
use super::reason::Catalogue;
use super::state::{Change, FieldChange, Outcome, Relation, State, Step};
use super::transition::decide;

pub const STATUSES: [Status; 5] = [
    Status::Pending,
    Status::CompleteNoVariance,
    Status::CompleteWithVariance,
    Status::Undelivered,
    Status::Rejected,
];

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::seed);
static REQUIREMENT: LazyLock<PodRequirement> =
    LazyLock::new(|| PodRequirement::of(&[Proof::Signature, Proof::RecipientName]));

/// Requires signature and name for a completed delivery, and photo or note for a failed attempt.
pub fn policy() -> Policy<'static> {
    Policy {
        reasons: &CATALOGUE,
        over_delivery: false,
        proof: &REQUIREMENT,
        failed_attempt: FailedAttemptProof::PhotoOrNote,
        zone: chrono_tz::Tz::UTC,
    }
}

/// Returns the time `minutes` after the start of the tests' day.
pub fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap() + TimeDelta::minutes(minutes)
}

pub fn user(role: Role) -> Actor {
    Actor::User { name: role.to_string(), roles: vec![role] }
}

/// Returns an actor for each letter of the table: D driver, O office, P with the permission to correct, A
/// admin, S system, - none of these.
pub fn everybody() -> Vec<(&'static str, Actor)> {
    vec![
        ("D", Actor::Driver { name: "Ramon".into(), driver_id: "D-1".into() }),
        ("O", user(Role::Dispatcher)),
        ("OP", user(Role::TransportPlanner)),
        ("OPA", user(Role::Admin)),
        ("S", Actor::System { name: "system:deliveries".into() }),
        ("S", Actor::Import { name: "maria".into() }),
        ("S", Actor::Api { name: "shop".into() }),
        ("-", user(Role::Viewer)),
        // A user with the driver's role: drivers use the driver app and have no permissions in the office.
        ("-", user(Role::Driver)),
        ("-", Actor::User { name: "new".into(), roles: vec![] }),
    ]
}

/// Returns two lines: 5 of one, 2.5 of the other.
pub fn lines() -> Vec<Line> {
    vec![Line::open("1", 5_000), Line::open("2", 2_500)]
}

pub fn count(item_number: &str, delivered: i64, rejected: i64) -> Count {
    let item_number = item_number.to_owned();
    Count { item_number, delivered, rejected, condition: Condition::Ok, reason: None, note: None }
}

pub fn because(reason: &str, count: Count) -> Count {
    Count { reason: Some(reason.to_owned()), ..count }
}

/// Returns counts in which one unit of the first line is missing.
pub fn one_short() -> Vec<Count> {
    vec![because("short_shipped", count("1", 4_000, 0)), count("2", 2_500, 0)]
}

pub fn as_expected() -> Vec<Count> {
    vec![count("1", 5_000, 0), count("2", 2_500, 0)]
}

/// Returns a new delivery, due one hour into the tests' day.
pub fn new(id: &str, max_attempts: i32, lines: Vec<Line>) -> New {
    New {
        id: id.into(),
        scheduledatetime: at(60),
        time_window_start: None,
        time_window_end: Some(at(120)),
        driver_id: None,
        max_attempts,
        lines,
    }
}

/// Returns a delivery of [`lines`] with this status, in the first of three attempts.
pub fn state(status: Status) -> State {
    let pending = State {
        id: "DR-1".into(),
        status,
        attempt: 1,
        max_attempts: 3,
        version: 7,
        form_version: 0,
        created_at: at(0),
        scheduledatetime: at(0),
        time_window_start: Some(at(-30)),
        time_window_end: None,
        deliverydatetime: None,
        driver_id: Some("D-1".into()),
        lines: lines(),
        outcome: None,
        office_decided_at: None,
        conflict: false,
    };
    let (lines, reason) = match status {
        Status::Pending => return pending,
        Status::CompleteNoVariance => (line::all_delivered(&lines()), None),
        Status::CompleteWithVariance => {
            (line::counted(&lines(), &one_short(), policy().rules()).unwrap(), None)
        }
        Status::Undelivered => (lines(), Some("site_closed")),
        Status::Rejected => (line::all_rejected(&lines()), Some("refused_late")),
    };
    let received = reason.is_none();
    let outcome = Outcome {
        reason: reason.map(str::to_owned),
        note: Some("At the gate".into()),
        received_by: received.then(|| "Nena".into()),
        relation: received.then_some(Relation::Recipient),
        scanmode: ScanMode::Yes,
        place: None,
        occurred_at: at(60),
        received_at: at(61),
        late: false,
    };
    State { form_version: 1, deliverydatetime: Some(at(60)), lines, outcome: Some(outcome), ..pending }
}

/// Returns an outcome with everything that may be required.
pub fn outcome(status: Option<Status>, lines: Option<Vec<Count>>) -> RecordOutcome {
    let reason = match status {
        Some(Status::Undelivered) => Some("recipient_absent"),
        Some(Status::Rejected) => Some("refused_not_ordered"),
        _ => None,
    };
    RecordOutcome {
        status,
        attempt: None,
        lines,
        reason: reason.map(str::to_owned),
        note: Some("Said so at the gate".into()),
        received_by: Some("Nena".into()),
        relation: Some(Relation::Recipient),
        scanmode: ScanMode::Yes,
        place: None,
        signature: true,
        photo: true,
    }
}

pub fn correction(status: Option<Status>, lines: Option<Vec<Count>>) -> Correct {
    let reason = match status {
        Some(Status::Undelivered) => Some("goods_not_loaded"),
        Some(Status::Rejected) => Some("refused_wrong_goods"),
        _ => None,
    };
    Correct {
        reason: Some("Counted again".into()),
        status,
        lines,
        outcome_reason: reason.map(str::to_owned),
        outcome_note: None,
        photo: false,
    }
}

/// Returns a request by the actor at minute 120, with a client event id and no expected version.
pub fn request(actor: Actor, command: Command) -> Request {
    Request {
        actor,
        expected_version: None,
        client_event_id: Some(Uuid::from_u128(1)),
        clocks: Clocks::now(at(120)),
        saw_decision: false,
        command,
    }
}

pub fn driver() -> Actor {
    Actor::Driver { name: "Ramon".into(), driver_id: "D-1".into() }
}

pub fn dispatcher() -> Actor {
    user(Role::Dispatcher)
}

pub fn planner() -> Actor {
    user(Role::TransportPlanner)
}

pub fn admin() -> Actor {
    user(Role::Admin)
}

pub fn record(it: RecordOutcome) -> Command {
    Command::RecordOutcome(it)
}

#[track_caller]
pub fn change(state: &State, request: &Request) -> Change {
    match decide(state, request, policy()) {
        Ok(Decision::Change(change)) => *change,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub fn superseded(state: &State, request: &Request) -> (State, Step) {
    match decide(state, request, policy()) {
        Ok(Decision::Superseded { state, step }) => (*state, *step),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub fn refused(state: &State, request: &Request) -> Error {
    decide(state, request, policy()).expect_err("it was accepted")
}

pub fn is_no_op(state: &State, request: &Request) -> bool {
    matches!(decide(state, request, policy()), Ok(Decision::NoOp))
}

/// Returns the fields that a refusal names.
pub fn fields(error: &Error) -> Vec<&str> {
    error.fields.keys().map(String::as_str).collect()
}

/// Returns a step's change of a field of the delivery itself.
pub fn field<'a>(step: &'a Step, name: &str) -> Option<&'a FieldChange> {
    step.changes.iter().find(|it| it.item_number.is_none() && it.field == name)
}
