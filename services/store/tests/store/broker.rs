//! The broker loses everything or is away, or the consumer cannot reach its database. The copies equal their
//! source in the end, and no dead letter was raised.
//!
//! Each test starts its own NATS server, so that it can stop the server and delete its store.

mod plant;

use std::time::Duration;

use plant::{Plant, until};

/// Number of settings. Each change of a setting is one event, so its copied version shows a missing event.
const SETTINGS: usize = 5;

async fn catches_up(plant: &Plant) {
    let version = plant.version();
    until("the copy equals its source", || async { plant.copy().await == vec![version; SETTINGS] }).await;
    assert_eq!(plant.given_up().await, 0);
}

/// Events are published while nobody reads, and are then lost with the broker.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_lost_what_nobody_had_read_costs_nothing() {
    let mut plant = Plant::new(SETTINGS).await;
    plant.start().await;
    for _ in 0..if kit::testing::long() { 50 } else { 3 } {
        plant.change().await;
        catches_up(&plant).await;
        plant.stop_consumer().await;
        plant.change().await;
        until("everything is published", || plant.is_published()).await;
        plant.lose_the_store().await;
        plant.start_consumer().await;
        catches_up(&plant).await;
    }
    assert_eq!(plant.handled().await, plant.emitted().await, "each event once");
    plant.stop().await;
}

/// The broker loses its store while events flow and the consumer runs: the consumer notices by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_loses_its_store_under_load_costs_nothing() {
    let mut plant = Plant::new(SETTINGS).await;
    plant.start().await;
    for _ in 0..if kit::testing::long() { 50 } else { 3 } {
        for _ in 0..20 {
            plant.change().await;
        }
        plant.lose_the_store().await;
        for _ in 0..5 {
            plant.change().await;
        }
        catches_up(&plant).await;
    }
    until("each event was handled", || async { plant.handled().await == plant.emitted().await }).await;
    plant.stop().await;
}

/// Nothing can be published: the consumer gets waiting events from their source, and the bus delivers them once
/// more later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_away_delays_copies_by_seconds() {
    let mut plant = Plant::new(SETTINGS).await;
    plant.start().await;
    plant.change().await;
    catches_up(&plant).await;
    plant.stop_broker();
    for _ in 0..2 {
        plant.change().await;
        let in_time = tokio::time::timeout(Duration::from_secs(30), catches_up(&plant)).await;
        in_time.expect("the copy follows while the broker is away");
        assert!(!plant.is_published().await);
    }
    plant.start_broker();
    until("everything is published", || plant.is_published()).await;
    plant.change().await;
    catches_up(&plant).await;
    assert_eq!(plant.handled().await, plant.emitted().await, "each event once");
    plant.stop().await;
}

/// Postgres cannot be reached while events arrive: all of them are handled once Postgres is back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_was_away_costs_no_event() {
    let mut plant = Plant::new(SETTINGS).await;
    plant.start().await;
    plant.change().await;
    catches_up(&plant).await;
    plant.cut_database();
    plant.change().await;
    // Longer than five attempts take with the delays of this test.
    tokio::time::sleep(Duration::from_secs(if kit::testing::long() { 60 } else { 12 })).await;
    plant.change().await;
    plant.mend_database().await;
    catches_up(&plant).await;
    until("each event was handled", || async { plant.handled().await == plant.emitted().await }).await;
    plant.stop().await;
}
