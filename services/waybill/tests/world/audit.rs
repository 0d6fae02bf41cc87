//! The audit log over all services: what is in it after each act, and whether it is whole.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use kit::clock::new_id;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{Settings, World, until};
use crate::in_both_shapes;
use crate::logo::PNG;

const ENTRIES: &str = "query Q($page: PageOptions) { auditEntries(page: $page) { actor address action entity entityId \
                       entityName before after } auditEntriesCount { total } }";
const FILE: &str = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n\
                    DR-2,S-2,Acme,2026-11-21 08:00,1,RICE-25,12\n";
const DAY: &str = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";

/// A mutation of one input; the fields that are asked of its answer.
async fn act(browser: &Browser, name: &str, fields: &str, input: Value) -> Value {
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let mutation = format!("mutation M($input: {kind}!) {{ {name}(input: $input) {fields} }}");
    browser.data(&mutation, json!({ "input": input })).await[name].clone()
}

async fn entries(admin: &Browser) -> Vec<Value> {
    let page = json!({ "limit": 100 });
    admin.data(ENTRIES, json!({ "page": page })).await["auditEntries"].as_array().unwrap().clone()
}

/// How often each thing was done to what.
async fn done(admin: &Browser) -> BTreeMap<String, usize> {
    let mut done = BTreeMap::new();
    for entry in entries(admin).await {
        let text = |key: &str| entry[key].as_str().unwrap().to_owned();
        *done.entry(format!("{} {} {}", text("action"), text("entity"), text("entityName"))).or_default() +=
            1;
    }
    done
}

async fn file(browser: &Browser, path: &str) -> reqwest::StatusCode {
    let token = browser.token.clone().unwrap();
    let answer = browser.http.get(format!("{}{path}", browser.base)).bearer_auth(token).send().await.unwrap();
    let status = answer.status();
    answer.bytes().await.unwrap();
    status
}

async fn set_something(admin: &Browser) {
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
    let input = json!({ "id": made["id"], "version": made["version"], "reportSetting": form(30) });
    let edited = act(admin, "updateReportSetting", "{ id version }", input).await;
    act(admin, "deleteReportSetting", "", edited).await;
}

async fn manage_a_driver(dina: &Browser) {
    let mut driver = json!({ "driverId": "DRV-1", "name": "Nestor", "username": "nestor" });
    act(dina, "createDriver", "{ version }", driver.clone()).await;
    driver["phone"] = json!("+63 917 555 0101");
    driver["version"] = json!(1);
    act(dina, "updateDriver", "{ version }", driver).await;
    for status in ["blocked", "blocked", "active"] {
        let input = json!({ "driverId": "DRV-1", "status": status });
        act(dina, "updateDriverStatus", "{ status }", input).await;
    }
    let device = json!({ "driverId": "DRV-1", "uniqueId": "Phone-7" });
    act(dina, "pairDevice", "{ version }", device.clone()).await;
    act(dina, "unpairDevice", "{ version }", device).await;
}

/// What the office keeps beside its deliveries; the customer is that of the delivery.
async fn keep_parties(admin: &Browser) {
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

/// A delivery that came, with a picture that proves it; where the picture lies.
async fn deliver(dina: &Browser) -> String {
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

async fn look(vera: &Browser) {
    let way = "query Q($id: String!) { driverPositions(driverId: $id, from: \"2026-11-21T00:00:00Z\", \
               to: \"2026-11-22T00:00:00Z\") { more } }";
    vera.data(way, json!({ "id": "DRV-1" })).await;
    vera.data(way, json!({ "id": "drv-1" })).await;
    vera.data("{ driverLocations { more } }", json!({})).await;
    vera.data("{ driverLogs { id } }", json!({})).await;
}

in_both_shapes!(
    every_privileged_act_leaves_exactly_one_entry,
    // All of it happens within one hour.
    |it: &mut Settings| {
        it.hold_time();
        it.config.http.trusted_proxies = 1;
    },
    |world: World| async move {
        let admin = world.admin().await.at("203.0.113.9");
        let dina = admin.signed_in_user("dina", &["dispatcher"]).await;
        let vera = admin.signed_in_user("vera", &["viewer"]).await;
        let before = done(&admin).await;
        set_something(&admin).await;
        manage_a_driver(&dina).await;
        let proof = deliver(&dina).await;
        keep_parties(&admin).await;
        let ended = dina.import("deliveries.csv", FILE).await;
        // Once, though it is asked for twice.
        for _ in 0..2 {
            dina.post(&format!("/undo-uploaded-deliveries?uploadLog={}", ended.id), json!({})).await;
        }
        // Read twice: an export is an entry each time, a view is one.
        for _ in 0..2 {
            look(&vera).await;
            vera.presigned(&proof).await.unwrap();
            for path in [
                "/export/deliveries?format=csv",
                "/export/deliveries?format=xlsx",
                &format!("/export/driver-positions?driverId=DRV-1&format=gpx&{DAY}"),
                "/delivery-forms/DR-1.pdf",
            ] {
                assert_eq!(file(&vera, path).await, 200, "{path}");
            }
        }
        assert_eq!(file(&vera, "/export/deliveries?format=csv&filters=!").await, 400);
        // What a viewer may not do was not done.
        let input = json!({ "id": "delivery-max-attempts", "value": "9" });
        let set = "mutation M($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { id } }";
        vera.refused(set, json!({ "input": input })).await;
        world.settle().await;
        let mut expected = before.clone();
        for (what, times) in [
            ("setting.updated setting Attempts per delivery", 1),
            ("logo.updated logo Customer logo", 1),
            ("announcement.created announcement Gate 3", 1),
            ("announcement.updated announcement Gate 4", 1),
            ("announcement.deleted announcement Gate 4", 1),
            ("report_setting.created report_setting By driver", 1),
            ("report_setting.updated report_setting By driver", 1),
            ("report_setting.deleted report_setting By driver", 1),
            ("driver.created driver Nestor", 1),
            ("driver.updated driver Nestor", 1),
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
            // What followed in auth.
            ("driver_account.created driver_account nestor", 1),
            ("driver_account.blocked driver_account nestor", 1),
            ("driver_account.unblocked driver_account nestor", 1),
            ("deliveries.exported delivery ", 4),
            ("driver_positions.exported driver Nestor", 2),
            ("forms.exported delivery DR-1", 2),
            ("proof.viewed delivery DR-1", 1),
            ("driver_location.viewed driver DRV-1", 1),
            ("driver_location.viewed driver ", 1),
            ("driver_log.viewed driver ", 1),
        ] {
            expected.insert(what.to_owned(), times);
        }
        let count = expected.values().sum::<usize>();
        until("every act is in the log", || async { entries(&admin).await.len() >= count }).await;
        let all = entries(&admin).await;
        assert_eq!(done(&admin).await, expected);

        let one = |action: &str| all.iter().find(|it| it["action"] == action).unwrap();
        let setting = one("setting.updated");
        assert_eq!((&setting["actor"], &setting["address"]), (&json!("admin"), &json!("203.0.113.9")));
        assert_eq!(setting["entityId"], "delivery-max-attempts");
        assert_eq!(
            (&setting["before"], &setting["after"]),
            (&json!({ "value": "3" }), &json!({ "value": "7" }))
        );
        assert_eq!(
            (&one("driver.updated")["actor"], &one("proof.viewed")["actor"]),
            (&json!("dina"), &json!("vera"))
        );
        let positions = &one("driver_positions.exported")["after"];
        assert_eq!(
            (&positions["format"], &positions["from"]),
            (&json!("gpx"), &json!("2026-11-21T00:00:00Z"))
        );

        let db = world.database(auth::NAME).await;
        match auth::check_audit(&db, None).await.unwrap() {
            auth::AuditFound::Intact { head } => assert_eq!(head.number, count as i64),
            broken => panic!("{broken:?}"),
        }
        db.close().await;
        world
    }
);

/// What `waybill audit-check` prints, and whether it ends well.
fn audit_check(data: &Path, more: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_waybill"));
    let output = command.arg("--data").arg(data).arg("audit-check").args(more).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_says_whether_the_log_is_whole() {
    let world = World::all().await;
    let admin = world.admin().await;
    admin.make_user("ana", &["viewer"], crate::browser::PASSWORD).await;
    // Beside the running product.
    let data = world.config.data.clone();
    let (text, good) = audit_check(&data, &[]);
    assert!(good && text.starts_with("The audit log is intact: 4 entries"), "{text}");
    let seal = text.lines().find_map(|line| line.strip_prefix("Its seal is ")).unwrap().to_owned();
    assert!(audit_check(&data, &["--noted", &seal]).1);
    let other = format!("4:{}", "A".repeat(43));
    let (text, good) = audit_check(&data, &["--noted", &other]);
    assert!(!good && text.contains("Entry 4 is the first"), "{text}");

    let db = world.database(auth::NAME).await;
    let tx = db.begin().await.unwrap();
    for statement in
        ["DROP TRIGGER audit_entry_not_updated", "UPDATE audit_entry SET actor = 'nobody' WHERE number = 2"]
    {
        tx.execute_unprepared(statement).await.unwrap();
    }
    tx.commit().await.unwrap();
    db.close().await;
    let (text, good) = audit_check(&data, &[]);
    assert!(!good && text.contains("NOT intact. Entry 2 is the first"), "{text}");
    world.stop().await;
}
