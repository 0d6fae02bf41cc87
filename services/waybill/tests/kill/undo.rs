//! Kills processes during undos. Every delivery of the import still ends in exactly one state, and changes
//! that others made in the meantime remain.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::browser::{Browser, PASSWORD};
use crate::number;
use crate::product::Product;

const HEAD: &str =
    "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n";

/// Returns a file with one item per delivery.
fn file(round: usize, deliveries: std::ops::Range<usize>, quantity: usize) -> Vec<u8> {
    let line = |at: usize| {
        let shipment = at / 8;
        format!(
            "U{round}-{at:05},S{round}-{shipment},Store {},2026-11-20 08:00,1,SKU-{at},{quantity}\n",
            at % 40
        )
    };
    deliveries.map(line).fold(HEAD.to_owned(), |text, line| text + &line).into_bytes()
}

struct Report {
    status: String,
    reversed: u64,
    kept: u64,
    errored: u64,
}

impl Report {
    fn done(&self) -> u64 {
        self.reversed + self.kept + self.errored
    }
}

async fn report(browser: &Browser, id: &str) -> Report {
    let query =
        "query Q($id: String!) { uploadLog(id: $id) { status undoReport { reversed kept errored } } }";
    let log = browser.data(query, json!({ "id": id })).await["uploadLog"].clone();
    let count = |key: &str| log["undoReport"][key].as_u64().unwrap_or_default();
    Report {
        status: log["status"].as_str().unwrap().to_owned(),
        reversed: count("reversed"),
        kept: count("kept"),
        errored: count("errored"),
    }
}

/// Returns the quantity and status of each delivery of a round, sorted by number.
async fn everything(browser: &Browser, round: usize) -> Vec<(usize, f64, String)> {
    let filter = json!([{ "key": "id", "operator": "startsWith", "values": [format!("U{round}-")] }]);
    let mut found = Vec::new();
    for offset in (0..).step_by(100) {
        let page = json!({ "where": filter, "limit": 100, "offset": offset, "sort": [{ "key": "id", "direction": "asc" }] });
        let query = "query Q($page: PageOptions) { deliveries(page: $page) { id deliverystatus linecount items { quantity } } }";
        let rows =
            browser.data(query, json!({ "page": page })).await["deliveries"].as_array().unwrap().clone();
        for row in &rows {
            let (_, number) = row["id"].as_str().unwrap().split_once('-').unwrap();
            assert_eq!(row["linecount"], 1, "{row}");
            let quantity = row["items"][0]["quantity"].as_f64().unwrap();
            found.push((
                number.parse().unwrap(),
                quantity,
                row["deliverystatus"].as_str().unwrap().to_owned(),
            ));
        }
        if rows.len() < 100 {
            return found;
        }
    }
    unreachable!()
}

/// Records an outcome for a delivery, so that the undo has to keep the delivery.
async fn give_up(browser: &Browser, round: usize, at: usize) {
    let input = json!({ "deliveryId": format!("U{round}-{at:05}"), "clientEventId": kit::clock::new_id(),
                        "status": "Undelivered", "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed" });
    let mutation = "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }";
    browser.data(mutation, json!({ "input": input })).await;
}

async fn kept(browser: &Browser, id: &str) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    for offset in (0..).step_by(100) {
        let page = json!({ "limit": 100, "offset": offset });
        let query = "query Q($id: String!, $page: PageOptions) { undoExceptions(uploadLog: $id, page: $page) { deliveryId result } }";
        let rows = browser.data(query, json!({ "id": id, "page": page })).await["undoExceptions"]
            .as_array()
            .unwrap()
            .clone();
        for row in &rows {
            assert_eq!(row["result"], "kept", "{row}");
            let (_, number) = row["deliveryId"].as_str().unwrap().split_once('-').unwrap();
            assert!(kept.insert(number.parse().unwrap()), "{row} twice");
        }
        if rows.len() < 100 {
            return kept;
        }
    }
    unreachable!()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_during_an_undo_every_delivery_is_in_one_state() {
    let kills = number("WAYBILL_UNDO_KILLS", 6);
    let deliveries = number("WAYBILL_UNDO_DELIVERIES", 4_000);
    let seed = number("WAYBILL_KILL_SEED", 20_261_123) as u64;
    let mut random = StdRng::seed_from_u64(seed);
    let mut product = Product::in_one();
    product.revive().await;
    let mut browser = Browser::new(&product.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;

    let (mut done, mut round) = (0, 0);
    while done < kills {
        round += 1;
        // A token may expire while the test runs, so fetch a new one.
        browser.token = Some(browser.fetch_token().await);
        // Half of the deliveries exist already, so that the import changes these and creates the others.
        let half = deliveries / 2;
        browser.import("before.csv", file(round, 0..half, 3)).await;
        browser.token = Some(browser.fetch_token().await);
        let id = browser.import("undone.csv", file(round, 0..deliveries, 5)).await.id;
        browser.token = Some(browser.fetch_token().await);
        let mut touched: BTreeSet<usize> = BTreeSet::new();
        while touched.len() < 20 {
            let at = random.random_range(0..deliveries);
            if touched.insert(at) {
                give_up(&browser, round, at).await;
            }
        }
        undo(&browser, &id).await;

        let (mut fruitless, mut confirmed) = (0, 0);
        loop {
            let until = Instant::now() + Duration::from_millis(random.random_range(0..400));
            while Instant::now() < until && report(&browser, &id).await.status == "undoing" {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // An undo that is killed too often without progress is given up, so let the undo complete a part
            // first.
            let mut now = report(&browser, &id).await;
            while fruitless == 4 && now.status == "undoing" && now.done() == confirmed {
                tokio::time::sleep(Duration::from_millis(5)).await;
                now = report(&browser, &id).await;
            }
            if done == kills || now.status != "undoing" {
                break;
            }
            fruitless = if now.done() > confirmed { 1 } else { fruitless + 1 };
            confirmed = now.done();
            product.kill();
            done += 1;
            product.revive().await;
            browser.token = Some(browser.fetch_token().await);
        }

        let mut ended = report(&browser, &id).await;
        let until = Instant::now() + Duration::from_secs(300);
        while ended.status == "undoing" {
            assert!(Instant::now() < until, "the undo never ended");
            browser.token = Some(browser.fetch_token().await);
            tokio::time::sleep(Duration::from_millis(50)).await;
            ended = report(&browser, &id).await;
        }
        browser.token = Some(browser.fetch_token().await);
        let context = format!("seed {seed}, round {round}, {done} kills");
        assert_eq!(ended.status, "partly_undone", "{context}");
        assert_eq!((ended.done(), ended.errored), (deliveries as u64, 0), "{context}");
        assert_eq!(kept(&browser, &id).await, touched, "{context}");
        assert_eq!(ended.kept, touched.len() as u64, "{context}");
        // Existing deliveries have their old quantity again, new ones are removed, and those changed by
        // others remain.
        let expected: Vec<(usize, f64, String)> = (0..deliveries)
            .filter(|at| *at < half || touched.contains(at))
            .map(|at| match touched.contains(&at) {
                true => (at, 5.0, "Undelivered".to_owned()),
                false => (at, 3.0, "Pending".to_owned()),
            })
            .collect();
        assert_eq!(everything(&browser, round).await, expected, "{context}");
    }
}

async fn undo(browser: &Browser, id: &str) {
    let path = format!("/undo-uploaded-deliveries?uploadLog={id}");
    let answer: Value = browser.post(&path, json!({})).await.json().await.unwrap();
    assert_eq!(answer["ok"], true, "{answer}");
}
