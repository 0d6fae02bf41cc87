//! Events that arrive late, repeated and in any order have the same result as a rebuild.

use ::store::Db;
use proto::events::envelope::Payload;
use proto::events::{DeliveryChanged, Envelope};
use store::testing::TestDb;

use super::World;
use crate::Migrator;

/// Number of random histories per run on each database. `WAYBILL_TEST_DB_SEQUENCES` overrides the default.
fn stories() -> u64 {
    std::env::var("WAYBILL_TEST_DB_SEQUENCES").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

const CHANGES: usize = 60;

async fn story(db: &Db, seed: u64) {
    let world = World::open(db, seed);
    let mut events: Vec<Envelope> = (0..CHANGES).map(|_| world.owner.change()).collect();
    let again: Vec<Envelope> = events.iter().filter(|_| world.owner.roll(4) == 0).cloned().collect();
    events.extend(again);
    world.owner.shuffle(&mut events);
    // Some events get lost at first, and arrive later.
    let (lost, come): (Vec<_>, Vec<_>) = events.into_iter().partition(|_| world.owner.roll(5) == 0);
    for event in &come {
        world.owner.tell(event).await;
    }
    world.tables().await;
    for event in &lost {
        world.owner.tell(event).await;
    }
    let by_events = world.tables().await;
    assert!(!by_events.deliveries.is_empty());

    let version = world.version().await.version;
    world.rebuild().await;
    assert_eq!(world.tables().await, by_events, "story {seed}: a rebuild finds nothing to change");
    assert_eq!(world.version().await.version, version, "story {seed}: so cached answers stay");
    let rebuilt = world.rebuilt().await;
    assert_eq!(rebuilt, by_events, "story {seed}: a rebuild from nothing");
}

async fn tell_stories(backend: store::testing::Backend) {
    for seed in 1..=stories() {
        let test = TestDb::migrated::<Migrator>(backend).await;
        story(&test.db, seed).await;
        test.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_order_comes_to_the_same_on_sqlite() {
    tell_stories(store::testing::Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_order_comes_to_the_same_on_postgres() {
    tell_stories(store::testing::Backend::Postgres).await;
}

store::on_both!(events_at_the_same_time_add_up, Migrator, |db: Db| async move {
    let world = World::open(&db, 77);
    let events: Vec<Envelope> = (0..80).map(|_| world.owner.change()).collect();
    let mut tasks = Vec::new();
    for some in events.chunks(20) {
        let (owner, some) = (world.owner.clone(), some.to_vec());
        tasks.push(tokio::spawn(async move {
            for event in some {
                owner.tell(&event).await;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let by_events = world.tables().await;
    assert_eq!(world.rebuilt().await, by_events);
});

fn of_delivery(world: &World) -> (Envelope, DeliveryChanged) {
    loop {
        let event = world.owner.change();
        match event.payload.clone() {
            Some(Payload::DeliveryChanged(changed)) if changed.variances.len() > 1 => {
                return (event, changed);
            }
            _ => continue,
        }
    }
}

store::on_both!(what_an_event_leaves_out_is_read_from_its_owner, Migrator, |db: Db| async move {
    let world = World::open(&db, 5);
    // The event of a previous release, which lacks the fields that only analytics needs.
    let (event, mut changed) = of_delivery(&world);
    let id = changed.delivery.as_ref().unwrap().id.clone();
    changed.delivery.as_mut().unwrap().attempt = 0;
    world.owner.tell(&Envelope { payload: Some(changed.into()), ..event }).await;
    assert!(world.tables().await.deliveries.is_empty());
    assert_eq!(world.work().await, 1);
    let tables = world.tables().await;
    assert_eq!(tables.deliveries[0].delivery_id, id);
    let all = tables.variances.len();
    assert!(all > 1);

    // The event of a delivery with more variances than an event can carry.
    world.forget().await;
    let (event, mut changed) = of_delivery(&world);
    changed.variances.truncate(1);
    world.owner.tell(&Envelope { payload: Some(changed.into()), ..event }).await;
    world.work().await;
    assert!(world.tables().await.variances.len() > 1, "all of them");
});

store::on_both!(
    shipments_are_applied_although_the_delivery_is_read_from_its_owner,
    Migrator,
    |db: Db| async move {
        let world = World::open(&db, 15);
        let (event, mut changed) = loop {
            let event = world.owner.change();
            match event.payload.clone() {
                Some(Payload::DeliveryChanged(changed))
                    if changed.variances.len() > 1 && !changed.left_shipmentnumber.is_empty() =>
                {
                    break (event, changed);
                }
                _ => world.owner.tell(&event).await,
            }
        };
        let (joined, left) = (changed.delivery.clone().unwrap(), changed.left_shipmentnumber.clone());
        // Simulates a delivery with more variances than an event can carry.
        changed.variances.truncate(1);
        world.owner.tell(&Envelope { payload: Some(changed.clone().into()), ..event }).await;
        assert_eq!(world.work().await, 1, "the delivery is read from its owner");
        let by_events = world.tables().await;
        let shipment = |number: &str| by_events.shipments.iter().find(|it| it.shipment_number == number);
        assert_eq!(shipment(&joined.shipmentnumber).unwrap().shipment_status, joined.shipmentstatus);
        let status_of_left = shipment(&left).map(|it| it.shipment_status.clone()).unwrap_or_default();
        assert_eq!(status_of_left, changed.left_shipmentstatus);
        assert_eq!(world.rebuilt().await, by_events);
    }
);

store::on_both!(an_import_of_a_release_before_applies_its_shipments, Migrator, |db: Db| async move {
    let world = World::open(&db, 16);
    loop {
        let event = world.owner.change();
        match event.payload.clone() {
            Some(Payload::DeliveriesImported(mut imported))
                if !imported.left_shipments.is_empty()
                    && !imported.deliveries.iter().any(|it| it.removed) =>
            {
                imported.deliveries.iter_mut().for_each(|it| it.attempt = 0);
                world.owner.tell(&Envelope { payload: Some(imported.into()), ..event }).await;
                break;
            }
            _ => world.owner.tell(&event).await,
        }
    }
    assert_eq!(world.work().await, 1);
    let by_events = world.tables().await;
    assert_eq!(world.rebuilt().await, by_events);
});

store::on_both!(only_what_changes_an_answer_raises_the_version, Migrator, |db: Db| async move {
    let world = World::open(&db, 6);
    let (event, changed) = of_delivery(&world);
    world.owner.tell(&event).await;
    let version = world.version().await.version;
    assert!(version > 0);
    // Like adding an attachment: the sequence rises, and everything else is unchanged.
    let mut same = changed.clone();
    let delivery = same.delivery.as_mut().unwrap();
    delivery.sequence += 1;
    delivery.shipmentsequence += 1;
    let same = Envelope {
        id: kit::clock::new_id().to_string(),
        sequence: delivery.sequence,
        payload: Some(same.into()),
        ..event.clone()
    };
    world.owner.tell(&same).await;
    assert_eq!(world.version().await.version, version);
    assert_eq!(world.tables().await.deliveries[0].sequence, changed.delivery.unwrap().sequence as i64 + 1);
});

store::on_both!(an_undo_takes_a_delivery_away_until_a_later_event, Migrator, |db: Db| async move {
    let world = World::open(&db, 8);
    let (event, changed) = of_delivery(&world);
    let fact = changed.delivery.clone().unwrap();
    let with = |sequence: u64, removed: bool| {
        let mut changed = changed.clone();
        changed.delivery = Some(proto::events::DeliveryFact { sequence, removed, ..fact.clone() });
        Envelope { id: kit::clock::new_id().to_string(), payload: Some(changed.into()), ..event.clone() }
    };
    world.owner.tell(&event).await;
    let before = world.version().await.version;
    world.owner.tell(&with(fact.sequence + 1, true)).await;
    let gone = world.tables().await;
    assert!(gone.deliveries.is_empty() && gone.variances.is_empty());
    assert!(gone.rollups.iter().all(|row| row.deliveries == 0 && row.late_events == 0));
    assert!(world.version().await.version > before, "a cached answer is asked anew");

    // A late event from before the removal has no effect.
    world.owner.tell(&with(fact.sequence, false)).await;
    assert!(world.tables().await.deliveries.is_empty());
    world.owner.tell(&with(fact.sequence + 2, false)).await;
    assert_eq!(world.tables().await.deliveries.len(), 1);
    assert!(!world.tables().await.variances.is_empty());
});

store::on_both!(a_stop_counts_for_the_driver_who_has_the_delivery, Migrator, |db: Db| async move {
    let world = World::open(&db, 9);
    let (event, changed) = of_delivery(&world);
    let fact = changed.delivery.clone().unwrap();
    let of = |sequence: u64, driver: &str| {
        let mut changed = changed.clone();
        changed.delivery =
            Some(proto::events::DeliveryFact { sequence, driver_id: driver.to_owned(), ..fact.clone() });
        Envelope { id: kit::clock::new_id().to_string(), payload: Some(changed.into()), ..event.clone() }
    };
    let at = |minutes: i64| {
        Some(proto::timestamp(world.context.clock.now() + chrono::TimeDelta::minutes(minutes)))
    };
    let stop = |driver: &str, arrived: Option<i64>, departed: Option<i64>| {
        let delivery_id = fact.id.clone();
        let (arrived_at, departed_at) = (arrived.and_then(at), departed.and_then(at));
        let told =
            proto::events::StopChanged { driver_id: driver.to_owned(), delivery_id, arrived_at, departed_at };
        Envelope { payload: Some(told.into()), ..world.owner.stop_at(&fact.id, driver) }
    };
    let seconds = async || world.tables().await.deliveries.first().and_then(|it| it.stop_seconds);

    // Stops arrive before the delivery, one of them from another driver.
    world.owner.tell(&stop("Ana", Some(0), Some(15))).await;
    world.owner.tell(&stop("Ben", Some(0), Some(90))).await;
    world.owner.tell(&of(fact.sequence + 1, "ANA")).await;
    assert_eq!(seconds().await, Some(900));
    let version = world.version().await.version;
    // Ana has arrived again, and has not left yet.
    world.owner.tell(&stop("Ana", Some(60), Some(15))).await;
    assert_eq!(seconds().await, None);
    assert!(world.version().await.version > version);
    world.owner.tell(&stop("Ana", Some(60), Some(85))).await;
    assert_eq!(seconds().await, Some(1_500));
    world.owner.tell(&of(fact.sequence + 2, "Ben")).await;
    assert_eq!(seconds().await, Some(5_400));
    world.owner.tell(&of(fact.sequence + 3, "")).await;
    assert_eq!(seconds().await, None);
});
