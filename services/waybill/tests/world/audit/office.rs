//! Acts of the office: settings, drivers, deliveries and their parties, imports.

use kit::clock::new_id;
use serde_json::{Value, json};

use super::act;
use crate::browser::Browser;
use crate::harness::until;
use crate::logo::PNG;

pub const LEFT: &[(&str, usize)] = &[
    ("setting.updated setting Attempts per delivery", 1),
    ("logo.updated logo Customer logo", 1),
    ("announcement.created announcement Gate 3", 1),
    ("announcement.updated announcement Gate 4", 1),
    ("announcement.deleted announcement Gate 4", 1),
    ("report_setting.created report_setting By driver", 1),
    ("report_setting.updated report_setting By driver", 1),
    ("report_setting.deleted report_setting By driver", 1),
    ("report_schedule.created report_setting By driver", 1),
    ("report_schedule.updated report_setting By driver", 1),
    ("report_schedule.paused report_setting By driver", 1),
    ("report_schedule.resumed report_setting By driver", 1),
    ("report_schedule.send_requested report_setting By driver", 1),
    ("report_schedule.deleted report_setting By driver", 1),
    ("driver.created driver Nestor", 1),
    ("driver.updated driver Nestor", 2),
    ("driver.blocked driver Nestor", 1),
    ("driver.unblocked driver Nestor", 1),
    ("device.paired device Phone-7", 1),
    ("device.unpaired device Phone-7", 1),
    ("customer.updated customer Acme", 1),
    ("source.created source Web orders", 1),
    ("source.updated source Web", 1),
    ("reason.updated reason Short", 1),
    ("import.started import deliveries.csv", 1),
    ("import.undone import deliveries.csv", 1),
    ("import.started import refused.csv", 1),
    ("import.corrected import refused.csv", 1),
    ("import.started import checked.csv", 1),
    ("import.canceled import discarded.csv", 1),
];

const HEAD: &str =
    "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n";

pub async fn set_something(admin: &Browser) {
    let set = |id: &str, value: &str| {
        let input = json!({ "id": id, "value": value });
        async move { act(admin, "updateSettingValue", "{ value }", input).await }
    };
    set("delivery-max-attempts", "7").await;
    set("delivery-max-attempts", "7").await;
    let place = admin.put_logo("logo.png", PNG).await;
    let url = admin.presigned(&place).await.unwrap();
    admin.save_logo(&url, &place).await;

    let form = |title: &str| {
        json!({ "title": title, "message": "Gate 3 is closed", "severity": "info", "audienceRoles": [],
                "audienceUsers": [], "startsAt": "2026-11-21T08:00:00Z", "isActive": true, "dismissible": true })
    };
    let input = json!({ "creationId": new_id(), "announcement": form("Gate 3") });
    let made = act(admin, "createAnnouncement", "{ id version }", input).await;
    let input = json!({ "id": made["id"], "version": made["version"], "announcement": form("Gate 4") });
    let edited = act(admin, "updateAnnouncement", "{ id version }", input).await;
    act(admin, "deleteAnnouncement", "", edited).await;

    let form = |days: u32| {
        json!({ "name": "By driver", "reportKey": "drivers", "format": "csv", "isActive": true, "rangeDays": days,
                "columns": [{ "member": "Driver.driverName", "label": "", "visible": true }],
                "defaultFilters": [], "groupBy": [], "sort": [] })
    };
    let input = json!({ "creationId": new_id(), "reportSetting": form(7) });
    let made = act(admin, "createReportSetting", "{ id version }", input).await;
    schedule(admin, &made["id"]).await;
    let input = json!({ "id": made["id"], "version": made["version"], "reportSetting": form(30) });
    let edited = act(admin, "updateReportSetting", "{ id version }", input).await;
    act(admin, "deleteReportSetting", "", edited).await;
}

/// Does everything that can be done with the schedule of a report setting.
async fn schedule(admin: &Browser, id: &Value) {
    for (version, time) in [(0, "07:00"), (1, "08:00")] {
        let schedule = json!({ "cadence": "daily", "time": time, "timeZone": "Asia/Manila", "recipients": ["vera"], "format": "csv" });
        let input = json!({ "reportSettingId": id, "version": version, "schedule": schedule });
        act(admin, "saveReportSchedule", "{ version }", input).await;
    }
    for (version, paused) in [(2, true), (3, false)] {
        let input = json!({ "reportSettingId": id, "version": version, "paused": paused });
        act(admin, "pauseReportSchedule", "{ version }", input).await;
    }
    act(admin, "sendReport", "{ isSending }", json!({ "reportSettingId": id, "requestId": new_id() })).await;
    act(admin, "deleteReportSchedule", "", json!({ "reportSettingId": id, "version": 4 })).await;
}

pub async fn manage_a_driver(dina: &Browser) {
    let mut driver = json!({ "driverId": "DRV-1", "name": "Nestor", "username": "nestor" });
    act(dina, "createDriver", "{ version }", driver.clone()).await;
    driver["phone"] = json!("+63 917 555 0101");
    driver["version"] = json!(1);
    act(dina, "updateDriver", "{ version }", driver.clone()).await;
    for status in ["blocked", "blocked", "active"] {
        let input = json!({ "driverId": "DRV-1", "status": status });
        act(dina, "updateDriverStatus", "{ status }", input).await;
    }
    let device = json!({ "driverId": "DRV-1", "uniqueId": "Phone-7" });
    act(dina, "pairDevice", "{ version }", device.clone()).await;
    driver["version"] = act(dina, "unpairDevice", "{ version }", device).await["version"].clone();
    driver["username"] = json!("nestor.ilagan");
    act(dina, "updateDriver", "{ version }", driver).await;
}

/// Changes master data. The customer "Acme" exists since the delivery for it was created.
pub async fn keep_parties(admin: &Browser) {
    let input =
        json!({ "customerName": "Acme", "version": 1, "customerAddress": "1 Gate Road", "phone": "12345" });
    act(admin, "updateCustomer", "{ version }", input).await;
    let input = json!({ "name": "Web orders", "isActive": true });
    let made = act(admin, "createSource", "{ id version }", input).await;
    let input = json!({ "id": made["id"], "version": made["version"], "name": "Web", "isActive": false });
    act(admin, "updateSource", "{ version }", input).await;
    let input = json!({ "appliesTo": "variance", "code": "short_shipped", "version": 1, "label": "Short",
                        "requiresPhoto": false, "requiresNote": true, "responsible": "shipper", "isActive": true, "order": 1 });
    act(admin, "updateReason", "{ version }", input).await;
}

/// Creates a delivered delivery with a picture as proof; returns the picture's address.
pub async fn deliver(dina: &Browser) -> String {
    let delivery = json!({
        "id": "DR-1", "shipmentnumber": "S-1", "customername": "Acme",
        "scheduledatetime": "2026-11-21T08:00:00+08:00", "items": [{ "itemNumber": "1", "quantity": 5.0 }],
    });
    act(dina, "createDelivery", "{ id }", delivery).await;
    let input = json!({ "deliveryId": "DR-1", "filename": "a.png" });
    let link = act(dina, "requestAttachmentLink", "{ url }", input).await["url"].clone();
    let url = dina.put_to(link.as_str().unwrap(), PNG).await;
    let input = json!({ "deliveryId": "DR-1", "url": url, "kind": "photo" });
    act(dina, "addAttachment", "{ id }", input).await;
    let line =
        json!({ "itemNumber": "1", "quantityDelivered": 5.0, "quantityRejected": 0.0, "condition": "ok" });
    let outcome = json!({
        "deliveryId": "DR-1", "clientEventId": new_id(), "status": "Complete_No_Variance", "lines": [line],
        "receivedBy": "Nena", "receivedByRelation": "recipient",
    });
    act(dina, "recordOutcome", "{ deliverystatus }", outcome).await;
    url
}

/// Imports and undoes a file; imports another with a refused row, then corrects and imports the row.
pub async fn import(dina: &Browser) {
    let line = |n: u32, at: &str| format!("DR-{n},S-{n},Acme,{at},1,RICE-25,12\n");
    let text = format!("{HEAD}{}", line(2, "2026-11-21 08:00"));
    let ended = dina.import("deliveries.csv", text).await;
    // The second request is a repetition, and leaves no entry.
    for _ in 0..2 {
        dina.post(&format!("/undo-uploaded-deliveries?uploadLog={}", ended.id), json!({})).await;
    }
    let text = format!("{HEAD}{}{}", line(3, "2026-11-21 08:00"), line(4, "not a time"));
    let ended = dina.import("refused.csv", text).await;
    assert_eq!(ended.status, "imported_with_errors");
    let cell = json!({ "rowNumber": 3, "column": 3, "value": "2026-11-21 09:00" });
    let input = json!({ "uploadLog": ended.id, "cells": [cell] });
    act(dina, "correctUploadRows", "{ changed }", input).await;
    act(dina, "importCorrectedRows", "{ status }", json!({ "id": ended.id })).await;
    until("the corrected row is imported", || async { dina.log(&ended.id).await.status == "imported" }).await;
}

/// Uploads two files and checks them; leaves one for somebody else to import and the other to discard. Returns their ids.
async fn check(admin: &Browser) -> [String; 2] {
    let mut ids = Vec::new();
    for (n, filename) in [(5, "checked.csv"), (6, "discarded.csv")] {
        let text = format!("{HEAD}DR-{n},S-{n},Acme,2026-11-21 08:00,1,RICE-25,12\n");
        let url = admin.put_file(filename, text.into_bytes()).await;
        let query = [("url", url.as_str()), ("filename", filename), ("sourceId", ""), ("dryRun", "true")];
        let request = admin.http.post(admin.url("/upload-deliveries")).query(&query).headers(admin.bearer());
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        ids.push(answer["uploadLog"].as_str().unwrap().to_owned());
    }
    for id in &ids {
        until("the file is checked", || async { admin.log(id).await.status == "validated" }).await;
    }
    ids.try_into().unwrap()
}

/// Imports a file that somebody else checked, and discards another.
pub async fn import_checked(admin: &Browser, dina: &Browser) {
    let [checked, discarded] = check(admin).await;
    act(dina, "commitUpload", "{ status }", json!({ "id": checked })).await;
    assert_eq!(dina.ended(&checked).await.status, "imported");
    for _ in 0..2 {
        act(dina, "cancelUpload", "{ status }", json!({ "id": discarded })).await;
    }
}
