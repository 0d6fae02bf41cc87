//! The life of a demo delivery. The product's rules decide each step, so that the product itself could have
//! created the data.

use chrono::TimeDelta;
use kit::{Error, Result, Role};

use super::ACTOR;
use super::chance::Chance;
use super::story::{LaterEvent, Story, What};
use crate::domain::actor::Actor;
use crate::domain::clocks::Clocks;
use crate::domain::command::{Command, Decision, New, Policy, RecordOutcome, Request};
use crate::domain::delivery::{MAX_ATTEMPTS, ScanMode, Status};
use crate::domain::document::Item;
use crate::domain::line::{Condition, Count, Line, Variance};
use crate::domain::state::{Place, Relation, State, Step};
use crate::domain::transition::{create, decide};

const NOTES: &[&str] = &[
    "Called twice, no answer",
    "Waited fifteen minutes",
    "The guard said to come back",
    "Told by phone on the way",
];
const COLLEAGUES: &[&str] =
    &["Ana (stockroom)", "Guard on duty", "Jerome, receiving", "Mrs. Reyes", "Cashier at the front"];

/// One step and its results.
pub struct Turn {
    pub state: State,
    pub step: Step,
    pub variances: Vec<Variance>,
    pub form_issued: bool,
}

/// The delivery that is visited, with its recipient and location.
pub struct Visit<'a> {
    pub id: &'a str,
    pub driver: Option<&'a str>,
    pub items: &'a [Item],
    pub contact: Option<&'a str>,
    pub place: Place,
    /// How long after its due time the customer still accepts the goods.
    pub open_for: Option<TimeDelta>,
}

/// Returns the steps in order, the creation first.
pub fn live(chance: &mut Chance, visit: &Visit, story: &Story, policy: Policy) -> Result<Vec<Turn>> {
    let import = Actor::Import { name: ACTOR.to_owned() };
    let lines = visit.items.iter().map(|item| Line::open(item.item_number.clone(), item.quantity));
    let new = New {
        id: visit.id.to_owned(),
        scheduledatetime: story.first_due,
        time_window_start: visit.open_for.map(|_| story.first_due - TimeDelta::minutes(30)),
        time_window_end: visit.open_for.map(|open| story.first_due + open),
        driver_id: visit.driver.map(str::to_owned),
        max_attempts: MAX_ATTEMPTS,
        lines: lines.collect(),
    };
    let made = create(&import, Clocks::now(story.made), new)?;
    let mut turns = Vec::with_capacity(1 + story.later.len());
    let step = made.step.ok_or_else(|| Error::internal("a delivery without its first step"))?;
    turns.push(Turn { state: made.state, step, variances: Vec::new(), form_issued: false });
    for later in &story.later {
        let Some(Turn { state, .. }) = turns.last() else { break };
        let request = request(chance, visit, story, later, state);
        let change = match decide(state, &request, policy)? {
            Decision::Change(change) => change,
            Decision::Superseded { state, step } => {
                turns.push(Turn { state: *state, step: *step, variances: Vec::new(), form_issued: false });
                continue;
            }
            Decision::NoOp => {
                return Err(Error::internal(format!("{}: a story that changes nothing", visit.id)));
            }
        };
        let step = change.step.ok_or_else(|| Error::internal("a turn without its step"))?;
        let (variances, form_issued) = (change.variances, change.form_issued);
        turns.push(Turn { state: change.state, step, variances, form_issued });
    }
    Ok(turns)
}

fn request(chance: &mut Chance, visit: &Visit, story: &Story, later: &LaterEvent, state: &State) -> Request {
    let (actor, command, event) = match later.what {
        What::NextAttempt { scheduled } => {
            let note = Some("Next attempt tomorrow".to_owned());
            let command = Command::Reschedule { scheduledatetime: scheduled, note };
            (Actor::User { name: later.by.clone(), roles: vec![Role::Dispatcher] }, command, None)
        }
        What::Outcome { status, attempt, reason } => {
            let outcome = outcome(chance, visit, state, status, attempt, reason);
            let outcome = RecordOutcome { scanmode: story.scan, ..outcome };
            let command = Command::RecordOutcome(outcome);
            (
                Actor::Driver { name: later.by.clone(), driver_id: later.by.clone() },
                command,
                Some(chance.id(later.at)),
            )
        }
    };
    Request {
        actor,
        expected_version: None,
        client_event_id: event,
        clocks: Clocks { occurred_at: later.at, received_at: later.received },
        saw_decision: false,
        command,
    }
}

fn outcome(
    chance: &mut Chance,
    visit: &Visit,
    state: &State,
    status: Status,
    attempt: i32,
    reason: Option<&str>,
) -> RecordOutcome {
    // Draw all of these, even if the outcome does not need them, so that later draws do not depend on it.
    let (noted, note) = (chance.percent(8), *chance.pick(NOTES));
    let (by_contact, colleague) = (chance.percent(60), *chance.pick(COLLEAGUES));
    let relation = match chance.between(0, 99) {
        0..70 => Relation::Colleague,
        70..90 => Relation::Security,
        90..96 => Relation::Neighbour,
        _ => Relation::Family,
    };
    let place = near(chance, visit.place);
    let counts = counts(chance, &state.lines);
    let met = status != Status::Undelivered;
    let contact = visit.contact.filter(|_| by_contact);
    RecordOutcome {
        status: Some(status),
        attempt: Some(attempt),
        lines: (status == Status::CompleteWithVariance).then_some(counts),
        reason: reason.map(str::to_owned),
        note: (noted || !met).then(|| note.to_owned()),
        received_by: met.then(|| contact.unwrap_or(colleague).to_owned()),
        relation: met.then(|| if contact.is_some() { Relation::Recipient } else { relation }),
        scanmode: ScanMode::No,
        place: Some(place),
        signature: false,
        photo: false,
    }
}

/// Returns a location at the address; 3 in 100 are up to 2.5 km away.
fn near(chance: &mut Chance, place: Place) -> Place {
    let metres = if chance.percent(3) { 2_500.0 } else { 90.0 };
    let mut off = || (chance.unit() * 2.0 - 1.0) * metres / 111_000.0;
    let (lat, lng) = (place.lat + off(), place.lng + off());
    // Rounded to about a decimeter, as precise as a phone.
    let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
    Place { lat: round(lat), lng: round(lng), accuracy: Some(chance.between(4, 35) as f64) }
}

/// Draws counts for a variance: one line differs, sometimes two.
fn counts(chance: &mut Chance, lines: &[Line]) -> Vec<Count> {
    let first = chance.next() as usize % lines.len().max(1);
    let second = if chance.percent(25) { chance.next() as usize % lines.len().max(1) } else { first };
    let counts = lines.iter().enumerate().map(|(index, line)| match index == first || index == second {
        true => differing(chance, line),
        false => count(line, line.expected, 0, Condition::Ok, None, None),
    });
    counts.collect()
}

fn differing(chance: &mut Chance, line: &Line) -> Count {
    // At least one piece stays, so that something was delivered.
    let missing = match line.expected {
        ..=1_000 => 0,
        pieces if pieces % 1_000 == 0 => 1_000 * chance.between(1, (pieces / 1_000 - 1).min(12)),
        weight => chance.between(1, weight / 2),
    };
    let rest = line.expected - missing;
    let (rejected, condition, reason, note) = match chance.between(0, 99) {
        _ if missing == 0 => {
            (0, Condition::Damaged, "quality_refused", Some("Taken with a torn seal, to be credited"))
        }
        0..45 => (0, Condition::Ok, "short_shipped", None),
        45..65 => (0, Condition::Ok, "short_delivered", None),
        65..80 => (missing, Condition::Ok, "quality_refused", Some("Wet cartons, sent back")),
        80..90 => (missing, Condition::WrongItem, "wrong_item", None),
        90..96 => (missing, Condition::Expired, "wrong_lot_or_expiry", None),
        _ => (missing, Condition::Ok, "price_or_document_mismatch", Some("Invoice lists another price")),
    };
    count(line, rest, rejected, condition, Some(reason), note)
}

fn count(
    line: &Line,
    delivered: i64,
    rejected: i64,
    condition: Condition,
    reason: Option<&str>,
    note: Option<&str>,
) -> Count {
    Count {
        item_number: line.item_number.clone(),
        delivered,
        rejected,
        condition,
        reason: reason.map(str::to_owned),
        note: note.map(str::to_owned),
    }
}
