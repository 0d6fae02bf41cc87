//! Another system reports dead letters, by calls and as messages, while processes and the broker are killed
//! and the broker loses its store. Each letter is stored once, malformed letters included.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::broker::Broker;
use crate::browser::PASSWORD;
use crate::client::Staff;
use crate::number;
use crate::product::Product;

/// One letter in this many is malformed.
const MALFORMED: usize = 20;
/// One kill in this many kills the broker, which keeps its store.
const BROKER_ONE_IN: usize = 8;
/// Maximum concurrent calls.
const AT_ONCE: usize = 12;
/// While nothing is killed, a letter is listed within this time.
const HEALTHY: Duration = Duration::from_secs(5);
/// A message that a killed process held comes again after 60 seconds (`ack_wait`), and is taken within a moment.
const CAUGHT_UP: Duration = Duration::from_secs(90);

const SAVE: &str =
    "mutation M($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id } }";
const PRODUCER: &str = "mutation M($input: SaveDeadLetterProducerInput!) \
                        { saveDeadLetterProducer(input: $input) { token subject } }";
const GROUPS: &str = "{ deadLetterGroups { errorText count } }";
const PAGE: &str =
    "query Q($page: PageOptions) { deliveryDeadLetters(mode: failed, page: $page) { deliveryId } }";

/// The addresses and the token with which another system reaches Waybill.
#[derive(Clone)]
pub struct Door {
    pub base: String,
    pub token: String,
    pub subject: String,
}

/// Signs in the first administrator and registers a producer. Waybill resends the producer's letters to
/// `receiver`.
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

/// Returns the body of a letter, malformed for some numbers.
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

/// Reports a letter by a call, and retries until there is a response.
pub async fn call(http: &reqwest::Client, door: &Door, way: &str, n: usize) {
    let key = format!("{way}-{n}");
    loop {
        let ask = http.post(format!("{}/intake/v1/dead-letters", door.base)).bearer_auth(&door.token);
        let answer = ask.header("idempotency-key", &key).body(message(way, n)).send().await;
        match answer.map(|it| it.status().as_u16()) {
            Ok(200 | 201 | 422) => return,
            // A starting process cannot check the token until its database responds.
            Ok(429 | 500..) | Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            Ok(other) => panic!("{other}"),
        }
    }
}

/// Connects as a producer that keeps running when the broker is killed.
async fn producer_at(url: &str) -> async_nats::jetstream::Context {
    let client = async_nats::ConnectOptions::new().retry_on_initial_connect().connect(url).await.unwrap();
    async_nats::jetstream::ContextBuilder::new()
        .timeout(Duration::from_secs(2))
        .ack_timeout(Duration::from_secs(2))
        .build(client)
}

/// Publishes a letter until the broker confirms it.
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

/// Reports all letters by calls. Letter `n` waits until `allowed` is at least `n`.
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

/// Returns the number of letters for each error text. In a well-formed letter that text is the way in which
/// the letter was reported.
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

/// Waits until `expected` letters have arrived that were reported in this way, and fails if there are more.
/// Returns how long it took.
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

/// Checks all letters that were reported in this way: none is missing, and none is duplicated.
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
    let letters = number("WAYBILL_LETTERS", 200);
    let kills = number("WAYBILL_LETTER_KILLS", 2);
    let seed = number("WAYBILL_KILL_SEED", 20_261_123) as u64;
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let mut broker = Broker::start();
    let mut product = Product::apart_on(&broker.url()).await;
    product.revive().await;
    let namespace = product.namespace.clone();
    let (size, mut staff) = (product.size(), Staff::new(&mut product));
    let door = door(&mut staff, "https://example.com/").await;
    let allowed = Arc::new(AtomicUsize::new(letters / (kills + 1)));
    let mut ways = calls(&door, "call", letters, &allowed);
    let stream = producer_at(&broker.url()).await;
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
        if random.random_range(0..BROKER_ONE_IN) == 0 {
            tokio::time::sleep(wait).await;
            broker.restart();
        } else {
            staff.product.kill_after(random.random_range(0..size), wait).join().unwrap();
        }
        staff.product.revive().await;
        allowed.store(letters * (kill + 1) / (kills + 1), Ordering::SeqCst);
        // A token may expire while the test runs, so fetch a new one.
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_loses_its_store_costs_no_dead_letter_that_is_published_again() {
    let wipes = number("WAYBILL_LETTER_WIPES", 1);
    let letters = number("WAYBILL_WIPE_LETTERS", 150);
    let mut broker = Broker::start();
    let url = broker.url();
    let mut product = Product::in_one();
    product.set("BUS__URL", &url);
    product.revive().await;
    let mut staff = Staff::new(&mut product);
    let door = door(&mut staff, "https://example.com/").await;
    let stream = producer_at(&url).await;
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
        // The producer cannot know what the broker lost, so it publishes everything again.
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
