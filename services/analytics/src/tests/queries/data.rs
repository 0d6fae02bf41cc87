//! Random deliveries, kept in memory for the evaluator and in the tables for the statements.

use chrono::{DateTime, TimeDelta, Utc};
use kit::text::fold;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel};
use store::Db;
use uuid::Uuid;

use super::super::dice::Dice;
use crate::entity::delivery_rollup::{Axis, Grain};
use crate::entity::{delivery_fact, delivery_rollup, driver_fact, shipment_fact, source_fact, variance_fact};

pub type Delivery = delivery_fact::Model;
pub type Variance = variance_fact::Model;

/// The rows of the tables.
pub struct Data {
    pub deliveries: Vec<Delivery>,
    pub variances: Vec<Variance>,
    pub drivers: Vec<driver_fact::Model>,
    pub shipments: Vec<shipment_fact::Model>,
    pub sources: Vec<source_fact::Model>,
}

const STATUSES: [&str; 5] =
    ["Pending", "Complete_No_Variance", "Complete_With_Variance", "Undelivered", "Rejected"];
const CUSTOMERS: [&str; 7] = ["Acme", "ACME", "acre % Co", "Bal_ance\\", "Ünder", "Zoë", "beta"];
/// The empty one means that the delivery has no trucker.
const TRUCKERS: [&str; 4] = ["Northline", "Harbor", "quick", ""];

/// Instants at and around clock changes in the tests' zones.
const TURNS: [&str; 8] = [
    "2024-03-31T00:59:59.999600Z",
    "2024-03-31T01:00:00Z",
    "2024-10-27T00:30:00Z",
    "2024-10-27T01:30:00Z",
    "2024-04-06T14:45:00Z",
    "2024-10-05T15:30:00Z",
    "2024-12-31T23:59:59.999999Z",
    "2024-03-10T06:59:59.999Z",
];

fn moment(random: &mut Dice) -> DateTime<Utc> {
    if random.chance(15) {
        return super::at(pick(random, &TURNS));
    }
    let begin = super::at("2024-02-20T00:00:00Z");
    let days = if random.chance(50) { 40 } else { 330 };
    let at = begin + TimeDelta::seconds(random.roll(days * 86_400) as i64);
    if random.chance(30) { at } else { at + TimeDelta::microseconds(random.roll(1_000_000) as i64) }
}

fn pick<T: Copy>(random: &mut Dice, of: &[T]) -> T {
    of[random.roll(of.len())]
}

impl Data {
    pub fn new(seed: u64, count: usize) -> Self {
        let mut random = Dice::new(seed);
        let sources: Vec<source_fact::Model> = ["Portal", "desk", "Éxport"]
            .into_iter()
            .map(|name| source_fact::Model {
                source_id: Uuid::from_u128(random.roll(1_000_000) as u128 + 10),
                source: name.to_owned(),
                source_key: fold(name),
                sequence: 1,
                run: 1,
            })
            .collect();
        let drivers = (0..4).map(|at| {
            let name = ["Ana Cruz", "ben", "Ćiro", "Zed"][at];
            driver_fact::Model {
                driver_id_key: format!("dr-{at}"),
                driver_id: format!("DR-{at}"),
                driver_name: name.to_owned(),
                driver_name_key: fold(name),
                sequence: 1,
                run: 1,
            }
        });
        let shipments = (0..20).map(|at| {
            let status = ["Pending", "Partial", "Completed"][at % 3];
            shipment_fact::Model {
                shipment_number_key: format!("s-{at}"),
                shipment_number: format!("S-{at}"),
                shipment_status: status.to_owned(),
                shipment_status_key: fold(status),
                sequence: 1,
                run: 1,
            }
        });
        let mut data = Self {
            deliveries: Vec::new(),
            variances: Vec::new(),
            drivers: drivers.collect(),
            shipments: shipments.collect(),
            sources,
        };
        for number in 0..count {
            let delivery = data.delivery(number, &mut random);
            data.vary(&delivery, &mut random);
            data.deliveries.push(delivery);
        }
        data
    }

    fn delivery(&self, number: usize, random: &mut Dice) -> Delivery {
        let status = pick(random, &STATUSES);
        let done = status != "Pending";
        let shipment = random.roll(20);
        let (trucker, scan) = (pick(random, &TRUCKERS), pick(random, &["Yes", "No"]));
        let customer = pick(random, &CUSTOMERS);
        // The fifth driver has no row, and so is unknown.
        let driver = random.chance(80).then(|| random.roll(5));
        let scheduled = moment(random);
        let maybe = |random: &mut Dice| random.chance(70).then(|| random.chance(60));
        let reason = (status == "Rejected").then(|| pick(random, &["refused_late", "Duplicate_Order"]));
        Delivery {
            delivery_id_key: format!("d-{number:04}"),
            delivery_id: format!("D-{number:04}"),
            sequence: 1,
            run: 1,
            shipment_number: format!("S-{shipment}"),
            shipment_number_key: format!("s-{shipment}"),
            delivery_status: status.to_owned(),
            delivery_status_key: fold(status),
            trucker: trucker.to_owned(),
            trucker_key: fold(trucker),
            scan_mode: scan.to_owned(),
            scan_mode_key: fold(scan),
            source_id: random.chance(80).then(|| self.sources[random.roll(3)].source_id),
            customer_name: customer.to_owned(),
            customer_name_key: fold(customer),
            driver_id: driver.map(|it| format!("DR-{it}")),
            driver_id_key: driver.map(|it| format!("dr-{it}")),
            outcome_reason: reason.map(str::to_owned),
            outcome_reason_key: reason.map(fold),
            schedule_date_time: scheduled,
            delivery_date_time: done.then(|| moment(random)),
            on_time: if done { maybe(random) } else { None },
            first_attempt: if done { maybe(random) } else { None },
            perfect: if done { maybe(random) } else { None },
            stop_seconds: random.chance(50).then(|| random.roll(4_000) as i64),
            late_events: random.roll(3) as i32,
            conflict: random.chance(20),
        }
    }

    fn vary(&mut self, delivery: &Delivery, random: &mut Dice) {
        let count = if random.chance(30) { 1 + random.roll(3) } else { 0 };
        for number in 0..count {
            let reason = random.chance(80).then(|| pick(random, &["Short", "Damaged in transit", "short"]));
            let kind = pick(random, &["short", "damaged", "other"]);
            let responsible = random.chance(70).then(|| pick(random, &["carrier", "shipper"]));
            self.variances.push(Variance {
                variance_id: format!("{}/{number}", delivery.delivery_id_key),
                delivery_id_key: delivery.delivery_id_key.clone(),
                reason: reason.map(str::to_owned),
                reason_key: reason.map(fold),
                kind: kind.to_owned(),
                kind_key: fold(kind),
                responsible: responsible.map(str::to_owned),
                responsible_key: responsible.map(fold),
                quantity_thousandths: random.roll(50_000) as i64,
            });
        }
    }

    /// Writes everything into empty tables. Computes the roll-ups in a different way than the product.
    pub async fn insert(&self, db: &Db) {
        let tx = db.begin().await.unwrap();
        macro_rules! insert {
            ($entity:path, $rows:expr) => {
                for chunk in $rows.chunks(50) {
                    let rows = chunk.iter().map(|row| row.clone().into_active_model().reset_all());
                    <$entity>::insert_many(rows).exec_without_returning(&*tx).await.unwrap();
                }
            };
        }
        insert!(source_fact::Entity, self.sources);
        insert!(driver_fact::Entity, self.drivers);
        insert!(shipment_fact::Entity, self.shipments);
        insert!(delivery_fact::Entity, self.deliveries);
        insert!(variance_fact::Entity, self.variances);
        let mut rollups = self.rollups();
        // Add a row for an hour that all deliveries have left.
        rollups.extend(rollups.first().cloned().map(|row| delivery_rollup::Model {
            rollup_id: Uuid::from_u128(7),
            delivery_status: "Gone".to_owned(),
            delivery_status_key: "gone".to_owned(),
            deliveries: 0,
            ..row
        }));
        insert!(delivery_rollup::Entity, rollups);
        let version = crate::entity::data_version::ActiveModel {
            id: Set(crate::entity::data_version::ONLY),
            version: Set(1),
            ..Default::default()
        };
        crate::entity::data_version::Entity::update(version).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    fn rollups(&self) -> Vec<delivery_rollup::Model> {
        let mut rows: Vec<delivery_rollup::Model> = Vec::new();
        for delivery in &self.deliveries {
            let times = [
                (Axis::Scheduled, Some(delivery.schedule_date_time)),
                (Axis::Processed, delivery.delivery_date_time),
            ];
            for (axis, at) in times {
                let Some(at) = at else { continue };
                for grain in [Grain::Outcome, Grain::Status, Grain::Trucker] {
                    let add = one(delivery, axis, grain, at, rows.len());
                    let same = |row: &&mut delivery_rollup::Model| {
                        (row.axis, row.grain, row.hour, &row.trucker_key)
                            == (add.axis, add.grain, add.hour, &add.trucker_key)
                            && row.delivery_status == add.delivery_status
                            && (row.source_id, &row.scan_mode) == (add.source_id, &add.scan_mode)
                    };
                    match rows.iter_mut().find(same) {
                        Some(row) => sum(row, &add),
                        None => rows.push(add),
                    }
                }
            }
        }
        rows
    }
}

fn one(
    delivery: &Delivery,
    axis: Axis,
    grain: Grain,
    at: DateTime<Utc>,
    number: usize,
) -> delivery_rollup::Model {
    let second = at.timestamp();
    let known = |answer: Option<bool>| i64::from(answer.is_some());
    let yes = |answer: Option<bool>| i64::from(answer == Some(true));
    let by_trucker = grain == Grain::Trucker;
    let by_source = grain != Grain::Outcome;
    delivery_rollup::Model {
        rollup_id: Uuid::from_u128(1_000 + number as u128),
        axis,
        grain,
        hour: DateTime::from_timestamp(second - second.rem_euclid(3_600), 0).unwrap(),
        delivery_status: delivery.delivery_status.clone(),
        delivery_status_key: delivery.delivery_status_key.clone(),
        source_id: delivery.source_id.filter(|_| by_source),
        scan_mode: if by_source { delivery.scan_mode.clone() } else { String::new() },
        scan_mode_key: if by_source { delivery.scan_mode_key.clone() } else { String::new() },
        trucker: by_trucker.then(|| delivery.trucker.clone()),
        trucker_key: by_trucker.then(|| delivery.trucker_key.clone()),
        deliveries: 1,
        on_time_known: known(delivery.on_time),
        on_time: yes(delivery.on_time),
        first_attempt_known: known(delivery.first_attempt),
        first_attempt: yes(delivery.first_attempt),
        perfect_known: known(delivery.perfect),
        perfect: yes(delivery.perfect),
        stops: i64::from(delivery.stop_seconds.is_some()),
        stop_seconds: delivery.stop_seconds.unwrap_or_default(),
        late_events: delivery.late_events.into(),
    }
}

fn sum(row: &mut delivery_rollup::Model, add: &delivery_rollup::Model) {
    row.deliveries += add.deliveries;
    row.on_time_known += add.on_time_known;
    row.on_time += add.on_time;
    row.first_attempt_known += add.first_attempt_known;
    row.first_attempt += add.first_attempt;
    row.perfect_known += add.perfect_known;
    row.perfect += add.perfect;
    row.stops += add.stops;
    row.stop_seconds += add.stop_seconds;
    row.late_events += add.late_events;
}
