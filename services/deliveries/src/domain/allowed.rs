//! Which actions somebody may perform on a delivery in its current state.
//!
//! One decision for both sides: the browser shows exactly these actions, and every change checks them first.
//! Further requirements, such as a reason or a proof, are in `transition`.

use std::borrow::Cow;

use kit::{Error, Kind, Result};
use sea_orm::Iterable;

use super::actor::Actor;
use super::delivery::{Status, text_enum};
use super::state::State;

text_enum!(
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

/// The condition that is not met. Error messages put its text after a colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The actor lacks a permission that others have.
    Right(&'static str),
    /// The delivery is in the wrong state.
    State(Cow<'static, str>),
}

/// The parts of a delivery that these rules read; rows of lists have them, too.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    pub status: Status,
    pub attempt: i32,
    pub max_attempts: i32,
    pub has_lines: bool,
    pub has_form: bool,
}

impl From<&State> for Standing {
    fn from(state: &State) -> Self {
        Self {
            status: state.status,
            attempt: state.attempt,
            max_attempts: state.max_attempts,
            has_lines: !state.lines.is_empty(),
            has_form: state.form_version > 0,
        }
    }
}

/// Returns the allowed actions, in the order of [`Action`].
pub fn allowed(standing: impl Into<Standing>, actor: &Actor) -> Vec<Action> {
    let standing = standing.into();
    Action::iter().filter(|action| check(*action, standing, actor).is_ok()).collect()
}

pub fn check(action: Action, standing: impl Into<Standing>, actor: &Actor) -> Result<(), Missing> {
    use Missing::Right;
    let stand = |text: &'static str| Missing::State(Cow::Borrowed(text));
    let standing = standing.into();
    let need = |good: bool, missing: Missing| if good { Ok(()) } else { Err(missing) };
    let is = |status: Status| standing.status == status;
    let complete = is(Status::CompleteNoVariance) || is(Status::CompleteWithVariance);
    let driver_or_office = actor.is_driver() || actor.is_office();
    let office_or_system = actor.is_office() || actor.is_system();
    match action {
        Action::Complete | Action::MarkUndelivered | Action::Reject => {
            need(driver_or_office, Right("only the driver or office staff can record an outcome"))?;
            need(is(Status::Pending), stand("an outcome can only be recorded while it is Pending"))
        }
        Action::Reschedule => {
            need(office_or_system, Right("only office staff can reschedule a delivery"))?;
            need(!is(Status::Pending), stand("not rescheduled: it is still Pending"))?;
            need(is(Status::Undelivered), stand("only an undelivered delivery can be rescheduled"))?;
            need(standing.attempt < standing.max_attempts, all_used(standing.max_attempts))
        }
        Action::RefuseAfterAttempt => {
            need(actor.is_office(), Right("only office staff can record a refusal after the attempt"))?;
            need(is(Status::Undelivered), stand("only an undelivered delivery can be refused afterwards"))
        }
        Action::Reopen => {
            need(actor.is_admin(), Right("only an administrator can reopen a delivery"))?;
            need(is(Status::Rejected), stand("only a rejected delivery can be reopened"))
        }
        Action::CorrectLines => {
            let right = "only a transport planner or an administrator can correct items";
            need(actor.may_correct(), Right(right))?;
            need(complete, stand("only a completed delivery can be corrected"))?;
            need(standing.has_lines, stand("it has no items to correct"))
        }
        Action::CorrectStatus => {
            need(
                actor.is_admin(),
                Right("only an administrator can correct the status of a completed delivery"),
            )?;
            need(complete, stand("only a completed delivery can be corrected"))
        }
        Action::AssignDriver if complete || is(Status::Rejected) => {
            let right =
                "only a transport planner or an administrator can change the driver after the outcome";
            need(actor.may_correct(), Right(right))
        }
        Action::AssignDriver => need(office_or_system, Right("only office staff can assign drivers")),
        Action::Edit => {
            need(actor.is_office(), Right("only office staff can edit deliveries"))?;
            let open = is(Status::Pending) || is(Status::Undelivered);
            need(open, stand("it can only be edited while it is Pending or Undelivered"))
        }
        Action::EditItems => {
            need(actor.is_office(), Right("only office staff can edit items"))?;
            need(is(Status::Pending), stand("its items can only be edited while it is Pending"))
        }
        Action::AddEvidence => need(
            driver_or_office || actor.is_system(),
            Right("only the driver or office staff can add proof"),
        ),
        Action::Print => {
            need(actor.is_staff(), Right("only office staff can print the form"))?;
            need(standing.has_form, stand("its form is issued with the outcome"))
        }
    }
}

fn all_used(attempts: i32) -> Missing {
    Missing::State(match attempts {
        1 => Cow::Borrowed("the only attempt is used"),
        _ => Cow::Owned(format!("all {attempts} attempts are used")),
    })
}

/// Refuses an action that is not allowed, with the reason. For changes that are not transitions.
pub fn require(action: Action, id: &str, standing: impl Into<Standing>, actor: &Actor) -> Result<()> {
    let standing = standing.into();
    let sentence = |text: &str| format!("{id} is {}: {text}", standing.status.label());
    check(action, standing, actor).map_err(|missing| match missing {
        Missing::Right(text) => Error::new(Kind::Forbidden, "DELIVERY_ACTION_NOT_ALLOWED", sentence(text)),
        Missing::State(text) => Error::precondition("DELIVERY_ACTION_NOT_ALLOWED", sentence(&text)),
    })
}
