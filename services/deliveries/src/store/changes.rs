//! What somebody asks of a delivery: decided by the rules and written whole, in one transaction.
//!
//! The row of the delivery is locked first, so that everything about one delivery happens one after
//! the other: the same client event a second time, two editors, an import. Then, in this order:
//! items, variances, history or the record of edits, the shipment, the form, the client event and
//! the event that leaves. Start at [`run`]; edits of the head and of items are in `edits`, a new
//! delivery is in `creation`.

use chrono::{DateTime, Utc};
use kit::{Kind, Result};
use proto::deliveries::v1::FormContent;
use proto::events::DeliveryChangeKind;
use sea_orm::ActiveValue::Set;

use super::client_events::{self, Event};
use super::state::{columns_of, counted, state_of};
use super::undo::removed;
use super::{
    deliveries, drivers, edits, histories, items, proof, reasons, requirements, shipments, variances, write,
};
use crate::Context;
use crate::domain::actor::Actor;
use crate::domain::clocks::Clocks;
use crate::domain::command::{Command, Decision, Effect, Policy, Request};
use crate::domain::delivery::Status;
use crate::domain::driver::require_own;
use crate::domain::reason::{AppliesTo, Catalogue};
use crate::domain::state::{Change, State, Step, changes};
use crate::domain::transition::decide;
use crate::entity::{delivery, item, variance};
use crate::events::change::Changed;
use crate::events::emit;
use ::store::Tx;

/// Something that is asked of one delivery.
#[derive(Debug, Clone)]
pub struct Ask {
    pub delivery_id: String,
    pub actor: Actor,
    /// The version the actor saw, when they saw one.
    pub expected_version: Option<i64>,
    pub event: Option<Event>,
    /// Absent: now.
    pub occurred_at: Option<DateTime<Utc>>,
    pub command: Command,
}

/// Does it, or does nothing when it was done before. The delivery as it is then.
pub async fn run(context: &Context, ask: &Ask) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let done = apply(&tx, context, ask).await?;
        Ok((tx, done))
    })
    .await
}

/// Everything but the commit.
pub async fn apply(tx: &Tx, context: &Context, ask: &Ask) -> Result<delivery::Model> {
    let (stored, items) = locked(tx, context, ask).await?;
    drivers::require_permitted(&**tx, &ask.actor).await?;
    // Before whose it is: a driver who hears nothing tells again, and may have lost it meanwhile.
    if let Some(event) = &ask.event
        && client_events::is_known(tx, &stored, event).await?
    {
        return Ok(stored);
    }
    require_own(&ask.delivery_id, stored.driver_id.as_deref(), &ask.actor)?;
    // Read behind the lock: steps of a history are in the order of this clock.
    let now = context.clock.now();
    let catalogue = reasons::catalogue(&**tx).await?;
    let rules = context.rules();
    let required = requirements::of_one(&**tx, &stored, &requirements::default(&rules)).await?;
    let policy = Policy {
        reasons: &catalogue,
        over_delivery: rules.allow_over_delivery,
        proof: &required,
        failed_attempt: rules.failed_attempt_proof.into(),
    };
    let state = state_of(&stored, &items);
    let request = Request {
        actor: ask.actor.clone(),
        expected_version: ask.expected_version,
        client_event_id: ask.event.as_ref().map(|event| event.id),
        clocks: Clocks { occurred_at: ask.occurred_at.unwrap_or(now), received_at: now },
        command: command(tx, &stored, &state, ask).await?,
    };
    let work = Work { tx, context, stored, items, request: &request, catalogue: &catalogue, now };
    let (delivery, effect) = match decide(&state, &request, policy)? {
        Decision::NoOp => (work.stored, Effect::NoOp),
        Decision::Superseded { state, step } => (work.supersede(&state, &step).await?, Effect::Superseded),
        Decision::Change(change) => (work.change(&state, &change).await?, Effect::Changed),
    };
    if let Some(event) = &ask.event {
        client_events::keep(tx, &delivery, event, effect, now).await?;
        kit::fail_point("deliveries.change.client_event_kept");
    }
    Ok(delivery)
}

/// The delivery, held. One that an undo removed comes back for an outcome: somebody stands with it at the door.
async fn locked(tx: &Tx, context: &Context, ask: &Ask) -> Result<(delivery::Model, Vec<item::Model>)> {
    match deliveries::lock(tx, &ask.delivery_id).await {
        Err(error) if error.kind == Kind::NotFound && matches!(ask.command, Command::RecordOutcome(_)) => {
            removed::restore_in(tx, context, &ask.delivery_id, &ask.actor).await?;
            deliveries::lock(tx, &ask.delivery_id).await
        }
        found => found,
    }
}

/// What is meant where the delivery stands, with the proof that was sent before.
async fn command(tx: &Tx, stored: &delivery::Model, state: &State, ask: &Ask) -> Result<Command> {
    let mut command = ask.command.clone().for_standing(state, &ask.actor);
    if let Command::RecordOutcome(outcome) = &mut command {
        let attempt = outcome.attempt.unwrap_or(state.attempt);
        let given = proof::given(tx, &stored.id_key, attempt).await?;
        outcome.signature = given.signature;
        outcome.photo = given.photo;
    }
    Ok(command)
}

/// A decision to be written.
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
                let told = variances::Told {
                    by_driver: request.actor.is_driver(),
                    occurred_at: after.outcome.as_ref().map_or(now, |it| it.occurred_at),
                };
                variances::replace(tx, &delivery, &change.variances, self.catalogue, told).await?
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
            kind: if change.correction_sent {
                DeliveryChangeKind::Corrected
            } else {
                kind_of(&request.command)
            },
            actor: request.actor.name(),
            variances: &variances,
            shipments: &shipments,
            left: None,
            before: Some(&self.stored),
        };
        emit::delivery_changed(tx, changed, self.catalogue, now).await?;
        Ok(delivery)
    }

    /// Only the mark and the step: the delivery stays as it was, its version too.
    async fn supersede(self, after: &State, step: &Step) -> Result<delivery::Model> {
        let Self { tx, now, request, .. } = self;
        let marked = delivery::ActiveModel { conflict: Set(after.conflict), ..Default::default() };
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
        emit::delivery_changed(tx, changed, self.catalogue, now).await?;
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
        // Uncounted lines of before, counted ones of now.
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
        proof::issue_form(self.tx, content, delivery.form_version, issued_by, self.now).await
    }
}

/// Why a form takes the place of one that was issued.
fn why(change: &Change) -> Option<String> {
    match &change.step {
        None => Some("Another driver was named".to_owned()),
        Some(step) if step.correction || step.from == Some(Status::Rejected) => step.note.clone(),
        Some(_) => None,
    }
}

fn kind_of(command: &Command) -> DeliveryChangeKind {
    use DeliveryChangeKind as Kind;
    match command {
        Command::RecordOutcome(_) | Command::RefuseAfterAttempt { .. } => Kind::OutcomeRecorded,
        Command::Reschedule { .. } => Kind::Rescheduled,
        Command::Reopen { .. } | Command::Correct(_) => Kind::Corrected,
        Command::AssignDriver { .. } => Kind::Assigned,
    }
}
