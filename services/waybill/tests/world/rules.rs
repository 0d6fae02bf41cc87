//! Every setting of the catalog has the effect that screens promise. This test fails for a setting that it
//! does not know, and for one without an effect.

use kit::clock::new_id;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{World, until};
use crate::in_both_shapes;

const LIST: &str = "query { systemSettings(page: { limit: 100 }) { id value } }";
const SET: &str = "mutation UpdateSettingValue($input: UpdateSettingValueInput!) \
                   { updateSettingValue(input: $input) { id value } }";
const CREATE: &str =
    "mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id maxAttempts } }";
const RECORD: &str = "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { shipment { shipmentstatus } } }";
const CSV: &str =
    "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Driver ID,Item Number,Quantity\n";

/// A setting, a value that is not its default, and where signed-in people see it: a pointer into the current
/// user, and the value there. `None` for a setting that only the settings page shows.
type Row = (&'static str, &'static str, Option<(&'static str, Value)>);

fn rows() -> Vec<Row> {
    let rule = |pointer: &'static str, value: Value| Some((pointer, value));
    vec![
        // These two settings come first, while the position from `driver` is still recent enough for the
        // default limits.
        ("driver-online-seconds", "20", rule("/settings/driverOnlineSeconds", json!(20))),
        ("driver-stale-seconds", "30", rule("/settings/driverStaleSeconds", json!(30))),
        ("delivery-max-attempts", "7", rule("/settings/maxAttempts", json!(7))),
        ("delivery-over-delivery", "true", rule("/settings/allowOverDelivery", json!(true))),
        ("delivery-undelivered-is-final", "true", rule("/settings/undeliveredIsFinal", json!(true))),
        ("delivery-proof", "recipientName", rule("/settings/proof", json!(["recipientName"]))),
        ("delivery-failed-attempt-proof", "nothing", rule("/settings/failedAttemptProof", json!("nothing"))),
        ("delivery-max-attachment-size", "1", rule("/settings/maxAttachmentBytes", json!(1 << 20))),
        ("delivery-max-attachments", "1", rule("/settings/maxAttachments", json!(1))),
        ("driver-positions-keep-days", "2", None),
        ("import-date-order", "dmy", rule("/settings/importDateOrder", json!("dmy"))),
        ("import-earliest-date", "2026-02-01", rule("/settings/importEarliestDate", json!("2026-02-01"))),
        ("import-partial-documents", "true", rule("/settings/importPartialDocuments", json!(true))),
        ("import-unknown-drivers", "refuse", rule("/settings/importUnknownDrivers", json!("refuse"))),
        (
            "organization-time-zone",
            "Europe/Amsterdam",
            rule("/organization/timezone", json!("Europe/Amsterdam")),
        ),
        ("organization-name", "Habagat Logistics", rule("/organization/name", json!("Habagat Logistics"))),
        (
            "import-paused-until",
            "2099-01-01T06:00",
            rule("/settings/importPausedUntil", json!("2099-01-01T06:00")),
        ),
    ]
}

/// Settings whose effect is tested elsewhere, each with the name of that test.
const ELSEWHERE: [(&str, &str, &str); 4] = [
    ("organization-email", "ops@example.com", "deliveries::tests::settings::every_rule_follows_its_setting"),
    (
        "organization-website",
        "https://example.com",
        "deliveries::tests::settings::every_rule_follows_its_setting",
    ),
    ("driver-logs-keep-days", "30", "drivers::tests::settings::every_rule_follows_its_setting"),
    ("customer-logo-information", "", "world::logo, for every role and every kind of file"),
];

/// The running product and its admin, to observe the effects of settings.
struct Look<'a> {
    world: &'a World,
    admin: &'a Browser,
}

impl Look<'_> {
    async fn delivery(&self) -> (String, u64) {
        let id = format!("DR-{}", new_id().simple());
        let input = json!({
            "id": id, "shipmentnumber": id, "customername": "Acme", "scheduledatetime": "2026-11-20T02:00:00Z",
            "items": [{ "itemNumber": "1", "quantity": 5.0 }],
        });
        let made = self.admin.data(CREATE, json!({ "input": input })).await["createDelivery"].clone();
        (id, made["maxAttempts"].as_u64().unwrap())
    }

    /// Returns what happens to a new delivery: its shipment's status, or the refused fields.
    async fn outcome(&self, more: Value) -> Value {
        let (id, _) = self.delivery().await;
        let mut input = json!({ "deliveryId": id, "clientEventId": new_id() });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = self.admin.graphql(RECORD, json!({ "input": input })).await;
        match answer["errors"][0]["extensions"]["properties"]["messages"].as_object() {
            Some(fields) => json!(fields.keys().collect::<Vec<_>>()),
            None => answer["data"]["recordOutcome"]["shipment"]["shipmentstatus"].clone(),
        }
    }

    async fn completed(&self, delivered: f64) -> Value {
        let line = json!({ "itemNumber": "1", "quantityDelivered": delivered, "quantityRejected": 0.0,
                           "condition": "ok", "varianceReason": (delivered > 5.0).then_some("over_delivered") });
        self.outcome(json!({ "lines": [line] })).await
    }

    async fn undelivered(&self, note: Option<&str>) -> Value {
        let reason = "recipient_absent";
        self.outcome(json!({ "status": "Undelivered", "outcomeReason": reason, "outcomeNote": note })).await
    }

    /// Returns how many of two files of this size are accepted for one attempt.
    async fn files(&self, bytes: usize) -> usize {
        let (id, _) = self.delivery().await;
        let mut kept = 0;
        for name in ["a.pdf", "b.pdf"] {
            let link = "mutation M($input: RequestAttachmentLinkInput!) { requestAttachmentLink(input: $input) { url } }";
            let input = json!({ "deliveryId": id, "filename": name });
            let link = self.admin.data(link, json!({ "input": input })).await["requestAttachmentLink"]["url"]
                .clone();
            let mut content = format!("%PDF-1.4\n{name}").into_bytes();
            content.resize(bytes, b' ');
            content.extend_from_slice(b"\n%%EOF\n");
            let link = link.as_str().unwrap();
            // The object store refuses the file if it knows the limit; otherwise the service does.
            let put = self.admin.http.put(self.admin.absolute(link)).body(content).send().await.unwrap();
            if put.status() == StatusCode::PAYLOAD_TOO_LARGE {
                continue;
            }
            let url = link.split('?').next().unwrap();
            let add = "mutation M($input: AddAttachmentInput!) { addAttachment(input: $input) { id } }";
            let input = json!({ "deliveryId": id, "url": url, "kind": "document" });
            let added = self.admin.graphql(add, json!({ "input": input })).await;
            kept += usize::from(added["errors"].is_null());
        }
        kept
    }

    /// Returns whether a position from `seconds` ago is accepted.
    async fn position(&self, seconds: i64) -> bool {
        let at = self.world.clock.now() - chrono::Duration::seconds(seconds);
        let address =
            format!("{}/?id=phone-1&lat=14.55&lon=121.02&timestamp={}", self.world.ingest, at.timestamp());
        assert_eq!(reqwest::get(address).await.unwrap().status(), StatusCode::OK);
        let query = "query Q($from: DateTime!, $to: DateTime!) \
                     { driverPositions(driverId: \"D-1\", from: $from, to: $to) { positions { occurredAt } } }";
        let around = |by: i64| (at + chrono::Duration::seconds(by)).to_rfc3339();
        let found = self.admin.data(query, json!({ "from": around(-2), "to": around(2) })).await;
        !found["driverPositions"]["positions"].as_array().unwrap().is_empty()
    }

    async fn online_state(&self) -> Value {
        self.admin.data("query { driver(driverId: \"D-1\") { onlineState } }", json!({})).await["driver"]["onlineState"]
            .clone()
    }

    /// Returns the dispatch time of an imported row, or `None` if it was refused.
    async fn imported(&self, time: &str, driver: &str, second: &str) -> Option<String> {
        let id = format!("DR-{}", new_id().simple());
        let row = |item: u8, quantity: &str| format!("{id},S-1,Acme,{time},{driver},{item},{quantity}\n");
        let second = if second.is_empty() { String::new() } else { row(2, second) };
        self.admin.import("a.csv", format!("{CSV}{}{second}", row(1, "5"))).await;
        let query = "query Q($id: String!) { delivery(id: $id) { scheduledatetime } }";
        let made = self.admin.data(query, json!({ "id": id })).await;
        made["delivery"]["scheduledatetime"].as_str().map(str::to_owned)
    }

    /// Returns whether the setting has its effect. Must be false before the setting is set.
    async fn is_obeyed(&self, id: &str) -> bool {
        const DAY: i64 = 86_400;
        match id {
            "delivery-max-attempts" => self.delivery().await.1 == 7,
            "delivery-over-delivery" => self.completed(6.0).await == "Completed",
            "delivery-undelivered-is-final" => self.undelivered(Some("Gate locked")).await == "Completed",
            "delivery-proof" => self.completed(5.0).await == json!(["receivedBy"]),
            "delivery-failed-attempt-proof" => self.undelivered(None).await == "Completed",
            "delivery-max-attachment-size" => self.files((1 << 20) + 1).await == 0,
            "delivery-max-attachments" => self.files(64).await == 1,
            "driver-online-seconds" => self.online_state().await == "stale",
            "driver-stale-seconds" => self.online_state().await == "offline",
            "driver-positions-keep-days" => !self.position(5 * DAY).await,
            "import-date-order" => {
                self.imported("03/04/2026 08:30", "", "").await.as_deref() == Some("2026-04-03T00:30:00Z")
            }
            "import-earliest-date" => self.imported("2026-01-31 08:30", "", "").await.is_none(),
            "import-partial-documents" => self.imported("2026-11-20 08:30", "", "many").await.is_some(),
            "import-unknown-drivers" => self.imported("2026-11-20 08:30", "D-9", "").await.is_none(),
            "organization-time-zone" => {
                self.imported("2026-11-20 08:30", "", "").await.as_deref() == Some("2026-11-20T07:30:00Z")
            }
            // The name is shown here. `deliveries::tests::settings` tests that it is printed.
            "organization-name" => self.user().await["organization"]["name"] == "Habagat Logistics",
            "import-paused-until" => {
                let url = self
                    .admin
                    .put_file("b.csv", format!("{CSV}DR-P,S-3,Acme,2026-11-20 08:30,,1,5\n").into())
                    .await;
                let (status, answer) = self.admin.start_import(&url, "b.csv", "").await;
                status != StatusCode::OK
                    && answer["error"].as_str().unwrap().contains("until Jan 1, 2099 6:00 AM")
            }
            _ => panic!("{id} has no reader here"),
        }
    }

    async fn user(&self) -> Value {
        self.admin.data("query { redwood { currentUser } }", json!({})).await["redwood"]["currentUser"]
            .clone()
    }

    async fn set(&self, id: &str, value: &str) {
        let saved = self.admin.data(SET, json!({ "input": { "id": id, "value": value } })).await;
        assert_eq!(saved["updateSettingValue"], json!({ "id": id, "value": value }));
    }

    async fn listed(&self) -> Vec<(String, String)> {
        let rows = self.admin.data(LIST, json!({})).await["systemSettings"].clone();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        rows.as_array().unwrap().iter().map(|row| (text(row, "id"), text(row, "value"))).collect()
    }
}

async fn driver(world: &World, admin: &Browser) {
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let input = json!({ "driverId": "D-1", "name": "Nestor Ilagan", "username": "nestor" });
    admin.data(create, json!({ "input": input })).await;
    let pair = "mutation M($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }";
    admin.data(pair, json!({ "input": { "uniqueId": "phone-1", "driverId": "D-1" } })).await;
    // A position from a minute ago is recent enough for the default limits, and too old for both limits that
    // are set later.
    let look = Look { world, admin };
    assert!(look.position(60).await);
}

in_both_shapes!(what_is_told_of_each_setting_is_what_holds, |world: World| async move {
    let admin = world.admin().await;
    driver(&world, &admin).await;
    let look = Look { world: &world, admin: &admin };
    let mut known: Vec<&str> = rows().iter().map(|row| row.0).chain(ELSEWHERE.map(|row| row.0)).collect();
    known.sort_unstable();
    let mut listed: Vec<String> = look.listed().await.into_iter().map(|row| row.0).collect();
    listed.sort();
    assert_eq!(listed, known, "each setting has its row here");

    for (id, value, told) in rows() {
        assert!(!look.is_obeyed(id).await, "{id} is obeyed before it is set, so this proves nothing");
        look.set(id, value).await;
        until(&format!("{id} is obeyed"), || look.is_obeyed(id)).await;
        if let Some((pointer, shown)) = told {
            until(&format!("{id} is told"), || async { look.user().await.pointer(pointer) == Some(&shown) })
                .await;
        }
        // Restore settings that could hide the effect of later ones.
        if id == "delivery-proof" {
            look.set(id, "none").await;
            until("nothing is asked for", || async { look.completed(5.0).await == "Completed" }).await;
        }
    }
    for (id, value, _) in ELSEWHERE {
        if !value.is_empty() {
            look.set(id, value).await;
            assert!(look.listed().await.contains(&(id.to_owned(), value.to_owned())), "{id}");
        }
    }
    // The query also accepts the conventional id `organization-timezone`.
    let read = "query Q($id: String!) { findSystemSettingById(id: $id) { id value } }";
    let found =
        admin.data(read, json!({ "id": "organization-timezone" })).await["findSystemSettingById"].clone();
    assert_eq!(found, json!({ "id": "organization-time-zone", "value": "Europe/Amsterdam" }));
    world
});
