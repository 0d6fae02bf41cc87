//! Kills of analytics and of the broker while events flow: its tables equal what it reads anew from the owners.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kit::clock::Clock;
use kit::testing::free_port;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use serde_json::json;

use crate::browser::{Browser, PASSWORD};
use crate::number;
use crate::product::Product;

/// Without any progress for so long, nothing comes any more. An event that was under way at a kill is handed out
/// again after half a minute.
const PATIENCE: Duration = Duration::from_secs(120);
/// Every table that a query reads, with its key.
const TABLES: [(&str, &str); 7] = [
    ("delivery_fact", "delivery_id_key"),
    ("variance_fact", "variance_id"),
    ("shipment_fact", "shipment_number_key"),
    ("driver_fact", "driver_id_key"),
    ("source_fact", "source_id"),
    ("stop_fact", "stop_key"),
    ("delivery_rollup", "rollup_id"),
];
/// The events that are counted, each with the consumer that leaves a row for it in the inbox.
const HANDLED: [(&str, &str); 4] = [
    ("%.delivery.changed.v1", "analytics-deliveries"),
    ("%.delivery.imported.v1", "analytics-imports"),
    ("%.driver.changed.v1", "analytics-drivers"),
    ("%.stop.changed.v1", "analytics-stops"),
];

/// A NATS server that keeps its store over a kill.
struct Broker {
    port: u16,
    store: tempfile::TempDir,
    child: Child,
}

impl Broker {
    fn start() -> Self {
        let (port, store) = (free_port(), tempfile::tempdir().unwrap());
        let child = Self::run(port, store.path());
        Self { port, store, child }
    }

    fn run(port: u16, store: &Path) -> Child {
        Command::new("nats-server")
            .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--jetstream", "--store_dir"])
            .arg(store)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nats-server is installed, as for all tests with services")
    }

    fn kill_and_start(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.child = Self::run(self.port, self.store.path());
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn text(db: &DatabaseConnection, sql: &str) -> String {
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await.unwrap();
    row.unwrap().try_get_by_index::<String>(0).unwrap()
}

/// All rows of all tables, without the number of the rebuild that saw them last.
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

    /// Events that analytics handles: how many there are, and how many it has dealt with.
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

/// Imports deliveries, then gives them drivers and outcomes, until so many events were made.
async fn work(mut browser: Browser, events: usize, seed: u64) {
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
            if made >= events {
                return;
            }
            // A long run outlives a token.
            browser.token = Some(browser.fetch_token().await);
            let ids: Vec<String> =
                (from..deliveries.min(from + 100)).map(|at| format!("E-{at:05}")).collect();
            made += ids.len();
            let assign = "mutation M($input: AssignDriverInput!) { assignDriver(input: $input) { ok } }";
            let driver = format!("D-{}", (round + from) % 3);
            // The copy of the drivers may come a moment later.
            while browser
                .graphql(assign, json!({ "input": { "deliveryIds": ids, "driverId": driver } }))
                .await["errors"]
                .is_array()
            {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            let id = &ids[random.random_range(0..ids.len())];
            let outcome =
                "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }";
            let input = json!({ "deliveryId": id, "clientEventId": kit::clock::new_id(), "status": "Undelivered",
                                "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed" });
            // One that has an outcome is refused.
            browser.graphql(outcome, json!({ "input": input })).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_events_flow_the_tables_of_analytics_equal_a_rebuild() {
    let (kills, events) = (number("WAYBILL_ANALYTICS_KILLS", 6), number("WAYBILL_ANALYTICS_EVENTS", 400));
    let seed = number("WAYBILL_KILL_SEED", 20_261_123) as u64;
    let mut random = StdRng::seed_from_u64(seed);
    let mut broker = Broker::start();
    let mut product = Product::apart_on(&format!("nats://127.0.0.1:{}", broker.port)).await;
    product.revive().await;
    let mut browser = Browser::new(&product.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;
    let databases = Databases::of(&product).await;

    let is_over = Arc::new(AtomicBool::new(false));
    let over = is_over.clone();
    let working = tokio::spawn(async move {
        work(browser, events, seed).await;
        over.store(true, Ordering::Relaxed);
    });
    let mut done = 0;
    // At least so many, and until all events are made: some may be left to be handled.
    while done < kills || !is_over.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(random.random_range(20..600))).await;
        if done >= kills {
            continue;
        }
        match random.random_range(0..3) {
            0 => broker.kill_and_start(),
            _ => product.kill_one("analytics"),
        }
        done += 1;
        product.revive().await;
    }
    working.await.unwrap();
    product.revive().await;
    databases.wait_for_all(&product).await;
    let by_events = tables(&databases.analytics).await;
    assert!(by_events.len() > 100);
    assert_eq!(text(&databases.analytics, "SELECT count(*)::text FROM dead_letters").await, "0");

    // From nothing, as after a lost database.
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
    let rebuilt = tables(&databases.analytics).await;
    for (one, other) in by_events.iter().zip(&rebuilt) {
        assert_eq!(one, other, "seed {seed}, {kills} kills");
    }
    assert_eq!(by_events.len(), rebuilt.len(), "seed {seed}, {kills} kills");
    let (emitted, _) = databases.events().await;
    eprintln!("{emitted} events, {done} kills, {} rows", rebuilt.len());
    product.end().await;
}
