//! Recording an outcome, by a driver or the office.

use kit::input::{self, Check};
use kit::{Error, Result};

use super::{Explanation, Task, line, required_status};
use crate::domain::allowed::{Action, Missing};
use crate::domain::clocks::Earliest;
use crate::domain::command::{Decision, RecordOutcome};
use crate::domain::delivery::Status::{
    self, CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered,
};
use crate::domain::guards::{Lacking, REASON};
use crate::domain::line::{Count, LINES, Line};
use crate::domain::proof::Proof;
use crate::domain::state::{Outcome, Place, State, Step};
use crate::domain::text;

impl Task<'_> {
    pub(super) fn record(&self, it: &RecordOutcome) -> Result<Decision> {
        if it.status == Some(Pending) {
            // Check this before the lines: an error about lines would hide that Pending is not an outcome.
            if self.state.status == Pending && it.lines.is_none() {
                self.fresh()?;
                return Ok(Decision::NoOp);
            }
            return Err(self.refused(Pending, Missing::State("Pending is not an outcome".into())));
        }
        let attempt = it.attempt.unwrap_or(self.state.attempt);
        if !(1..=self.state.attempt).contains(&attempt) {
            let text = format!("Attempt must be between 1 and {}", self.state.attempt);
            return Err(Error::invalid_field("attempt", text));
        }
        self.require_possible()?;
        if self.request.actor.is_driver() && self.request.client_event_id.is_none() {
            return Err(Error::invalid_field("clientEventId", "Client event id is required"));
        }
        // Decide this before the lines: they may have been counted before the office changed the items.
        if self.is_overtaken(attempt) {
            return self.supersede(it, attempt);
        }
        let lines = match &it.lines {
            None => None,
            Some(counts) => Some(self.all_counted(counts)?),
        };
        let to = self.followed(it.status, lines.as_deref())?;
        let outcome = self.outcome(it)?;
        let explanation = Explanation { reason: outcome.reason.clone(), note: outcome.note.clone() };
        self.fresh()?;
        if attempt < self.state.attempt {
            return Err(self.stale());
        }
        if self.is_so(to, &lines) {
            return Ok(Decision::NoOp);
        }
        self.may(action_of(to), to)?;
        let Some(lines) = lines.or_else(|| line::usual(&self.state.lines, to)) else {
            let text = "Items are required, and at least one must differ";
            return Err(self.unmet(to, Lacking::one(LINES, text)));
        };
        let mut lacking = Lacking::default();
        lacking.lines(to, &lines, it.lines.as_deref());
        lacking.outcome(to, it, &outcome, &lines, self.policy);
        self.met(to, lacking)?;

        let after = State {
            status: to,
            lines,
            deliverydatetime: Some(self.request.clocks.processed_at()),
            outcome: Some(outcome),
            ..self.state.clone()
        };
        Ok(self.changed(after, Some(explanation), true, false))
    }

    /// Records what a driver reported too late, unless the office agrees. Checks only the form of the report, not
    /// the current rules: the driver can no longer correct it, and none of it may be lost.
    fn supersede(&self, it: &RecordOutcome, attempt: i32) -> Result<Decision> {
        let counts = it.lines.as_deref();
        let present = &self.state.lines;
        let lines = match counts {
            None => None,
            Some(counts) => Some(line::reported(present, counts).map_err(input::refusal)?),
        };
        let all_counted = counts.is_none_or(|counts| line::uncounted(present, counts).is_empty());
        // If the counts are those that are recorded, the quantities expected are known.
        let is_same = all_counted && lines.as_ref() == Some(present);
        let implied = || if is_same { line::implied(present) } else { counts.and_then(line::implied_alone) };
        let to = it.status.or_else(implied).ok_or_else(required_status)?;
        let outcome = self.outcome(it)?;
        let explanation = Explanation { reason: outcome.reason.clone(), note: outcome.note.clone() };
        let agreed = if attempt < self.state.attempt {
            // Another attempt only follows a failed one, so the outcome of an earlier attempt was
            // Undelivered.
            to == Undelivered && counts.into_iter().flatten().all(|count| count.delivered == 0)
        } else {
            all_counted && self.is_so(to, &lines)
        };
        if agreed {
            return Ok(Decision::NoOp);
        }
        let lines = lines.or_else(|| line::usual(present, to)).unwrap_or_else(|| present.clone());
        let said = State { status: to, lines, outcome: Some(outcome), ..self.state.clone() };
        let step = Step { attempt, superseded: true, ..self.step(&said, explanation, false) };
        let state = State { conflict: true, version: self.state.version + 1, ..self.state.clone() };
        Ok(Decision::Superseded { state: Box::new(state), step: Box::new(step) })
    }

    /// Refuses a time at which the outcome cannot have happened.
    fn require_possible(&self) -> Result<()> {
        let (clocks, created_at, planned) =
            (self.request.clocks, self.state.created_at, self.state.scheduledatetime);
        if self.request.actor.is_driver() {
            clocks.require_credible("occurredAt", created_at.min(planned), self.policy.zone)
        } else {
            clocks.require_entered(Earliest::of_outcome(created_at, planned))
        }
    }

    /// Returns whether a driver's event is no later than the office's last decision, which the driver has not seen, or
    /// belongs to an earlier attempt.
    fn is_overtaken(&self, attempt: i32) -> bool {
        let decided = self.state.office_decided_at.filter(|_| !self.request.saw_decision);
        let before = decided.is_some_and(|decided| self.request.clocks.processed_at() <= decided);
        self.request.actor.is_driver() && (attempt < self.state.attempt || before)
    }

    fn all_counted(&self, counts: &[Count]) -> Result<Vec<Line>> {
        let lines = self.counted(counts)?;
        match line::uncounted(&self.state.lines, counts).first() {
            Some(item) => {
                Err(Error::invalid_field(LINES, format!("Items must all be counted; {item} is not")))
            }
            None => Ok(lines),
        }
    }

    fn outcome(&self, it: &RecordOutcome) -> Result<Outcome> {
        let mut check = Check::new();
        let reason = check.read(REASON, text::code("Reason", it.reason.as_deref()));
        let note = check.read(Proof::Note.field(), text::note("Note", it.note.as_deref()));
        let name = text::name("Name of the recipient", it.received_by.as_deref());
        let received_by = check.read(Proof::RecipientName.field(), name);
        let on_earth = it.place.is_none_or(|place| place.is_on_earth());
        check.require(on_earth, Proof::Location.field(), Place::NOT_ON_EARTH);
        let clocks = self.request.clocks;
        check.done(Outcome {
            reason: reason.flatten(),
            note: note.flatten(),
            received_by: received_by.flatten(),
            relation: it.relation,
            scanmode: it.scanmode,
            place: it.place,
            occurred_at: clocks.occurred_at,
            received_at: clocks.received_at,
            late: clocks.is_late(),
        })
    }
}

fn action_of(to: Status) -> Action {
    match to {
        Rejected => Action::Reject,
        Undelivered => Action::MarkUndelivered,
        Pending | CompleteNoVariance | CompleteWithVariance => Action::Complete,
    }
}
