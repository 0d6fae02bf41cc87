//! How a delivery goes from one status to another.
//!
//! Here: the whole table, as one function from a delivery and a command to a decision. A pair of
//! statuses that no command leads to is refused. Deliberately absent: the database, the time,
//! whether a client event was seen before, whose delivery it is and whether that driver is blocked;
//! who knows asks before.

use chrono::{DateTime, Utc};
use kit::error::Fields;
use kit::{Error, Kind, Result};

use super::actor::Actor;
use super::allowed::{self, Action, Missing};
use super::clocks::Clocks;
use super::command::{Command, Correct, Decision, New, Policy, RecordOutcome, Request};
use super::delivery::Status;
use super::guards::{Lacking, REASON};
use super::line::{self, Count, LINES, Line, MAX_QUANTITY, Variance};
use super::proof::Proof;
use super::reason::{AppliesTo, Catalogue};
use super::state::{Change, Outcome, State, Step, changes};
use super::text;

use Status::{CompleteNoVariance, CompleteWithVariance, Pending, Rejected, Undelivered};

/// A new delivery. That its id is free and its source active is seen where it is written.
pub fn create(actor: &Actor, clocks: Clocks, new: New) -> Result<Change> {
    if !actor.is_office() && !actor.is_system() {
        let text = format!("{} cannot become Pending: only the office or an import creates it", new.id);
        return Err(Error::new(Kind::Forbidden, "DELIVERY_TRANSITION_NOT_ALLOWED", text));
    }
    for (index, line) in new.lines.iter().enumerate() {
        if !(0..=MAX_QUANTITY).contains(&line.expected) {
            let text = format!("Quantity must be between 0 and {}", MAX_QUANTITY / 1000);
            return Err(Error::invalid_field(&line::field(index, "quantity"), text));
        }
    }
    let state = State {
        id: new.id,
        status: Pending,
        attempt: 1,
        max_attempts: new.max_attempts.max(1),
        version: 1,
        form_version: 0,
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
    Ok(Change { state, step, variances: Vec::new(), form_issued: false, correction_sent: false })
}

/// Decides about a command.
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

/// The variances of the present attempt.
pub fn variances(state: &State, reasons: &Catalogue) -> Vec<Variance> {
    let Some(outcome) = &state.outcome else { return Vec::new() };
    let reason = AppliesTo::of(state.status).zip(outcome.reason.as_deref());
    line::variances(&state.lines, reason, reasons)
}

struct Task<'a> {
    state: &'a State,
    request: &'a Request,
    policy: Policy<'a>,
}

/// What is only for the history.
#[derive(Default)]
struct Told {
    reason: Option<String>,
    note: Option<String>,
}

impl Task<'_> {
    fn record(&self, it: &RecordOutcome) -> Result<Decision> {
        if it.status == Some(Pending) {
            // Before the lines are looked at: they would only say that it is no outcome.
            if self.state.status == Pending && it.lines.is_none() {
                self.fresh()?;
                return Ok(Decision::NoOp);
            }
            return Err(self.refused(Pending, Missing::State("Pending is no outcome to record")));
        }
        let attempt = it.attempt.unwrap_or(self.state.attempt);
        if !(1..=self.state.attempt).contains(&attempt) {
            let text = format!("Attempt must be between 1 and {}", self.state.attempt);
            return Err(Error::invalid_field("attempt", text));
        }
        if self.request.actor.is_driver() && self.request.client_event_id.is_none() {
            return Err(Error::invalid_field("clientEventId", "Client event id is required"));
        }
        let lines = match &it.lines {
            None => None,
            Some(counts) => Some(self.all_counted(counts)?),
        };
        let to = self.followed(it.status, lines.as_deref())?;
        let outcome = self.outcome(it)?;
        let told = Told { reason: outcome.reason.clone(), note: outcome.note.clone() };

        if self.is_overtaken(attempt) {
            // Another attempt is made only after one that failed: then that is known already.
            let agreed =
                if attempt < self.state.attempt { to == Undelivered } else { self.is_so(to, &lines) };
            if agreed {
                return Ok(Decision::NoOp);
            }
            let lines = lines.or_else(|| self.usual(to)).unwrap_or_else(|| self.state.lines.clone());
            let said = State { status: to, lines, outcome: Some(outcome), ..self.state.clone() };
            let step = Step { attempt, superseded: true, ..self.step(&said, told, false) };
            let state = State { conflict: true, ..self.state.clone() };
            return Ok(Decision::Superseded { state: Box::new(state), step: Box::new(step) });
        }
        self.fresh()?;
        if attempt < self.state.attempt {
            return Err(self.stale());
        }
        if self.is_so(to, &lines) {
            return Ok(Decision::NoOp);
        }
        self.may(action_of(to), to)?;
        let Some(lines) = lines.or_else(|| self.usual(to)) else {
            let text = "Lines are required: at least one has to differ";
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
        Ok(self.changed(after, Some(told), true, false))
    }

    fn reschedule(&self, scheduledatetime: DateTime<Utc>, note: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        let same_time = scheduledatetime == self.state.scheduledatetime;
        if self.state.status == Pending && same_time {
            return Ok(Decision::NoOp);
        }
        self.may(Action::Reschedule, Pending)?;
        let note = checked("note", text::note("Note", note))?;
        if same_time {
            let text = "Dispatch date and time must be another one for another attempt";
            return Err(self.unmet(Pending, Lacking::one("scheduledatetime", text)));
        }
        let by = scheduledatetime - self.state.scheduledatetime; // the window moves along
        let after = State {
            attempt: self.state.attempt + 1,
            scheduledatetime,
            time_window_start: self.state.time_window_start.map(|at| at + by),
            time_window_end: self.state.time_window_end.map(|at| at + by),
            ..self.pending()
        };
        Ok(self.changed(after, Some(Told { note, ..Told::default() }), false, false))
    }

    fn refuse(&self, reason: Option<&str>, note: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        if self.state.status == Rejected {
            return Ok(Decision::NoOp);
        }
        self.may(Action::RefuseAfterAttempt, Rejected)?;
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
        Ok(self.changed(after, Some(Told { reason, note }), true, false))
    }

    fn reopen(&self, reason: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        if self.state.status == Pending {
            return Ok(Decision::NoOp);
        }
        self.may(Action::Reopen, Pending)?;
        let note = checked("reason", text::note("Reason", reason))?;
        if note.is_none() {
            return Err(self.unmet(Pending, Lacking::one("reason", "Reason is required")));
        }
        Ok(self.changed(self.pending(), Some(Told { note, ..Told::default() }), true, false))
    }

    fn correct(&self, it: &Correct) -> Result<Decision> {
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
                let text = "Quantities of the lines have to be corrected; the status follows them";
                return Err(self.unmet(to, Lacking::one(LINES, text)));
            }
            None => self.usual(to).unwrap_or_else(|| line::opened(&self.state.lines)),
        };
        let outcome_reason = checked(REASON, text::code("Reason", it.outcome_reason.as_deref()))?;
        let outcome_note = checked(Proof::Note.field(), text::note("Note", it.outcome_note.as_deref()))?;
        let note = checked("reason", text::note("Reason", it.reason.as_deref()))?;
        let mut lacking = Lacking::default();
        if note.is_none() {
            lacking.say("reason", "Reason is required");
        }
        lacking.lines(to, &lines, it.lines.as_deref());
        lacking.reason(to, outcome_reason.as_deref(), self.policy.reasons);
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
                    // Nobody took anything.
                    received_by: it.received_by.filter(|_| to == Rejected),
                    relation: it.relation.filter(|_| to == Rejected),
                    ..it
                });
                State { status: to, lines, outcome, ..self.state.clone() }
            }
        };
        Ok(self.changed(after, Some(Told { reason: outcome_reason, note }), true, true))
    }

    fn assign(&self, driver_id: Option<&str>) -> Result<Decision> {
        self.fresh()?;
        let driver_id = checked("driverId", text::code("Driver ID", driver_id))?;
        let folded = |id: &Option<String>| id.as_deref().map(str::to_lowercase);
        if folded(&driver_id) == folded(&self.state.driver_id) {
            return Ok(Decision::NoOp);
        }
        allowed::require(Action::AssignDriver, &self.state.id, self.state, &self.request.actor)?;
        // The form names the driver; one that is issued no longer says the truth.
        let form_issued = self.state.outcome.is_some() && self.state.status != Undelivered;
        Ok(self.changed(State { driver_id, ..self.state.clone() }, None, form_issued, false))
    }

    /// A stale version is refused, so that nobody undoes what they have not seen.
    fn fresh(&self) -> Result<()> {
        match self.request.expected_version {
            Some(version) if version != self.state.version => Err(self.stale()),
            _ => Ok(()),
        }
    }

    fn stale(&self) -> Error {
        let text = format!("{} was changed in the meantime. Reload it and try again.", self.state.id);
        Error::precondition("DELIVERY_CHANGED", text)
    }

    /// Whether the device tells of a time before the office decided.
    fn is_overtaken(&self, attempt: i32) -> bool {
        let decided = self.state.office_decided_at;
        let before = decided.is_some_and(|decided| self.request.clocks.processed_at() <= decided);
        self.request.actor.is_driver() && (attempt < self.state.attempt || before)
    }

    fn is_so(&self, to: Status, lines: &Option<Vec<Line>>) -> bool {
        to == self.state.status && lines.as_ref().is_none_or(|lines| *lines == self.state.lines)
    }

    fn counted(&self, counts: &[Count]) -> Result<Vec<Line>> {
        line::counted(&self.state.lines, counts, self.policy.rules()).map_err(not_valid)
    }

    fn all_counted(&self, counts: &[Count]) -> Result<Vec<Line>> {
        let lines = self.counted(counts)?;
        match line::uncounted(&self.state.lines, counts).first() {
            Some(item) => {
                Err(Error::invalid_field(LINES, format!("Lines must all be counted; {item} is not")))
            }
            None => Ok(lines),
        }
    }

    /// The status that the lines imply; the one that was said must be the same.
    fn followed(&self, said: Option<Status>, lines: Option<&[Line]>) -> Result<Status> {
        match (said, lines.and_then(line::implied)) {
            (Some(said), Some(implied)) if said != implied => {
                let text = format!("Status must be {}, as the lines say", implied.as_str());
                Err(Error::invalid("DELIVERY_STATUS_CONTRADICTS_LINES", text.clone())
                    .field("deliverystatus", text))
            }
            (Some(to), _) | (None, Some(to)) => Ok(to),
            (None, None) => Err(Error::invalid_field("deliverystatus", "Status is required")),
        }
    }

    /// What was counted when a status is said without lines. Which line of a variance differs can
    /// only be said.
    fn usual(&self, to: Status) -> Option<Vec<Line>> {
        let lines = &self.state.lines;
        match to {
            CompleteWithVariance => None,
            CompleteNoVariance => Some(line::all_delivered(lines)),
            Rejected => Some(line::all_rejected(lines)),
            Undelivered | Pending => Some(line::opened(lines)),
        }
    }

    fn outcome(&self, it: &RecordOutcome) -> Result<Outcome> {
        let mut wrong = Fields::new();
        let mut good = |field: &str, text: Result<Option<String>, String>| {
            text.unwrap_or_else(|text| {
                wrong.entry(field.to_owned()).or_default().push(text);
                None
            })
        };
        let reason = good(REASON, text::code("Reason", it.reason.as_deref()));
        let note = good(Proof::Note.field(), text::note("Note", it.note.as_deref()));
        let name = text::name("Name of the recipient", it.received_by.as_deref());
        let received_by = good(Proof::RecipientName.field(), name);
        if it.place.is_some_and(|place| !place.is_on_earth()) {
            let text = "Location must be in degrees, its accuracy in metres";
            good(Proof::Location.field(), Err(text.to_owned()));
        }
        if !wrong.is_empty() {
            return Err(not_valid(wrong));
        }
        let clocks = self.request.clocks;
        Ok(Outcome {
            reason,
            note,
            received_by,
            relation: it.relation,
            scanmode: it.scanmode,
            place: it.place,
            occurred_at: clocks.occurred_at,
            received_at: clocks.received_at,
            late: clocks.is_late(),
        })
    }

    /// The delivery with nothing recorded.
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
            Missing::State(guard) => Error::precondition("DELIVERY_TRANSITION_NOT_ALLOWED", text(guard)),
        }
    }

    fn met(&self, to: Status, lacking: Lacking) -> Result<()> {
        if lacking.is_empty() { Ok(()) } else { Err(self.unmet(to, lacking)) }
    }

    /// Guards that the form can still meet.
    fn unmet(&self, to: Status, lacking: Lacking) -> Error {
        let text = format!("{}: {}", self.way(to), lacking.texts().collect::<Vec<_>>().join("; "));
        let error = Error::invalid("DELIVERY_TRANSITION_NOT_ALLOWED", text);
        lacking.into_fields().fold(error, |error, (field, text)| error.field(&field, text))
    }

    fn way(&self, to: Status) -> String {
        format!("{} cannot go from {} to {}", self.state.id, self.state.status.as_str(), to.as_str())
    }

    /// `told` is absent when no step is made.
    fn changed(&self, after: State, told: Option<Told>, form_issued: bool, correction: bool) -> Decision {
        let mut after = State {
            version: self.state.version + 1,
            form_version: self.state.form_version + i32::from(form_issued),
            ..after
        };
        if told.is_some() && !self.request.actor.is_driver() {
            after.office_decided_at = Some(self.request.clocks.received_at);
        }
        if told.is_some() && self.request.actor.is_office() {
            // They saw it, and this is what they make of it.
            after.conflict = false;
        }
        let variances = variances(&after, self.policy.reasons);
        let step = told.map(|told| self.step(&after, told, correction));
        let change = Change { state: after, step, variances, form_issued, correction_sent: correction };
        Decision::Change(Box::new(change))
    }

    fn step(&self, after: &State, told: Told, correction: bool) -> Step {
        let Request { actor, clocks, client_event_id, command, .. } = self.request;
        let place = match command {
            Command::RecordOutcome(outcome) => outcome.place,
            _ => None,
        };
        Step {
            from: Some(self.state.status),
            to: after.status,
            attempt: after.attempt,
            occurred_at: clocks.occurred_at,
            received_at: clocks.received_at,
            actor: actor.kind(),
            actor_name: actor.name().to_owned(),
            reason: told.reason,
            note: told.note,
            place,
            late: clocks.is_late(),
            superseded: false,
            correction,
            changes: changes(self.state, after),
            client_event_id: *client_event_id,
        }
    }
}

fn action_of(to: Status) -> Action {
    match to {
        Rejected => Action::Reject,
        Undelivered => Action::MarkUndelivered,
        Pending | CompleteNoVariance | CompleteWithVariance => Action::Complete,
    }
}

fn checked(field: &str, text: Result<Option<String>, String>) -> Result<Option<String>> {
    text.map_err(|text| Error::invalid_field(field, text))
}

fn not_valid(fields: Fields) -> Error {
    let text = fields.values().flatten().cloned().collect::<Vec<_>>().join("; ");
    Error { fields, ..Error::invalid("INVALID_FIELDS", text) }
}
