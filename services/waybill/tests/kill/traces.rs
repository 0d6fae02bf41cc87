//! The records that a day has left, without what differs from day to day.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::client::Staff;
use crate::day::{DRIVER, USER, list_of, positions_of, tag};

/// How many audit entries are read per request.
const PAGE: usize = 100;

/// Returns everything that the day has left, as a signed-in admin reads it. Any two days leave the same
/// records. `log` is the audit log as read before.
pub async fn end_of(staff: &mut Staff<'_>, day: u32, log: &AuditLog) -> Value {
    let acts = log.of_day(day);
    let tag = tag(day);
    let deliveries = "query Q($page: PageOptions) { deliveries(page: $page) { id version deliverystatus attempt linecount \
         instructions driverId shipment { shipmentstatus } formVersion attachments { kind sizeBytes } \
         items { itemNumber sku quantity quantityDelivered quantityMissing } variances { itemNumber kind difference } \
         history { fromStatus toStatus attempt correctionOf } } }";
    let mut found = Vec::new();
    for prefix in ["DR", "K", "U", "C"] {
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
    let driver = format!("D-{tag}");
    found.push(staff.read(DRIVER, &json!({ "id": driver })).await);
    let way = "query Q($id: String!, $from: DateTime!, $to: DateTime!) { \
               driverPositions(driverId: $id, from: $from, to: $to) { positions { occurredAt } } }";
    found.push(staff.read(way, &positions_of(&driver)).await);
    let log = "query Q($page: PageOptions) { driverLogs(page: $page) { activity deliveryId } }";
    let mut page = list_of("driverId", "equals", &driver);
    page["page"]["sort"] = json!([{ "key": "occurredAt", "direction": "asc" }]);
    let activities = ["arrived", "assigned", "blocked"];
    let mut log =
        staff.wait_for(log, page, |it| activities.iter().all(|name| it.to_string().contains(name))).await;
    // The gateway records sign-ins on a best-effort basis: none while the drivers service is down, and a
    // second one after a sign-in without a response. Then the driver chooses a PIN again, and tries whether it
    // works. The audit log is the reliable record.
    let varying = ["login", "login_failed", "password_reset"];
    log["driverLogs"]
        .as_array_mut()
        .unwrap()
        .retain(|entry| !varying.iter().any(|activity| entry["activity"] == *activity));
    found.push(log);
    found.push(acts);
    let text = without_ids(Value::Array(found)).to_string();
    serde_json::from_str(&text.replace(&tag, "")).unwrap()
}

/// The action and text of all audit entries, read once for many days.
pub struct AuditLog(Vec<(String, String)>);

impl AuditLog {
    pub async fn read(staff: &mut Staff<'_>) -> Self {
        let query = "query Q($page: PageOptions) { auditEntries(page: $page) { id action entityId entityName after } }";
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        for offset in (0..).step_by(PAGE) {
            let page = json!({ "page": { "limit": PAGE, "offset": offset } });
            let entries = staff.read(query, &page).await["auditEntries"].as_array().unwrap().clone();
            // An entry that is added while we read moves others to the next page, where they are read again.
            let new = entries.iter().filter(|entry| seen.insert(entry["id"].to_string()));
            all.extend(new.map(|entry| (entry["action"].as_str().unwrap().to_owned(), entry.to_string())));
            if entries.len() < PAGE {
                break;
            }
        }
        Self(all)
    }

    /// Returns how often each act was done on a day. Acts on links and passwords, and views, may be repeated
    /// when there was no response, so they count once. Everything else must happen once.
    fn of_day(&self, day: u32) -> Value {
        let tag = tag(day);
        let mut done: BTreeMap<&str, u32> = BTreeMap::new();
        for (action, _) in self.0.iter().filter(|(_, text)| text.contains(&tag)) {
            let count = done.entry(action).or_default();
            let may_repeat = ["link", "password", ".viewed"].iter().any(|part| action.contains(part));
            *count = if may_repeat { 1 } else { *count + 1 };
        }
        json!(done)
    }
}

/// Removes ids, which differ from day to day.
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
