//! What somebody may do to a delivery as it stands.
//!
//! One answer for both sides: the browser is told the names and shows nothing else, and every
//! change asks here first. What else a change needs, a reason or a proof, is `transition`'s.

use kit::{Error, Kind, Result};
use sea_orm::Iterable;

use super::actor::Actor;
use super::delivery::{Status, spelled};
use super::state::State;

spelled!(
    Action {
        Edit => "edit",
        EditItems => "edit_items",
        Complete => "complete",
        MarkUndelivered => "mark_undelivered",
        Reject => "reject",
        Reschedule => "reschedule",
        RefuseAfterAttempt => "refuse_after_attempt",
        Reopen => "reopen",
        CorrectLines => "correct_lines",
        CorrectStatus => "correct_status",
        AssignDriver => "assign_driver",
        AddEvidence => "add_evidence",
        Print => "print",
    }
);

/// The guard that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Somebody else may.
    Right(&'static str),
    /// The delivery would have to stand differently.
    State(&'static str),
}

/// What the rules look at of a delivery; a row of a list has it too.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    pub status: Status,
    pub attempt: i32,
    pub max_attempts: i32,
    pub has_lines: bool,
}

impl From<&State> for Standing {
    fn from(state: &State) -> Self {
        Self {
            status: state.status,
            attempt: state.attempt,
            max_attempts: state.max_attempts,
            has_lines: !state.lines.is_empty(),
        }
    }
}

/// In the order of the actions.
pub fn allowed(standing: impl Into<Standing>, actor: &Actor) -> Vec<Action> {
    let standing = standing.into();
    Action::iter().filter(|action| check(*action, standing, actor).is_ok()).collect()
}

pub fn check(action: Action, standing: impl Into<Standing>, actor: &Actor) -> Result<(), Missing> {
    use Missing::{Right, State as Stand};
    let standing = standing.into();
    let need = |good: bool, missing: Missing| if good { Ok(()) } else { Err(missing) };
    let is = |status: Status| standing.status == status;
    let complete = is(Status::CompleteNoVariance) || is(Status::CompleteWithVariance);
    let driver_or_office = actor.is_driver() || actor.is_office();
    let office_or_system = actor.is_office() || actor.is_system();
    match action {
        Action::Complete | Action::MarkUndelivered | Action::Reject => {
            need(driver_or_office, Right("only the driver or the office records an outcome"))?;
            need(is(Status::Pending), Stand("an outcome is recorded only while Pending"))
        }
        Action::Reschedule => {
            need(office_or_system, Right("only the office plans another attempt"))?;
            need(is(Status::Undelivered), Stand("only after Undelivered there is another attempt"))?;
            need(standing.attempt < standing.max_attempts, Stand("no attempt is left"))
        }
        Action::RefuseAfterAttempt => {
            need(actor.is_office(), Right("only the office records a refusal after the attempt"))?;
            need(is(Status::Undelivered), Stand("only after Undelivered it can be refused by phone"))
        }
        Action::Reopen => {
            need(actor.is_admin(), Right("only an admin reopens a delivery"))?;
            need(is(Status::Rejected), Stand("only a rejected delivery is reopened"))
        }
        Action::CorrectLines => {
            let right = "only a transport planner or an admin corrects lines";
            need(actor.may_correct(), Right(right))?;
            need(complete, Stand("only a completed delivery is corrected"))?;
            need(standing.has_lines, Stand("there is no line to correct"))
        }
        Action::CorrectStatus => {
            need(actor.is_admin(), Right("only an admin takes back a completed delivery"))?;
            need(complete, Stand("only a completed delivery is corrected"))
        }
        Action::AssignDriver if complete || is(Status::Rejected) => {
            let right = "only a transport planner or an admin changes the driver afterwards";
            need(actor.may_correct(), Right(right))
        }
        Action::AssignDriver => need(office_or_system, Right("only the office assigns drivers")),
        Action::Edit => {
            need(actor.is_office(), Right("only the office edits deliveries"))?;
            need(is(Status::Pending) || is(Status::Undelivered), Stand("it is edited only while it is open"))
        }
        Action::EditItems => {
            need(actor.is_office(), Right("only the office edits items"))?;
            need(is(Status::Pending), Stand("items are edited only while Pending"))
        }
        Action::AddEvidence => {
            need(driver_or_office || actor.is_system(), Right("only the driver or the office adds evidence"))
        }
        Action::Print => need(actor.is_staff(), Right("only the office prints the form")),
    }
}

/// For changes that are no transition: a refusal that says why.
pub fn require(action: Action, id: &str, standing: impl Into<Standing>, actor: &Actor) -> Result<()> {
    let standing = standing.into();
    let sentence = |text: &str| format!("{id} is {}: {text}", standing.status.as_str());
    check(action, standing, actor).map_err(|missing| match missing {
        Missing::Right(text) => Error::new(Kind::Forbidden, "DELIVERY_ACTION_NOT_ALLOWED", sentence(text)),
        Missing::State(text) => Error::precondition("DELIVERY_ACTION_NOT_ALLOWED", sentence(text)),
    })
}
