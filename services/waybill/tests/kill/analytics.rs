//! Kills analytics and the broker, and deletes the broker's store, while events flow. Afterwards the tables
//! of analytics equal a rebuild from the owners.

use std::time::{Duration, Instant};

use kit::clock::Clock;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::broker::Broker;
use crate::browser::{Browser, PASSWORD};
use crate::number;
use crate::product::Product;

/// After this long without progress, the test assumes that no more events come. An event that was being
/// handled when its process was killed is delivered again after half a minute.
const PATIENCE: Duration = Duration::from_secs(120);
/// The pause between two changes once the number of events that the test asked for were made.
const PAUSE: Duration = Duration::from_millis(300);
/// Every table that queries read, with its key columns.
const TABLES: [(&str, &str); 7] = [
    ("delivery_fact", "delivery_id_key"),
    ("variance_fact", "variance_id"),
    ("shipment_fact", "shipment_number_key"),
    ("driver_fact", "driver_id_key"),
    ("source_fact", "source_id"),
    ("stop_fact", "stop_key"),
    ("delivery_rollup", "rollup_id"),
];
/// The kinds of events that are counted, each with the consumer that records them in its inbox.
const HANDLED: [(&str, &str); 4] = [
    ("%.delivery.changed.v1", "analytics-deliveries"),
    ("%.delivery.imported.v1", "analytics-imports"),
    ("%.driver.changed.v1", "analytics-drivers"),
    ("%.stop.changed.v1", "analytics-stops"),
];

async fn text(db: &DatabaseConnection, sql: &str) -> String {
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await.unwrap();
    row.unwrap().try_get_by_index::<String>(0).unwrap()
}

/// Returns all rows of all tables, without the number of the rebuild that last saw them.
async fn tables(db: &DatabaseConnection) -> Vec<String> {
    let mut all = Vec::new();
    for (table, key) in TABLES {
        let rows = format!(
            "SELECT COALESCE(string_agg((to_jsonb(t) - 'run')::text, E'\\n' ORDER BY {key}), '') FROM {table} t"
        );
        all.extend(text(db, &rows).await.lines().map(|line| format!("{table}: {line}")));
    }
    all
}

struct Databases {
    analytics: DatabaseConnection,
    owners: [DatabaseConnection; 2],
}

impl Databases {
    async fn of(product: &Product) -> Self {
        let open = async |target| sea_orm::Database::connect(product.database(target)).await.unwrap();
        Self { analytics: open("analytics").await, owners: [open("deliveries").await, open("drivers").await] }
    }

    /// Returns how many events analytics should handle, and how many it has handled.
    async fn events(&self) -> (i64, i64) {
        let is_handled = HANDLED.map(|(subject, _)| format!("subject LIKE '{subject}'")).join(" OR ");
        let consumers = HANDLED.map(|(_, consumer)| format!("'{consumer}'")).join(", ");
        let mut emitted = 0;
        for owner in &self.owners {
            let count = text(owner, &format!("SELECT count(*)::text FROM outbox WHERE {is_handled}")).await;
            emitted += count.parse::<i64>().unwrap();
        }
        let inbox = format!("SELECT count(*)::text FROM inbox WHERE consumer IN ({consumers})");
        (emitted, text(&self.analytics, &inbox).await.parse().unwrap())
    }

    /// Waits until analytics has handled more events, so that the next fault hits events in progress.
    async fn wait_for_more(&self, product: &Product) {
        let ((_, before), since) = (self.events().await, Instant::now());
        while self.events().await.1 <= before {
            assert!(since.elapsed() < PATIENCE, "no event comes any more\n{}", product.errors());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn wait_for_all(&self, product: &Product) {
        let (mut last, mut since) = (-1, Instant::now());
        loop {
            let (emitted, handled) = self.events().await;
            if handled == emitted {
                return;
            }
            if handled != last {
                (last, since) = (handled, Instant::now());
            }
            if since.elapsed() > PATIENCE {
                let each = "SELECT string_agg(n, ', ') FROM (SELECT consumer || ': ' || count(*) AS n FROM inbox GROUP BY consumer) t";
                let each = text(&self.analytics, each).await;
                panic!("{handled} of {emitted} events ({each})\n{}", product.errors());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Imports deliveries, then assigns drivers and records outcomes until `events` events were made. After that
/// it keeps changing drivers slowly until `stop`.
async fn work(mut browser: Browser, events: usize, seed: u64, stop: CancellationToken) {
    let mut random = StdRng::seed_from_u64(seed);
    let deliveries = (events / 20).clamp(50, 5_000);
    let head = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n";
    let line = |at: usize| {
        format!(
            "E-{at:05},S-{},Store {},2026-11-{:02} {:02}:15,1,SKU-1,5\n",
            at / 8,
            at % 40,
            1 + at % 28,
            at % 24
        )
    };
    let file = (0..deliveries).map(line).fold(head.to_owned(), |text, line| text + &line);
    assert_eq!(browser.import("events.csv", file).await.status, "imported");
    for number in 0..3 {
        let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
        let input = json!({ "driverId": format!("D-{number}"), "name": format!("Driver {number}"), "username": format!("driver-{number}") });
        browser.data(create, json!({ "input": input })).await;
    }
    let mut made = 0;
    for round in 0.. {
        for from in (0..deliveries).step_by(100) {
            let is_slow = made >= events;
            if is_slow {
                if stop.is_cancelled() {
                    return;
                }
                tokio::time::sleep(PAUSE).await;
            }
            // A token may expire while the test runs, so fetch a new one.
            browser.token = Some(browser.fetch_token().await);
            let count = if is_slow { 20 } else { 100 };
            let ids: Vec<String> =
                (from..deliveries.min(from + count)).map(|at| format!("E-{at:05}")).collect();
            made += ids.len();
            let assign = "mutation M($input: AssignDriverInput!) { assignDriver(input: $input) { ok } }";
            let driver = format!("D-{}", (round + from) % 3);
            // The deliveries service may not have its copy of the driver yet. Then repeat the request.
            while browser
                .graphql(assign, json!({ "input": { "deliveryIds": ids, "driverId": driver } }))
                .await["errors"]
                .is_array()
            {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            if is_slow {
                continue;
            }
            let id = &ids[random.random_range(0..ids.len())];
            let outcome =
                "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }";
            let input = json!({ "deliveryId": id, "clientEventId": kit::clock::new_id(), "status": "Undelivered",
                                "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed" });
            // The service refuses a delivery that already has an outcome.
            browser.graphql(outcome, json!({ "input": input })).await;
        }
    }
}

#[derive(Clone, Copy)]
enum Fault {
    Analytics,
    Broker,
    Wipe,
}

/// Returns kills of analytics and the broker, and deletions of the broker's store, in random order.
fn faults(kills: usize, wipes: usize, random: &mut StdRng) -> Vec<Fault> {
    let kill =
        |random: &mut StdRng| if random.random_range(0..3) == 0 { Fault::Broker } else { Fault::Analytics };
    let mut all: Vec<Fault> = (0..kills).map(|_| kill(random)).collect();
    all.resize(kills + wipes, Fault::Wipe);
    all.shuffle(random);
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_events_flow_the_tables_of_analytics_equal_a_rebuild() {
    let (kills, events) = (number("WAYBILL_ANALYTICS_KILLS", 4), number("WAYBILL_ANALYTICS_EVENTS", 300));
    let wipes = number("WAYBILL_ANALYTICS_WIPES", 1);
    let seed = number("WAYBILL_KILL_SEED", 20_261_123) as u64;
    let mut random = StdRng::seed_from_u64(seed);
    let mut broker = Broker::start();
    let mut product = Product::apart_on(&broker.url()).await;
    product.revive().await;
    let mut browser = Browser::new(&product.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;
    let databases = Databases::of(&product).await;

    let stop = CancellationToken::new();
    let working = tokio::spawn(work(browser, events, seed, stop.clone()));
    for fault in faults(kills, wipes, &mut random) {
        tokio::time::sleep(Duration::from_millis(random.random_range(20..600))).await;
        match fault {
            Fault::Analytics => product.kill_one("analytics"),
            Fault::Broker => broker.restart(),
            Fault::Wipe => {
                broker.wipe();
                databases.wait_for_more(&product).await;
            }
        }
        product.revive().await;
    }
    // Analytics may not have handled all events yet.
    stop.cancel();
    working.await.unwrap();
    product.revive().await;
    let context = format!("seed {seed}, {kills} kills, {wipes} wipes");
    databases.wait_for_all(&product).await;
    let by_events = tables(&databases.analytics).await;
    assert!(by_events.len() > 100);
    assert_eq!(text(&databases.analytics, "SELECT count(*)::text FROM dead_letters").await, "0");

    let rebuilt = rebuilt(&mut product, &databases).await;
    for (one, other) in by_events.iter().zip(&rebuilt) {
        assert_eq!(one, other, "{context}");
    }
    assert_eq!(by_events.len(), rebuilt.len(), "{context}");
    let (emitted, _) = databases.events().await;
    eprintln!("{context}: {emitted} events, {} rows", rebuilt.len());
    product.end().await;
}

/// Returns the tables after they were emptied and rebuilt, as after the loss of the database.
async fn rebuilt(product: &mut Product, databases: &Databases) -> Vec<String> {
    product.kill_one("analytics");
    for (table, _) in TABLES {
        databases.analytics.execute_unprepared(&format!("DELETE FROM {table}")).await.unwrap();
    }
    let db = store::Db::connect(&product.database("analytics"), &store::testing::config()).await.unwrap();
    analytics::seed::request_rebuild(&db, "admin", Clock::system().now()).await.unwrap();
    db.close().await;
    product.revive().await;
    let until = Instant::now() + PATIENCE;
    while text(&databases.analytics, "SELECT (complete_run = run AND run > 1)::text FROM data_version").await
        != "true"
    {
        assert!(Instant::now() < until, "the rebuild never ended\n{}", product.errors());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    tables(&databases.analytics).await
}
