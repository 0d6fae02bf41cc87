//! The deliveries of a day: created by the office, imported, delivered and corrected.

use std::time::Duration;

use chrono::SecondsFormat;
use serde_json::{Value, json};

use crate::client::Staff;
use crate::day::{ACCOUNT, PIN, PNG, choose_password, exists, is, list_of, on_site};

const DELIVERY: &str = "query Q($id: String!) { delivery(id: $id) { id version deliverystatus attempt instructions \
                        driverId attachments { kind } items { itemNumber quantity } } }";

fn delivery(tag: &str, id: &str) -> Value {
    json!({ "id": id, "shipmentnumber": format!("S-{tag}"), "customername": format!("Store {tag}"),
            "customeraddress": format!("12 Mabini St {tag}"), "scheduledatetime": "2026-11-21T08:00:00+08:00",
            "items": [{ "itemNumber": "1", "quantity": 5.0 }, { "itemNumber": "2", "quantity": 2.5 }] })
}

pub async fn deliveries(staff: &mut Staff<'_>, tag: &str) {
    let (done, failed) = (format!("DR-{tag}-1"), format!("DR-{tag}-2"));
    let one = |id: &str| (DELIVERY, json!({ "id": id }));
    for id in [&done, &failed] {
        let input = delivery(tag, id);
        staff
            .bring_about(one(id), exists("/delivery"), |_| ("createDelivery", "{ id }", input.clone()))
            .await;
    }
    staff
        .bring_about(
            one(&done),
            |it| is(it, "/delivery/instructions", "Ring twice"),
            |it| {
                let mut input = delivery(tag, &done);
                input.as_object_mut().unwrap().remove("items");
                input["instructions"] = json!("Ring twice");
                input["version"] = it["delivery"]["version"].clone();
                ("updateDelivery", "{ version }", input)
            },
        )
        .await;
    let customer = "query Q($id: String!) { customer(customerName: $id) { version phone } }";
    let name = format!("Store {tag}");
    staff
        .bring_about(
            (customer, json!({ "id": name })),
            |it| is(it, "/customer/phone", "+63 2 8555 0100"),
            |it| {
                let input = json!({ "customerName": name, "customerAddress": format!("12 Mabini St {tag}"),
                                "phone": "+63 2 8555 0100", "version": it["customer"]["version"] });
                ("updateCustomer", "{ version }", input)
            },
        )
        .await;
    let driver = format!("D-{tag}");
    staff
        .bring_about(
            one(&done),
            |it| is(it, "/delivery/driverId", &driver),
            |_| ("assignDriver", "{ ok code }", json!({ "deliveryIds": [done], "driverId": driver })),
        )
        .await;
    proof(staff, &done).await;
    let event = kit::clock::new_id();
    staff
        .bring_about(one(&done), |it| is(it, "/delivery/deliverystatus", "Complete_No_Variance"), |_| {
            let input = json!({ "deliveryId": done, "clientEventId": event, "status": "Complete_No_Variance",
                                "receivedBy": "Nena", "receivedByRelation": "recipient" });
            ("recordOutcome", "{ version }", input)
        })
        .await;
    fail_and_correct(staff, &failed).await;
}

/// Adds a photo to a delivery, once.
async fn proof(staff: &mut Staff<'_>, id: &str) {
    while staff.read(DELIVERY, &json!({ "id": id })).await["delivery"]["attachments"] == json!([]) {
        let input = json!({ "deliveryId": id, "filename": "door.png" });
        let link = staff.act("requestAttachmentLink", "{ url }", input).await.unwrap();
        let url = staff.put(link["url"].as_str().unwrap(), PNG).await;
        let input = json!({ "deliveryId": id, "url": url, "kind": "photo" });
        // The next read shows whether the photo was added.
        let _ = staff.act("addAttachment", "{ id }", input).await;
    }
}

/// Records an unsuccessful attempt and reschedules the delivery, then records a short delivery and corrects
/// it.
async fn fail_and_correct(staff: &mut Staff<'_>, id: &str) {
    let one = || (DELIVERY, json!({ "id": id }));
    let event = kit::clock::new_id();
    staff
        .bring_about(
            one(),
            |it| is(it, "/delivery/deliverystatus", "Undelivered"),
            |_| {
                let input = json!({ "deliveryId": id, "clientEventId": event, "status": "Undelivered",
                                "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed" });
                ("recordOutcome", "{ version }", input)
            },
        )
        .await;
    let event = kit::clock::new_id();
    staff
        .bring_about(one(), |it| it["delivery"]["attempt"] == 2, |it| {
            let input = json!({ "deliveryId": id, "clientEventId": event, "version": it["delivery"]["version"],
                                "scheduledatetime": "2099-12-24T08:00:00+08:00" });
            ("rescheduleDelivery", "{ version }", input)
        })
        .await;
    let lines = |second: f64| {
        let line = |number: &str, count: f64, reason: Value| {
            json!({ "itemNumber": number, "quantityDelivered": count, "quantityRejected": 0.0, "condition": "ok",
                    "varianceReason": reason })
        };
        let reason = if second < 2.5 { json!("short_delivered") } else { Value::Null };
        json!([line("1", 5.0, Value::Null), line("2", second, reason)])
    };
    let event = kit::clock::new_id();
    staff
        .bring_about(
            one(),
            |it| is(it, "/delivery/deliverystatus", "Complete_With_Variance"),
            |_| {
                let input = json!({ "deliveryId": id, "clientEventId": event, "lines": lines(1.0),
                                "receivedBy": "Nena", "receivedByRelation": "recipient" });
                ("recordOutcome", "{ version }", input)
            },
        )
        .await;
    let event = kit::clock::new_id();
    staff
        .bring_about(one(), |it| is(it, "/delivery/deliverystatus", "Complete_No_Variance"), |it| {
            let input = json!({ "deliveryId": id, "clientEventId": event, "version": it["delivery"]["version"],
                                "reason": "Counted again", "status": "Complete_No_Variance", "lines": lines(2.5) });
            ("correctDelivery", "{ version }", input)
        })
        .await;
}

/// Returns 20 deliveries of three lines; every twentieth line is bad.
fn file(tag: &str) -> String {
    let head = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n";
    let line = |at: usize| {
        let when = if at % 20 == 19 { "not a time" } else { "2026-11-20 08:00" };
        let doc = at / 3;
        format!("K-{tag}-{doc},S-{tag}-{},Store {tag},{when},{},SKU-{at},{}.5\n", doc / 8, at % 3 + 1, at % 9)
    };
    (0..60).map(line).fold(head.to_owned(), |text, line| text + &line)
}

pub async fn import(staff: &mut Staff<'_>, tag: &str) {
    import_file(staff, &format!("{tag}.csv"), file(tag).as_bytes(), "").await;
}

/// Imports a file and returns the id of its upload log.
async fn import_file(staff: &mut Staff<'_>, filename: &str, content: &[u8], check: &str) -> Value {
    let (_, link) = staff.post("/request-upload-link", json!({ "filename": filename })).await;
    let url = staff.put(link["url"].as_str().unwrap(), content).await;
    let pairs = [("url", url.as_str()), ("filename", filename), ("sourceId", ""), ("dryRun", check)];
    let pairs = pairs.into_iter().filter(|(name, value)| *name != "dryRun" || !value.is_empty());
    let query = reqwest::Url::parse_with_params("http://waybill/", pairs).unwrap();
    let query = query.query().unwrap();
    let (_, started) = staff.post(&format!("/upload-deliveries?{query}"), json!({})).await;
    ended(staff, &started["uploadLog"]).await;
    started["uploadLog"].clone()
}

/// Waits until nothing is running for an upload anymore.
async fn ended(staff: &mut Staff<'_>, id: &Value) {
    let log = "query Q($id: String!) { uploadLog(id: $id) { status } }";
    let open = ["uploaded", "parsing", "importing", "checking", "undoing", "correcting"];
    let ended = |it: &Value| !open.contains(&it["uploadLog"]["status"].as_str().unwrap_or("uploaded"));
    staff.wait_for(log, json!({ "id": id }), ended).await;
}

/// Checks a file, imports it and undoes the import. One of the deliveries that the undo would remove has an
/// outcome.
pub async fn undo(staff: &mut Staff<'_>, tag: &str) {
    let head = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n";
    let line = |doc: u32, item: u32, quantity: u32| {
        format!("U-{tag}-{doc},SU-{tag},Store {tag},2026-11-20 08:00,{item},SKU-{item},{quantity}\n")
    };
    import_file(staff, &format!("{tag}-first.csv"), format!("{head}{}", line(1, 1, 5)).as_bytes(), "").await;
    let second = format!("{head}{}{}{}{}", line(1, 1, 6), line(1, 2, 1), line(2, 1, 2), line(3, 1, 2));
    let id = import_file(staff, &format!("{tag}-second.csv"), second.as_bytes(), "true").await;
    let status = || ("query Q($id: String!) { uploadLog(id: $id) { status } }", json!({ "id": id }));
    let is_committed = |it: &Value| it["uploadLog"]["status"] != "validated";
    staff.bring_about(status(), is_committed, |_| ("commitUpload", "{ status }", json!({ "id": id }))).await;
    ended(staff, &id).await;
    let path = format!("/undo-uploaded-deliveries?uploadLog={}", id.as_str().unwrap());
    staff.post(&path, json!({})).await;
    ended(staff, &id).await;
    match_columns(staff, tag).await;
    correct_rows(staff, tag).await;
    let event = kit::clock::new_id();
    let removed = format!("U-{tag}-3");
    staff
        .bring_about(
            (DELIVERY, json!({ "id": removed })),
            |it| is(it, "/delivery/deliverystatus", "Undelivered"),
            |_| {
                let input = json!({ "deliveryId": removed, "clientEventId": event, "status": "Undelivered",
                                    "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed" });
                ("recordOutcome", "{ version }", input)
            },
        )
        .await;
}

/// Postpones all deliveries of an import by one job, and restores them by another. The two new versions of
/// each delivery show that both jobs ran exactly once.
pub async fn put_off_and_back(staff: &mut Staff<'_>, tag: &str) {
    let (change, undo) = (kit::clock::new_id(), kit::clock::new_id());
    let filter = json!([{ "key": "id", "operator": "startsWith", "values": [format!("U-{tag}-")] }]);
    let input = json!({ "id": change, "where": filter, "dryRun": false });
    let put_off = "mutation M($change: BulkChangeInput!) { changeAllDispatchTimes(change: $change, \
                   scheduledatetime: \"2099-01-05T08:00:00+08:00\") { id } }";
    job_ended(staff, change, put_off, json!({ "change": input })).await;
    let put_back =
        "mutation M($id: String!, $change: String!) { undoBulkChange(id: $id, changeId: $change) { id } }";
    job_ended(staff, undo, put_back, json!({ "id": undo, "change": change })).await;
}

/// Starts a job unless it exists already, and waits until it ends.
async fn job_ended(staff: &mut Staff<'_>, id: uuid::Uuid, begin: &str, variables: Value) {
    let read = "query Q($id: String!) { bulkChange(id: $id) { state changed failed } }";
    for _ in 0..1_200 {
        let job = staff.read(read, &json!({ "id": id })).await["bulkChange"].clone();
        match job["state"].as_str() {
            None => drop(staff.graphql(begin, &variables).await),
            Some("done") => {
                assert!(job["changed"].as_u64().unwrap() > 0 && job["failed"] == 0, "{job}");
                return;
            }
            Some("waiting" | "running") => tokio::time::sleep(Duration::from_millis(100)).await,
            Some(_) => panic!("{job}"),
        }
    }
    panic!("the job never ended");
}

/// Imports a file with unknown headings, which differ each day.
async fn match_columns(staff: &mut Staff<'_>, tag: &str) {
    let text = format!("Doc of {tag},Tour,Who,When\nU-{tag}-9,SU-{tag},Store {tag},2026-11-20 08:00\n");
    let id = import_file(staff, &format!("{tag}-columns.csv"), text.as_bytes(), "").await;
    let fields = json!(["delivery_id", "shipmentnumber", "customername", "scheduledatetime"]);
    saved_mapping(staff, &id, &fields).await;
    let status = ("query Q($id: String!) { uploadLog(id: $id) { status } }", json!({ "id": id }));
    let is_decided = |it: &Value| it["uploadLog"]["status"] != "needs_mapping";
    staff
        .bring_about(status, is_decided, |_| {
            let input = json!({ "uploadLog": id, "headerLine": 1, "fields": fields });
            ("saveImportMapping", "{ status }", input)
        })
        .await;
    ended(staff, &id).await;
}

/// Saves the columns of a waiting file under a name, then renames and deletes that mapping.
async fn saved_mapping(staff: &mut Staff<'_>, upload: &Value, fields: &Value) {
    let all = || {
        let query = "query Q($id: String!) { importMappings(uploadLog: $id, headerLine: 1) { id name } }";
        (query, json!({ "id": upload }))
    };
    let id_of = |it: &Value, name: &str| {
        let mappings = it["importMappings"].as_array().unwrap();
        mappings.iter().find(|it| it["name"] == name).map(|it| it["id"].clone())
    };
    staff
        .bring_about(
            all(),
            |it| id_of(it, "Orders").is_some(),
            |_| {
                let input =
                    json!({ "uploadLog": upload, "headerLine": 1, "name": "Orders", "fields": fields });
                ("createImportMapping", "{ id }", input)
            },
        )
        .await;
    staff
        .bring_about(
            all(),
            |it| id_of(it, "Returns").is_some(),
            |it| {
                let input = json!({ "id": id_of(it, "Orders"), "name": "Returns" });
                ("renameImportMapping", "{ id }", input)
            },
        )
        .await;
    staff
        .bring_about(
            all(),
            |it| id_of(it, "Returns").is_none(),
            |it| ("deleteImportMapping", "", json!({ "id": id_of(it, "Returns") })),
        )
        .await;
}

/// Imports a file with a refused row, corrects the row and imports it.
async fn correct_rows(staff: &mut Staff<'_>, tag: &str) {
    let text = format!(
        "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time\n\
         C-{tag}-1,SC-{tag},Store {tag},2026-11-20 08:00\nC-{tag}-2,SC-{tag},Store {tag},not a time\n"
    );
    let id = import_file(staff, &format!("{tag}-refused.csv"), text.as_bytes(), "").await;
    let rows = "query Q($id: String!) { uploadRows(uploadLog: $id) { corrections { value } } }";
    let is_kept = |it: &Value| it["uploadRows"][0]["corrections"].as_array().is_some_and(|it| !it.is_empty());
    staff
        .bring_about((rows, json!({ "id": id })), is_kept, |_| {
            let cell = json!({ "rowNumber": 3, "column": 3, "value": "2026-11-20 09:00" });
            ("correctUploadRows", "{ changed }", json!({ "uploadLog": id, "cells": [cell] }))
        })
        .await;
    let status = ("query Q($id: String!) { uploadLog(id: $id) { status } }", json!({ "id": id }));
    let is_started = |it: &Value| it["uploadLog"]["status"] != "imported_with_errors";
    staff
        .bring_about(status, is_started, |_| ("importCorrectedRows", "{ status }", json!({ "id": id })))
        .await;
    ended(staff, &id).await;
    let log = "query Q($id: String!) { uploadLog(id: $id) { status rowsCreated rowsFailed } }";
    let log = staff.read(log, &json!({ "id": id })).await["uploadLog"].clone();
    assert_eq!(log, json!({ "status": "imported", "rowsCreated": 2, "rowsFailed": 0 }));
}

/// Signs in as a driver and sends positions.
pub async fn on_the_road(staff: &mut Staff<'_>, tag: &str) {
    let username = format!("nestor-{tag}");
    let account = list_of("driverId", "equals", &format!("D-{tag}"));
    let id = staff.read(ACCOUNT, &account).await["driverAccounts"][0]["id"].clone();
    choose_password(staff, &id, &username, PIN).await;
    assert!(staff.driver_sign_in(&username, PIN).await);
    let at = on_site().to_rfc3339_opts(SecondsFormat::Secs, true);
    let log = json!({ "type": "log", "clientEventId": kit::clock::new_id(), "activity": "arrived",
                      "occurredAt": at, "lat": 14.56, "lng": 121.08 });
    // A phone resends an event that was refused as UNAVAILABLE.
    loop {
        let (status, answer) = staff.post("/driver/v1/events", json!({ "events": [log] })).await;
        let result = &answer["results"][0];
        assert!(
            status == 200 && (result["ok"] == true || result["error"]["code"] == "UNAVAILABLE"),
            "{answer}"
        );
        if result["ok"] == true {
            return;
        }
        staff.product.revive().await;
    }
}
