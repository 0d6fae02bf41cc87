//! Random stories of the deliveries of one shipment, and what holds at each moment of them.
//!
//! `WAYBILL_TEST_SEQUENCES` sets how many are told; without it 100,000.

use std::cell::RefCell;
use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestRunner};
use uuid::Uuid;

use super::actor::Actor;
use super::clocks::Clocks;
use super::command::{Command, Correct, Decision, Policy, RecordOutcome, Request};
use super::delivery::{ScanMode, ShipmentStatus, Status};
use super::line::{self, Condition, Count, Line, Variance};
use super::proof::{FailedAttemptProof, PodRequirement, Proof};
use super::reason::Catalogue;
use super::shipment::Tally;
use super::state::{Relation, State, Step};
use super::table_tests::who;
use super::testing::{STATUSES, at, everybody, new};
use super::transition::{create, decide};

/// How often what happened.
type Seen = BTreeMap<(&'static str, &'static str), u64>;

/// Takes one number apart into choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        let side = self.0 % sides;
        self.0 /= sides;
        side
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize]
    }
}

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
    /// By attempt.
    variances: BTreeMap<i32, Vec<Variance>>,
    /// Accepted, the creation included.
    changes: i64,
    forms: i32,
    /// When the attempt was first over, as the history tells.
    processed: Option<DateTime<Utc>>,
}

struct World<'a> {
    now: DateTime<Utc>,
    people: &'a [(&'static str, Actor)],
    policy: Policy<'a>,
    kept: Vec<Kept>,
    /// Moved by each step of a history, never counted anew.
    tally: Tally,
    /// What was answered to a client event.
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

    /// As a store does it: an event is told once.
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
                assert_eq!(*state, State { conflict: true, ..before.clone() });
                self.kept[place].history.push(*step);
                self.kept[place].state = *state;
                Answer::Superseded { version: before.version }
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
                    // By the history alone, which starts the attempt it goes to.
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
                // Also without its id it is not done twice.
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

    /// The table, once more: who may, and that no device goes over the office.
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
        // History: without a gap, and at one with the delivery.
        let mut status = None;
        for step in history.iter().filter(|step| !step.superseded) {
            assert_eq!(step.from, status, "{history:?}");
            status = Some(step.to);
        }
        assert_eq!(status, Some(state.status));
        assert!(history.iter().filter(|step| step.superseded).all(|step| step.from.is_some()));
        assert!(history.is_sorted_by_key(|step| step.received_at));
        // Versions: one for each change.
        assert_eq!((state.version, state.form_version), (*changes, *forms));
        assert!((1..=state.max_attempts).contains(&state.attempt), "{state:?}");
        // Nothing is recorded while nothing has happened.
        let pending = state.status == Status::Pending;
        assert_eq!((state.deliverydatetime.is_none(), state.outcome.is_none()), (pending, pending));
        assert_eq!(state.deliverydatetime, *processed);
        if pending {
            assert_eq!(state.lines, line::opened(&state.lines));
        } else {
            assert!(line::implied(&state.lines).is_none_or(|implied| implied == state.status), "{state:?}");
        }
        // Variances: those of the attempt are its lines that differ, earlier ones are still there.
        let differs = |line: &&Line| line.delivered != line.expected || line.condition != Condition::Ok;
        let differing = state.lines.iter().filter(|line| !pending && differs(line));
        let differing: Vec<_> =
            differing.map(|line| (line.item_number.as_str(), line.delivered - line.expected)).collect();
        let of_lines = |attempt: i32| {
            let all = variances[&attempt].iter();
            all.filter_map(|it| it.item_number.as_deref().map(|number| (number, it.difference)))
        };
        assert_eq!(of_lines(state.attempt).collect::<Vec<_>>(), differing);
        // The reason of an outcome is always found among them.
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

    /// The shipment as its histories moved it, against its deliveries and the words of the table.
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

    /// Most know what they do; the others do anything.
    fn request(&self, dice: &mut Dice, place: usize) -> Request {
        let state = &self.kept[place].state;
        let sensible = dice.roll(5) > 0;
        let (person, command) = match (sensible, state.status) {
            (true, Status::Pending) => (dice.pick(&[0, 0, 0, 1, 2, 3]), dice.pick(&[0, 0, 0, 0, 0, 5])),
            (true, Status::Undelivered) => (dice.pick(&[1, 2, 3, 4, 5, 6]), dice.pick(&[1, 1, 1, 2, 5])),
            (true, Status::Rejected) => (3, dice.pick(&[3, 3, 5])),
            (true, _) => (dice.pick(&[2, 3, 3]), dice.pick(&[4, 4, 4, 5])),
            (false, _) => (dice.roll(self.people.len() as u64) as usize, dice.pick(&[0, 0, 1, 2, 3, 4, 5])),
        };
        let command = match command {
            0 => Command::RecordOutcome(self.outcome(dice, state, sensible)),
            1 => Command::Reschedule {
                scheduledatetime: match dice.roll(6) {
                    0 => state.scheduledatetime,
                    _ => self.now + TimeDelta::days(1),
                },
                note: None,
            },
            2 => Command::RefuseAfterAttempt {
                reason: text(dice, &[Some("refused_late"), Some("refused_late"), Some("site_closed"), None]),
                note: text(dice, &[Some("Called back"), Some("Called back"), None]),
            },
            3 => Command::Reopen { reason: text(dice, &[Some("Changed their mind"), None]) },
            4 => Command::Correct(self.correction(dice, state)),
            _ => Command::AssignDriver { driver_id: text(dice, &[Some("D-1"), Some("D-2"), None]) },
        };
        let occurred_at = self.now + TimeDelta::minutes(dice.pick(&[0, 0, 0, 1, 11, -5, -45, -300]));
        let (now, before) = (Some(state.version), Some(state.version - 1));
        Request {
            actor: self.people[person].1.clone(),
            expected_version: dice.pick(&[None, None, None, None, now, now, now, before]),
            client_event_id: (dice.roll(20) > 0).then(|| Uuid::from_u128(self.answers.len() as u128 + 1)),
            clocks: Clocks { occurred_at, received_at: self.now },
            command,
        }
    }

    fn correction(&self, dice: &mut Dice, state: &State) -> Correct {
        let status =
            dice.pick(&[None, Some(Status::Pending), Some(Status::Undelivered), Some(Status::Rejected)]);
        let lines = if status.is_none() || dice.roll(6) == 0 { counts(dice, &state.lines) } else { None };
        let outcome_reason = match status {
            Some(Status::Undelivered) => Some("goods_not_loaded"),
            Some(Status::Rejected) => Some("refused_late"),
            _ => dice.pick(&[None, None, Some("goods_not_loaded")]),
        };
        Correct {
            reason: text(dice, &[Some("Counted again"), Some("Counted again"), Some("Counted again"), None]),
            status,
            lines,
            outcome_reason: outcome_reason.map(str::to_owned),
            outcome_note: None,
        }
    }

    fn outcome(&self, dice: &mut Dice, state: &State, sensible: bool) -> RecordOutcome {
        let status = STATUSES[1 + dice.roll(4) as usize];
        let (status, lines) = match dice.roll(3) {
            0 => (Some(status), None),
            1 => (None, counts(dice, &state.lines)),
            _ => (Some(status), counts(dice, &state.lines)),
        };
        let said = status.or_else(|| lines.as_ref().and_then(|it| implied(&state.lines, it, self.policy)));
        let reason = match (sensible, said) {
            (true, Some(Status::Undelivered)) => Some("recipient_absent"),
            (true, Some(Status::Rejected)) => Some("refused_not_ordered"),
            (true, _) => None,
            (false, _) => dice.pick(&[None, Some("site_closed"), Some("refused_late"), Some("made_up")]),
        };
        let (present, before) = (Some(state.attempt), Some(state.attempt - 1));
        let attempts = [None, None, None, present, present, Some(1), Some(1), before];
        let given = |dice: &mut Dice| sensible || dice.roll(2) == 0;
        RecordOutcome {
            status,
            attempt: dice.pick(&attempts),
            lines,
            reason: reason.map(str::to_owned),
            note: given(dice).then(|| "At the gate".to_owned()),
            received_by: given(dice).then(|| "Nena".to_owned()),
            relation: dice.pick(&[None, Some(Relation::Family), Some(Relation::Mailbox)]),
            scanmode: dice.pick(&[ScanMode::Yes, ScanMode::No]),
            place: None,
            signature: given(dice),
            photo: given(dice),
        }
    }
}

const REFUSALS: [&str; 5] = [
    "DELIVERY_TRANSITION_NOT_ALLOWED",
    "DELIVERY_STATUS_CONTRADICTS_LINES",
    "DELIVERY_ACTION_NOT_ALLOWED",
    "DELIVERY_CHANGED",
    "INVALID_FIELDS",
];

fn text(dice: &mut Dice, of: &[Option<&str>]) -> Option<String> {
    dice.pick(of).map(str::to_owned)
}

fn implied(lines: &[Line], counts: &[Count], policy: Policy) -> Option<Status> {
    line::counted(lines, counts, policy.rules()).ok().and_then(|lines| line::implied(&lines))
}

/// Counts of all lines or all but one, alike or each its own way.
fn counts(dice: &mut Dice, lines: &[Line]) -> Option<Vec<Count>> {
    let (way, mixed) = (dice.pick(&[0, 0, 1, 1, 2, 2, 3, 3, 4, 5]), dice.roll(3) == 0);
    let count = |dice: &mut Dice, line: &Line| {
        let (delivered, rejected, condition) = match if mixed { dice.roll(5) } else { way } {
            0 => (line.expected, 0, Condition::Ok),
            1 => (0, 0, Condition::Ok),
            2 => (0, line.expected, Condition::Ok),
            3 => (line.expected / 2, line.expected / 4, Condition::Ok),
            4 => (line.expected, 0, Condition::Damaged),
            _ => (line.expected + 500, 0, Condition::Ok),
        };
        let differs = delivered != line.expected || condition != Condition::Ok;
        let reason = (differs && dice.roll(6) > 0).then(|| "short_shipped".to_owned());
        let item_number = line.item_number.clone();
        Count { item_number, delivered, rejected, condition, reason, note: None }
    };
    let skipped = usize::from(dice.roll(16) == 0);
    (dice.roll(5) > 0).then(|| lines.iter().skip(skipped).map(|line| count(dice, line)).collect())
}

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

/// Tells that many, and what happened in them.
fn tell_stories(cases: u32) -> Seen {
    let (people, catalogue) = (everybody(), Catalogue::seed());
    let requirement = PodRequirement::of(&[Proof::Signature]);
    let policy = |over_delivery| Policy {
        reasons: &catalogue,
        over_delivery,
        proof: &requirement,
        failed_attempt: FailedAttemptProof::PhotoOrNote,
    };
    let seen = RefCell::new(Seen::new());
    // The default generator is slow without optimisation.
    let rng_algorithm = RngAlgorithm::XorShift;
    let config = Config { cases, rng_algorithm, failure_persistence: None, ..Config::default() };
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
    let tell = move || tell_stories(cases.div_ceil(workers));
    let mut seen = Seen::new();
    std::thread::scope(|scope| {
        let told: Vec<_> = (0..workers).map(|_| scope.spawn(tell)).collect();
        for (what, times) in told.into_iter().flat_map(|worker| worker.join().unwrap()) {
            *seen.entry(what).or_default() += times;
        }
    });

    // Otherwise all that has proved nothing.
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
