//! Drivers: what other services learn about them, their log, and their positions.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::drivers::arrived;
use crate::harness::{World, until};
use crate::in_both_shapes;

async fn make(admin: &Browser, id: &str) {
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { version } }";
    let input = json!({ "driverId": id, "name": format!("Driver {id}"), "username": format!("user-{id}") });
    assert_eq!(admin.data(create, json!({ "input": input })).await["createDriver"]["version"], 1);
}

async fn status(admin: &Browser, id: &str, status: &str) {
    let update =
        "mutation M($input: UpdateDriverStatusInput!) { updateDriverStatus(input: $input) { status } }";
    let done = admin.data(update, json!({ "input": { "driverId": id, "status": status } })).await;
    assert_eq!(done["updateDriverStatus"]["status"], status);
}

/// Returns the activities and deliveries in a driver's log, oldest first.
async fn log(admin: &Browser, id: &str) -> Vec<(String, Value)> {
    let query = "query Q($page: PageOptions) { driverLogs(page: $page) { activity deliveryId driverName } }";
    let page = json!({
        "where": [{ "key": "driverId", "operator": "equals", "values": [id] }],
        "sort": [{ "key": "occurredAt", "direction": "asc" }],
    });
    let found = admin.data(query, json!({ "page": page })).await["driverLogs"].clone();
    let entries = found.as_array().unwrap().iter();
    entries.map(|it| (it["activity"].as_str().unwrap().to_owned(), it["deliveryId"].clone())).collect()
}

in_both_shapes!(what_happens_to_a_driver_is_in_their_log, |world: World| async move {
    let admin = world.admin().await;
    make(&admin, "D-1").await;
    make(&admin, "D-2").await;
    // The driver's account is created, and the deliveries service knows who can be assigned.
    arrived(&admin, "D-1", "invited").await;
    arrived(&admin, "D-2", "invited").await;
    let create = "mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }";
    let delivery = json!({
        "id": "DR-1",
        "driverId": "D-1",
        "shipmentnumber": "S-1",
        "customername": "Aling Nena Store",
        "customeraddress": "12 Mabini St, Pasig",
        "scheduledatetime": "2026-11-21T08:00:00+08:00",
        "items": [{ "itemNumber": "1", "quantity": 5 }],
    });
    admin.data(create, json!({ "input": delivery })).await;
    until("the log has the delivery", || async { log(&admin, "D-1").await.len() == 1 }).await;
    let assign = "mutation M($input: AssignDriverInput!) { assignDriver(input: $input) { ok code } }";
    let done = admin.data(assign, json!({ "input": { "deliveryIds": ["DR-1"], "driverId": "D-2" } })).await;
    assert_eq!(done["assignDriver"][0]["ok"], true, "{done}");
    until("the log has the change", || async { log(&admin, "D-2").await.len() == 1 }).await;
    status(&admin, "D-1", "blocked").await;
    arrived(&admin, "D-1", "disabled").await;
    let of = |activity: &str, delivery: Value| (activity.to_owned(), delivery);
    let expected =
        [of("assigned", json!("DR-1")), of("unassigned", json!("DR-1")), of("blocked", Value::Null)];
    assert_eq!(log(&admin, "D-1").await, expected);
    assert_eq!(log(&admin, "D-2").await, [of("assigned", json!("DR-1"))]);
    status(&admin, "D-1", "active").await;
    arrived(&admin, "D-1", "invited").await;
    world
});
