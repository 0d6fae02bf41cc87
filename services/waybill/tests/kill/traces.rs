//! What a day has left, without what differs from day to day.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::client::Staff;
use crate::day::{DRIVER, USER, list_of, tag};

/// All that the day has left, read by an admin who is signed in. Two days leave the same.
pub async fn end_of(staff: &mut Staff<'_>, day: u32) -> Value {
    let tag = tag(day);
    let deliveries = "query Q($page: PageOptions) { deliveries(page: $page) { id version deliverystatus attempt linecount \
         instructions driverId shipment { shipmentstatus } formVersion attachments { kind sizeBytes } \
         items { itemNumber sku quantity quantityDelivered quantityMissing } variances { itemNumber kind difference } \
         history { fromStatus toStatus attempt correctionOf } } }";
    let mut found = Vec::new();
    for prefix in ["DR", "K", "U"] {
        let mut page = list_of("id", "startsWith", &format!("{prefix}-{tag}"));
        page["page"]["sort"] = json!([{ "key": "id", "direction": "asc" }]);
        page["page"]["limit"] = json!(12);
        for offset in [0, 12] {
            page["page"]["offset"] = json!(offset);
            found.push(staff.read(deliveries, &page).await);
        }
    }
    let customer = "query Q($id: String!) { customer(customerName: $id) { version phone } }";
    found.push(staff.read(customer, &json!({ "id": format!("Store {tag}") })).await);
    let logs = "query Q($page: PageOptions) { uploadLogs(page: $page) { filename status rowsTotal rowsCreated \
                rowsUpdated rowsSkipped rowsFailed deliveriesCreated itemsCreated } }";
    found.push(staff.read(logs, &list_of("filename", "startsWith", &tag)).await);
    found.push(staff.read(USER, &list_of("username", "equals", &format!("ana-{tag}"))).await);
    let driver = json!({ "id": format!("D-{tag}") });
    found.push(staff.read(DRIVER, &driver).await);
    let way = "query Q($id: String!) { driverPositions(driverId: $id, from: \"2026-11-01T00:00:00Z\", \
               to: \"2026-11-30T00:00:00Z\") { positions { occurredAt } } }";
    found.push(staff.read(way, &driver).await);
    let log = "query Q($page: PageOptions) { driverLogs(page: $page) { activity deliveryId } }";
    let mut page = list_of("driverId", "equals", &format!("D-{tag}"));
    page["page"]["sort"] = json!([{ "key": "occurredAt", "direction": "asc" }]);
    let activities = ["arrived", "assigned", "blocked"];
    let mut log =
        staff.wait_for(log, page, |it| activities.iter().all(|name| it.to_string().contains(name))).await;
    // The gateway notes sign-ins in passing: none while the drivers service is away, one more for each that
    // had no answer. The audit log is what keeps them.
    log["driverLogs"].as_array_mut().unwrap().retain(|entry| entry["activity"] != "login");
    found.push(log);
    found.push(acts(staff, &tag).await);
    let text = without_ids(Value::Array(found)).to_string();
    serde_json::from_str(&text.replace(&tag, "")).unwrap()
}

/// How often each thing was done, from the audit log. A link that was made without an answer is made a second
/// time, and so may be the file that a link leads to; what was looked at without an answer is looked at again. All
/// else is there once.
async fn acts(staff: &mut Staff<'_>, tag: &str) -> Value {
    let query =
        "query Q($page: PageOptions) { auditEntries(page: $page) { action entityId entityName after } }";
    let mut done: BTreeMap<String, u32> = BTreeMap::new();
    for offset in (0..).step_by(100) {
        let page = json!({ "page": { "limit": 100, "offset": offset } });
        let entries = staff.read(query, &page).await["auditEntries"].as_array().unwrap().clone();
        for entry in entries.iter().filter(|entry| entry.to_string().contains(tag)) {
            let action = entry["action"].as_str().unwrap();
            let count = done.entry(action.to_owned()).or_default();
            let may_repeat = ["link", "password", ".viewed"].iter().any(|part| action.contains(part));
            *count = if may_repeat { 1 } else { *count + 1 };
        }
        if entries.len() < 100 {
            break;
        }
    }
    json!(done)
}

/// Removes ids, which every day has of its own.
fn without_ids(mut value: Value) -> Value {
    match &mut value {
        Value::Array(all) => all.iter_mut().for_each(|it| *it = without_ids(it.take())),
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                let is_id = field.as_str().is_some_and(|text| uuid::Uuid::parse_str(text).is_ok());
                *field = if is_id { json!(format!("some {key}")) } else { without_ids(field.take()) };
            }
        }
        _ => {}
    }
    value
}
