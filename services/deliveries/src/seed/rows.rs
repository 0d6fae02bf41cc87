//! From trips and stories to the rows of the tables.

use ::store::filter::fold;
use chrono::{DateTime, TimeDelta, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use uuid::Uuid;

use super::calendar::{DAYS, Trip};
use super::chance::Chance;
use super::parties::{Customers, driver};
use super::story::{Step, Story, tell};
use super::{ACTOR, goods};
use crate::domain::delivery::{MAX_ATTEMPTS, Priority, Status};
use crate::domain::import::Item;
use crate::domain::shipment::Tally;
use crate::entity::{delivery, history, item, shipment};

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
    pub customers: Customers,
    pub sources: Sources,
}

/// What one transaction writes: whole shipments.
#[derive(Default)]
pub struct Stretch {
    pub deliveries: Vec<delivery::ActiveModel>,
    pub items: Vec<item::ActiveModel>,
    pub steps: Vec<history::ActiveModel>,
    pub shipments: Vec<shipment::ActiveModel>,
}

/// A time-ordered id that is the same each time.
pub fn id(chance: &mut Chance, at: DateTime<Utc>) -> Uuid {
    let mut bytes = [0; 10];
    for (byte, random) in bytes.iter_mut().zip(chance.next().to_le_bytes().into_iter().cycle()) {
        *byte = random;
    }
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}

impl World {
    /// Adds a shipment with its deliveries.
    pub fn tell(&self, trip: &Trip, stretch: &mut Stretch) -> Result<()> {
        let mut chance = Chance::of(5, trip.ordinal);
        let (driver_id, trucker) = driver(trip.driver);
        // Not every load of the days to come has found its driver. Drawn in any case: what is drawn
        // afterwards must not depend on the time of day.
        let found = chance.percent(70);
        let driver_id = (found || trip.starts < self.now).then_some(driver_id);
        // The disabled source was in use for the first month only.
        let source = match trip.day < DAYS / 3 && chance.percent(8) {
            true => self.sources.disabled,
            false => *chance.pick(&self.sources.active),
        };
        let mut scheduled = trip.starts;
        let mut tally = Tally::default();
        let (mut first_dispatch, mut last_processed) = (None::<DateTime<Utc>>, None);
        for number in trip.first + 1..=trip.first + trip.size {
            let mut fate = Chance::of(6, number);
            let story = tell(&mut fate, scheduled, driver_id.as_deref(), ACTOR, self.now);
            let (status, attempt) = (story.status(), story.attempt());
            tally.all += 1;
            tally.pending += i64::from(status == Status::Pending);
            tally.done += i64::from(status.is_final(attempt, MAX_ATTEMPTS));
            first_dispatch = Some(first_dispatch.map_or(story.scheduled, |at| at.min(story.scheduled)));
            last_processed = last_processed.max(story.processed());

            let stop = Stop { number, trip, trucker, driver: driver_id.as_deref(), source };
            let items = goods::items(&mut chance);
            stretch.deliveries.push(self.delivery(&mut chance, &stop, &story, items.len()));
            let key = fold(&stop.id());
            stretch.items.extend(items.into_iter().map(|it| item(&key, it)));
            let steps = story.steps().zip(1..);
            stretch.steps.extend(steps.map(|(step, number)| history(&mut fate, &stop, &key, number, step)));
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

    fn delivery(
        &self,
        chance: &mut Chance,
        stop: &Stop,
        story: &Story,
        lines: usize,
    ) -> delivery::ActiveModel {
        let customer = self.customers.pick(chance);
        let contact = chance.percent(60);
        let window = chance.percent(40).then(|| {
            (
                story.scheduled - TimeDelta::minutes(30),
                story.scheduled + TimeDelta::minutes(60 * chance.between(1, 3)),
            )
        });
        let referencedoc = chance.percent(85).then(|| format!("SI-{:07}", 2_000_000 + stop.number));
        let instructions = chance.percent(20).then(|| (*chance.pick(INSTRUCTIONS)).to_owned());
        let internal_note =
            chance.percent(3).then(|| "Pays on the 15th; see the account before adding lines".to_owned());
        let priority = match chance.between(0, 99) {
            0..10 => Priority::High,
            10..15 => Priority::Low,
            _ => Priority::Normal,
        };
        let id = stop.id();
        delivery::ActiveModel {
            id_key: Set(fold(&id)),
            id: Set(id),
            deliverystatus: Set(story.status()),
            shipmentnumber: Set(stop.trip.shipmentnumber.clone()),
            shipmentnumber_key: Set(fold(&stop.trip.shipmentnumber)),
            customername: Set(customer.name.clone()),
            customername_key: Set(fold(&customer.name)),
            trucker: Set(stop.trucker.to_owned()),
            trucker_key: Set(fold(stop.trucker)),
            driver_id: Set(stop.driver.map(str::to_owned)),
            driver_id_key: Set(stop.driver.map(fold)),
            scheduledatetime: Set(story.scheduled),
            deliverydatetime: Set(story.processed()),
            scanmode: Set(story.scan),
            referencedoc_key: Set(referencedoc.as_deref().map(fold)),
            referencedoc: Set(referencedoc),
            source_id: Set(Some(stop.source)),
            upload_log_id: Set(None),
            last_upload_log_id: Set(None),
            linecount: Set(i32::try_from(lines).unwrap_or(i32::MAX)),
            customeraddress: Set(customer.address.clone()),
            time_window_start: Set(window.map(|(start, _)| start)),
            time_window_end: Set(window.map(|(_, end)| end)),
            contact_name: Set(contact.then(|| customer.contact_name.clone())),
            contact_phone: Set(contact.then(|| customer.contact_phone.clone())),
            contact_email: Set(customer.email.clone().filter(|_| contact)),
            instructions: Set(instructions),
            internal_note: Set(internal_note),
            priority: Set(priority),
            attempt: Set(story.attempt()),
            max_attempts: Set(MAX_ATTEMPTS),
            created_at: Set(story.first().at),
            created_by: Set(ACTOR.to_owned()),
            updated_at: Set(story.last().received),
            updated_by: Set(story.last().actor_name.clone()),
            version: Set(story.version()),
        }
    }
}

/// What a delivery has from its trip.
struct Stop<'a> {
    /// Counts from 1.
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

fn item(delivery_key: &str, it: Item) -> item::ActiveModel {
    item::ActiveModel {
        delivery_key: Set(delivery_key.to_owned()),
        item_key: Set(fold(&it.item_number)),
        item_number: Set(it.item_number),
        sku: Set(it.sku),
        description: Set(it.description),
        unit: Set(it.unit),
        quantity: Set(it.quantity),
        weight_grams: Set(it.weight_grams),
        barcode: Set(it.barcode),
        upload_log_id: Set(None),
    }
}

fn history(chance: &mut Chance, stop: &Stop, key: &str, number: i32, step: Step) -> history::ActiveModel {
    history::ActiveModel {
        delivery_key: Set(key.to_owned()),
        step: Set(number),
        id: Set(id(chance, step.received)),
        delivery_id: Set(stop.id()),
        shipmentnumber: Set(stop.trip.shipmentnumber.clone()),
        from_status: Set(step.from),
        to_status: Set(step.to),
        attempt: Set(step.attempt),
        occurred_at: Set(step.at),
        received_at: Set(step.received),
        actor_type: Set(step.actor),
        actor_name: Set(step.actor_name),
        note: Set(step.note.map(str::to_owned)),
        upload_log_id: Set(None),
    }
}
