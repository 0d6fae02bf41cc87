//! Dead letters of another system, by calls and as messages, while processes are killed and the broker loses its store:
//! each is kept once, the malformed ones too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::browser::PASSWORD;
use crate::client::Staff;
use crate::number;
use crate::product::Product;

/// One of so many is malformed.
const MALFORMED: usize = 20;
/// Calls under way at once.
const AT_ONCE: usize = 12;
/// So soon a letter is shown while nothing is killed.
const HEALTHY: Duration = Duration::from_secs(5);
const CAUGHT_UP: Duration = Duration::from_secs(60);

const SAVE: &str =
    "mutation M($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id } }";
const PRODUCER: &str = "mutation M($input: SaveDeadLetterProducerInput!) \
                        { saveDeadLetterProducer(input: $input) { token subject } }";
const GROUPS: &str = "{ deadLetterGroups { errorText count } }";
const PAGE: &str =
    "query Q($page: PageOptions) { deliveryDeadLetters(mode: failed, page: $page) { deliveryId } }";

/// How another system knows Waybill.
#[derive(Clone)]
pub struct Door {
    pub base: String,
    pub token: String,
    pub subject: String,
}

/// Signs in the first administrator and registers a producer whose resends go to this address.
pub async fn door(staff: &mut Staff<'_>, receiver: &str) -> Door {
    let admin = json!({ "username": "admin", "email": "admin@example.ph", "password": PASSWORD });
    let first = "mutation M($input: CreateAdminInput!) { createAdmin(input: $input) { id } }";
    staff.graphql(first, &json!({ "input": admin })).await.unwrap();
    assert!(staff.sign_in("admin", PASSWORD).await);
    let input =
        json!({ "name": "ERP", "url": receiver, "methods": ["cancel"], "sourceIds": [], "isActive": true });
    let endpoint = staff.read(SAVE, &json!({ "input": input })).await["saveOutboundEndpoint"]["id"].clone();
    let input = json!({ "name": "erp", "endpointId": endpoint, "isActive": true });
    let made = staff.read(PRODUCER, &json!({ "input": input })).await["saveDeadLetterProducer"].clone();
    let text = |key: &str| made[key].as_str().unwrap().to_owned();
    Door { base: staff.product.base.clone(), token: text("token"), subject: text("subject") }
}

/// A letter, or what is none.
pub fn message(way: &str, n: usize) -> String {
    match n % MALFORMED {
        7 => format!("{{\"deliveryId\":\"{way}-{n:06}\""),
        _ => json!({ "deliveryId": format!("{way}-{n:06}"), "method": "status", "error": way, "payload": { "n": n } })
            .to_string(),
    }
}

fn malformed(letters: usize) -> usize {
    (0..letters).filter(|n| n % MALFORMED == 7).count()
}

/// Reports by call until there is an answer.
pub async fn call(http: &reqwest::Client, door: &Door, way: &str, n: usize) {
    let key = format!("{way}-{n}");
    loop {
        let ask = http.post(format!("{}/intake/v1/dead-letters", door.base)).bearer_auth(&door.token);
        let answer = ask.header("idempotency-key", &key).body(message(way, n)).send().await;
        match answer.map(|it| it.status().as_u16()) {
            Ok(200 | 201 | 422) => return,
            // A process that starts doesn't know the token until its database answers; nor does a dead one.
            Ok(429 | 500..) | Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            Ok(other) => panic!("{other}"),
        }
    }
}

/// Publishes until the broker has it.
async fn publish(stream: &async_nats::jetstream::Context, subject: &str, way: &str, n: usize) {
    loop {
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Nats-Msg-Id", format!("{way}-{n}"));
        let sent = stream.publish_with_headers(subject.to_owned(), headers, message(way, n).into()).await;
        if let Ok(sent) = sent
            && sent.await.is_ok()
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Reports all of them, as far as `allowed` lets it.
fn calls(
    door: &Door,
    way: &'static str,
    letters: usize,
    allowed: &Arc<AtomicUsize>,
) -> Vec<tokio::task::JoinHandle<()>> {
    let next = Arc::new(AtomicUsize::new(0));
    let http = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
    let one = || {
        let (door, next, allowed, http) = (door.clone(), next.clone(), allowed.clone(), http.clone());
        tokio::spawn(async move {
            loop {
                let n = next.fetch_add(1, Ordering::SeqCst);
                if n >= letters {
                    return;
                }
                wait_for(&allowed, n).await;
                call(&http, &door, way, n).await;
            }
        })
    };
    (0..AT_ONCE).map(|_| one()).collect()
}

async fn wait_for(allowed: &AtomicUsize, n: usize) {
    while allowed.load(Ordering::SeqCst) < n {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// How many letters there are of a way; the malformed ones are known by what is said of them.
async fn counts(staff: &mut Staff<'_>) -> Vec<(String, usize)> {
    let groups = staff.read(GROUPS, &Value::Null).await["deadLetterGroups"].clone();
    let of =
        |it: &Value| (it["errorText"].as_str().unwrap().to_owned(), it["count"].as_u64().unwrap() as usize);
    groups.as_array().unwrap().iter().map(of).collect()
}

async fn count_of(staff: &mut Staff<'_>, way: &str) -> usize {
    counts(staff).await.iter().find(|(text, _)| text == way).map_or(0, |(_, count)| *count)
}

async fn malformed_count(staff: &mut Staff<'_>) -> usize {
    counts(staff)
        .await
        .iter()
        .filter(|(text, _)| text.contains("can't be read"))
        .map(|(_, count)| *count)
        .sum()
}

/// Waits until so many of a way are there; fails when there are more.
async fn all_there(staff: &mut Staff<'_>, way: &str, expected: usize, within: Duration) -> Duration {
    let began = Instant::now();
    loop {
        let count = count_of(staff, way).await;
        assert!(count <= expected, "{way}: {count} of {expected}");
        if count == expected {
            return began.elapsed();
        }
        assert!(began.elapsed() < within, "{way}: {count} of {expected} after {within:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Looks at each letter of a way: none is missing, none is there twice.
async fn each_once(staff: &mut Staff<'_>, way: &str, letters: usize) {
    let mut seen = BTreeSet::new();
    for block in 0..letters.div_ceil(1_000) {
        let filter = json!([{ "key": "deliveryId", "operator": "startsWith", "values": [format!("{way}-{block:03}")] }]);
        for offset in (0..1_000).step_by(100) {
            let page = json!({ "where": filter, "limit": 100, "offset": offset, "sort": [{ "key": "deliveryId", "direction": "asc" }] });
            let rows = staff.read(PAGE, &json!({ "page": page })).await["deliveryDeadLetters"].clone();
            for row in rows.as_array().unwrap() {
                assert!(seen.insert(row["deliveryId"].as_str().unwrap().to_owned()), "twice: {row}");
            }
        }
    }
    let expected: BTreeSet<String> =
        (0..letters).filter(|n| n % MALFORMED != 7).map(|n| format!("{way}-{n:06}")).collect();
    let missing: Vec<&String> = expected.difference(&seen).take(5).collect();
    assert!(missing.is_empty() && seen.len() == expected.len(), "{way}: {missing:?} of {}", seen.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random_moments_every_dead_letter_is_kept_once_by_each_way() {
    let letters = number("WAYBILL_LETTERS", 400);
    let kills = number("WAYBILL_LETTER_KILLS", 3);
    let seed = number("WAYBILL_KILL_SEED", 20_261_123) as u64;
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let mut product = Product::apart().await;
    product.revive().await;
    let namespace = product.namespace.clone();
    let (size, mut staff) = (product.size(), Staff::new(&mut product));
    let door = door(&mut staff, "https://example.com/").await;
    let allowed = Arc::new(AtomicUsize::new(letters / (kills + 1)));
    let mut ways = calls(&door, "call", letters, &allowed);
    let nats = std::env::var("WAYBILL_TEST_NATS_URL").unwrap_or_else(|_| "nats://127.0.0.1:4222".into());
    let stream = async_nats::jetstream::new(async_nats::connect(nats).await.unwrap());
    let subject = door.subject.replacen("waybill", &namespace, 1);
    ways.push(tokio::spawn({
        let (stream, subject, allowed) = (stream.clone(), subject.clone(), allowed.clone());
        async move {
            for n in 0..letters {
                wait_for(&allowed, n).await;
                publish(&stream, &subject, "event", n).await;
            }
        }
    }));
    for kill in 1..=kills {
        let wait = Duration::from_millis(random.random_range(0..400));
        staff.product.kill_after(random.random_range(0..size), wait).join().unwrap();
        staff.product.revive().await;
        allowed.store(letters * (kill + 1) / (kills + 1), Ordering::SeqCst);
        // A long run outlives a token.
        if kill % 20 == 0 {
            assert!(staff.sign_in("admin", PASSWORD).await);
        }
    }
    allowed.store(usize::MAX, Ordering::SeqCst);
    for way in ways {
        way.await.unwrap();
    }
    assert!(staff.sign_in("admin", PASSWORD).await);
    let good = letters - malformed(letters);
    let context = format!("seed {seed}, {kills} kills");
    for way in ["call", "event"] {
        let took = all_there(&mut staff, way, good, CAUGHT_UP).await;
        eprintln!("{context}: {way}: {good} of {letters} after {took:?}");
        each_once(&mut staff, way, letters).await;
    }
    assert_eq!(malformed_count(&mut staff).await, 2 * malformed(letters), "{context}");
    for n in 1..=3 {
        publish(&stream, &subject, "late", n).await;
        let took = all_there(&mut staff, "late", n, HEALTHY).await;
        eprintln!("shown after {took:?}");
    }
    drop(staff);
    product.end().await;
}

/// A broker of one test, whose store can be lost.
struct Broker {
    child: Child,
    port: u16,
    dir: PathBuf,
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Broker {
    fn start(dir: PathBuf) -> Self {
        let port = kit::testing::free_port();
        Self { child: Self::run(port, &dir), port, dir }
    }

    fn run(port: u16, dir: &Path) -> Child {
        let program = std::env::var("WAYBILL_TEST_NATS_SERVER").unwrap_or_else(|_| "nats-server".to_owned());
        let mut command = Command::new(program);
        command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(dir);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("nats-server starts")
    }

    /// Dies, and comes back with nothing.
    fn wipe(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        std::fs::remove_dir_all(&self.dir).unwrap();
        self.child = Self::run(self.port, &self.dir);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_loses_its_store_costs_no_dead_letter_that_is_published_again() {
    let wipes = number("WAYBILL_LETTER_WIPES", 2);
    let letters = number("WAYBILL_WIPE_LETTERS", 150);
    let dir = tempfile::tempdir().unwrap();
    let mut broker = Broker::start(dir.path().join("nats"));
    let url = format!("nats://127.0.0.1:{}", broker.port);
    let mut product = Product::in_one();
    product.set("BUS__URL", &url);
    product.revive().await;
    let mut staff = Staff::new(&mut product);
    let door = door(&mut staff, "https://example.com/").await;
    let client = async_nats::ConnectOptions::new().retry_on_initial_connect().connect(&url).await.unwrap();
    let stream = async_nats::jetstream::ContextBuilder::new()
        .timeout(Duration::from_secs(2))
        .ack_timeout(Duration::from_secs(2))
        .build(client);
    let mut slowest = Duration::ZERO;
    for round in 0..wipes {
        let (first, last) = (round * letters, (round + 1) * letters);
        let calling = tokio::spawn({
            let door = door.clone();
            async move {
                let http = reqwest::Client::new();
                for n in first..last {
                    call(&http, &door, "call", n).await;
                }
            }
        });
        for n in first..last {
            if n == first + letters / 2 {
                broker.wipe();
            }
            publish(&stream, &door.subject, "event", n).await;
        }
        // The producer cannot know what the broker lost, so it publishes all again.
        for n in first..last {
            publish(&stream, &door.subject, "event", n).await;
        }
        calling.await.unwrap();
        assert!(staff.sign_in("admin", PASSWORD).await);
        let good = last - malformed(last);
        for way in ["call", "event"] {
            slowest = slowest.max(all_there(&mut staff, way, good, CAUGHT_UP).await);
        }
    }
    eprintln!("caught up within {slowest:?}");
    for way in ["call", "event"] {
        each_once(&mut staff, way, wipes * letters).await;
    }
    assert_eq!(malformed_count(&mut staff).await, 2 * malformed(wipes * letters));
    drop(staff);
    product.end().await;
}
