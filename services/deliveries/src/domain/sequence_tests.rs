//! Runs random histories of the deliveries of one shipment and checks the invariants after each request.
//!
//! `WAYBILL_TEST_SEQUENCES` sets the number of histories; the default is 100,000.

#[path = "sequence_requests_tests.rs"]
mod requests;

use std::cell::RefCell;
use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};
use uuid::Uuid;

use super::actor::Actor;
use super::clocks::Clocks;
use super::command::{Command, Decision, Policy, Request};
use super::delivery::{ShipmentStatus, Status};
use super::line::{self, Condition, Line, Variance};
use super::proof::{FailedAttemptProof, PodRequirement, Proof};
use super::reason::Catalogue;
use super::shipment::Tally;
use super::state::{State, Step};
use super::table_tests::who;
use super::testing::{STATUSES, at, everybody, new};
use super::transition::{create, decide};
use requests::Dice;

/// How often each case occurred.
type Seen = BTreeMap<(&'static str, &'static str), u64>;

#[derive(Debug, Clone, PartialEq)]
enum Answer {
    NoOp { version: i64 },
    Changed { version: i64 },
    Superseded { version: i64 },
    Refused(String),
}

/// A delivery as a store would keep it.
#[derive(Debug, Clone, PartialEq)]
struct Kept {
    state: State,
    history: Vec<Step>,
    /// The variances of each attempt.
    variances: BTreeMap<i32, Vec<Variance>>,
    /// The number of accepted changes, including the creation.
    changes: i64,
    forms: i32,
    /// When the current attempt got its first outcome, computed from the history.
    processed: Option<DateTime<Utc>>,
}

struct World<'a> {
    now: DateTime<Utc>,
    people: &'a [(&'static str, Actor)],
    policy: Policy<'a>,
    kept: Vec<Kept>,
    /// Updated with each step, so that it can be compared with a recount.
    tally: Tally,
    /// The answers to client events.
    answers: BTreeMap<Uuid, (usize, Request, Answer)>,
    seen: &'a RefCell<Seen>,
}

fn weigh(status: Status, attempt: i32, max_attempts: i32) -> Tally {
    Tally {
        all: 1,
        pending: i64::from(status == Status::Pending),
        done: i64::from(status.is_final(attempt, max_attempts)),
    }
}

impl<'a> World<'a> {
    fn new(people: &'a [(&'static str, Actor)], policy: Policy<'a>, seen: &'a RefCell<Seen>) -> Self {
        let (_, import) = people.iter().find(|(letters, _)| *letters == "S").unwrap();
        let mut world = Self {
            now: at(0),
            people,
            policy,
            kept: vec![],
            tally: Tally::default(),
            answers: BTreeMap::new(),
            seen,
        };
        for (id, max_attempts, lines) in [
            ("DR-1", 3, vec![Line::open("1", 5_000), Line::open("2", 2_500)]),
            ("DR-2", 2, vec![]),
            ("DR-3", 1, vec![Line::open("A", 1_000), Line::open("B", 0)]),
        ] {
            let new = new(id, max_attempts, lines);
            let change = create(import, Clocks::now(world.now), new).unwrap();
            world.tally.all += 1;
            world.tally.pending += 1;
            world.kept.push(Kept {
                history: vec![change.step.unwrap()],
                variances: BTreeMap::from([(1, change.variances)]),
                changes: 1,
                forms: 0,
                processed: None,
                state: change.state,
            });
        }
        world
    }

    /// Answers a request as a store would: a repeated client event gets its first answer and changes nothing.
    fn tell(&mut self, place: usize, request: &Request) -> Answer {
        if let Some((_, _, answer)) = request.client_event_id.and_then(|id| self.answers.get(&id)) {
            return answer.clone();
        }
        let before = self.kept[place].state.clone();
        let answer = match decide(&before, request, self.policy) {
            Err(error) => {
                assert!(!error.message.is_empty());
                Answer::Refused(error.reason)
            }
            Ok(Decision::NoOp) => Answer::NoOp { version: before.version },
            Ok(Decision::Superseded { state, step }) => {
                assert!(request.actor.is_driver() && step.superseded && !step.correction);
                let version = before.version + 1;
                assert_eq!(*state, State { conflict: true, version, ..before });
                let kept = &mut self.kept[place];
                kept.changes += 1;
                kept.history.push(*step);
                kept.state = *state;
                Answer::Superseded { version }
            }
            Ok(Decision::Change(change)) => {
                self.count(kind(&request.command), request.actor.kind().as_str());
                assert_eq!(change.state.version, before.version + 1);
                assert_eq!(change.form_issued, change.state.form_version != before.form_version);
                let kept = &mut self.kept[place];
                kept.changes += 1;
                kept.forms += i32::from(change.form_issued);
                if let Some(step) = change.step {
                    assert!(!step.superseded);
                    assert_eq!((step.from, step.to), (Some(before.status), change.state.status));
                    self.permitted(request, &before, &step);
                    let kept = &mut self.kept[place];
                    let max = before.max_attempts;
                    // Take the previous status and attempt from the history alone: from its last step that
                    // took effect.
                    let old = kept.history.iter().rev().find(|it| !it.superseded).unwrap();
                    let (old, new) = (weigh(old.to, old.attempt, max), weigh(step.to, step.attempt, max));
                    self.tally.pending += new.pending - old.pending;
                    self.tally.done += new.done - old.done;
                    kept.processed = match (step.to, kept.processed) {
                        (Status::Pending, _) => None,
                        (_, Some(first)) => Some(first),
                        (_, None) => Some(step.occurred_at.min(step.received_at + TimeDelta::minutes(2))),
                    };
                    kept.history.push(step);
                } else {
                    assert_eq!(change.state.status, before.status);
                }
                let kept = &mut self.kept[place];
                kept.variances.insert(change.state.attempt, change.variances);
                kept.state = change.state;
                // Decided a second time, the same request changes nothing: no event id is needed for that.
                let again = decide(&kept.state, request, self.policy);
                assert!(!matches!(again, Ok(Decision::Change(_))), "{request:?}");
                Answer::Changed { version: before.version + 1 }
            }
        };
        if let (Some(id), false) = (request.client_event_id, matches!(answer, Answer::Refused(_))) {
            self.answers.insert(id, (place, request.clone(), answer.clone()));
        }
        match &answer {
            Answer::NoOp { .. } => self.count("answer", "no-op"),
            Answer::Changed { .. } => self.count("answer", "changed"),
            Answer::Superseded { .. } => self.count("answer", "superseded"),
            Answer::Refused(reason) => {
                let known = REFUSALS.into_iter().find(|known| known == reason);
                self.count("refused", known.expect("a refusal of these rules"));
            }
        }
        answer
    }

    /// Checks a step without relying on `decide`: the table of transitions permits its actor, and no driver's
    /// event overrides a decision of the office.
    fn permitted(&self, request: &Request, before: &State, step: &Step) {
        let (from, to) = (before.status, step.to);
        let may = if from == to { "P" } else { who(from, to).expect("a row of the table") };
        let (letters, _) = self.people.iter().find(|(_, actor)| *actor == request.actor).unwrap();
        assert!(letters.chars().any(|letter| may.contains(letter)), "{from:?} → {to:?} by {request:?}");
        self.count(from.as_str(), to.as_str());
        if request.actor.is_driver() {
            let processed = request.clocks.processed_at();
            assert!(before.office_decided_at.is_none_or(|decided| processed > decided));
        }
    }

    fn count(&self, what: &'static str, which: &'static str) {
        *self.seen.borrow_mut().entry((what, which)).or_default() += 1;
    }

    fn holds(&self, place: usize) {
        let Kept { state, history, variances, changes, forms, processed } = &self.kept[place];
        // The history has no gap and matches the delivery.
        let mut status = None;
        for step in history.iter().filter(|step| !step.superseded) {
            assert_eq!(step.from, status, "{history:?}");
            status = Some(step.to);
        }
        assert_eq!(status, Some(state.status));
        assert!(history.iter().filter(|step| step.superseded).all(|step| step.from.is_some()));
        assert!(history.is_sorted_by_key(|step| step.received_at));
        // There is one version per change.
        assert_eq!((state.version, state.form_version), (*changes, *forms));
        assert!((1..=state.max_attempts).contains(&state.attempt), "{state:?}");
        // Nothing is recorded before an outcome.
        let pending = state.status == Status::Pending;
        assert_eq!((state.deliverydatetime.is_none(), state.outcome.is_none()), (pending, pending));
        assert_eq!(state.deliverydatetime, *processed);
        if pending {
            assert_eq!(state.lines, line::opened(&state.lines));
        } else {
            assert!(line::implied(&state.lines).is_none_or(|implied| implied == state.status), "{state:?}");
        }
        // The current attempt has a variance for each differing line, and variances of earlier attempts still
        // exist.
        let differs = |line: &&Line| line.delivered != line.expected || line.condition != Condition::Ok;
        let differing = state.lines.iter().filter(|line| !pending && differs(line));
        let differing: Vec<_> =
            differing.map(|line| (line.item_number.as_str(), line.delivered - line.expected)).collect();
        let of_lines = |attempt: i32| {
            let all = variances[&attempt].iter();
            all.filter_map(|it| it.item_number.as_deref().map(|number| (number, it.difference)))
        };
        assert_eq!(of_lines(state.attempt).collect::<Vec<_>>(), differing);
        // The outcome's reason is always among those of the variances.
        let reason = state.outcome.as_ref().and_then(|it| it.reason.as_deref());
        if let Some(reason) = reason {
            let codes = variances[&state.attempt].iter().filter_map(|it| it.reason.as_ref());
            assert!(codes.clone().any(|it| it.code == reason), "{state:?}");
        }
        assert!(variances.values().flatten().all(|variance| variance.reason.is_some()));
        assert_eq!(variances.len(), state.attempt as usize);
        for attempt in 1..state.attempt {
            let expected = state.lines.iter().filter(|line| line.expected > 0).count();
            assert_eq!(of_lines(attempt).count(), expected, "an attempt that failed left everything out");
        }
    }

    /// Compares the running tally with a recount of the deliveries, and the shipment's status with its
    /// definition.
    fn shipment_holds(&self) {
        let mut counted = Tally::default();
        for Kept { state, .. } in &self.kept {
            let it = weigh(state.status, state.attempt, state.max_attempts);
            counted = Tally {
                all: counted.all + it.all,
                pending: counted.pending + it.pending,
                done: counted.done + it.done,
            };
        }
        assert_eq!(self.tally, counted);
        let pending = self.kept.iter().all(|it| it.state.status == Status::Pending);
        let is_final = |it: &Kept| match it.state.status {
            Status::CompleteNoVariance | Status::CompleteWithVariance | Status::Rejected => true,
            Status::Undelivered => it.state.attempt == it.state.max_attempts,
            Status::Pending => false,
        };
        let words = match (pending, self.kept.iter().all(is_final)) {
            (true, _) => ShipmentStatus::Pending,
            (_, true) => ShipmentStatus::Completed,
            _ => ShipmentStatus::Partial,
        };
        assert_eq!(self.tally.status(), Some(words));
        self.count("shipment", words.as_str());
    }

    fn event(&mut self, number: u64) {
        let mut dice = Dice(number);
        self.now += TimeDelta::minutes(dice.pick(&[0, 1, 7, 40]));
        if dice.roll(16) == 0 && !self.answers.is_empty() {
            let nth = dice.roll(self.answers.len() as u64) as usize;
            let (place, request, first) = self.answers.values().nth(nth).unwrap().clone();
            let before = self.kept[place].clone();
            assert_eq!(self.tell(place, &request), first, "the first answer again");
            assert_eq!(self.kept[place], before);
            self.count("answer", "the first one");
            return;
        }
        let place = dice.roll(self.kept.len() as u64) as usize;
        let request = self.request(&mut dice, place);
        self.tell(place, &request);
        self.holds(place);
        self.shipment_holds();
    }
}

const REFUSALS: [&str; 5] = [
    "DELIVERY_TRANSITION_NOT_ALLOWED",
    "DELIVERY_STATUS_CONTRADICTS_LINES",
    "DELIVERY_ACTION_NOT_ALLOWED",
    "DELIVERY_CHANGED",
    "INVALID_FIELDS",
];

fn kind(command: &Command) -> &'static str {
    match command {
        Command::RecordOutcome(_) => "record",
        Command::Reschedule { .. } => "reschedule",
        Command::RefuseAfterAttempt { .. } => "refuse",
        Command::Reopen { .. } => "reopen",
        Command::Correct(_) => "correct",
        Command::AssignDriver { .. } => "assign",
    }
}

/// Runs `cases` histories of one worker; returns how often each case occurred.
fn tell_stories(cases: u32, worker: u32) -> Seen {
    let (people, catalogue) = (everybody(), Catalogue::seed());
    let requirement = PodRequirement::of(&[Proof::Signature]);
    let policy = |over_delivery| Policy {
        reasons: &catalogue,
        over_delivery,
        proof: &requirement,
        failed_attempt: FailedAttemptProof::PhotoOrNote,
        zone: chrono_tz::Tz::UTC,
    };
    let seen = RefCell::new(Seen::new());
    // The default generator is slow in a build without optimization.
    let rng_algorithm = RngAlgorithm::XorShift;
    // Otherwise, all workers would draw the same histories.
    let rng_seed = match Config::default().rng_seed {
        RngSeed::Fixed(seed) => RngSeed::Fixed(seed.wrapping_add(worker.into())),
        RngSeed::Random => RngSeed::Random,
    };
    let config = Config { cases, rng_algorithm, rng_seed, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&(any::<bool>(), vec(any::<u64>(), 1..=10)), |(over_delivery, events)| {
            let mut world = World::new(&people, policy(over_delivery), &seen);
            for number in events {
                world.event(number);
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    seen.into_inner()
}

#[test]
fn the_invariants_hold_in_random_sequences() {
    let cases: u32 = std::env::var("WAYBILL_TEST_SEQUENCES").map_or(100_000, |text| text.parse().unwrap());
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let each = cases.div_ceil(workers);
    let mut seen = Seen::new();
    std::thread::scope(|scope| {
        let told: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || tell_stories(each, worker))).collect();
        for (what, times) in told.into_iter().flat_map(|worker| worker.join().unwrap()) {
            *seen.entry(what).or_default() += times;
        }
    });

    // Each of these cases must have occurred, or the test has proved nothing.
    let saw = |what: &'static str, which: &'static str| {
        assert!(cases < 5_000 || seen.contains_key(&(what, which)), "never: {what} {which} of {seen:#?}");
    };
    for from in STATUSES {
        for to in STATUSES.into_iter().filter(|to| who(from, *to).is_some()) {
            saw(from.as_str(), to.as_str());
        }
    }
    saw("Complete_With_Variance", "Complete_With_Variance");
    for answer in ["changed", "no-op", "superseded", "the first one"] {
        saw("answer", answer);
    }
    for reason in REFUSALS {
        saw("refused", reason);
    }
    for status in ShipmentStatus::SPELLINGS {
        saw("shipment", status);
    }
    saw("assign", "user");
}
