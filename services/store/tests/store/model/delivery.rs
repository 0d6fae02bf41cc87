//! A model of outbox, broker, inbox and dead letters: two producers with one relay each and three events in
//! all, two consumers, and a number of faults that may strike at any moment.

use stateright::{Model, Property};

const EVENTS: usize = 3;
const CONSUMERS: usize = 2;
/// Concurrent relays.
const RELAYS: usize = 2;
/// Number of failures after which a consumer gives an event up. It is larger than the number of faults in a
/// test, so that crashes alone never make a consumer give up a good event.
const ATTEMPTS: u8 = 4;
/// The producer of each event. The events of a producer leave its outbox in this order.
const PRODUCER: [usize; EVENTS] = [0, 0, 1];

pub const DONE_ONCE: &str = "an event takes effect once at most";
pub const NOT_GIVEN_UP: &str = "no good event is given up";
pub const POSSIBLE: &str = "everything is done after a fault";
pub const NOT_STUCK: &str = "whatever is left to do can be done";

#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Whether an unavailable database counts as a failure of the event.
    pub away_counts: bool,
    /// Whether a relay stops at an event that no bus accepts.
    pub refusal_stops: bool,
    /// Whether consumers ask the producer for published events that never arrived.
    pub asks_source: bool,
    pub has_inbox: bool,
}

impl Rules {
    pub const PRESENT: Self =
        Self { away_counts: false, refusal_stops: false, asks_source: true, has_inbox: true };
}

pub struct Delivery {
    pub rules: Rules,
    /// How many faults may happen.
    pub faults: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Good,
    /// No bus accepts the event.
    TooLarge,
    /// No consumer can handle the event.
    Bad,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Row {
    Waiting,
    Claimed,
    /// The broker has the event, and the relay has not marked it yet.
    Sent,
    Published,
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Message {
    Absent,
    Pending,
    Acknowledged,
}

/// The state of an event at one consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    message: Message,
    effects: u8,
    failures: u8,
    given_up: bool,
}

impl Place {
    fn is_done(self) -> bool {
        self.effects > 0 || self.given_up
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    kinds: [Kind; EVENTS],
    outbox: [Row; EVENTS],
    places: [[Place; EVENTS]; CONSUMERS],
    /// Consumers whose database does not respond.
    away: [bool; CONSUMERS],
    faults: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Claim(usize),
    Send(usize),
    Mark(usize),
    /// The broker delivers an event to a consumer.
    Deliver(usize, usize),
    /// The consumer asks the producer for an event and handles it.
    Ask(usize, usize),
    ComeBack(usize),
    // The faults begin here.
    RelayDies(usize),
    GoAway(usize),
    /// The consumer has committed, but the broker does not learn of it.
    AcknowledgementLost(usize, usize),
    ConsumerDies(usize, usize),
    StoreLost,
}
use Action::*;

impl Delivery {
    /// Returns the possible actions that are not faults. Each of them leaves less to do.
    fn work(&self, state: &State) -> Vec<Action> {
        let mut work = Vec::new();
        let at_work = state.outbox.iter().filter(|row| matches!(row, Row::Claimed | Row::Sent)).count();
        for event in 0..EVENTS {
            match state.outbox[event] {
                Row::Waiting if at_work < RELAYS && self.is_due(state, event) => work.push(Claim(event)),
                Row::Claimed => work.push(Send(event)),
                Row::Sent => work.push(Mark(event)),
                _ => {}
            }
        }
        for consumer in 0..CONSUMERS {
            if state.away[consumer] {
                work.push(ComeBack(consumer));
            }
            for event in 0..EVENTS {
                let place = state.places[consumer][event];
                let works = !state.away[consumer] || self.rules.away_counts;
                if place.message == Message::Pending && works {
                    work.push(Deliver(consumer, event));
                }
                let published = state.outbox[event] == Row::Published;
                if self.rules.asks_source && published && !place.is_done() && !state.away[consumer] {
                    work.push(Ask(consumer, event));
                }
            }
        }
        work
    }

    fn is_due(&self, state: &State, event: usize) -> bool {
        let stops =
            |earlier: usize| PRODUCER[earlier] == PRODUCER[event] && state.outbox[earlier] == Row::Waiting;
        if !self.rules.refusal_stops {
            return true;
        }
        // With this rule, the relay retries an event that is too large forever. That changes no state, so it
        // is not an action.
        state.kinds[event] != Kind::TooLarge && !(0..event).any(stops)
    }

    fn trouble(&self, state: &State) -> Vec<Action> {
        let mut trouble = Vec::new();
        if state.faults == 0 {
            return trouble;
        }
        for event in 0..EVENTS {
            if matches!(state.outbox[event], Row::Claimed | Row::Sent) {
                trouble.push(RelayDies(event));
            }
        }
        for consumer in 0..CONSUMERS {
            if state.away[consumer] {
                continue;
            }
            trouble.push(GoAway(consumer));
            for event in 0..EVENTS {
                if state.places[consumer][event].message == Message::Pending {
                    trouble.push(AcknowledgementLost(consumer, event));
                    trouble.push(ConsumerDies(consumer, event));
                }
            }
        }
        if state.places.iter().flatten().any(|place| place.message != Message::Absent) {
            trouble.push(StoreLost);
        }
        trouble
    }

    /// Handles an event once, wherever it came from; returns whether the consumer is done with the event.
    fn handle(&self, state: &mut State, consumer: usize, event: usize) -> bool {
        let (kind, away) = (state.kinds[event], state.away[consumer]);
        let place = &mut state.places[consumer][event];
        if place.given_up || (self.rules.has_inbox && place.effects > 0) {
            return true;
        }
        if away {
            // This happens only when the rule `away_counts` is on. The event is not given up here: without
            // its database, the consumer cannot store a dead letter.
            place.failures = (place.failures + 1).min(ATTEMPTS);
            return false;
        }
        // With the rule `away_counts`, the broker counts attempts and does not deliver an event again after
        // the last.
        let used_up = self.rules.away_counts && place.failures >= ATTEMPTS;
        if kind == Kind::Good && !used_up {
            place.effects = (place.effects + 1).min(2);
            return true;
        }
        place.failures = (place.failures + 1).min(ATTEMPTS);
        place.given_up = place.failures >= ATTEMPTS;
        place.given_up
    }

    fn send(&self, state: &mut State, event: usize) {
        if state.kinds[event] == Kind::TooLarge {
            state.outbox[event] = if self.rules.refusal_stops { Row::Waiting } else { Row::Refused };
            return;
        }
        state.outbox[event] = Row::Sent;
        for places in &mut state.places {
            // The broker recognizes an event that is sent again only for a while. So the model lets it
            // deliver the event again.
            places[event].message = Message::Pending;
        }
    }

    fn is_finished(state: &State, event: usize) -> bool {
        let places = || state.places.iter().map(|places| places[event]);
        match state.kinds[event] {
            Kind::TooLarge => state.outbox[event] != Row::Published,
            Kind::Good => state.outbox[event] == Row::Published && places().all(|place| place.effects > 0),
            Kind::Bad => state.outbox[event] == Row::Published && places().all(|place| place.given_up),
        }
    }
}

impl Model for Delivery {
    type State = State;
    type Action = Action;

    /// Returns the initial states: either all events are good, or the first one is `TooLarge` or `Bad`.
    fn init_states(&self) -> Vec<State> {
        let place = Place { message: Message::Absent, effects: 0, failures: 0, given_up: false };
        let start = State {
            kinds: [Kind::Good; EVENTS],
            outbox: [Row::Waiting; EVENTS],
            places: [[place; EVENTS]; CONSUMERS],
            away: [false; CONSUMERS],
            faults: self.faults,
        };
        let mut all = vec![start.clone()];
        for kind in [Kind::TooLarge, Kind::Bad] {
            let mut other = start.clone();
            other.kinds[0] = kind;
            all.push(other);
        }
        all
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(self.work(state));
        actions.extend(self.trouble(state));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut next = last.clone();
        match action {
            Claim(event) => next.outbox[event] = Row::Claimed,
            Send(event) => self.send(&mut next, event),
            Mark(event) => next.outbox[event] = Row::Published,
            Deliver(consumer, event) => {
                if self.handle(&mut next, consumer, event) {
                    next.places[consumer][event].message = Message::Acknowledged;
                }
            }
            Ask(consumer, event) => {
                self.handle(&mut next, consumer, event);
            }
            ComeBack(consumer) => next.away[consumer] = false,
            RelayDies(event) => next.outbox[event] = Row::Waiting,
            GoAway(consumer) => next.away[consumer] = true,
            AcknowledgementLost(consumer, event) => {
                self.handle(&mut next, consumer, event);
            }
            ConsumerDies(consumer, event) => {
                let place = &mut next.places[consumer][event];
                place.failures = (place.failures + 1).min(ATTEMPTS - 1);
            }
            StoreLost => {
                for place in next.places.iter_mut().flatten() {
                    place.message = Message::Absent;
                }
            }
        }
        if matches!(action, RelayDies(_) | GoAway(_) | AcknowledgementLost(..) | ConsumerDies(..) | StoreLost)
        {
            next.faults -= 1;
        }
        (next != *last).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(DONE_ONCE, |_, state: &State| {
                state.places.iter().flatten().all(|place| place.effects < 2)
            }),
            Property::always(NOT_GIVEN_UP, |_, state: &State| {
                let good = |event: usize| state.kinds[event] == Kind::Good;
                state
                    .places
                    .iter()
                    .all(|places| (0..EVENTS).all(|event| !good(event) || !places[event].given_up))
            }),
            // Each action in `work` leaves less to do. So if every unfinished state allows one of them, all
            // events are finished at some time.
            Property::always(NOT_STUCK, |model: &Self, state: &State| {
                let moves = |action: Action| model.next_state(state, action).is_some();
                let over = (0..EVENTS).all(|event| Self::is_finished(state, event));
                over || model.work(state).into_iter().any(moves)
            }),
            Property::sometimes(POSSIBLE, |model: &Self, state: &State| {
                let over = (0..EVENTS).all(|event| Self::is_finished(state, event));
                over && (model.faults == 0 || state.faults < model.faults)
            }),
        ]
    }
}
