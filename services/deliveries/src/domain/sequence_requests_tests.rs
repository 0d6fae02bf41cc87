//! Draws the next request of a random history.

use chrono::TimeDelta;
use uuid::Uuid;

use super::World;
use crate::domain::clocks::Clocks;
use crate::domain::command::{Command, Correct, Policy, RecordOutcome, Request};
use crate::domain::delivery::{ScanMode, Status};
use crate::domain::line::{self, Condition, Count, Line};
use crate::domain::state::{Relation, State};
use crate::domain::testing::STATUSES;

/// Turns one random number into a series of choices.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        let side = self.0 % sides;
        self.0 /= sides;
        side
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize]
    }
}

impl World<'_> {
    /// Draws a request: mostly a sensible one, otherwise anything.
    pub(super) fn request(&self, dice: &mut Dice, place: usize) -> Request {
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
            saw_decision: false,
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
            photo: false,
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
fn text(dice: &mut Dice, of: &[Option<&str>]) -> Option<String> {
    dice.pick(of).map(str::to_owned)
}

fn implied(lines: &[Line], counts: &[Count], policy: Policy) -> Option<Status> {
    line::counted(lines, counts, policy.rules()).ok().and_then(|lines| line::implied(&lines))
}

/// Draws counts for all lines, or for all but the first. Either every line gets the same kind of count, or
/// each gets its own.
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
