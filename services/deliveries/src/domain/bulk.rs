//! Bulk changes, and which deliveries they do not apply to.
//!
//! [`verdict`] decides twice: the dry run counts with it, and the job calls it again right before it changes
//! each delivery. So the number of changed deliveries equals the count.

use chrono::{DateTime, Utc};
use kit::text::fold;
use serde::{Deserialize, Serialize};

use super::actor::Actor;
use super::allowed::{self, Action, Missing, Standing};
use super::delivery::{Status, text_enum};
use super::dispatch;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// `None` unassigns.
    Assign { driver_id: Option<String> },
    /// Moves Pending deliveries to another dispatch time.
    Dispatch { at: DateTime<Utc> },
    /// Moves Undelivered deliveries to their next attempt.
    Reschedule { at: DateTime<Utc>, note: Option<String> },
}

text_enum!(
    /// Why a delivery is left out.
    LeftOut {
        // The delivery already is as requested.
        Already => "already",
        NotAllowed => "not_allowed",
        NotPending => "not_pending",
        NotUndelivered => "not_undelivered",
        AttemptsUsed => "attempts_used",
        // A driver's superseded update waits for review.
        Conflict => "conflict",
        // The next attempt would be at the time of the last.
        SameTime => "same_time",
        Past => "past",
        // The driver was blocked since the job began, or since the change that is undone.
        DriverBlocked => "driver_blocked",
        // Somebody changed the delivery since the job began.
        Changed => "changed",
        Gone => "gone",
    }
);

/// The parts of a delivery that the verdict reads.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub standing: Standing,
    /// The driver's folded id.
    pub driver: Option<&'a str>,
    pub scheduledatetime: DateTime<Utc>,
    pub conflict: bool,
}

/// Decides whether a change applies to a delivery in its current state, by the rules for a single change.
pub fn verdict(verb: &Verb, it: Candidate<'_>, actor: &Actor, now: DateTime<Utc>) -> Result<(), LeftOut> {
    let may = |action, otherwise| {
        allowed::check(action, it.standing, actor).map_err(|missing| match missing {
            Missing::Right(_) => LeftOut::NotAllowed,
            Missing::State(_) => otherwise,
        })
    };
    let ahead = |at| if dispatch::is_ahead(at, now) { Ok(()) } else { Err(LeftOut::Past) };
    let status = it.standing.status;
    match verb {
        Verb::Assign { driver_id } => {
            if driver_id.as_deref().map(fold).as_deref() == it.driver {
                return Err(LeftOut::Already);
            }
            may(Action::AssignDriver, LeftOut::NotAllowed)
        }
        Verb::Dispatch { at } => {
            may(Action::Edit, LeftOut::NotPending)?;
            match status {
                Status::Pending if *at == it.scheduledatetime => Err(LeftOut::Already),
                Status::Pending => ahead(*at),
                _ => Err(LeftOut::NotPending),
            }
        }
        Verb::Reschedule { at, .. } => {
            let same_time = *at == it.scheduledatetime;
            if status == Status::Pending && same_time {
                return Err(LeftOut::Already);
            }
            let open = status == Status::Undelivered;
            may(Action::Reschedule, if open { LeftOut::AttemptsUsed } else { LeftOut::NotUndelivered })?;
            if it.conflict {
                return Err(LeftOut::Conflict);
            }
            if same_time {
                return Err(LeftOut::SameTime);
            }
            ahead(*at)
        }
    }
}
