//! What can be asked of a delivery, and what can be answered.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::actor::Actor;
use super::clocks::Clocks;
use super::delivery::{ScanMode, Status, spelled};
use super::line::{Count, Line, Rules};
use super::proof::{FailedAttemptProof, PodRequirement};
use super::reason::Catalogue;
use super::state::{Change, Place, Relation, State, Step};

/// The settings that decide, resolved for this delivery.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    pub reasons: &'a Catalogue,
    pub over_delivery: bool,
    pub proof: &'a PodRequirement,
    pub failed_attempt: FailedAttemptProof,
}

impl<'a> Policy<'a> {
    pub fn rules(self) -> Rules<'a> {
        Rules { reasons: self.reasons, over_delivery: self.over_delivery }
    }
}

#[derive(Debug, Clone)]
pub struct Request {
    pub actor: Actor,
    /// The version the actor saw. A device that was offline saw none.
    pub expected_version: Option<i64>,
    /// Told once, however often it is sent. Whoever keeps the answers looks it up before this.
    pub client_event_id: Option<Uuid>,
    pub clocks: Clocks,
    pub command: Command,
}

#[derive(Debug, Clone)]
pub enum Command {
    RecordOutcome(RecordOutcome),
    /// Undelivered → Pending, in the next attempt.
    Reschedule {
        scheduledatetime: DateTime<Utc>,
        note: Option<String>,
    },
    /// Undelivered → Rejected: the customer said so by phone.
    RefuseAfterAttempt {
        reason: Option<String>,
        note: Option<String>,
    },
    /// Rejected → Pending: the customer changed their mind.
    Reopen {
        reason: Option<String>,
    },
    Correct(Correct),
    /// `None` takes the driver away.
    AssignDriver {
        driver_id: Option<String>,
    },
}

impl Command {
    /// The same request names other transitions where the delivery stands elsewhere: Rejected
    /// after a failed attempt is a refusal by phone, and back to Pending reopens what was rejected.
    pub fn for_standing(self, state: &State, actor: &Actor) -> Self {
        match self {
            Self::RecordOutcome(it)
                if it.status == Some(Status::Rejected)
                    && state.status == Status::Undelivered
                    && it.attempt.is_none_or(|attempt| attempt == state.attempt)
                    && !actor.is_driver() =>
            {
                Self::RefuseAfterAttempt { reason: it.reason, note: it.note }
            }
            Self::Correct(it) if it.status == Some(Status::Pending) && state.status == Status::Rejected => {
                Self::Reopen { reason: it.reason }
            }
            other => other,
        }
    }
}

/// Pending → an outcome. The status follows the lines; either of the two may be left out.
#[derive(Debug, Clone)]
pub struct RecordOutcome {
    pub status: Option<Status>,
    /// The attempt that the device saw; the present one when absent.
    pub attempt: Option<i32>,
    /// All lines of the delivery.
    pub lines: Option<Vec<Count>>,
    pub reason: Option<String>,
    pub note: Option<String>,
    pub received_by: Option<String>,
    pub relation: Option<Relation>,
    pub scanmode: ScanMode,
    pub place: Option<Place>,
    /// The attempt has one, sent with this or before.
    pub signature: bool,
    pub photo: bool,
}

/// A completed delivery → what it should have been.
#[derive(Debug, Clone, Default)]
pub struct Correct {
    /// Why it is corrected.
    pub reason: Option<String>,
    pub status: Option<Status>,
    /// The lines to correct; the others stay.
    pub lines: Option<Vec<Count>>,
    /// Of what it should have been, when that is Undelivered or Rejected.
    pub outcome_reason: Option<String>,
    pub outcome_note: Option<String>,
}

/// A delivery to be made, its fields checked.
#[derive(Debug, Clone)]
pub struct New {
    pub id: String,
    pub scheduledatetime: DateTime<Utc>,
    pub time_window_start: Option<DateTime<Utc>>,
    pub time_window_end: Option<DateTime<Utc>>,
    pub driver_id: Option<String>,
    pub max_attempts: i32,
    /// With nothing counted.
    pub lines: Vec<Line>,
}

spelled!(
    /// What an accepted event of a client did.
    Effect { Changed => "changed", NoOp => "no_op", Superseded => "superseded" }
);

#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is so already: a good answer, and nothing is written.
    NoOp,
    Change(Box<Change>),
    /// A device told too late what the office has decided since: the step is kept and the
    /// delivery marked, its version as it was so that nobody's open form becomes stale.
    Superseded {
        state: Box<State>,
        step: Box<Step>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::{correction, dispatcher, driver, outcome, record, state};

    #[test]
    fn rejected_after_a_failed_attempt_is_a_refusal_by_phone() {
        let rejected = || record(outcome(Some(Status::Rejected), None));
        let undelivered = state(Status::Undelivered);
        let meant = |state: &State, actor: &Actor| rejected().for_standing(state, actor);
        assert!(matches!(meant(&undelivered, &dispatcher()), Command::RefuseAfterAttempt { .. }));
        assert!(matches!(meant(&state(Status::Pending), &dispatcher()), Command::RecordOutcome(_)));
        // A device tells of the attempt itself, and the office may tell of an earlier one.
        assert!(matches!(meant(&undelivered, &driver()), Command::RecordOutcome(_)));
        let second = State { attempt: 2, ..undelivered.clone() };
        let first = record(RecordOutcome { attempt: Some(1), ..outcome(Some(Status::Rejected), None) });
        assert!(matches!(first.for_standing(&second, &dispatcher()), Command::RecordOutcome(_)));
    }

    #[test]
    fn a_rejected_delivery_is_reopened_by_a_correction() {
        let pending = || Command::Correct(correction(Some(Status::Pending), None));
        let meant = |status| pending().for_standing(&state(status), &dispatcher());
        assert!(matches!(meant(Status::Rejected), Command::Reopen { .. }));
        assert!(matches!(meant(Status::CompleteNoVariance), Command::Correct(_)));
    }
}
