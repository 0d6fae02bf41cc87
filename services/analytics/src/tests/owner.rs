//! Deliveries and drivers that behave as in their own services: changes emit events, and snapshots contain
//! the current state.

mod snapshots;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use ::store::Db;
use ::store::consume::consume;
use chrono::{DateTime, TimeDelta, Utc};
use kit::clock::{Clock, new_id};
use kit::text::fold;
use proto::deliveries::v1::snapshot_service_server as of_deliveries;
use proto::deliveries::v1::*;
use proto::drivers::v1::snapshot_service_server as of_drivers;
use proto::events::envelope::Payload;
use proto::events::{
    ANALYTICS_DELIVERIES, ANALYTICS_DRIVERS, ANALYTICS_IMPORTS, ANALYTICS_SOURCES, ANALYTICS_STOPS,
    DeliveriesImported, DeliveryChanged, DeliveryFact, DriverChanged, Envelope, ShipmentFact, SourceChanged,
    StopChanged, VarianceFact,
};

use super::dice::Dice;
use crate::events::testing as consumers;

/// Number of deliveries per message.
const PAGE: usize = 4;
const STATUSES: [&str; 5] =
    ["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"];

#[derive(Default)]
struct State {
    deliveries: BTreeMap<String, (DeliveryFact, Vec<VarianceFact>)>,
    drivers: BTreeMap<String, (DriverChanged, u64)>,
    stops: BTreeMap<String, (StopChanged, u64)>,
    sources: BTreeMap<String, (SourceChanged, u64)>,
    /// Sequences of the deliveries that an undo removed, by folded id.
    removed: BTreeMap<String, u64>,
    /// Sequences of all shipments, including removed ones, by folded number.
    shipment_sequences: BTreeMap<String, u64>,
    /// Number of changes between two pages of a snapshot.
    meanwhile: usize,
    /// Number of pages of deliveries after which the service goes down.
    away_after: Option<usize>,
    /// Whether it is an earlier release, which does not list removed deliveries.
    is_old: bool,
    pages: usize,
}

#[derive(Clone)]
pub struct Owner {
    state: Arc<Mutex<State>>,
    dice: Arc<Mutex<Dice>>,
    db: Db,
    clock: Clock,
}

impl Owner {
    pub fn new(seed: u64, db: Db, clock: Clock) -> Self {
        Self { state: Arc::default(), dice: Arc::new(Mutex::new(Dice::new(seed))), db, clock }
    }

    pub fn roll(&self, sides: usize) -> usize {
        self.dice.lock().unwrap().roll(sides)
    }

    pub fn shuffle<T>(&self, items: &mut [T]) {
        self.dice.lock().unwrap().shuffle(items);
    }

    /// Sets the number of changes, with events, between two pages of a snapshot.
    pub fn change_meanwhile(&self, changes: usize) {
        self.state.lock().unwrap().meanwhile = changes;
    }

    pub fn go_away_after(&self, pages: Option<usize>) {
        self.state.lock().unwrap().away_after = pages;
    }

    /// Makes it an earlier release, which does not list removed deliveries.
    pub fn downgrade(&self) {
        self.state.lock().unwrap().is_old = true;
    }

    /// Returns the number of pages of deliveries that were read.
    pub fn pages(&self) -> usize {
        self.state.lock().unwrap().pages
    }

    /// Returns the number of pages that a snapshot of deliveries has. The last page is empty, and ends the
    /// stream.
    pub fn pages_of_snapshot(&self) -> usize {
        self.state.lock().unwrap().keys().len().div_ceil(PAGE) + 1
    }

    /// Forgets a delivery, as if the database had been restored from an older backup.
    pub fn delete(&self, id: &str) {
        let mut state = self.state.lock().unwrap();
        let (gone, _) = state.deliveries.remove(&fold(id)).unwrap();
        if !state.deliveries.values().any(|(it, _)| it.shipmentnumber == gone.shipmentnumber) {
            state.shipment_sequences.remove(&fold(&gone.shipmentnumber));
        }
    }

    pub fn ids(&self) -> Vec<String> {
        self.state.lock().unwrap().deliveries.values().map(|(it, _)| it.id.clone()).collect()
    }

    /// Makes a random change; returns its event.
    pub fn change(&self) -> Envelope {
        match self.roll(14) {
            0 => self.driver(),
            12 | 13 => self.stop(),
            1 => self.source(),
            2 | 3 => self.import(),
            4 => self.undo(),
            _ => self.delivery(),
        }
    }

    /// Passes an event to its consumer.
    pub async fn tell(&self, event: &Envelope) {
        let (db, clock) = (&self.db, &self.clock);
        match &event.payload {
            Some(Payload::DeliveryChanged(_)) => {
                consume(db, clock, ANALYTICS_DELIVERIES, event, &consumers::delivery_changed).await
            }
            Some(Payload::DeliveriesImported(_)) => {
                consume(db, clock, ANALYTICS_IMPORTS, event, &consumers::deliveries_imported).await
            }
            Some(Payload::DriverChanged(_)) => {
                consume(db, clock, ANALYTICS_DRIVERS, event, &consumers::driver_changed).await
            }
            Some(Payload::SourceChanged(_)) => {
                consume(db, clock, ANALYTICS_SOURCES, event, &consumers::source_changed).await
            }
            Some(Payload::StopChanged(_)) => {
                consume(db, clock, ANALYTICS_STOPS, event, &consumers::stop_changed).await
            }
            other => panic!("{other:?}"),
        }
        .unwrap();
    }

    fn envelope(&self, aggregate_id: &str, sequence: u64, payload: impl Into<Payload>) -> Envelope {
        Envelope {
            id: new_id().to_string(),
            aggregate_id: aggregate_id.to_owned(),
            sequence,
            occurred_at: Some(proto::timestamp(self.clock.now())),
            payload: Some(payload.into()),
            ..Envelope::default()
        }
    }

    fn driver(&self) -> Envelope {
        let (id, name) = (format!("Drv-{}", self.roll(3)), format!("Name {}", self.roll(9)));
        let mut state = self.state.lock().unwrap();
        let (driver, sequence) = state.drivers.entry(fold(&id)).or_default();
        *driver = DriverChanged { driver_id: id.clone(), name, ..DriverChanged::default() };
        *sequence += 1;
        self.envelope(&id, *sequence, driver.clone())
    }

    fn stop(&self) -> Envelope {
        self.stop_at(&format!("Dr-{}", self.roll(40)), &format!("Drv-{}", self.roll(3)))
    }

    /// Makes a driver arrive at a delivery or leave it. The delivery need not exist.
    pub fn stop_at(&self, delivery_id: &str, driver_id: &str) -> Envelope {
        let at = DateTime::from_timestamp(1_795_000_000 + self.roll(36_000) as i64, 0).unwrap();
        let arrives = self.roll(2) == 0;
        let key = format!("{}\u{1f}{}", fold(driver_id), fold(delivery_id));
        let mut state = self.state.lock().unwrap();
        let (stop, sequence) = state.stops.entry(key.clone()).or_default();
        (stop.driver_id, stop.delivery_id) = (driver_id.to_owned(), delivery_id.to_owned());
        let time = if arrives { &mut stop.arrived_at } else { &mut stop.departed_at };
        *time = Some(proto::timestamp(at));
        *sequence += 1;
        self.envelope(&key, *sequence, stop.clone())
    }

    fn source(&self) -> Envelope {
        let (id, name) = (source_id(self.roll(2)), format!("Source {}", self.roll(9)));
        let mut state = self.state.lock().unwrap();
        let (source, sequence) = state.sources.entry(id.clone()).or_default();
        *source = SourceChanged { id: id.clone(), name };
        *sequence += 1;
        self.envelope(&id, *sequence, source.clone())
    }

    /// Creates or changes a random delivery.
    fn delivery(&self) -> Envelope {
        let status = STATUSES[self.roll(STATUSES.len())];
        let (fact, variances, left) = self.write(status);
        let sequence = fact.sequence;
        let left = left.unwrap_or_default();
        let changed = DeliveryChanged {
            variance_count: variances.len() as u32,
            variances,
            left_shipmentnumber: left.shipmentnumber,
            left_shipmentstatus: left.shipmentstatus,
            left_shipmentsequence: left.sequence,
            delivery: Some(fact.clone()),
            ..DeliveryChanged::default()
        };
        self.envelope(&fact.id, sequence, changed)
    }

    /// Creates or changes several deliveries, all Pending.
    fn import(&self) -> Envelope {
        let mut deliveries: BTreeMap<String, DeliveryFact> = BTreeMap::new();
        let mut left_shipments = Vec::new();
        for _ in 0..=self.roll(5) {
            let (fact, _, left) = self.write("Pending");
            deliveries.insert(fact.id.clone(), fact);
            left_shipments.extend(left);
        }
        let deliveries = deliveries.into_values().collect();
        let imported = DeliveriesImported { deliveries, left_shipments, ..DeliveriesImported::default() };
        self.envelope("an import", 1, imported)
    }

    /// Undoes an import, which removes some deliveries or none.
    pub fn undo(&self) -> Envelope {
        let ids = self.ids();
        let mut deliveries: BTreeMap<String, DeliveryFact> = BTreeMap::new();
        for _ in 0..self.roll(3).min(ids.len()) {
            let key = fold(&ids[self.roll(ids.len())]);
            let mut state = self.state.lock().unwrap();
            let Some((fact, _)) = state.deliveries.remove(&key) else { continue };
            let sequence = fact.sequence + 1;
            state.removed.insert(key.clone(), sequence);
            deliveries.insert(key, DeliveryFact { sequence, removed: true, ..fact });
        }
        let mut state = self.state.lock().unwrap();
        let mut left_shipments = Vec::new();
        for fact in deliveries.values_mut() {
            let number = fact.shipmentnumber.clone();
            fact.shipmentstatus = state.shipment_status(&number);
            fact.shipmentsequence = state.next_of_shipment(&number);
            left_shipments.push(ShipmentFact {
                shipmentstatus: fact.shipmentstatus.clone(),
                sequence: fact.shipmentsequence,
                shipmentnumber: number,
            });
        }
        let deliveries = deliveries.into_values().collect();
        let undone = DeliveriesImported { deliveries, left_shipments, ..DeliveriesImported::default() };
        self.envelope("an import", 2, undone)
    }

    fn write(&self, status: &str) -> (DeliveryFact, Vec<VarianceFact>, Option<ShipmentFact>) {
        let id = format!("Dr-{}", self.roll(40));
        let made = self.draw(&id, status);
        let variances = if status == STATUSES[2] { self.variances() } else { Vec::new() };
        let mut state = self.state.lock().unwrap();
        let before = state.deliveries.get(&fold(&id)).map(|(it, _)| it.clone()).unwrap_or_default();
        let number = made.shipmentnumber.clone();
        let removed = state.removed.remove(&fold(&id)).unwrap_or_default();
        let mut fact = DeliveryFact { sequence: before.sequence.max(removed) + 1, ..made };
        state.deliveries.insert(fold(&id), (fact.clone(), variances.clone()));
        fact.shipmentstatus = state.shipment_status(&number);
        fact.shipmentsequence = state.next_of_shipment(&number);
        let left = Some(before.shipmentnumber).filter(|it| !it.is_empty() && *it != number);
        let left = left.map(|number| ShipmentFact {
            shipmentstatus: state.shipment_status(&number),
            sequence: state.next_of_shipment(&number),
            shipmentnumber: number,
        });
        (fact, variances, left)
    }

    fn draw(&self, id: &str, status: &str) -> DeliveryFact {
        let scheduled: DateTime<Utc> =
            DateTime::from_timestamp(1_795_000_000, 0).unwrap() + TimeDelta::minutes(self.roll(600) as i64);
        let processed = scheduled + TimeDelta::minutes(self.roll(120) as i64 - 20);
        let driver = self.roll(4);
        DeliveryFact {
            id: id.to_owned(),
            version: 1,
            deliverystatus: status.to_owned(),
            shipmentnumber: format!("S-{}", self.roll(8)),
            customername: format!("Customer {}", self.roll(5)),
            trucker: format!("Trucker {}", self.roll(3)),
            driver_id: if driver == 3 { String::new() } else { format!("Drv-{driver}") },
            scheduledatetime: Some(proto::timestamp(scheduled)),
            deliverydatetime: (status != "Pending").then(|| proto::timestamp(processed)),
            scanmode: if self.roll(2) == 0 { "Yes" } else { "No" }.to_owned(),
            source_id: if self.roll(3) == 0 { String::new() } else { source_id(self.roll(2)) },
            conflict: self.roll(7) == 0,
            attempt: 1 + self.roll(2) as u32,
            time_window_end: (self.roll(2) == 0)
                .then(|| proto::timestamp(scheduled + TimeDelta::minutes(60))),
            outcome_reason: if status == "Rejected" { "refused_late".into() } else { String::new() },
            late: self.roll(5) == 0,
            ..DeliveryFact::default()
        }
    }

    fn variances(&self) -> Vec<VarianceFact> {
        let some = 0..=self.roll(3);
        let variance = |item: usize| VarianceFact {
            item_number: format!("Item {item}"),
            reason: ["Short shipped", "Wrong item", ""][self.roll(3)].to_owned(),
            kind: "short".into(),
            responsible: "shipper".into(),
            expected_thousandths: 5_000,
            actual_thousandths: 3_000,
            difference_thousandths: -2_000,
        };
        some.map(variance).collect()
    }

    pub fn deliveries(&self) -> of_deliveries::SnapshotServiceServer<Self> {
        of_deliveries::SnapshotServiceServer::new(self.clone())
    }

    pub fn drivers(&self) -> of_drivers::SnapshotServiceServer<Self> {
        of_drivers::SnapshotServiceServer::new(self.clone())
    }

    async fn meanwhile(&self) {
        let changes = self.state.lock().unwrap().meanwhile;
        for _ in 0..changes {
            let event = self.change();
            self.tell(&event).await;
        }
    }

    fn page(&self, after: &str) -> Result<Option<SnapshotDeliveriesResponse>, kit::Error> {
        let mut state = self.state.lock().unwrap();
        if state.away_after == Some(state.pages) {
            return Err(kit::Error::unavailable("AWAY", "deliveries is away"));
        }
        state.pages += 1;
        let keys: Vec<&str> = state.keys().into_iter().filter(|key| *key > after).take(PAGE).collect();
        let Some(last_key) = keys.last().map(|key| (*key).to_owned()) else { return Ok(None) };
        let deliveries = keys.into_iter().map(|key| state.snapshot(key)).collect();
        let (total, lists_removed) = (state.deliveries.len() as u64, !state.is_old);
        Ok(Some(SnapshotDeliveriesResponse { deliveries, last_key, total, lists_removed }))
    }
}

fn source_id(number: usize) -> String {
    uuid::Uuid::from_u128(number as u128 + 1).to_string()
}

impl State {
    /// Returns the keys of the deliveries in a snapshot.
    fn keys(&self) -> BTreeSet<&str> {
        let removed = self.removed.keys().filter(|_| !self.is_old);
        self.deliveries.keys().chain(removed).map(String::as_str).collect()
    }

    fn snapshot(&self, key: &str) -> DeliverySnapshot {
        let removed = || DeliveryFact {
            id: key.to_owned(),
            sequence: self.removed.get(key).copied().unwrap_or_default(),
            removed: true,
            scheduledatetime: Some(proto::timestamp(DateTime::UNIX_EPOCH)),
            ..DeliveryFact::default()
        };
        let found = self.deliveries.get(key).cloned();
        let (delivery, variances) = found.unwrap_or_else(|| (removed(), Vec::new()));
        DeliverySnapshot { delivery: Some(delivery), variances }
    }

    /// Returns the shipment's status; an empty text if it has no delivery left.
    fn shipment_status(&self, number: &str) -> String {
        let mut of_it = self.deliveries.values().filter(|(it, _)| it.shipmentnumber == number).peekable();
        if of_it.peek().is_none() {
            return String::new();
        }
        let all_pending = of_it.all(|(it, _)| it.deliverystatus == "Pending");
        if all_pending { "Pending" } else { "Partial" }.to_owned()
    }

    fn next_of_shipment(&mut self, number: &str) -> u64 {
        let sequence = self.shipment_sequences.entry(fold(number)).or_default();
        *sequence += 1;
        *sequence
    }

    fn shipments(&self) -> Vec<ShipmentFact> {
        let shipment = |(key, sequence): (&String, &u64)| {
            let mut numbers = self.deliveries.values().map(|(it, _)| &it.shipmentnumber);
            let number = numbers.find(|number| fold(number) == *key).unwrap_or(key);
            ShipmentFact {
                shipmentnumber: number.clone(),
                shipmentstatus: self.shipment_status(number),
                sequence: *sequence,
            }
        };
        self.shipment_sequences.iter().map(shipment).collect()
    }
}
