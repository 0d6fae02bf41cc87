//! What the office decides after an outcome, and the assignment of drivers.

use chrono::{DateTime, Utc};
use kit::{Error, Result};

use super::{Explanation, Task, line};
use crate::domain::allowed::{self, Action, Missing};
use crate::domain::clocks::Earliest;
use crate::domain::command::{Correct, Decision};
use crate::domain::delivery::Status::{
    CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered,
};
use crate::domain::dispatch::{self, Planned};
use crate::domain::guards::{Lacking, REASON};
use crate::domain::line::LINES;
use crate::domain::proof::Proof;
use crate::domain::state::{Outcome, State};
use crate::domain::text;

impl Task<'_> {
    pub(super) fn reschedule(&self, scheduledatetime: DateTime<Utc>, note: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        let same_time = scheduledatetime == self.state.scheduledatetime;
        if self.state.status == Pending && same_time {
            return Ok(Decision::NoOp);
        }
        self.may(Action::Reschedule, Pending)?;
        // Without a version, as for many deliveries at once, nobody has looked at the driver's update.
        if self.state.conflict && self.request.expected_version.is_none() && self.request.actor.is_office() {
            let text = "not rescheduled: a late update from its driver has to be reviewed first";
            return Err(self.refused(Pending, Missing::State(text.into())));
        }
        let note = checked("note", text::note("Note", note))?;
        if same_time {
            let text = "Dispatch date and time must be different from the last attempt's";
            return Err(self.unmet(Pending, Lacking::one("scheduledatetime", text)));
        }
        if !dispatch::is_ahead(scheduledatetime, self.request.clocks.received_at) {
            return Err(self.unmet(Pending, Lacking::one("scheduledatetime", dispatch::PAST)));
        }
        let window = (self.state.time_window_start, self.state.time_window_end);
        let planned = Planned { at: self.state.scheduledatetime, window };
        let moved = planned.moved_to(scheduledatetime, self.policy.zone);
        let after = State {
            attempt: self.state.attempt + 1,
            scheduledatetime,
            time_window_start: moved.window.0,
            time_window_end: moved.window.1,
            ..self.pending()
        };
        Ok(self.changed(after, Some(Explanation { note, ..Explanation::default() }), false, false))
    }

    pub(super) fn refuse(&self, reason: Option<&str>, note: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        if self.state.status == Rejected {
            return Ok(Decision::NoOp);
        }
        self.may(Action::RefuseAfterAttempt, Rejected)?;
        self.request.clocks.require_entered(self.failed_attempt())?;
        let reason = checked(REASON, text::code("Reason", reason))?;
        let note = checked(Proof::Note.field(), text::note("Note", note))?;
        let mut lacking = Lacking::default();
        lacking.reason(Rejected, reason.as_deref(), self.policy.reasons);
        if note.is_none() {
            lacking.say(Proof::Note.field(), Proof::Note.text());
        }
        self.met(Rejected, lacking)?;
        let clocks = self.request.clocks;
        let outcome = self.state.outcome.clone().map(|attempt| Outcome {
            reason: reason.clone(),
            note: note.clone(),
            occurred_at: clocks.occurred_at,
            received_at: clocks.received_at,
            late: clocks.is_late(),
            ..attempt
        });
        let lines = line::all_rejected(&self.state.lines);
        let after = State { status: Rejected, lines, outcome, ..self.state.clone() };
        Ok(self.changed(after, Some(Explanation { reason, note }), true, false))
    }

    /// Returns the bound for a refusal after the attempt. A device that was ahead reported a time that had
    /// not come yet.
    fn failed_attempt(&self) -> Earliest {
        let outcome = self.state.outcome.as_ref();
        let at = outcome.map_or(self.state.created_at, |it| it.occurred_at.min(it.received_at));
        Earliest { at, text: "Time must not be before the failed attempt" }
    }

    pub(super) fn reopen(&self, reason: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        if self.state.status == Pending {
            return Ok(Decision::NoOp);
        }
        self.may(Action::Reopen, Pending)?;
        let note = checked("reason", text::note("Reason", reason))?;
        if note.is_none() {
            return Err(self.unmet(Pending, Lacking::one("reason", "Reason is required")));
        }
        Ok(self.changed(self.pending(), Some(Explanation { note, ..Explanation::default() }), true, false))
    }

    pub(super) fn correct(&self, it: &Correct) -> Result<Decision> {
        self.fresh()?;
        let lines = match &it.lines {
            None => None,
            Some(counts) => Some(self.counted(counts)?),
        };
        let to = self.followed(it.status, lines.as_deref())?;
        if self.is_so(to, &lines) {
            return Ok(Decision::NoOp);
        }
        let stays_complete = matches!(to, CompleteNoVariance | CompleteWithVariance);
        self.may(if stays_complete { Action::CorrectLines } else { Action::CorrectStatus }, to)?;
        let lines = match lines {
            Some(lines) => lines,
            None if stays_complete => {
                let text = "Correct the quantities of the items; the status follows them";
                return Err(self.unmet(to, Lacking::one(LINES, text)));
            }
            None => line::usual(&self.state.lines, to).unwrap_or_else(|| line::opened(&self.state.lines)),
        };
        let outcome_reason = checked(REASON, text::code("Reason", it.outcome_reason.as_deref()))?;
        let outcome_note = checked(Proof::Note.field(), text::note("Note", it.outcome_note.as_deref()))?;
        let note = checked("reason", text::note("Reason", it.reason.as_deref()))?;
        let mut lacking = Lacking::default();
        if note.is_none() {
            lacking.say("reason", "Reason is required");
        }
        lacking.lines(to, &lines, it.lines.as_deref());
        let reason = lacking.reason(to, outcome_reason.as_deref(), self.policy.reasons);
        lacking.proof_of_reason(reason, it.photo, outcome_note.is_some());
        let pairs = lines.iter().zip(&self.state.lines);
        let corrected = pairs.filter(|(line, before)| line != before).map(|(line, _)| line);
        lacking.proof_of_lines(corrected, it.photo, self.policy.reasons);
        self.met(to, lacking)?;

        let after = match (to, self.state.outcome.clone()) {
            (Pending, _) => self.pending(),
            (CompleteNoVariance | CompleteWithVariance, outcome) => {
                State { status: to, lines, outcome, ..self.state.clone() }
            }
            (Undelivered | Rejected, outcome) => {
                let outcome = outcome.map(|it| Outcome {
                    reason: outcome_reason.clone(),
                    note: outcome_note,
                    // A rejection keeps who refused the goods. For Undelivered, nobody was there.
                    received_by: it.received_by.filter(|_| to == Rejected),
                    relation: it.relation.filter(|_| to == Rejected),
                    ..it
                });
                State { status: to, lines, outcome, ..self.state.clone() }
            }
        };
        Ok(self.changed(after, Some(Explanation { reason: outcome_reason, note }), true, true))
    }

    pub(super) fn assign(&self, driver_id: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        let driver_id = checked("driverId", text::code("Driver ID", driver_id))?;
        let folded = |id: &Option<String>| id.as_deref().map(kit::text::fold);
        if folded(&driver_id) == folded(&self.state.driver_id) {
            return Ok(Decision::NoOp);
        }
        allowed::require(Action::AssignDriver, &self.state.id, self.state, &self.request.actor)?;
        // The form names the driver, so an issued form is no longer right.
        let form_issued = self.state.outcome.is_some() && self.state.status != Undelivered;
        Ok(self.changed(State { driver_id, ..self.state.clone() }, None, form_issued, false))
    }
}

fn checked(field: &str, text: Result<Option<String>, String>) -> Result<Option<String>> {
    text.map_err(|text| Error::invalid_field(field, text))
}
