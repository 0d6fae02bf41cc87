//! Converts trips and stories to rows of the tables.

use ::store::filter::fold;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use kit::{Error, Result};
use proto::deliveries::v1::FormContent;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, IntoActiveModel};
use uuid::Uuid;

use super::calendar::{DAYS, Trip};
use super::chance::Chance;
use super::life::{Turn, Visit, live};
use super::parties::{Customer, Customers, driver, pick_near};
use super::proofs::{File, Proofs};
use super::story::{Circumstances, Story, tell};
use super::{ACTOR, Handover, goods};
use crate::commands::issue_form;
use crate::domain::command::Policy;
use crate::domain::delivery::{MAX_ATTEMPTS, Priority, ScanMode, Status};
use crate::domain::document::Item;
use crate::domain::proof::{FailedAttemptProof, PodRequirement};
use crate::domain::reason::{AppliesTo, Catalogue};
use crate::domain::shipment::Tally;
use crate::domain::state::{Place, State};
use crate::entity::{delivery, edit, form, history, item, shipment, variance};
use crate::tables::variances;

const INSTRUCTIONS: &[&str] = &[
    "Call 30 minutes before arrival",
    "Deliver at the back entrance",
    "Guard needs a copy of the delivery receipt",
    "Keep cold items apart",
    "No parking in front; unload at the corner",
    "Please bring change for the empty bottles",
    "Receiving until 4 PM only",
    "Third floor, freight elevator at the left",
];

pub struct Sources {
    pub active: Vec<Uuid>,
    pub disabled: Uuid,
}

pub struct World {
    pub now: DateTime<Utc>,
    pub zone: Tz,
    pub customers: Customers,
    pub sources: Sources,
    pub reasons: Catalogue,
    /// Deliveries that were first due before this time have no form.
    pub forms_since: DateTime<Utc>,
    /// Proof files for outcomes; `None` creates outcomes without files.
    pub proofs: Option<Proofs>,
    /// Handovers from this time on are returned, to generate positions of drivers.
    pub handovers_since: DateTime<Utc>,
}

/// The rows of one transaction, for whole shipments.
#[derive(Default)]
pub struct Stretch {
    pub deliveries: Vec<delivery::ActiveModel>,
    pub items: Vec<item::ActiveModel>,
    pub steps: Vec<history::ActiveModel>,
    pub variances: Vec<variance::ActiveModel>,
    pub forms: Vec<form::ActiveModel>,
    pub shipments: Vec<shipment::ActiveModel>,
    pub files: Vec<File>,
    pub handovers: Vec<Handover>,
}

impl World {
    /// Adds a shipment with its deliveries.
    pub fn tell(&self, trip: &Trip, stretch: &mut Stretch) -> Result<()> {
        let mut chance = Chance::of(5, trip.ordinal);
        let (driver_id, trucker) = driver(trip.driver);
        // Not every future load has a driver. Drawn in any case, because later draws must not depend on the
        // time of day.
        let found = chance.percent(70);
        let driver_id = (found || trip.starts < self.now).then_some(driver_id);
        // The disabled source was used only in the first month.
        let source = match trip.day < DAYS / 3 && chance.percent(8) {
            true => self.sources.disabled,
            false => *chance.pick(&self.sources.active),
        };
        let mut scheduled = trip.starts;
        let mut tally = Tally::default();
        let (mut first_dispatch, mut last_processed) = (None::<DateTime<Utc>>, None);
        let mut here = None;
        for number in trip.first + 1..=trip.first + trip.size {
            let stop = Stop { number, trip, trucker, driver: driver_id.as_deref(), source };
            let items = goods::items(&mut chance);
            let drawn = self.draw(&mut chance, &stop, here);
            here = Some(drawn.customer.place);
            let around = Circumstances {
                driver: driver_id.as_deref(),
                behind: trip.behind,
                flooded: trip.flooded,
                refuses: drawn.customer.refuses,
                now: self.now,
            };
            let story = tell(&mut Chance::of(6, number), scheduled, around);
            let state = self.add(&stop, &drawn, story, items, stretch)?;
            tally.all += 1;
            tally.pending += i64::from(state.status == Status::Pending);
            tally.done += i64::from(state.status.is_final(state.attempt, MAX_ATTEMPTS));
            let due = state.scheduledatetime;
            first_dispatch = Some(first_dispatch.map_or(due, |at| at.min(due)));
            last_processed = last_processed.max(state.deliverydatetime);
            scheduled += TimeDelta::minutes(5 * chance.between(3, 7));
        }
        let status = tally.status().ok_or_else(|| Error::internal("a trip without a stop"))?;
        let count = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        stretch.shipments.push(shipment::ActiveModel {
            shipmentnumber_key: Set(fold(&trip.shipmentnumber)),
            shipmentnumber: Set(trip.shipmentnumber.clone()),
            shipmentstatus: Set(status),
            delivery_count: Set(count(tally.all)),
            open_count: Set(count(tally.all - tally.done)),
            completed_count: Set(count(tally.done)),
            first_dispatch_at: Set(first_dispatch),
            last_processed_at: Set(last_processed),
        });
        Ok(())
    }

    /// Adds a delivery with its whole life; returns its final state.
    fn add(
        &self,
        stop: &Stop,
        drawn: &Drawn,
        story: Story,
        items: Vec<Item>,
        stretch: &mut Stretch,
    ) -> Result<State> {
        let mut chance = Chance::of(7, stop.number);
        let proof = PodRequirement::default();
        let policy = Policy {
            reasons: &self.reasons,
            over_delivery: false,
            proof: &proof,
            failed_attempt: FailedAttemptProof::PhotoOrNote,
            zone: self.zone,
        };
        let id = stop.id();
        let customer = drawn.customer;
        let contact = drawn.contact.then_some(customer.contact_name.as_str());
        let visit = Visit {
            id: &id,
            driver: stop.driver,
            items: &items,
            contact,
            place: customer.place,
            open_for: drawn.window,
        };
        let mut turns = live(&mut chance, &visit, &story, policy)?;
        let has_forms = story.first_due >= self.forms_since;
        if !has_forms {
            for turn in &mut turns {
                turn.state.form_version = 0;
            }
        }
        let key = fold(&id);
        let (mut kept, mut files) = (Vec::new(), Vec::new());
        for (turn, number) in turns.iter().zip(1..) {
            let new = match &self.proofs {
                Some(proofs) => proofs.of(&id, stop.number, turn)?,
                None => Vec::new(),
            };
            stretch.handovers.extend(self.handover(stop, turn));
            let attachments = new.iter().map(|it| it.row.clone().into()).collect();
            files.extend(new);
            let row = delivery_row(stop, drawn, &story, turn, items.len());
            stretch.steps.push(history(&mut chance, stop, &key, number, turn)?);
            let reporter = variances::Reporter { by_driver: true, occurred_at: turn.step.occurred_at };
            let of_turn: Vec<variance::Model> = turn
                .variances
                .iter()
                .map(|it| variance::Model {
                    id: chance.id(turn.step.received_at),
                    ..variances::row_of(&key, turn.state.attempt, it, &self.reasons, &reporter)
                })
                .collect();
            if turn.form_issued && has_forms {
                let list = AppliesTo::of(turn.state.status).zip(turn.step.reason.as_deref());
                let reason = list.and_then(|(list, code)| self.reasons.find(list, code));
                let content = FormContent {
                    delivery: Some(row.clone().into()),
                    items: items_of(&key, &items, &turn.state).into_iter().map(Into::into).collect(),
                    variances: of_turn.iter().cloned().map(Into::into).collect(),
                    reason: reason.map(|it| it.label.clone()),
                    attachments,
                    ..FormContent::default()
                };
                let (by, at) = (&turn.step.actor_name, turn.step.received_at);
                stretch.forms.push(issue_form::form_row(content, turn.state.form_version, by, at)?);
            }
            kept.extend(of_turn);
            if usize::try_from(number).is_ok_and(|number| number == turns.len()) {
                stretch.deliveries.push(row.into_active_model().reset_all());
            }
        }
        stretch.files.extend(files);
        stretch.variances.extend(kept.into_iter().map(|it| it.into_active_model().reset_all()));
        let Some(Turn { state, .. }) = turns.pop() else {
            return Err(Error::internal("a delivery without a turn"));
        };
        let rows = items_of(&key, &items, &state).into_iter();
        stretch.items.extend(rows.map(|it| it.into_active_model().reset_all()));
        Ok(state)
    }

    /// Returns where and when the driver recorded this step, if it is recent enough.
    fn handover(&self, stop: &Stop, turn: &Turn) -> Option<Handover> {
        let (step, driver) = (&turn.step, stop.driver?);
        let place = step.place.filter(|_| step.client_event_id.is_some() && !step.superseded)?;
        (step.occurred_at >= self.handovers_since).then(|| Handover {
            driver_id: driver.to_owned(),
            at: step.occurred_at,
            lat: place.lat,
            lng: place.lng,
        })
    }

    /// Draws data that does not affect the outcome.
    fn draw(&self, chance: &mut Chance, stop: &Stop, here: Option<Place>) -> Drawn<'_> {
        let customer = pick_near(&self.customers, chance, here);
        let contact = chance.percent(60);
        let window = chance.percent(40).then(|| TimeDelta::minutes(60 * chance.between(1, 3)));
        let referencedoc = chance.percent(85).then(|| format!("SI-{:07}", 2_000_000 + stop.number));
        let instructions = chance.percent(20).then(|| *chance.pick(INSTRUCTIONS));
        let internal_note =
            chance.percent(3).then_some("Pays on the 15th; see the account before adding lines");
        let priority = match chance.between(0, 99) {
            0..10 => Priority::High,
            10..15 => Priority::Low,
            _ => Priority::Normal,
        };
        Drawn { customer, contact, window, referencedoc, instructions, internal_note, priority }
    }
}

struct Drawn<'a> {
    customer: &'a Customer,
    contact: bool,
    /// How long after its due time the customer still accepts the goods.
    window: Option<TimeDelta>,
    referencedoc: Option<String>,
    instructions: Option<&'static str>,
    internal_note: Option<&'static str>,
    priority: Priority,
}

/// The data that a delivery takes from its trip.
struct Stop<'a> {
    /// Number of the stop, from 1.
    number: u64,
    trip: &'a Trip,
    trucker: &'a str,
    driver: Option<&'a str>,
    source: Uuid,
}

impl Stop<'_> {
    fn id(&self) -> String {
        format!("DR-{:08}", self.number)
    }
}

/// Returns the delivery row after this step.
fn delivery_row(stop: &Stop, drawn: &Drawn, story: &Story, turn: &Turn, lines: usize) -> delivery::Model {
    let Turn { state, step, .. } = turn;
    let Drawn { customer, contact, window: _, referencedoc, instructions, internal_note, priority } = drawn;
    let id = stop.id();
    let outcome = state.outcome.as_ref();
    let there = outcome.and_then(|it| it.place);
    delivery::Model {
        id_key: fold(&id),
        id,
        deliverystatus: state.status,
        shipmentnumber: stop.trip.shipmentnumber.clone(),
        shipmentnumber_key: fold(&stop.trip.shipmentnumber),
        customername: customer.name.clone(),
        customername_key: fold(&customer.name),
        trucker: stop.trucker.to_owned(),
        trucker_key: fold(stop.trucker),
        driver_id: stop.driver.map(str::to_owned),
        driver_id_key: stop.driver.map(fold),
        scheduledatetime: state.scheduledatetime,
        deliverydatetime: state.deliverydatetime,
        scanmode: outcome.map_or(ScanMode::No, |it| it.scanmode),
        referencedoc_key: referencedoc.as_deref().map(fold),
        referencedoc: referencedoc.clone(),
        source_id: Some(stop.source),
        upload_log_id: None,
        last_upload_log_id: None,
        linecount: i32::try_from(lines).unwrap_or(i32::MAX),
        customeraddress: customer.address.clone(),
        time_window_start: state.time_window_start,
        time_window_end: state.time_window_end,
        contact_name: contact.then(|| customer.contact_name.clone()),
        contact_phone: contact.then(|| customer.contact_phone.clone()),
        contact_email: customer.email.clone().filter(|_| *contact),
        instructions: instructions.map(str::to_owned),
        internal_note: internal_note.map(str::to_owned),
        priority: *priority,
        attempt: state.attempt,
        max_attempts: state.max_attempts,
        created_at: story.made,
        created_by: ACTOR.to_owned(),
        updated_at: step.received_at,
        updated_by: step.actor_name.clone(),
        version: state.version,
        address_lat: Some(customer.place.lat),
        address_lng: Some(customer.place.lng),
        address_accuracy: customer.place.accuracy,
        received_by: outcome.and_then(|it| it.received_by.clone()),
        received_by_relation: outcome.and_then(|it| it.relation),
        outcome_reason: outcome.and_then(|it| it.reason.clone()),
        outcome_note: outcome.and_then(|it| it.note.clone()),
        outcome_lat: there.map(|it| it.lat),
        outcome_lng: there.map(|it| it.lng),
        outcome_accuracy: there.and_then(|it| it.accuracy),
        outcome_occurred_at: outcome.map(|it| it.occurred_at),
        outcome_received_at: outcome.map(|it| it.received_at),
        late: outcome.is_some_and(|it| it.late),
        conflict: state.conflict,
        form_version: state.form_version,
        office_decided_at: state.office_decided_at,
        incomplete_upload_id: None,
    }
}

/// Returns the items as counted.
fn items_of(delivery_key: &str, items: &[Item], state: &State) -> Vec<item::Model> {
    let rows = items.iter().zip(&state.lines).map(|(it, line)| item::Model {
        delivery_key: delivery_key.to_owned(),
        item_key: fold(&it.item_number),
        item_number: it.item_number.clone(),
        sku: it.sku.clone(),
        description: it.description.clone(),
        unit: it.unit.clone(),
        quantity: it.quantity,
        weight_grams: it.weight_grams,
        barcode: it.barcode.clone(),
        upload_log_id: None,
        delivered: line.delivered,
        rejected: line.rejected,
        condition: line.condition,
        variance_reason: line.reason.clone(),
        variance_note: line.note.clone(),
    });
    rows.collect()
}

fn history(
    chance: &mut Chance,
    stop: &Stop,
    key: &str,
    number: i32,
    turn: &Turn,
) -> Result<history::ActiveModel> {
    let step = &turn.step;
    let changes = match step.changes.is_empty() {
        true => None,
        false => Some(edit::write(&step.changes)?),
    };
    Ok(history::ActiveModel {
        delivery_key: Set(key.to_owned()),
        step: Set(number),
        id: Set(chance.id(step.received_at)),
        delivery_id: Set(stop.id()),
        shipmentnumber: Set(stop.trip.shipmentnumber.clone()),
        from_status: Set(step.from),
        to_status: Set(step.to),
        attempt: Set(step.attempt),
        occurred_at: Set(step.occurred_at),
        received_at: Set(step.received_at),
        actor_type: Set(step.actor),
        actor_name_key: Set(Some(fold(&step.actor_name))),
        actor_name: Set(step.actor_name.clone()),
        note: Set(step.note.clone()),
        upload_log_id: Set(None),
        reason_code: Set(step.reason.clone()),
        lat: Set(step.place.map(|it| it.lat)),
        lng: Set(step.place.map(|it| it.lng)),
        accuracy: Set(step.place.and_then(|it| it.accuracy)),
        late: Set(step.late),
        superseded: Set(step.superseded),
        correction_of: Set(None),
        changes: Set(changes),
        client_event_id: Set(step.client_event_id),
    })
}
