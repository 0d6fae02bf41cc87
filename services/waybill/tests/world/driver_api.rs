//! A driver's day in the driver API: the deliveries, their outcomes with and without a network, and the end
//! when the driver is blocked.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::drivers::{PIN, arrived};
use crate::harness::{World, until};
use crate::in_both_shapes;

/// A picture of one red pixel.
pub const DOT: &str = "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000\
                   0003010100c9fe92ef0000000049454e44ae426082";

pub async fn create(admin: &Browser, id: &str, driver_id: &str, at: DateTime<Utc>) {
    let create = "mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }";
    let input = json!({
        "id": id,
        "driverId": driver_id,
        "shipmentnumber": "S-1",
        "customername": "Aling Nena Store",
        "customeraddress": "12 Mabini St, Pasig",
        "scheduledatetime": at.to_rfc3339_opts(SecondsFormat::Secs, true),
        "instructions": "Ring twice",
        "internalNote": "Pays late, be firm",
        "items": [{ "itemNumber": "1", "quantity": 5 }],
    });
    admin.data(create, json!({ "input": input })).await;
}

/// Creates a driver as the office does. The driver then chooses a PIN and signs in.
pub async fn hired(world: &World, admin: &Browser, id: &str, username: &str) -> Browser {
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let input = json!({ "driverId": id, "name": format!("Driver {id}"), "username": username });
    admin.data(create, json!({ "input": input })).await;
    let account = arrived(admin, id, "invited").await;
    let token = admin.reset_link(account["id"].as_str().unwrap()).await;
    let mut phone = world.browser();
    assert_eq!(phone.redeem(&token, PIN).await.0, StatusCode::OK);
    assert_eq!(phone.driver_sign_in(username, PIN).await.0, StatusCode::OK);
    phone
}

async fn delivery(admin: &Browser, id: &str) -> Value {
    let query = "query Q($id: String!) { delivery(id: $id) { deliverystatus conflict version driverId } }";
    admin.data(query, json!({ "id": id })).await["delivery"].clone()
}

fn outcome(status: &str) -> Value {
    let reason = match status {
        "Undelivered" => json!("recipient_absent"),
        "Rejected" => json!("refused_not_ordered"),
        _ => Value::Null,
    };
    json!({
        "clientEventId": kit::clock::new_id().to_string(),
        "status": status,
        "reason": reason,
        "note": "Said so at the gate",
        "receivedBy": "Nena",
        "relation": "recipient",
        "scanmode": "Yes",
        "point": { "lat": 14.56, "lng": 121.08 },
    })
}

pub async fn told(phone: &Browser, path: &str, body: Value) -> (StatusCode, Value) {
    let response = phone.post(&format!("/driver/v1/{path}"), body).await;
    (response.status(), response.json().await.unwrap())
}

async fn read(phone: &Browser, path: &str) -> (StatusCode, Value) {
    let token = phone.token.clone().unwrap();
    let request = phone.http.get(format!("{}/driver/v1/{path}", phone.base)).bearer_auth(token);
    let response = request.send().await.unwrap();
    (response.status(), response.json().await.unwrap())
}

fn reason(answer: &(StatusCode, Value)) -> (u16, &str) {
    (answer.0.as_u16(), answer.1["error"]["reason"].as_str().unwrap_or_default())
}

in_both_shapes!(a_day_of_a_driver, |world: World| async move {
    let admin = world.admin().await;
    let phone = hired(&world, &admin, "D-1", "driver").await;
    hired(&world, &admin, "D-2", "other").await;
    until("deliveries know the drivers", || async {
        let assign = "mutation M($input: AssignDriverInput!) { assignDriver(input: $input) { ok } }";
        let variables = json!({ "input": { "deliveryIds": ["none"], "driverId": "D-9" } });
        admin.refused(assign, variables).await.1 == "DRIVER_UNKNOWN"
    })
    .await;
    let now = world.clock.now();
    for (id, driver_id) in [("DR-1", "D-1"), ("DR-2", "D-1"), ("DR-3", "D-1"), ("DR-4", "D-2")] {
        create(&admin, id, driver_id, now).await;
    }
    // Name the day, because another one may begin at any moment.
    let date = now.with_timezone(&world.config.organization.zone()).date_naive();
    let (status, day) = read(&phone, &format!("deliveries?date={date}")).await;
    assert_eq!(status, StatusCode::OK, "{day}");
    let ids: Vec<_> =
        day["deliveries"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["DR-1", "DR-2", "DR-3"]);
    assert_eq!(day["deliveries"][0]["items"][0]["quantity"], 5.0);
    assert_eq!(day["deliveries"][0]["instructions"], "Ring twice");
    assert!(!day.to_string().contains("be firm"), "{day}");
    let rules = json!({
        "failedAttemptProof": "photo_or_note",
        "allowOverDelivery": false,
        "maxAttachments": 20,
        "maxAttachmentBytes": 10 << 20,
    });
    assert_eq!(day["rules"], rules);
    assert_eq!(reason(&read(&phone, "deliveries/DR-4").await), (404, "DELIVERY_NOT_FOUND"));
    assert_eq!(reason(&read(&phone, "deliveries/DR-9").await), (404, "DELIVERY_NOT_FOUND"));
    assert!(read(&phone, "reasons").await.1["reasons"].as_array().unwrap().len() > 20);
    // The driver cannot read the office's data.
    let list = "query { deliveries { id } }";
    assert_eq!(phone.refused(list, json!({})).await.0, "FORBIDDEN");
    assert_eq!(reason(&read(&admin, "deliveries").await), (403, "ROLE_MISSING"));

    // The driver uploads a photo as proof, and then sends the outcome twice.
    let (_, link) = told(&phone, "deliveries/DR-1/attachment-link", json!({ "filename": "door.png" })).await;
    let link = link["url"].as_str().unwrap();
    let address = if link.starts_with('/') { format!("{}{link}", phone.base) } else { link.to_owned() };
    let put = phone.http.put(address).body(hex(DOT)).send().await.unwrap();
    assert_eq!(put.status(), StatusCode::OK);
    let url = link.split('?').next().unwrap();
    let photo = json!({ "url": url, "kind": "photo", "lat": 14.56, "lng": 121.08 });
    let (status, attachment) = told(&phone, "deliveries/DR-1/attachments", photo).await;
    assert_eq!((status, &attachment["contentType"]), (StatusCode::OK, &json!("image/png")), "{attachment}");
    let done = outcome("Complete_No_Variance");
    for _ in 0..2 {
        let (status, answer) = told(&phone, "deliveries/dr-1/outcome", done.clone()).await;
        assert_eq!((status, &answer["status"]), (StatusCode::OK, &json!("Complete_No_Variance")), "{answer}");
        assert_eq!(answer["items"][0]["quantityDelivered"], 5.0);
    }
    assert_eq!(delivery(&admin, "DR-1").await["version"], 2);
    assert_eq!(
        reason(&told(&phone, "deliveries/DR-4/outcome", outcome("Rejected")).await),
        (404, "DELIVERY_NOT_FOUND")
    );

    // After hours offline the phone sends all events together, in the wrong order. One of them is about
    // another driver's delivery.
    let ago = |minutes| {
        (world.clock.now() - TimeDelta::minutes(minutes)).to_rfc3339_opts(SecondsFormat::Millis, true)
    };
    let event = |id: &str, minutes, status: &str| {
        let mut event = outcome(status);
        event["type"] = json!("outcome");
        event["deliveryId"] = json!(id);
        event["occurredAt"] = json!(ago(minutes));
        event
    };
    let log = json!({ "type": "log", "clientEventId": kit::clock::new_id().to_string(), "activity": "arrived",
                      "deliveryId": "DR-2", "occurredAt": ago(121), "lat": 14.56, "lng": 121.08 });
    let batch = json!({ "events": [event("DR-4", 60, "Rejected"), event("DR-2", 120, "Undelivered"), log, { "type": "x" }] });
    let (status, first) = told(&phone, "events", batch.clone()).await;
    assert_eq!(status, StatusCode::OK);
    let ok: Vec<_> =
        first["results"].as_array().unwrap().iter().map(|it| it["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [false, true, true, false], "{first}");
    assert_eq!(first["results"][0]["error"]["reason"], "DELIVERY_NOT_FOUND");
    assert_eq!(told(&phone, "events", batch).await.1, first, "again, the same");
    assert_eq!(delivery(&admin, "DR-2").await["deliverystatus"], "Undelivered");

    // The office records an outcome first. The phone's event is older, but arrives later.
    let by_phone = outcome_of_office(&admin, "DR-3").await;
    let (status, late) =
        told(&phone, "events", json!({ "events": [event("DR-3", 30, "Complete_No_Variance")] })).await;
    assert_eq!((status, &late["results"][0]["ok"]), (StatusCode::OK, &json!(true)), "{late}");
    let after = delivery(&admin, "DR-3").await;
    assert_eq!((&after["deliverystatus"], &after["conflict"]), (&json!("Rejected"), &json!(true)));
    assert_eq!(after["version"], by_phone["version"].as_u64().unwrap() + 1);

    // The driver sends a position.
    let point =
        |minutes| json!({ "occurredAt": ago(minutes), "lat": 14.56, "lng": 121.08, "speedKmh": 20.0 });
    let points = json!({ "positions": [point(2), point(1)] });
    assert_eq!(
        told(&phone, "positions", points.clone()).await,
        (StatusCode::OK, json!({ "recorded": 2, "filtered": 0, "tooOld": 0 }))
    );
    assert_eq!(told(&phone, "positions", points).await.1["recorded"], 0, "known already");

    // The driver is blocked. The token that is still valid is refused, and then the session ends.
    let block = "mutation { updateDriverStatus(input: { driverId: \"D-1\", status: blocked }) { status } }";
    assert_eq!(admin.data(block, json!({})).await["updateDriverStatus"]["status"], "blocked");
    until("nothing is taken any more", || async {
        let answer = told(&phone, "deliveries/DR-2/outcome", outcome("Rejected")).await;
        [401, 403].contains(&answer.0.as_u16())
    })
    .await;
    until("the session has ended", || async {
        read(&phone, "deliveries").await.0 == StatusCode::UNAUTHORIZED
    })
    .await;
    let mut again = world.browser();
    assert_eq!(again.driver_sign_in("driver", PIN).await.0, StatusCode::UNAUTHORIZED);
    let query = "query Q($page: PageOptions) { driverLogs(page: $page) { activity } }";
    let of = |key: &str, values: &[&str]| json!({ "key": key, "operator": "equals", "values": values });
    let page = json!({
        "where": [of("driverId", &["D-1"]), of("activity", &["password_reset", "login_failed"])],
        "sort": [{ "key": "occurredAt", "direction": "asc" }],
    });
    let expected = json!([{ "activity": "password_reset" }, { "activity": "login_failed" }]);
    until("the log says that a PIN was set and a sign-in was refused", || async {
        admin.data(query, json!({ "page": page })).await["driverLogs"] == expected
    })
    .await;
    assert_eq!(delivery(&admin, "DR-2").await["driverId"], "D-1", "it stays assigned");
    world
});

async fn outcome_of_office(admin: &Browser, id: &str) -> Value {
    let record =
        "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { deliverystatus version } }";
    let input = json!({
        "deliveryId": id,
        "clientEventId": kit::clock::new_id().to_string(),
        "status": "Rejected",
        "outcomeReason": "refused_not_ordered",
        "outcomeNote": "By phone",
        "receivedBy": "Nena",
    });
    admin.data(record, json!({ "input": input })).await["recordOutcome"].clone()
}

pub fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}
