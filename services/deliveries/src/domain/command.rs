//! Commands on deliveries, and their possible results.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

use super::actor::Actor;
use super::clocks::Clocks;
use super::delivery::{ScanMode, Status, text_enum};
use super::line::{Count, Line, Rules};
use super::proof::{FailedAttemptProof, PodRequirement};
use super::reason::Catalogue;
use super::state::{Change, Place, Relation, State, Step};

/// The settings that apply to this delivery.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    pub reasons: &'a Catalogue,
    pub over_delivery: bool,
    pub proof: &'a PodRequirement,
    pub failed_attempt: FailedAttemptProof,
    /// The organization's time zone.
    pub zone: Tz,
}

impl<'a> Policy<'a> {
    pub fn rules(self) -> Rules<'a> {
        Rules { reasons: self.reasons, over_delivery: self.over_delivery }
    }
}

#[derive(Debug, Clone)]
pub struct Request {
    pub actor: Actor,
    /// The version that the actor saw; unknown to a device that was offline.
    pub expected_version: Option<i64>,
    /// Identifies repeated requests. The caller answers these before any rule is applied.
    pub client_event_id: Option<Uuid>,
    pub clocks: Clocks,
    /// Whether the actor is known to have seen the office's last decision, whatever their clock says.
    pub saw_decision: bool,
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
    /// Undelivered → Rejected: the customer refused by phone.
    RefuseAfterAttempt {
        reason: Option<String>,
        note: Option<String>,
    },
    /// Rejected → Pending: the customer changed their mind.
    Reopen {
        reason: Option<String>,
    },
    Correct(Correct),
    /// `None` unassigns.
    AssignDriver {
        driver_id: Option<String>,
    },
}

impl Command {
    /// Returns the transition that the request means in this state: Rejected after a failed attempt is a
    /// refusal by phone, and Pending for a rejected delivery reopens it.
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

/// Pending → an outcome. The lines imply the status; either of the two may be omitted.
#[derive(Debug, Clone)]
pub struct RecordOutcome {
    pub status: Option<Status>,
    /// The attempt that the device saw; `None` means the current one.
    pub attempt: Option<i32>,
    /// Counts of all lines of the delivery.
    pub lines: Option<Vec<Count>>,
    pub reason: Option<String>,
    pub note: Option<String>,
    pub received_by: Option<String>,
    pub relation: Option<Relation>,
    pub scanmode: ScanMode,
    pub place: Option<Place>,
    /// Whether the attempt has a signature, sent with this request or earlier.
    pub signature: bool,
    pub photo: bool,
}

/// A completed delivery → the status and lines that it should have.
#[derive(Debug, Clone, Default)]
pub struct Correct {
    /// Why the delivery is corrected.
    pub reason: Option<String>,
    pub status: Option<Status>,
    /// The lines to correct; other lines stay.
    pub lines: Option<Vec<Count>>,
    /// Reason code of the corrected status, if that is Undelivered or Rejected.
    pub outcome_reason: Option<String>,
    pub outcome_note: Option<String>,
    /// Whether the attempt has a photo.
    pub photo: bool,
}

/// A new delivery with validated fields.
#[derive(Debug, Clone)]
pub struct New {
    pub id: String,
    pub scheduledatetime: DateTime<Utc>,
    pub time_window_start: Option<DateTime<Utc>>,
    pub time_window_end: Option<DateTime<Utc>>,
    pub driver_id: Option<String>,
    pub max_attempts: i32,
    /// The lines, with nothing counted.
    pub lines: Vec<Line>,
}

text_enum!(
    /// The effect of an accepted client event.
    Effect { Changed => "changed", NoOp => "no_op", Superseded => "superseded" }
);

#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The delivery already is as requested: a success without a write.
    NoOp,
    Change(Box<Change>),
    /// A device reported something that the office had decided differently in the meantime. The step is
    /// recorded and the delivery marked, in a new version, so that nobody clears a mark that they have not seen.
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
        // From a device, the same request reports the attempt itself. The office may report an earlier
        // attempt.
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
