//! Takes one part down at a time: what works in the meantime and what does not matches docs/availability.md.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::{Browser, PASSWORD, fixture};
use crate::network::Network;
use crate::number;
use crate::product::Product;

const PAGE: &str = include_str!("../../../../docs/availability.md");
const HEAD: &str = "| Away | Sign in | Lists | Changes | Import a file | Reports |";
/// After a part is back, everything works again within this time.
const BACK: Duration = Duration::from_secs(30);

/// Returns the rows of the table in docs/availability.md: which part is down, and what works in the meantime,
/// in the order of the columns.
fn table() -> Vec<(String, Vec<bool>)> {
    let (_, rows) = PAGE.split_once(HEAD).expect("the page has the table");
    let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    rows.map(cells)
        .map(|cells| (cells[0].clone(), cells[1..].iter().map(|cell| cell.starts_with("yes")).collect()))
        .collect()
}

/// Returns the name of the links to a part.
fn link(part: &str) -> String {
    match part {
        "cache" => "CACHE__URL".to_owned(),
        "bus" => "BUS__URL".to_owned(),
        "objects" => "BLOB__ENDPOINT".to_owned(),
        service => format!("PEERS__{}", service.to_uppercase()),
    }
}

struct Office {
    browser: Browser,
    file: Vec<u8>,
    number: usize,
    /// A file that was uploaded and not imported yet.
    uploaded: Option<String>,
}

impl Office {
    async fn graphql(&self, query: &str, variables: Value) -> bool {
        let body = json!({ "query": query, "variables": variables });
        let request =
            self.browser.http.post(self.browser.url("/graphql")).headers(self.browser.bearer()).json(&body);
        let Ok(answer) = request.send().await else { return false };
        answer.json::<Value>().await.is_ok_and(|answer| answer.get("errors").is_none())
    }

    async fn signs_in(&self) -> bool {
        let login = json!({ "method": "login", "username": "admin", "password": PASSWORD });
        let request = self.browser.http.post(self.browser.url("/auth")).json(&login);
        request.send().await.is_ok_and(|answer| answer.status().is_success())
    }

    async fn changes(&mut self) -> bool {
        self.number += 1;
        let create = "mutation M($input: CreateSourceInput!) { createSource(input: $input) { id } }";
        let name = format!("Source {}", self.number);
        self.graphql(create, json!({ "input": { "name": name } })).await
    }

    /// Imports a file. Returns whether every line was imported. A file that was uploaded and could not be
    /// imported is tried again, because one person may have only so many uploads that are not used.
    async fn imports(&mut self) -> bool {
        let url = match self.uploaded.take() {
            Some(url) => url,
            None => match self.upload().await {
                Some(url) => url,
                None => return false,
            },
        };
        let (status, answer) = self.browser.start_import(&url, "a.csv", "").await;
        if !status.is_success() {
            self.uploaded = Some(url);
            return false;
        }
        self.browser.ended(answer["uploadLog"].as_str().unwrap()).await.status == "imported"
    }

    async fn upload(&self) -> Option<String> {
        let ask = self.browser.post("/request-upload-link", json!({ "filename": "a.csv" })).await;
        let answer: Value = ask.json().await.ok()?;
        let link = answer["url"].as_str()?;
        // Browsers upload directly to the bucket.
        let put = self.browser.http.put(self.browser.url(link)).body(self.file.clone()).send().await;
        assert!(put.unwrap().status().is_success());
        link.split('?').next().map(str::to_owned)
    }

    async fn reports(&self) -> bool {
        let query = json!({ "query": { "measures": ["Delivery.count"] } });
        let request = self.browser.http.post(self.browser.url("/cubejs-api/v1/load"));
        let Ok(answer) = request.headers(self.browser.bearer()).json(&query).send().await else {
            return false;
        };
        answer.status().is_success() && !answer.text().await.unwrap_or_default().contains("\"error\"")
    }

    /// Returns what works now, in the order of the columns.
    async fn works(&mut self) -> Vec<bool> {
        vec![
            self.signs_in().await,
            self.graphql("{ deliveries(page: { limit: 5 }) { id } }", json!({})).await,
            self.changes().await,
            self.imports().await,
            self.reports().await,
        ]
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_one_part_away_the_rest_works_as_the_page_says() {
    let (mut product, network): (Product, Network) = Product::over_a_network().await;
    product.revive().await;
    let mut browser = Browser::new(&product.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;
    let text = String::from_utf8(fixture("deliveries-1000.csv")).unwrap();
    let file = text.lines().take(6).collect::<Vec<_>>().join("\n").into_bytes();
    let mut office = Office { browser, file, number: 0, uploaded: None };
    assert_eq!(office.works().await, [true; 5], "before anything is away\n{}", product.errors());

    let seconds = Duration::from_secs(number("WAYBILL_AWAY_SECONDS", 0) as u64);
    let rows = table();
    assert!(rows.len() > 5, "{rows:?}");
    for (part, expected) in rows {
        assert!(network.cut(&link(&part)) > 0, "nobody asks {part}");
        let begun = Instant::now();
        // The gateway caches a checked session for a second.
        tokio::time::sleep(Duration::from_secs(2)).await;
        loop {
            let works = office.works().await;
            assert_eq!(works, expected, "{part} is away\n{}", product.errors());
            if part != "auth" {
                assert!(product.is_gateway_ready().await, "{part} takes the gateway with it");
            }
            if begun.elapsed() >= seconds {
                break;
            }
        }
        network.heal();
        let healed = Instant::now();
        while office.works().await != [true; 5] {
            assert!(healed.elapsed() < BACK, "{part} came back\n{}", product.errors());
        }
        eprintln!("{part} was away for {:?} and made up for after {:?}", begun.elapsed(), healed.elapsed());
        // Sign in again, because the tokens have expired. Signing in ends no other session.
        office.browser.sign_in("admin", PASSWORD).await;
    }
    product.end().await;
}
