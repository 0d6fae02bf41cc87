//! Positions from devices: from what an app sends to what the office sees.

use kit::clock::Clock;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{Settings, World};
use crate::in_both_shapes;

#[path = "../../../../gateway/tests/ingest/corpus.rs"]
#[allow(dead_code)] // each of its users needs a part
mod corpus;

const POSITIONS: &str = "query Q($driverId: String!, $from: DateTime!, $to: DateTime!) { \
    driverPositions(driverId: $driverId, from: $from, to: $to) { more positions { occurredAt lat lng altitude \
    speedKmh headingDeg accuracyM batteryPct charging motion odometerM provider attributes } } }";
const UNPAIRED: &str = "query { unpairedDevices { uniqueId provider positions } }";

/// Sets the clock to the time of the recorded requests.
fn at_noon(settings: &mut Settings) {
    settings.clock = Clock::fixed(corpus::now());
}

async fn send(world: &World, entry: &corpus::Entry) -> (StatusCode, String) {
    let http = reqwest::Client::new();
    let mut request = http.request(entry.method(), format!("{}{}", world.ingest, entry.target()));
    for (name, value) in entry.headers() {
        request = request.header(name, value);
    }
    let answer = request.body(entry.body()).send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

async fn make_driver(browser: &Browser, id: &str) {
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let input = json!({ "driverId": id, "name": format!("Driver {id}"), "username": format!("user-{id}") });
    browser.data(create, json!({ "input": input })).await;
}

async fn pair(browser: &Browser, device: &str, driver: &str) {
    let pair = "mutation M($input: PairDeviceInput!) { pairDevice(input: $input) { deviceUniqueIds } }";
    let input = json!({ "uniqueId": device, "driverId": driver });
    let paired = browser.data(pair, json!({ "input": input })).await;
    assert!(paired["pairDevice"]["deviceUniqueIds"].as_array().unwrap().contains(&json!(device)));
}

async fn positions(browser: &Browser, driver: &str) -> Vec<Value> {
    let range = json!({ "driverId": driver, "from": "2026-11-21T00:00:00Z", "to": "2026-11-22T00:00:00Z" });
    let page = browser.data(POSITIONS, range).await["driverPositions"].clone();
    assert_eq!(page["more"], false);
    page["positions"].as_array().unwrap().clone()
}

in_both_shapes!(every_request_of_the_corpus_arrives_as_it_says, at_noon, |world: World| async move {
    let admin = world.admin().await;
    for (number, entry) in corpus::entries().iter().enumerate() {
        if let Some((status, says)) = entry.refusal() {
            let (got, text) = send(&world, entry).await;
            assert_eq!(got.as_u16(), status, "{}: {text}", entry.name);
            assert!(text.contains(says), "{}: {text}", entry.name);
            continue;
        }
        if entry.positions().is_empty() {
            assert_eq!(send(&world, entry).await, (StatusCode::OK, entry.answer().into()), "{}", entry.name);
            continue;
        }
        let driver = format!("D-{number}");
        make_driver(&admin, &driver).await;
        pair(&admin, entry.device(), &driver).await;
        assert_eq!(send(&world, entry).await, (StatusCode::OK, entry.answer().into()), "{}", entry.name);
        let kept = positions(&admin, &driver).await;
        let mut expected = entry.positions();
        expected.sort_by(|one, other| one["occurredAt"].cmp(&other["occurredAt"]));
        let facts: Vec<_> = kept.iter().map(corpus::facts).collect();
        assert_eq!(facts, expected, "{}", entry.name);
        assert!(kept.iter().all(|it| it["provider"] == entry.provider()), "{}", entry.name);
        // An app that did not receive the response sends the same positions again.
        assert_eq!(send(&world, entry).await.0, StatusCode::OK, "{}", entry.name);
        assert_eq!(positions(&admin, &driver).await, kept, "{}", entry.name);
    }
    assert_eq!(
        admin.data(UNPAIRED, json!({})).await["unpairedDevices"],
        json!([]),
        "nothing was taken in part"
    );
    world
});

in_both_shapes!(
    a_device_waits_to_be_paired_and_a_blocked_driver_is_refused,
    at_noon,
    |world: World| async move {
        let admin = world.admin().await;
        make_driver(&admin, "D-1").await;
        let http = reqwest::Client::new();
        let point = async |minute: u32| {
            let url = format!(
                "{}/?id=phone-9&lat=14.5995&lon=120.9842&timestamp=2026-11-21T03:{minute:02}:00Z",
                world.ingest
            );
            let answer = http.get(url).send().await.unwrap();
            (answer.status().as_u16(), answer.text().await.unwrap())
        };
        let (status, text) = point(1).await;
        assert!(status == 404 && text.contains("Pair it under Drivers"), "{status} {text}");
        assert_eq!(point(2).await.0, 404);
        let waiting = admin.data(UNPAIRED, json!({})).await["unpairedDevices"].clone();
        assert_eq!(waiting, json!([{ "uniqueId": "phone-9", "provider": "osmand", "positions": 2 }]));

        pair(&admin, "phone-9", "D-1").await;
        assert_eq!(admin.data(UNPAIRED, json!({})).await["unpairedDevices"], json!([]));
        // The app sends what it has stored in the meantime.
        for minute in 1..=3 {
            assert_eq!(point(minute).await, (200, String::new()));
        }
        assert_eq!(positions(&admin, "D-1").await.len(), 3);

        let block =
            "mutation M($input: UpdateDriverStatusInput!) { updateDriverStatus(input: $input) { status } }";
        for (status, expected) in [("blocked", 403), ("active", 200)] {
            admin.data(block, json!({ "input": { "driverId": "D-1", "status": status } })).await;
            assert_eq!(point(4).await.0, expected, "{status}");
        }
        assert_eq!(positions(&admin, "D-1").await.len(), 4);
        world
    }
);
