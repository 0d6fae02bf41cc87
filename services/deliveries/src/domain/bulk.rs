//! What is done to many deliveries at once, and which of them it is not for.
//!
//! [`verdict`] is the one answer: the dry run counts with it, and the job asks it again for each delivery right
//! before it changes that, so that as many change as were counted.

use chrono::{DateTime, Utc};
use kit::text::fold;
use serde::{Deserialize, Serialize};

use super::actor::Actor;
use super::allowed::{self, Action, Missing, Standing};
use super::delivery::{Status, spelled};
use super::dispatch;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Nobody, when there is none.
    Assign { driver_id: Option<String> },
    /// Pending ones to another dispatch time.
    Dispatch { at: DateTime<Utc> },
    /// Undelivered ones to their next attempt.
    Reschedule { at: DateTime<Utc>, note: Option<String> },
}

spelled!(
    /// Why a delivery is left out.
    LeftOut {
        // It is as it is asked to be.
        Already => "already",
        NotAllowed => "not_allowed",
        NotPending => "not_pending",
        NotUndelivered => "not_undelivered",
        AttemptsUsed => "attempts_used",
        // The next attempt would be at the time of the last.
        SameTime => "same_time",
        Past => "past",
        // Since the change began.
        Changed => "changed",
        Gone => "gone",
    }
);

/// What the verdict looks at of a delivery.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub standing: Standing,
    /// Folded.
    pub driver: Option<&'a str>,
    pub scheduledatetime: DateTime<Utc>,
}

/// Whether a change is for a delivery as it stands, by the rules for a single one.
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
            if same_time {
                return Err(LeftOut::SameTime);
            }
            ahead(*at)
        }
    }
}
