//! Random histories of deliveries in the database, with the invariants checked after every event.
//!
//! `domain` tests the rules alone with 100,000 histories. Fewer run here, because they go through handlers,
//! locks and rows. `WAYBILL_TEST_DB_SEQUENCES` sets how many run on each database.

use ::store::{Db, on_both};
use kit::clock::new_id;
use kit::{Result, Role};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;

use super::invariants::*;
use super::office::*;
use crate::Migrator;
use crate::commands::record_outcome;
use crate::commands::transition::Submission;
use crate::domain::actor::Actor;
use crate::domain::command::RecordOutcome;
use crate::domain::delivery::{ScanMode as Scanned, Status};
use crate::tables::client_events::Event;

const EVENTS: usize = 14;

/// Pseudo-random numbers by SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize]
    }
}

struct Story {
    office: Office,
    db: Db,
    dice: Dice,
    ids: [String; 3],
    shipments: [String; 2],
    accepted: u64,
    refused: u64,
}

impl Story {
    async fn begin(db: &Db, number: u64) -> Self {
        let mut office = Office::open(db);
        office.context.config.allow_over_delivery = number.is_multiple_of(2);
        let ids = [1, 2, 3].map(|at| format!("DR-{number}-{at}"));
        let shipments = [1, 2].map(|at| format!("S-{number}-{at}"));
        for (id, items) in ids.iter().zip([two_items(), vec![], vec![item("A", 1_000), item("B", 0)]]) {
            office.create(id, &shipments[0], items).await;
        }
        let dice = Dice(number.wrapping_mul(0xA076_1D64_78BD_642F));
        Self { office, db: db.clone(), dice, ids, shipments, accepted: 0, refused: 0 }
    }

    async fn event(&mut self) {
        let minutes = self.dice.pick(&[0, 1, 7, 40]);
        self.office.later(minutes);
        let id = self.ids[self.dice.roll(3) as usize].clone();
        let seen = self.office.get(&id).await;
        let answer = match seen.deliverystatus() {
            _ if self.dice.roll(6) == 0 => self.anything(&id, &seen).await,
            DeliveryStatus::Pending => match self.dice.roll(4) {
                0 => self.edit(&id, &seen).await,
                1 => self.driver(&id).await,
                _ => self.outcome(&id, &seen).await,
            },
            DeliveryStatus::Undelivered => match self.dice.roll(4) {
                0 => self.driver(&id).await,
                1 => self.edit(&id, &seen).await,
                _ => self.reschedule(&id).await,
            },
            _ => match self.dice.roll(3) {
                0 => self.driver(&id).await,
                _ => self.correct(&id, &seen).await,
            },
        };
        match answer {
            Ok(()) => self.accepted += 1,
            Err(error) => {
                assert!(!matches!(error.kind, kit::Kind::Internal | kit::Kind::Unavailable), "{error}");
                self.refused += 1;
            }
        }
        self.holds().await;
    }

    async fn anything(&mut self, id: &str, seen: &Delivery) -> Result<()> {
        match self.dice.roll(5) {
            0 => self.edit(id, seen).await,
            1 => self.driver(id).await,
            2 => self.outcome(id, seen).await,
            3 => self.reschedule(id).await,
            _ => self.correct(id, seen).await,
        }
    }

    fn role(&mut self) -> Role {
        self.dice.pick(&[Role::Dispatcher, Role::TransportPlanner, Role::Admin, Role::Admin])
    }

    fn version(&mut self, seen: &Delivery) -> u64 {
        self.dice.pick(&[seen.version, seen.version, seen.version, seen.version - 1])
    }

    fn status(&mut self) -> DeliveryStatus {
        use DeliveryStatus::{CompleteNoVariance, CompleteWithVariance, Rejected, Undelivered};
        self.dice.pick(&[CompleteNoVariance, CompleteWithVariance, Rejected, Undelivered, Undelivered])
    }

    async fn counts(&mut self, id: &str) -> Vec<LineCount> {
        let way = self.dice.roll(5);
        let items = self.office.items(id).await;
        let counts = items.iter().map(|item| {
            let expected = item.quantity_thousandths;
            let (delivered, rejected) = match way {
                0 => (expected, 0),
                1 => (expected / 2, expected / 4),
                2 => (0, 0),
                3 => (0, expected),
                _ => (expected + 500, 0),
            };
            let reason = (delivered != expected).then_some("short_shipped");
            count(&item.item_number, delivered, rejected, reason)
        });
        counts.collect()
    }

    async fn outcome(&mut self, id: &str, seen: &Delivery) -> Result<()> {
        let (role, version) = (self.role(), self.version(seen));
        let mut request = if self.dice.roll(2) == 0 {
            outcome(id, Some(self.status()), vec![])
        } else {
            let counts = self.counts(id).await;
            outcome(id, None, counts)
        };
        // Sometimes add a reason, which is valid for some outcomes only.
        if request.reason.is_none() && self.dice.roll(2) == 0 {
            request.reason = Some("site_closed".into());
        }
        request.version = Some(version);
        let first = self.office.record(role, request.clone()).await?;
        if self.dice.roll(3) == 0 {
            assert_eq!(self.office.record(role, request).await?.version, first.version, "told twice");
        }
        Ok(())
    }

    async fn reschedule(&mut self, id: &str) -> Result<()> {
        let role = self.role();
        let to = self.office.context.clock.now() + chrono::TimeDelta::hours(1 + self.dice.roll(2_000) as i64);
        self.office.reschedule(role, id, to).await.map(|_| ())
    }

    async fn correct(&mut self, id: &str, seen: &Delivery) -> Result<()> {
        let (role, version) = (self.role(), self.version(seen));
        let mut request = if self.dice.roll(2) == 0 {
            let to = [DeliveryStatus::Pending, DeliveryStatus::Undelivered, DeliveryStatus::Rejected];
            correction(id, Some(self.dice.pick(&to)), vec![])
        } else {
            let counts = self.counts(id).await;
            correction(id, None, counts)
        };
        request.version = Some(version);
        self.office.correct(role, request).await.map(|_| ())
    }

    async fn edit(&mut self, id: &str, seen: &Delivery) -> Result<()> {
        let (role, version) = (self.role(), self.version(seen));
        let service = self.office.service();
        match self.dice.roll(5) {
            0 | 1 => {
                let shipment = self.dice.roll(2) as usize;
                let head = DeliveryHead {
                    referencedoc: Some(format!("SI-{}", self.dice.roll(1_000))),
                    scheduledatetime: seen.scheduledatetime,
                    ..head(&self.shipments[shipment])
                };
                let request = UpdateDeliveryRequest { id: id.into(), version, head: Some(head) };
                told(service.update_delivery(by(role, request)).await).map(|_| ())
            }
            2 => {
                let item = item(&format!("{}", self.dice.roll(6)), 1_000);
                let request = CreateDeliveryItemRequest { delivery_id: id.into(), version, item: Some(item) };
                told(service.create_delivery_item(by(role, request)).await).map(|_| ())
            }
            3 => {
                let item_number = format!("{}", self.dice.roll(6));
                let request = DeleteDeliveryItemRequest { delivery_id: id.into(), version, item_number };
                told(service.delete_delivery_item(by(role, request)).await).map(|_| ())
            }
            _ => {
                let driver_id = Some(format!("D-{}", self.dice.roll(3)));
                let request =
                    AssignDriverRequest { delivery_ids: vec![id.into()], driver_id, ..Default::default() };
                told(service.assign_driver(by(role, request)).await).map(|_| ())
            }
        }
    }

    /// Sends an outcome from a device that may have been offline for hours.
    async fn driver(&mut self, id: &str) -> Result<()> {
        let status = self.dice.pick(&[Status::CompleteNoVariance, Status::Undelivered, Status::Rejected]);
        let reason = match status {
            Status::Undelivered => Some("site_closed".to_owned()),
            Status::Rejected => Some("refused_not_ordered".to_owned()),
            _ => None,
        };
        // The sender is the driver that the delivery is assigned to now.
        let driver_id = self.office.get(id).await.driver_id.unwrap_or_default();
        let ago = self.dice.pick(&[0, 0, 5, 45, 300]);
        let submission = Submission {
            delivery_id: id.into(),
            actor: Actor::Driver { name: "Ramon".into(), driver_id },
            expected_version: None,
            event: Some(Event { id: new_id(), fingerprint: vec![1] }),
            occurred_at: Some(self.office.context.clock.now() - chrono::TimeDelta::minutes(ago)),
        };
        let outcome = RecordOutcome {
            status: Some(status),
            attempt: self.dice.pick(&[None, Some(1), Some(1)]),
            lines: None,
            reason,
            note: Some("At the gate".into()),
            received_by: Some("Nena".into()),
            relation: None,
            scanmode: Scanned::Yes,
            place: None,
            signature: false,
            photo: false,
        };
        record_outcome::run(&self.office.context, &submission, outcome).await.map(|_| ())
    }

    async fn holds(&self) {
        for id in &self.ids {
            holds(&self.db, id).await;
        }
        shipments_hold(&self.db).await;
    }
}

on_both!(the_invariants_hold_in_random_stories, Migrator, |db: Db| async move {
    let stories: u64 = std::env::var("WAYBILL_TEST_DB_SEQUENCES").map_or(12, |text| text.parse().unwrap());
    let (mut accepted, mut refused) = (0, 0);
    for number in 0..stories {
        let mut story = Story::begin(&db, number).await;
        for _ in 0..EVENTS {
            story.event().await;
        }
        accepted += story.accepted;
        refused += story.refused;
    }
    // With fewer accepted or refused requests, the test would prove nothing.
    assert!(accepted > stories * 4 && refused > stories, "{accepted} accepted, {refused} refused");
    let events = events_by_delivery(&db).await;
    assert_eq!(events.len() as u64, stories * 3);
    for (id, versions) in events {
        assert!(versions.is_sorted(), "{id}: {versions:?}");
    }
    sequences_hold(&db).await;
});
