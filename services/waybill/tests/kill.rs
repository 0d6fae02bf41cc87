//! `kill -9` of the real program at random moments of an import, then a restart: every line ends
//! exactly once as created, updated, skipped or refused, and the log's counts add up. The same while
//! devices tell where they are: what was answered is there, once.
//!
//! A share of this runs with every test; `just kill` sets WAYBILL_KILLS, WAYBILL_KILL_LINES and
//! WAYBILL_POSITION_KILLS for the full run.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

#[allow(dead_code)] // shared with the scenarios, which use all of it
#[path = "world/browser.rs"]
mod browser;
mod harness {
    /// Waits for a state.
    pub async fn until<F, Fut>(what: &str, mut condition: F)
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = bool>,
    {
        let waiting = async {
            while !condition().await {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        };
        let limit = std::time::Duration::from_secs(120);
        tokio::time::timeout(limit, waiting).await.unwrap_or_else(|_| panic!("waited too long until {what}"));
    }
}
use browser::{Browser, PASSWORD};

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The program, killed when dropped.
struct Program {
    child: Child,
    base: String,
    /// Where devices send to.
    ingest: String,
}

impl Program {
    /// Starts it and waits for the line that says it is ready.
    fn start(data: &Path) -> Self {
        let (port, ingest) = (free_port(), free_port());
        let mut child = Command::new(env!("CARGO_BIN_EXE_waybill"))
            .args(["--data", data.to_str().unwrap(), "--listen", &format!("127.0.0.1:{port}")])
            .env("WAYBILL__OPS__PORT", free_port().to_string())
            .env("WAYBILL__INGEST__PORT", ingest.to_string())
            .env("WAYBILL__TELEMETRY__LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let ready = output.lines().map_while(Result::ok).any(|line| line.contains("Waybill is ready"));
        assert!(ready, "the program ended before it was ready");
        let at = |port: u16| format!("http://127.0.0.1:{port}");
        Self { child, base: at(port), ingest: at(ingest) }
    }

    /// As the kernel does it: no goodbye.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Deliveries of three lines each; every fiftieth line is bad, every seventieth a twin.
struct File {
    text: String,
    lines: u64,
    bad: u64,
    twins: u64,
    deliveries: u64,
}

fn file(round: usize, lines: usize) -> File {
    let mut text =
        "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n"
            .to_owned();
    let mut it = File { text: String::new(), lines: lines as u64, bad: 0, twins: 0, deliveries: 0 };
    let mut last: Option<String> = None;
    for line in 0..lines {
        let doc = line / 3;
        if line % 50 == 49 {
            text.push_str(&format!(
                "K{round}-{doc},S{round}-{},Store {},not a time,{},X,1\n",
                doc / 8,
                doc % 40,
                line % 3 + 1
            ));
            it.bad += 1;
            continue;
        }
        if let (0, Some(twin)) = (line % 70, &last) {
            text.push_str(twin);
            it.twins += 1;
            continue;
        }
        let good = format!(
            "K{round}-{doc},S{round}-{},Store {},2026-11-20 08:00,{},SKU-{line},{}.5\n",
            doc / 8,
            doc % 40,
            line % 3 + 1,
            line % 90
        );
        text.push_str(&good);
        last = Some(good);
    }
    it.deliveries = (0..lines)
        .filter(|line| line % 50 != 49 && (line % 70 != 0 || *line == 0))
        .map(|line| line / 3)
        .collect::<std::collections::BTreeSet<_>>()
        .len() as u64;
    it.text = text;
    it
}

async fn everything(browser: &Browser, prefix: &str) -> (u64, u64) {
    let filter = json!([{ "key": "id", "operator": "startsWith", "values": [prefix] }]);
    let (mut deliveries, mut items) = (0, 0);
    for offset in (0..).step_by(100) {
        let page = json!({ "where": filter, "limit": 100, "offset": offset, "sort": [{ "key": "id", "direction": "asc" }] });
        let query = "query Q($page: PageOptions) { deliveries(page: $page) { linecount items { itemNumber } history { toStatus } } }";
        let rows =
            browser.data(query, json!({ "page": page })).await["deliveries"].as_array().unwrap().clone();
        for row in &rows {
            let own = row["items"].as_array().unwrap().len() as u64;
            assert_eq!(row["linecount"].as_u64(), Some(own), "a delivery is seen without its items");
            assert_eq!(row["history"], json!([{ "toStatus": "Pending" }]), "its history has one step");
            items += own;
        }
        deliveries += rows.len() as u64;
        if rows.len() < 100 {
            break;
        }
    }
    (deliveries, items)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random_moments_every_line_ends_exactly_once() {
    let kills = number("WAYBILL_KILLS", 12);
    let lines = number("WAYBILL_KILL_LINES", 6_000);
    let seed = number("WAYBILL_KILL_SEED", 20_261_121) as u64;
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");

    let mut program = Program::start(&data);
    let mut browser = Browser::new(&program.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;

    let (mut done, mut round) = (0, 0);
    while done < kills {
        round += 1;
        let file = file(round, lines);
        let url = browser.put_file("kill.csv", file.text.clone().into_bytes()).await;
        let (_, answer) = browser.start_import(&url, "kill.csv", "").await;
        let id = answer["uploadLog"].as_str().unwrap().to_owned();

        // Kill again and again until this import gets through between two kills.
        loop {
            let wait = Duration::from_millis(random.random_range(0..1_500));
            let until = Instant::now() + wait;
            while Instant::now() < until && open(&browser, &id).await {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if done == kills || !open(&browser, &id).await {
                break;
            }
            program.kill();
            done += 1;
            program = Program::start(&data);
            browser.base = program.base.clone();
        }

        let ended = browser.ended(&id).await;
        let context = format!("seed {seed}, round {round}, {done} kills: {ended:?}");
        assert_eq!(ended.status, "imported_with_errors", "{context}");
        assert!(ended.adds_up(), "{context}");
        assert_eq!(ended.total, file.lines, "{context}");
        assert_eq!((ended.failed, ended.skipped), (file.bad, file.twins), "{context}");
        assert_eq!(ended.created, file.lines - file.bad - file.twins, "{context}");
        assert_eq!(ended.deliveries, file.deliveries, "{context}");
        assert_eq!(refused(&browser, &id).await, file.bad, "{context}");
        let there = everything(&browser, &format!("K{round}-")).await;
        assert_eq!(there, (ended.deliveries, ended.items), "{context}");
    }
}

async fn open(browser: &Browser, id: &str) -> bool {
    ["uploaded", "parsing", "importing"].contains(&browser.log(id).await.status.as_str())
}

async fn refused(browser: &Browser, id: &str) -> u64 {
    let query = "query Q($id: String!) { uploadRowsCount(uploadLog: $id) { total exact } }";
    let count: Value = browser.data(query, json!({ "id": id })).await["uploadRowsCount"].clone();
    assert_eq!(count["exact"], json!(true));
    count["total"].as_u64().unwrap()
}

/// Sends a position a second of a long way, each once, until nobody answers; the seconds that were
/// answered. Counts them in `count` too.
async fn send(ingest: String, mut seconds: impl Iterator<Item = i64>, count: Arc<AtomicUsize>) -> Vec<i64> {
    let http = reqwest::Client::new();
    let mut answered = Vec::new();
    loop {
        let Some(second) = seconds.next() else { return answered };
        let url = format!("{ingest}/?id=phone-1&lat=14.5995&lon=120.9842&timestamp={second}");
        match http.get(url).send().await {
            Ok(answer) if answer.status().is_success() => {
                answered.push(second);
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok(_) => {}
            Err(_) => return answered,
        }
    }
}

/// The seconds of all positions of the driver.
async fn kept(browser: &Browser) -> Vec<i64> {
    let query = "query Q($from: DateTime!, $to: DateTime!, $after: String) { driverPositions(driverId: \"D-1\", \
                 from: $from, to: $to, after: $after) { more cursor positions { occurredAt } } }";
    let (mut seconds, mut after) = (Vec::new(), Value::Null);
    loop {
        let range = json!({ "from": "2020-01-01T00:00:00Z", "to": "2090-01-01T00:00:00Z", "after": after });
        let page = browser.data(query, range).await["driverPositions"].clone();
        for position in page["positions"].as_array().unwrap() {
            let at = chrono::DateTime::parse_from_rfc3339(position["occurredAt"].as_str().unwrap());
            seconds.push(at.unwrap().timestamp());
        }
        after = page["cursor"].clone();
        if page["more"] == json!(false) {
            return seconds;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random_moments_every_answered_position_is_kept_once() {
    const SENDERS: i64 = 6;
    let kills = number("WAYBILL_POSITION_KILLS", 4);
    let mut random = rand::rngs::StdRng::seed_from_u64(number("WAYBILL_KILL_SEED", 20_261_121) as u64);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");

    let mut program = Program::start(&data);
    let mut browser = Browser::new(&program.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let input = json!({ "driverId": "D-1", "name": "Nestor", "username": "nestor" });
    browser.data(create, json!({ "input": input })).await;
    let pair = "mutation M($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }";
    browser.data(pair, json!({ "input": { "uniqueId": "phone-1", "driverId": "D-1" } })).await;

    let begin = kit::clock::Clock::system().now().timestamp() - 1_000_000;
    let mut answered: Vec<i64> = Vec::new();
    for round in 0..kills as i64 {
        let count = Arc::new(AtomicUsize::new(0));
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let seconds = (0..1_000).map(move |step| begin + round * 10_000 + step * SENDERS + sender);
                tokio::spawn(send(program.ingest.clone(), seconds, count.clone()))
            })
            .collect();
        // Wait for answers, not for a time: a busy machine may need longer for its first one.
        let enough = random.random_range(1..400);
        while count.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        program.kill();
        for sender in senders {
            answered.extend(sender.await.unwrap());
        }
        program = Program::start(&data);
        browser.base = program.base.clone();
    }
    let kept = kept(&browser).await;
    let once: std::collections::BTreeSet<i64> = kept.iter().copied().collect();
    assert_eq!(once.len(), kept.len(), "a position is there twice");
    let lost: Vec<_> = answered.iter().filter(|second| !once.contains(second)).collect();
    assert!(!answered.is_empty() && lost.is_empty(), "of {} answered: {lost:?}", answered.len());
}
