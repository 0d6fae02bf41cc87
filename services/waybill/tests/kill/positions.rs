//! Kills processes while devices send positions. Every acknowledged position is stored once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::browser::{Browser, PASSWORD};
use crate::number;
use crate::product::Product;

/// Sends a position for each second of a long trail, each once, until there is no response. Returns the
/// acknowledged seconds, and counts them in `count`.
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

/// Returns the seconds of all stored positions of the driver.
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
    /// The number of seconds between the first positions of two rounds.
    const ROUND: i64 = 10_000;
    let kills = number("WAYBILL_POSITION_KILLS", 4);
    let mut random = rand::rngs::StdRng::seed_from_u64(number("WAYBILL_KILL_SEED", 20_261_121) as u64);
    let mut product = Product::in_one();
    product.revive().await;
    let mut browser = Browser::new(&product.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let input = json!({ "driverId": "D-1", "name": "Nestor", "username": "nestor" });
    browser.data(create, json!({ "input": input })).await;
    let pair = "mutation M($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }";
    browser.data(pair, json!({ "input": { "uniqueId": "phone-1", "driverId": "D-1" } })).await;

    // All positions are in the past, and within the 90 days for which they are kept.
    let way = (kills as i64 + 1) * ROUND;
    assert!(way < 80 * 86_400, "{kills} kills reach back too far");
    let begin = kit::clock::Clock::system().now().timestamp() - way;
    let mut answered: Vec<i64> = Vec::new();
    for round in 0..kills as i64 {
        let count = Arc::new(AtomicUsize::new(0));
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let seconds = (0..1_000).map(move |step| begin + round * ROUND + step * SENDERS + sender);
                tokio::spawn(send(product.ingest.clone(), seconds, count.clone()))
            })
            .collect();
        // Wait for a number of responses instead of a time, because a busy machine may need longer for the
        // first response.
        let enough = random.random_range(1..400);
        while count.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        product.kill();
        for sender in senders {
            answered.extend(sender.await.unwrap());
        }
        product.revive().await;
        // A token may expire while the test runs, so fetch a new one.
        browser.token = Some(browser.fetch_token().await);
    }
    let kept = kept(&browser).await;
    let once: std::collections::BTreeSet<i64> = kept.iter().copied().collect();
    assert_eq!(once.len(), kept.len(), "a position is there twice");
    let lost: Vec<_> = answered.iter().filter(|second| !once.contains(second)).collect();
    assert!(!answered.is_empty() && lost.is_empty(), "of {} answered: {lost:?}", answered.len());
}
