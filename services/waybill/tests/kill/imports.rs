//! Kills processes during imports. Every line still has exactly one result.

use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::browser::{Browser, PASSWORD};
use crate::number;
use crate::product::Product;

/// A file with deliveries of three lines each. Every fiftieth line is bad, and every seventieth a duplicate.
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
    let kills = number("WAYBILL_KILLS", 8);
    let lines = number("WAYBILL_KILL_LINES", 4_000);
    let seed = number("WAYBILL_KILL_SEED", 20_261_121) as u64;
    let mut random = rand::rngs::StdRng::seed_from_u64(seed);
    let mut product = Product::in_one();
    product.revive().await;
    let mut browser = Browser::new(&product.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;
    // With this setting, a bad line does not make the good lines of its delivery fail. So the file determines
    // how many lines are refused.
    let set = "mutation M($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { value } }";
    let partial = json!({ "id": "import-partial-documents", "value": "true" });
    browser.data(set, json!({ "input": partial })).await;

    let (mut done, mut round) = (0, 0);
    while done < kills {
        round += 1;
        // A token may expire while the test runs, so fetch a new one.
        browser.token = Some(browser.fetch_token().await);
        let file = file(round, lines);
        let url = browser.put_file("kill.csv", file.text.clone().into_bytes()).await;
        let (_, answer) = browser.start_import(&url, "kill.csv", "").await;
        let id = answer["uploadLog"].as_str().unwrap().to_owned();

        // Kill repeatedly until this import completes between two kills. An import that is killed too often
        // without progress is given up, so let the import complete a batch first.
        let (mut fruitless, mut confirmed) = (0, 0);
        loop {
            let wait = Duration::from_millis(random.random_range(0..1_500));
            let until = Instant::now() + wait;
            while Instant::now() < until && open(&browser, &id).await {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            while fruitless == 4 && open(&browser, &id).await && browser.log(&id).await.total == confirmed {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if done == kills || !open(&browser, &id).await {
                break;
            }
            let total = browser.log(&id).await.total;
            fruitless = if total > confirmed { 1 } else { fruitless + 1 };
            confirmed = total;
            product.kill();
            done += 1;
            product.revive().await;
            browser.token = Some(browser.fetch_token().await);
        }

        browser.token = Some(browser.fetch_token().await);
        let ended = browser.ended(&id).await;
        browser.token = Some(browser.fetch_token().await);
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
