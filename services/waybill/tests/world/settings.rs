//! A changed setting takes effect everywhere, without a restart.

use chrono::Duration;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{World, until};
use crate::in_both_shapes;

const SET: &str = "mutation UpdateSettingValue($input: UpdateSettingValueInput!) \
                   { updateSettingValue(input: $input) { id value updatedBy } }";
const CREATE: &str =
    "mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id maxAttempts } }";
const CSV: &str = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time\n";

async fn set(browser: &Browser, id: &str, value: &str) {
    let answer = browser.data(SET, json!({ "input": { "id": id, "value": value } })).await;
    assert_eq!(answer["updateSettingValue"]["value"], value);
}

/// Creates a delivery and returns its maximum number of attempts.
async fn attempts(browser: &Browser) -> u64 {
    let id = format!("DR-{}", kit::clock::new_id().simple());
    let input = json!({
        "id": id, "shipmentnumber": "S-1", "customername": "Acme", "scheduledatetime": "2026-11-22T02:00:00Z",
        "items": [{ "itemNumber": "1", "quantity": 1.0 }],
    });
    let made = browser.data(CREATE, json!({ "input": input })).await;
    made["createDelivery"]["maxAttempts"].as_u64().unwrap()
}

in_both_shapes!(services_obey_what_an_admin_sets, |world: World| async move {
    let admin = world.admin().await;
    assert_eq!(attempts(&admin).await, 3);
    set(&admin, "delivery-max-attempts", "7").await;
    until("deliveries have the attempts that were set", || async { attempts(&admin).await == 7 }).await;

    set(&admin, "organization-name", "Habagat Logistics").await;
    set(&admin, "organization-time-zone", "Europe/Amsterdam").await;
    let me = "query { redwood { currentUser } }";
    until("the current user shows the organization", || async {
        let user = admin.data(me, json!({})).await["redwood"]["currentUser"].clone();
        user["organization"] == json!({ "name": "Habagat Logistics", "timezone": "Europe/Amsterdam" })
    })
    .await;

    // Files are read in the organization's new time zone, with the day before the month, and old dates are
    // refused.
    set(&admin, "import-date-order", "dmy").await;
    set(&admin, "import-earliest-date", "2026-02-01").await;
    let mut number = 0;
    until("imports follow", || {
        number += 1;
        let lines =
            format!("{CSV}DR-A{number},S-2,Acme,03/04/2026 08:30\nDR-B{number},S-2,Acme,31/01/2026 08:30\n");
        let admin = &admin;
        async move {
            let ended = admin.import("a.csv", lines).await;
            let query = "query Q($id: String!) { delivery(id: $id) { scheduledatetime } }";
            let made = admin.data(query, json!({ "id": format!("DR-A{number}") })).await;
            (ended.failed, made["delivery"]["scheduledatetime"].as_str()) == (1, Some("2026-04-03T06:30:00Z"))
        }
    })
    .await;

    // A pause ends by itself at this time.
    let pause = world.clock.now() + Duration::hours(30);
    let pause = pause.with_timezone(&chrono_tz::Europe::Amsterdam);
    set(&admin, "import-paused-until", &pause.format("%Y-%m-%dT%H:%M").to_string()).await;
    let url = admin.put_file("b.csv", format!("{CSV}DR-C,S-3,Acme,2026-04-03 08:30\n").into_bytes()).await;
    until("no import begins", || async {
        let (status, answer) = admin.start_import(&url, "b.csv", "").await;
        let text = answer.to_string();
        status != StatusCode::OK && text.contains("Imports are paused until") && text.contains("CE")
    })
    .await;
    world.settle().await;
    world
});

in_both_shapes!(drivers_are_online_for_as_long_as_was_set, |world: World| async move {
    let admin = world.admin().await;
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let driver = json!({ "driverId": "D-1", "name": "Nestor Ilagan", "username": "nestor" });
    admin.data(create, json!({ "input": driver })).await;
    let pair = "mutation M($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }";
    admin.data(pair, json!({ "input": { "uniqueId": "phone-1", "driverId": "D-1" } })).await;
    let at = world.clock.now() - Duration::seconds(60);
    let address = format!("{}/?id=phone-1&lat=14.55&lon=121.02&timestamp={}", world.ingest, at.timestamp());
    let answer = reqwest::Client::new().get(address).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let state = || async {
        let query = "query { driver(driverId: \"D-1\") { onlineState } }";
        admin.data(query, json!({})).await["driver"]["onlineState"].clone()
    };
    assert_eq!(state().await, Value::from("online"));
    set(&admin, "driver-online-seconds", "20").await;
    until("the driver is stale", || async { state().await == "stale" }).await;
    set(&admin, "driver-stale-seconds", "30").await;
    until("the driver is offline", || async { state().await == "offline" }).await;
    world
});
