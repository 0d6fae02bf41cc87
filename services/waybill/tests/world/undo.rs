//! A wrong file is checked, imported, and undone.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{World, until};
use crate::in_both_shapes;

const HEAD: &str =
    "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n";

fn csv(lines: &[&str]) -> Vec<u8> {
    format!("{HEAD}{}\n", lines.join("\n")).into_bytes()
}

async fn start(browser: &Browser, query: &[(&str, &str)], key: &str) -> (StatusCode, Value) {
    let mut request =
        browser.http.post(browser.url("/upload-deliveries")).query(query).headers(browser.bearer());
    if !key.is_empty() {
        request = request.header("idempotency-key", key);
    }
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

async fn undo(browser: &Browser, id: &str, dry_run: bool) -> (StatusCode, Value) {
    let dry_run = if dry_run { "&dryRun=true" } else { "" };
    let answer = browser.post(&format!("/undo-uploaded-deliveries?uploadLog={id}{dry_run}"), json!({})).await;
    (answer.status(), answer.json().await.unwrap())
}

async fn log(browser: &Browser, id: &str) -> Value {
    let query = "query Q($id: String!) { uploadLog(id: $id) { status mode rowsCreated rowsUpdated rowsSkipped rowsFailed \
                 undoAllowed undoneBy undoReport { reversed kept errored total } } uploadChanges(uploadLog: $id) \
                 { deliveryId field before after } undoExceptions(uploadLog: $id) { deliveryId result code touchedBy } }";
    browser.data(query, json!({ "id": id })).await
}

async fn reaches(browser: &Browser, id: &str, status: &str) -> Value {
    until(status, || async { log(browser, id).await["uploadLog"]["status"] == status }).await;
    log(browser, id).await
}

in_both_shapes!(a_wrong_file_is_taken_back, |world: World| async move {
    let admin = world.admin().await;
    let maria = admin.signed_in_user("maria", &["dispatcher"]).await;
    let ben = admin.signed_in_user("ben", &["dispatcher"]).await;
    maria.import("before.csv", csv(&["OLD-1,S-1,Acme,2026-11-22 08:30,1,SKU-1,5"])).await;

    // The file is checked first, which changes nothing.
    let lines = [
        "OLD-1,S-1,Acme,2026-11-22 08:30,1,SKU-1,9",
        "NEW-1,S-1,Acme,2026-11-22 08:30,1,SKU-1,1",
        "NEW-2,S-1,Acme,2026-11-22 08:30,1,SKU-1,1",
    ];
    let url = maria.put_file("wrong.csv", csv(&lines)).await;
    let asked = [("url", url.as_str()), ("filename", "wrong.csv"), ("sourceId", ""), ("dryRun", "true")];
    let (_, first) = start(&maria, &asked, "check-1").await;
    let (_, again) = start(&maria, &asked, "check-1").await;
    assert_eq!((&first["ok"], &first), (&json!(true), &again));
    let other = [("url", url.as_str()), ("filename", "wrong.csv"), ("sourceId", ""), ("mode", "create_only")];
    let (status, refused) = start(&maria, &other, "check-1").await;
    assert_eq!((status, &refused["ok"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!(false)), "{refused}");
    let id = first["uploadLog"].as_str().unwrap().to_owned();
    let checked = reaches(&maria, &id, "validated").await;
    assert_eq!(
        (&checked["uploadLog"]["rowsCreated"], &checked["uploadLog"]["rowsUpdated"]),
        (&json!(2), &json!(1))
    );
    let change = json!([{ "deliveryId": "OLD-1", "field": "quantity", "before": "5", "after": "9" }]);
    assert_eq!(checked["uploadChanges"], change);
    assert_eq!(quantity(&maria, "OLD-1").await, json!(5.0));

    let commit = "mutation M($input: CommitUploadInput!) { commitUpload(input: $input) { status } }";
    maria.data(commit, json!({ "input": { "id": id } })).await;
    let imported = reaches(&maria, &id, "imported").await;
    assert_eq!(imported["uploadLog"]["undoAllowed"], true);
    assert_eq!(log(&ben, &id).await["uploadLog"]["undoAllowed"], false);
    assert_eq!(quantity(&maria, "OLD-1").await, json!(9.0));

    // Before the undo, somebody changes one of the deliveries.
    let outcome = json!({ "deliveryId": "NEW-2", "clientEventId": kit::clock::new_id(), "status": "Undelivered",
                          "outcomeReason": "recipient_absent", "outcomeNote": "Gate was closed" });
    let record = "mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { version } }";
    ben.data(record, json!({ "input": outcome })).await;
    assert_eq!(undo(&ben, &id, false).await.0, StatusCode::FORBIDDEN);
    let (_, counts) = undo(&maria, &id, true).await;
    assert_eq!((&counts["reversed"], &counts["kept"], &counts["failed"]), (&json!(2), &json!(1), &json!(0)));
    assert_eq!(undo(&maria, &id, false).await.0, StatusCode::OK);
    let undone = reaches(&maria, &id, "partly_undone").await;
    let report = json!({ "reversed": 2, "kept": 1, "errored": 0, "total": 3 });
    assert_eq!(
        (&undone["uploadLog"]["undoReport"], &undone["uploadLog"]["undoneBy"]),
        (&report, &json!("maria"))
    );
    let kept =
        json!([{ "deliveryId": "NEW-2", "result": "kept", "code": "DELIVERY_TOUCHED", "touchedBy": "ben" }]);
    assert_eq!(undone["undoExceptions"], kept);
    assert_eq!(quantity(&maria, "OLD-1").await, json!(5.0));
    assert_eq!(quantity(&maria, "NEW-1").await, Value::Null);
    assert_eq!(quantity(&maria, "NEW-2").await, json!(1.0));
    assert_eq!(undo(&maria, &id, false).await.0, StatusCode::CONFLICT, "it works once");
    world
});

in_both_shapes!(columns_with_other_names_are_matched_once, |world: World| async move {
    let admin = world.admin().await;
    let file = |doc: &str| format!("Beleg,Tour,Kunde,Wann\n{doc},S-1,Acme,2026-11-22 08:30\n");
    let first = admin.import("first.csv", file("MAP-1")).await;
    assert_eq!((first.status.as_str(), first.total), ("needs_mapping", 0));
    let query = "query Q($id: String!) { importMapping(uploadLog: $id) { headerLine columns { heading examples field } } }";
    let mapping = admin.data(query, json!({ "id": first.id })).await["importMapping"].clone();
    assert_eq!((&mapping["headerLine"], &mapping["columns"][0]["examples"]), (&json!(1), &json!(["MAP-1"])));
    let save = "mutation M($input: SaveImportMappingInput!) { saveImportMapping(input: $input) { status } }";
    let input =
        |fields: Value| json!({ "input": { "uploadLog": first.id, "headerLine": 1, "fields": fields } });
    let (_, code) = admin.refused(save, input(json!(["delivery_id", null, null, null]))).await;
    assert_eq!(code, "INVALID_FIELDS");
    let fields = json!(["delivery_id", "shipmentnumber", "customername", "scheduledatetime"]);
    admin.data(save, input(fields)).await;
    let ended = admin.ended(&first.id).await;
    assert_eq!((ended.status.as_str(), ended.created), ("imported", 1), "{ended:?}");
    let second = admin.import("second.csv", file("MAP-2")).await;
    assert_eq!((second.status.as_str(), second.created), ("imported", 1), "{second:?}");
    world
});

in_both_shapes!(unknown_values_are_matched_before_the_import, |world: World| async move {
    let admin = world.admin().await;
    admin.import("before.csv", csv(&["OLD-1,S-1,Aling Nena Store,2026-11-22 08:30,1,SKU-1,5"])).await;
    let lines = [
        "NEW-1,S-1,Aling Nena Stroe,2026-11-22 08:30,1,SKU-1,1",
        "NEW-2,S-1,Zenith,2026-11-22 08:30,1,SKU-1,1",
    ];
    let url = admin.put_file("a.csv", csv(&lines)).await;
    let asked = [("url", url.as_str()), ("filename", "a.csv"), ("sourceId", ""), ("dryRun", "true")];
    let id = start(&admin, &asked, "").await.1["uploadLog"].as_str().unwrap().to_owned();
    reaches(&admin, &id, "validated").await;
    let query = "query Q($id: String!) { importValues(uploadLog: $id) { values { field value rows suggestions { name } choice } } }";
    let found = admin.data(query, json!({ "id": id })).await["importValues"]["values"].clone();
    let similar = json!([{ "name": "Aling Nena Store" }]);
    let wanted = json!([
        { "field": "customer", "value": "Aling Nena Stroe", "rows": 1, "suggestions": similar, "choice": null },
        { "field": "customer", "value": "Zenith", "rows": 1, "suggestions": [], "choice": null },
    ]);
    assert_eq!(found, wanted);
    let save = "mutation M($input: MatchImportValuesInput!) { matchImportValues(input: $input) { valuesUndecided } }";
    let matched = |target: &str| {
        let value =
            json!({ "field": "customer", "value": "Aling Nena Stroe", "choice": "use", "target": target });
        json!({ "input": { "uploadLog": id, "values": [value] } })
    };
    assert_eq!(admin.refused(save, matched("Nobody")).await.1, "INVALID_FIELDS");
    let saved = admin.data(save, matched("aling nena store")).await;
    assert_eq!(saved["matchImportValues"]["valuesUndecided"], json!(1));
    let again = "mutation M($id: String!) { checkImportAgain(input: { id: $id }) { status } }";
    admin.data(again, json!({ "id": id })).await;
    reaches(&admin, &id, "validated").await;
    let commit = "mutation M($id: String!) { commitUpload(input: { id: $id }) { status } }";
    admin.data(commit, json!({ "id": id })).await;
    assert_eq!(admin.ended(&id).await.created, 2);
    let query = "query Q { first: delivery(id: \"NEW-1\") { customername } second: delivery(id: \"NEW-2\") { customername } customersCount { total } }";
    let stored = admin.data(query, json!({})).await;
    let names = (&stored["first"]["customername"], &stored["second"]["customername"]);
    assert_eq!(names, (&json!("Aling Nena Store"), &json!("Zenith")));
    assert_eq!(stored["customersCount"]["total"], json!(2), "no customer was made of a misspelled name");
    world
});

/// Returns the quantity of a delivery's first item, or null if there is no such delivery.
async fn quantity(browser: &Browser, id: &str) -> Value {
    let query = "query Q($id: String!) { delivery(id: $id) { items { quantity } } }";
    browser.data(query, json!({ "id": id })).await["delivery"]["items"][0]["quantity"].clone()
}
