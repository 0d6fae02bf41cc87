//! Transitions of a delivery from one status to another.
//!
//! [`decide`] takes a delivery and a command and returns a decision; `record` handles outcomes, `later` what
//! the office does afterwards. A transition that no command makes is refused. Nothing here uses the database
//! or reads a clock. Callers first check whether a client event was seen before, to whom the delivery is
//! assigned, and whether that driver is blocked.

mod later;
mod record;

use kit::input;
use kit::{Error, Kind, Result};

use super::actor::Actor;
use super::allowed::{self, Action, Missing};
use super::clocks::Clocks;
use super::command::{Command, Decision, New, Policy, Request};
use super::delivery::Status;
use super::driver::changed_meanwhile;
use super::guards::Lacking;
use super::line::{self, Count, Line, Variance, beyond_quantity, is_quantity};
use super::reason::{AppliesTo, Catalogue};
use super::state::{Change, State, Step, changes};

use Status::Pending;

/// Creates a delivery. When writing it, the caller checks whether the id is free and the source active.
pub fn create(actor: &Actor, clocks: Clocks, new: New) -> Result<Change> {
    if !actor.is_office() && !actor.is_system() {
        let text = format!("{} cannot become Pending: only office staff or an import can create it", new.id);
        return Err(Error::new(Kind::Forbidden, "DELIVERY_TRANSITION_NOT_ALLOWED", text));
    }
    for (index, line) in new.lines.iter().enumerate() {
        if !is_quantity(line.expected) {
            return Err(Error::invalid_field(&line::field(index, "quantity"), beyond_quantity("Quantity")));
        }
    }
    let state = State {
        id: new.id,
        status: Pending,
        attempt: 1,
        max_attempts: new.max_attempts.max(1),
        version: 1,
        form_version: 0,
        created_at: clocks.received_at,
        scheduledatetime: new.scheduledatetime,
        time_window_start: new.time_window_start,
        time_window_end: new.time_window_end,
        deliverydatetime: None,
        driver_id: new.driver_id,
        lines: line::opened(&new.lines),
        outcome: None,
        office_decided_at: None,
        conflict: false,
    };
    let step = Step {
        from: None,
        to: Pending,
        attempt: 1,
        occurred_at: clocks.occurred_at,
        received_at: clocks.received_at,
        actor: actor.kind(),
        actor_name: actor.name().to_owned(),
        reason: None,
        note: None,
        place: None,
        late: clocks.is_late(),
        superseded: false,
        correction: false,
        changes: Vec::new(),
        client_event_id: None,
    };
    let step = Some(step);
    Ok(Change { state, step, variances: Vec::new(), form_issued: false })
}

/// Decides on a command.
pub fn decide(state: &State, request: &Request, policy: Policy) -> Result<Decision> {
    let task = Task { state, request, policy };
    match &request.command {
        Command::RecordOutcome(outcome) => task.record(outcome),
        Command::Reschedule { scheduledatetime, note } => task.reschedule(*scheduledatetime, note.as_deref()),
        Command::RefuseAfterAttempt { reason, note } => task.refuse(reason.as_deref(), note.as_deref()),
        Command::Reopen { reason } => task.reopen(reason.as_deref()),
        Command::Correct(correct) => task.correct(correct),
        Command::AssignDriver { driver_id } => task.assign(driver_id.as_deref()),
    }
}

/// Returns the variances of the current attempt.
pub fn variances(state: &State, reasons: &Catalogue) -> Vec<Variance> {
    let Some(outcome) = &state.outcome else { return Vec::new() };
    let reason = AppliesTo::of(state.status).zip(outcome.reason.as_deref());
    line::variances(&state.lines, reason, reasons)
}

fn required_status() -> Error {
    Error::invalid_field("deliverystatus", "Status is required")
}

struct Task<'a> {
    state: &'a State,
    request: &'a Request,
    policy: Policy<'a>,
}

/// Data that only the history needs.
#[derive(Default)]
struct Explanation {
    reason: Option<String>,
    note: Option<String>,
}

impl Task<'_> {
    /// Refuses an outdated version, so that nobody overwrites changes they have not seen.
    fn fresh(&self) -> Result<()> {
        match self.request.expected_version {
            Some(version) if version != self.state.version => Err(self.stale()),
            _ => Ok(()),
        }
    }

    fn stale(&self) -> Error {
        changed_meanwhile(&self.state.id)
    }

    fn is_so(&self, to: Status, lines: &Option<Vec<Line>>) -> bool {
        to == self.state.status && lines.as_ref().is_none_or(|lines| *lines == self.state.lines)
    }

    fn counted(&self, counts: &[Count]) -> Result<Vec<Line>> {
        line::counted(&self.state.lines, counts, self.policy.rules()).map_err(input::refusal)
    }

    /// Returns the status that the lines imply; a status in the request must match it.
    fn followed(&self, said: Option<Status>, lines: Option<&[Line]>) -> Result<Status> {
        match (said, lines.and_then(line::implied)) {
            (Some(said), Some(implied)) if said != implied => {
                let text = format!("Status must be {} to match the items", implied.label());
                Err(Error::invalid("DELIVERY_STATUS_CONTRADICTS_LINES", text.clone())
                    .field("deliverystatus", text))
            }
            (Some(to), _) | (None, Some(to)) => Ok(to),
            (None, None) => Err(required_status()),
        }
    }

    /// Returns the delivery with no outcome recorded.
    fn pending(&self) -> State {
        State {
            status: Pending,
            deliverydatetime: None,
            outcome: None,
            lines: line::opened(&self.state.lines),
            ..self.state.clone()
        }
    }

    fn may(&self, action: Action, to: Status) -> Result<()> {
        allowed::check(action, self.state, &self.request.actor).map_err(|missing| self.refused(to, missing))
    }

    fn refused(&self, to: Status, missing: Missing) -> Error {
        let text = |guard: &str| format!("{}: {guard}", self.way(to));
        match missing {
            Missing::Right(guard) => {
                Error::new(Kind::Forbidden, "DELIVERY_TRANSITION_NOT_ALLOWED", text(guard))
            }
            Missing::State(guard) => Error::precondition("DELIVERY_TRANSITION_NOT_ALLOWED", text(&guard)),
        }
    }

    fn met(&self, to: Status, lacking: Lacking) -> Result<()> {
        if lacking.is_empty() { Ok(()) } else { Err(self.unmet(to, lacking)) }
    }

    /// Returns the error that lists what the form still has to provide.
    fn unmet(&self, to: Status, lacking: Lacking) -> Error {
        let text = format!("{}: {}", self.way(to), lacking.texts().collect::<Vec<_>>().join("; "));
        let error = Error::invalid("DELIVERY_TRANSITION_NOT_ALLOWED", text);
        lacking.into_fields().fold(error, |error, (field, text)| error.field(&field, text))
    }

    fn way(&self, to: Status) -> String {
        format!("{} cannot go from {} to {}", self.state.id, self.state.status.label(), to.label())
    }

    /// Returns the decision to change the delivery to `after`. If `explanation` is `None`, the history gets no step.
    fn changed(
        &self,
        after: State,
        explanation: Option<Explanation>,
        form_issued: bool,
        correction: bool,
    ) -> Decision {
        let mut after = State {
            version: self.state.version + 1,
            form_version: self.state.form_version + i32::from(form_issued),
            ..after
        };
        if explanation.is_some() && !self.request.actor.is_driver() {
            after.office_decided_at = Some(self.request.clocks.received_at);
        }
        if explanation.is_some() && self.request.actor.is_office() {
            // The office has seen the conflict, and this change settles it.
            after.conflict = false;
        }
        let variances = variances(&after, self.policy.reasons);
        let step = explanation.map(|explanation| self.step(&after, explanation, correction));
        Decision::Change(Box::new(Change { state: after, step, variances, form_issued }))
    }

    fn step(&self, after: &State, explanation: Explanation, correction: bool) -> Step {
        let Request { actor, clocks, client_event_id, command, .. } = self.request;
        let place = match command {
            Command::RecordOutcome(outcome) => outcome.place,
            _ => None,
        };
        Step {
            from: Some(self.state.status),
            to: after.status,
            attempt: after.attempt,
            // By the clock of a device that is years ahead, the step would stay at the top of the history.
            occurred_at: clocks.processed_at(),
            received_at: clocks.received_at,
            actor: actor.kind(),
            actor_name: actor.name().to_owned(),
            reason: explanation.reason,
            note: explanation.note,
            place,
            late: clocks.is_late(),
            superseded: false,
            correction,
            changes: changes(self.state, after),
            client_event_id: *client_event_id,
        }
    }
}
