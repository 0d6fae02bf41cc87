//! What can be asked of a delivery, and what can be answered.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::actor::Actor;
use super::clocks::Clocks;
use super::delivery::{ScanMode, Status};
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
    pub driver_id: Option<String>,
    pub max_attempts: i32,
    /// With nothing counted.
    pub lines: Vec<Line>,
}

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
