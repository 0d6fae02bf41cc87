//! Carries out what `domain::transition` decides: outcomes, further attempts, corrections and assignments of
//! drivers. Each command is written in one transaction.
//!
//! The delivery's row is locked first, so that everything about one delivery is sequential: a repeated client
//! event, two editors, an import. Then the following are written, in this order: items, variances, history or
//! edit record, the shipment, the form, the client event and the emitted event. Start at [`run`];
//! `record_outcome`, `reschedule`, `correct` and `assign_driver` each submit one kind of command.

use ::store::Tx;
use chrono::{DateTime, Utc};
use kit::{Kind, Result, config};
use proto::deliveries::v1::FormContent;
use proto::events::DeliveryChangeKind;
use sea_orm::ActiveValue::Set;

use crate::Context;
use crate::commands::{issue_form, restore_removed, write};
use crate::domain::actor::Actor;
use crate::domain::clocks::Clocks;
use crate::domain::command::{Command, Decision, Effect, Policy, Request};
use crate::domain::delivery::Status;
use crate::domain::driver::require_own;
use crate::domain::proof::PodRequirement;
use crate::domain::reason::{AppliesTo, Catalogue};
use crate::domain::state::{Change, Outcome, State, Step, changes};
use crate::domain::transition::decide;
use crate::entity::{delivery, item, variance};
use crate::events::change::Changed;
use crate::events::emit;
use crate::queries::{proof_requirements, reasons};
use crate::tables::client_events::{self, Event};
use crate::tables::state::{columns_of, counted, state_of};
use crate::tables::{attachments, deliveries, drivers, edits, histories, items, shipments, variances};

/// The sender of a command, the delivery, and the version that the sender saw.
#[derive(Debug, Clone)]
pub struct Submission {
    pub delivery_id: String,
    pub actor: Actor,
    /// The version that the actor saw, if known.
    pub expected_version: Option<i64>,
    pub event: Option<Event>,
    /// When the event happened; `None` means now.
    pub occurred_at: Option<DateTime<Utc>>,
}

/// Carries out the command unless its event was handled before; returns the resulting delivery.
pub async fn run(context: &Context, submission: &Submission, command: &Command) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let done = apply(&tx, context, submission, command).await?;
        Ok((tx, done))
    })
    .await
}

/// Carries out the command, without committing.
pub async fn apply(
    tx: &Tx,
    context: &Context,
    submission: &Submission,
    command: &Command,
) -> Result<delivery::Model> {
    let Submission { delivery_id, actor, expected_version, event, occurred_at } = submission;
    let (stored, items) = locked(tx, context, submission, command).await?;
    drivers::require_permitted(&**tx, actor).await?;
    // Check for a repetition before ownership: the retrying driver may have been unassigned since.
    if let Some(event) = event
        && client_events::is_known(tx, &stored, event).await?
    {
        return Ok(stored);
    }
    require_own(delivery_id, stored.driver_id.as_deref(), actor)?;
    // Read the clock after locking, so that it agrees with the order of the steps.
    let now = context.clock.now();
    // A phone without network does not know what has changed since; nothing it reports may be lost.
    let reported_at = occurred_at.filter(|_| actor.is_driver());
    let rules = rules_of(tx, context, &stored, reported_at).await?;
    let policy = Policy {
        reasons: &rules.reasons,
        over_delivery: rules.config.allow_over_delivery,
        proof: &rules.proof,
        failed_attempt: rules.config.failed_attempt_proof.into(),
        zone: context.zone(),
    };
    let state = state_of(&stored, &items);
    let request = Request {
        actor: actor.clone(),
        expected_version: *expected_version,
        client_event_id: event.as_ref().map(|event| event.id),
        clocks: Clocks { occurred_at: occurred_at.unwrap_or(now), received_at: now },
        saw_decision: saw_decision(tx, &stored, command).await?,
        command: interpret(tx, &stored, &state, (command, actor)).await?,
    };
    let work = Work { tx, context, stored, items, request: &request, catalogue: &rules.reasons, now };
    let (delivery, effect) = match decide(&state, &request, policy)? {
        Decision::NoOp => (work.stored, Effect::NoOp),
        Decision::Superseded { state, step } => (work.supersede(&state, &step).await?, Effect::Superseded),
        Decision::Change(change) => (work.change(&state, &change).await?, Effect::Changed),
    };
    if let Some(event) = event {
        client_events::keep(tx, &delivery, event, effect, now).await?;
        kit::fail_point("deliveries.change.client_event_kept");
    }
    Ok(delivery)
}

/// Locks the delivery. For an outcome, first restores a delivery that an undo removed, because its driver is
/// already at the door.
async fn locked(
    tx: &Tx,
    context: &Context,
    submission: &Submission,
    command: &Command,
) -> Result<(delivery::Model, Vec<item::Model>)> {
    let Submission { delivery_id, actor, .. } = submission;
    match deliveries::lock(tx, delivery_id).await {
        Err(error) if error.kind == Kind::NotFound && matches!(command, Command::RecordOutcome(_)) => {
            restore_removed::restore_in(tx, context, delivery_id, actor).await?;
            deliveries::lock(tx, delivery_id).await
        }
        found => found,
    }
}

/// The rules for one outcome.
struct Rules {
    config: config::Deliveries,
    reasons: Catalogue,
    proof: PodRequirement,
}

/// Returns the rules that apply to a delivery: with `at`, to an outcome that a driver recorded at that time, otherwise
/// the current ones.
async fn rules_of(
    tx: &Tx,
    context: &Context,
    stored: &delivery::Model,
    at: Option<DateTime<Utc>>,
) -> Result<Rules> {
    let Some(at) = at else {
        let config = context.rules();
        let proof = proof_requirements::of_one(&**tx, stored, &proof_requirements::default(&config)).await?;
        return Ok(Rules { config, reasons: reasons::catalogue(&**tx).await?, proof });
    };
    let config = context.rules_at(at);
    let default = proof_requirements::default(&config);
    let proof = proof_requirements::of_one_at(&**tx, stored, &default, at).await?;
    Ok(Rules { config, reasons: reasons::catalogue_at(&**tx, at).await?, proof })
}

/// Returns whether the office's last decision began the attempt that an outcome names. Only a device that has seen the
/// decision can name it, although its clock may be slow.
async fn saw_decision(tx: &Tx, stored: &delivery::Model, command: &Command) -> Result<bool> {
    let Command::RecordOutcome(outcome) = command else { return Ok(false) };
    if stored.attempt == 1 || outcome.attempt != Some(stored.attempt) {
        return Ok(false);
    }
    let began = histories::attempt_began(tx, stored).await?;
    Ok(began.is_some() && began == stored.office_decided_at)
}

/// Interprets the command in the delivery's current state, and adds the proof that was sent earlier.
async fn interpret(
    tx: &Tx,
    stored: &delivery::Model,
    state: &State,
    (command, actor): (&Command, &Actor),
) -> Result<Command> {
    let mut command = command.clone().for_standing(state, actor);
    match &mut command {
        Command::RecordOutcome(outcome) => {
            let attempt = outcome.attempt.unwrap_or(state.attempt);
            let sent = attachments::proof_sent(tx, &stored.id_key, attempt).await?;
            outcome.signature = sent.signature;
            outcome.photo = sent.photo;
        }
        Command::Correct(correct) => {
            correct.photo = attachments::proof_sent(tx, &stored.id_key, state.attempt).await?.photo;
        }
        _ => {}
    }
    Ok(command)
}

/// A decision to write.
struct Work<'a> {
    tx: &'a Tx,
    context: &'a Context,
    stored: delivery::Model,
    items: Vec<item::Model>,
    request: &'a Request,
    catalogue: &'a Catalogue,
    now: DateTime<Utc>,
}

impl Work<'_> {
    async fn change(self, before: &State, change: &Change) -> Result<delivery::Model> {
        let Self { tx, now, request, .. } = self;
        let after = &change.state;
        let row = delivery::ActiveModel {
            updated_at: Set(now),
            updated_by: Set(request.actor.name().to_owned()),
            ..columns_of(after)
        };
        let delivery = deliveries::update(tx, &self.stored, row).await?;
        items::count(tx, counted(&self.items, &after.lines)).await?;
        kit::fail_point("deliveries.change.items_counted");
        let variances = match &change.step {
            Some(step) => {
                histories::append(tx, &delivery, step).await?;
                kit::fail_point("deliveries.change.history_written");
                let reporter = variances::Reporter {
                    by_driver: request.actor.is_driver(),
                    occurred_at: after.outcome.as_ref().map_or(now, Outcome::processed_at),
                };
                variances::replace(tx, &delivery, &change.variances, self.catalogue, reporter).await?
            }
            None => {
                edits::append(tx, &delivery, &request.actor, &changes(before, after), now).await?;
                variances::of_attempt(tx, &delivery).await?
            }
        };
        kit::fail_point("deliveries.change.variances_written");
        let numbers = [delivery.shipmentnumber.clone()];
        let shipments = shipments::roll_up(tx, &numbers, self.context.rules().undelivered_is_final).await?;
        kit::fail_point("deliveries.change.shipment_counted");
        if change.form_issued {
            self.issue_form(&delivery, change, variances.clone()).await?;
        }
        kit::fail_point("deliveries.change.form_issued");
        let changed = Changed {
            delivery: &delivery,
            kind: kind_of(&request.command),
            actor: request.actor.name(),
            variances: &variances,
            shipments: &shipments,
            left: None,
            before: Some(&self.stored),
        };
        emit::delivery_changed(tx, changed, self.catalogue, now).await?;
        Ok(delivery)
    }

    /// Writes only the conflict mark, in a version of its own, and the step: the rest of the delivery stays
    /// unchanged.
    async fn supersede(self, after: &State, step: &Step) -> Result<delivery::Model> {
        let Self { tx, now, request, .. } = self;
        let marked = delivery::ActiveModel {
            conflict: Set(after.conflict),
            version: Set(after.version),
            updated_at: Set(now),
            updated_by: Set(request.actor.name().to_owned()),
            ..Default::default()
        };
        let delivery = deliveries::update(tx, &self.stored, marked).await?;
        histories::append(tx, &delivery, step).await?;
        let numbers = [delivery.shipmentnumber.clone()];
        let shipments = shipments::roll_up(tx, &numbers, self.context.rules().undelivered_is_final).await?;
        let changed = Changed {
            delivery: &delivery,
            kind: DeliveryChangeKind::Superseded,
            actor: request.actor.name(),
            variances: &variances::of_attempt(tx, &delivery).await?,
            shipments: &shipments,
            left: None,
            before: Some(&self.stored),
        };
        emit::superseded(tx, changed, step, self.catalogue, now).await?;
        Ok(delivery)
    }

    async fn issue_form(
        &self,
        delivery: &delivery::Model,
        change: &Change,
        variances: Vec<variance::Model>,
    ) -> Result<()> {
        let list = AppliesTo::of(delivery.deliverystatus);
        let reason = list.zip(delivery.outcome_reason.as_deref());
        let reason = reason.and_then(|(list, code)| self.catalogue.find(list, code));
        // The form shows the items with the counts of this change.
        let mut items = self.items.clone();
        for changed in counted(&self.items, &change.state.lines) {
            if let Some(item) = items.iter_mut().find(|item| item.item_key == changed.item_key) {
                *item = changed;
            }
        }
        let content = FormContent {
            delivery: Some(delivery.clone().into()),
            items: items.into_iter().map(Into::into).collect(),
            variances: variances.into_iter().map(Into::into).collect(),
            attachments: Vec::new(),
            reason: reason.map(|it| it.label.clone()),
            correction_reason: why(change),
            driver_name: drivers::name(&**self.tx, delivery.driver_id.as_deref()).await?,
        };
        let issued_by = self.request.actor.name();
        issue_form::issue(self.tx, content, delivery.form_version, issued_by, self.now).await
    }
}

/// Returns why a new form replaces an earlier one.
fn why(change: &Change) -> Option<String> {
    match &change.step {
        None => Some("The driver was changed".to_owned()),
        Some(step) if step.correction || step.from == Some(Status::Rejected) => step.note.clone(),
        Some(_) => None,
    }
}

fn kind_of(command: &Command) -> DeliveryChangeKind {
    use DeliveryChangeKind as Kind;
    match command {
        Command::RecordOutcome(_) | Command::RefuseAfterAttempt { .. } => Kind::OutcomeRecorded,
        Command::Reschedule { .. } => Kind::Rescheduled,
        // Without a correction, receivers would keep a rejection that was reopened.
        Command::Reopen { .. } | Command::Correct(_) => Kind::Corrected,
        Command::AssignDriver { .. } => Kind::Assigned,
    }
}
