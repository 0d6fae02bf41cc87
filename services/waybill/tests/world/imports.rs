//! A file on its way from the browser to the delivery list.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::{Browser, fixture};
use crate::harness::{World, until};
use crate::in_both_shapes;

const HEADER: &str =
    "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n";

pub fn csv(lines: &[&str]) -> Vec<u8> {
    format!("{HEADER}{}\n", lines.join("\n")).into_bytes()
}

async fn view(browser: &Browser, id: &str) -> Value {
    let query = "query Q($id: String!) { delivery(id: $id) { id customername scheduledatetime shipmentnumber \
                 linecount version deliverystatus items { itemNumber sku quantity } history { toStatus actorType } \
                 shipment { shipmentstatus deliveryCount openCount } } }";
    browser.data(query, json!({ "id": id })).await["delivery"].clone()
}

async fn total(browser: &Browser) -> u64 {
    let count = browser.data("query { deliveriesCount { total exact } }", json!({})).await;
    assert_eq!(count["deliveriesCount"]["exact"], json!(true));
    count["deliveriesCount"]["total"].as_u64().unwrap()
}

/// Imports a file from LibreOffice: the counts are right, times are in the organization's time zone, and
/// nothing is duplicated. `just long` imports a file of 10,000 deliveries. All other runs import one of
/// 1,000, which also takes several batches.
async fn a_whole_file(world: World, format: &str, line: &str) -> World {
    let deliveries = if kit::testing::long() { 10_000 } else { 1_000 };
    let lines = deliveries * 3;
    let file = &format!("deliveries-{deliveries}.{format}");
    let browser = world.admin().await;
    let ended = browser.import(file, fixture(file)).await;
    assert_eq!(ended.status, "imported", "{ended:?}");
    assert_eq!(
        (ended.total, ended.created, ended.deliveries, ended.items),
        (lines, lines, deliveries, lines)
    );
    assert!(ended.adds_up());
    assert_eq!(total(&browser).await, deliveries);

    let expected = fixture(&format!("deliveries-{deliveries}.expected.json"));
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    for spot in expected["spots"].as_array().unwrap() {
        let id = spot["delivery_id"].as_str().unwrap();
        let delivery = view(&browser, id).await;
        assert_eq!(delivery["scheduledatetime"], spot["scheduledatetime"], "{id}, {line} {}", spot[line]);
        assert_eq!(delivery["customername"], spot["customername"]);
        assert_eq!(delivery["shipmentnumber"], spot["shipmentnumber"]);
        let quantity = spot["quantity_thousandths"].as_f64().unwrap() / 1000.0;
        let items = delivery["items"].as_array().unwrap();
        assert_eq!(delivery["linecount"], items.len());
        assert!(
            items
                .iter()
                .any(|item| item["itemNumber"] == spot["item_number"] && item["quantity"] == json!(quantity)),
            "{id}: {items:?}"
        );
        assert_eq!(delivery["history"], json!([{ "toStatus": "Pending", "actorType": "import" }]));
    }

    let again = browser.import(file, fixture(file)).await;
    assert_eq!(
        (again.status.as_str(), again.skipped, again.deliveries, again.items),
        ("imported", lines, 0, 0)
    );
    assert_eq!(total(&browser).await, deliveries);
    world.settle().await;
    world
}

in_both_shapes!(a_whole_file_from_csv, |world| a_whole_file(world, "csv", "csv_line"));
in_both_shapes!(a_whole_file_from_xlsx, |world| a_whole_file(world, "xlsx", "xlsx_row"));

/// Returns all refused rows of an import, in the order of the file.
async fn refused_rows(browser: &Browser, id: &str) -> Vec<Value> {
    let query = "query Q($id: String!, $offset: Int!) { uploadRows(uploadLog: $id, page: { limit: 100, offset: $offset }) \
                 { rowNumber cells messages { column code text } } uploadRowsCount(uploadLog: $id) { total exact } }";
    let mut rows: Vec<Value> = Vec::new();
    loop {
        let data = browser.data(query, json!({ "id": id, "offset": rows.len() })).await;
        let found = data["uploadRows"].as_array().unwrap();
        rows.extend(found.clone());
        if found.len() < 100 {
            assert_eq!(data["uploadRowsCount"], json!({ "total": rows.len(), "exact": true }));
            return rows;
        }
    }
}

/// Changes a setting and waits until the upload service uses it.
async fn set(world: &World, browser: &Browser, id: &str, value: &str) {
    use sea_orm::{ConnectionTrait, Statement};
    let query =
        "mutation M($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { value } }";
    browser.data(query, json!({ "input": { "id": id, "value": value } })).await;
    let db = world.database(upload::NAME).await;
    let kept = format!("SELECT id FROM setting_copy WHERE id = '{id}' AND value = '{value}'");
    until("uploads know the setting", || async {
        let ask = Statement::from_string(db.read().get_database_backend(), kept.clone());
        db.read().query_one_raw(ask).await.unwrap().is_some()
    })
    .await;
    db.close().await;
}

/// Returns the columns and codes of messages, without their order.
fn named(messages: &Value) -> std::collections::BTreeSet<String> {
    let pair = |it: &Value| format!("{} {}", it["column"], it["code"]);
    messages.as_array().unwrap().iter().map(pair).collect()
}

/// How many good lines share a document with one of the two hundred bad lines.
const WITH_THEIR_DOCUMENT: u64 = 331;

async fn two_hundred_bad(world: World, file: &str, line: &str) -> World {
    let browser = world.admin().await;
    let ended = browser.import(file, fixture(file)).await;
    let failed = 200 + WITH_THEIR_DOCUMENT;
    assert_eq!((ended.status.as_str(), ended.failed), ("imported_with_errors", failed), "{ended:?}");
    assert_eq!(ended.created, ended.total - failed);
    assert!(ended.adds_up());

    let rows = refused_rows(&browser, &ended.id).await;
    let (with_document, rows): (Vec<Value>, Vec<Value>) =
        rows.into_iter().partition(|row| row["messages"][0]["code"] == "DOCUMENT_REFUSED");
    assert_eq!(with_document.len() as u64, WITH_THEIR_DOCUMENT);
    let expected: Value = serde_json::from_slice(&fixture("deliveries-200-bad.expected.json")).unwrap();
    let expected = expected.as_array().unwrap();
    assert_eq!(rows.len(), expected.len());
    for (row, wanted) in rows.iter().zip(expected) {
        assert_eq!(row["rowNumber"], wanted[line]);
        for message in row["messages"].as_array().unwrap() {
            assert!(!message["text"].as_str().unwrap().is_empty());
        }
        assert_eq!(named(&row["messages"]), named(&wanted["messages"]), "row {}", row["rowNumber"]);
    }
    world
}

in_both_shapes!(two_hundred_bad_lines_in_csv, |world| two_hundred_bad(
    world,
    "deliveries-200-bad.csv",
    "csv_line"
));
in_both_shapes!(two_hundred_bad_lines_in_xlsx, |world| two_hundred_bad(
    world,
    "deliveries-200-bad.xlsx",
    "xlsx_row"
));

in_both_shapes!(a_later_file_updates_what_is_pending, |world: World| async move {
    let browser = world.admin().await;
    let first = browser
        .import(
            "a.csv",
            csv(&[
                "DR-1,S-1,Aling Nena Store,2026-11-20 08:00,1,RICE-25,10",
                "DR-1,S-1,Aling Nena Store,2026-11-20 08:00,2,OIL-1,2.5",
                "DR-2,S-1,Mang Jose Hardware,2026-11-20 09:00,1,NAIL-1,100",
            ]),
        )
        .await;
    assert_eq!((first.created, first.deliveries, first.items), (3, 2, 3));
    assert_eq!(
        view(&browser, "dr-1").await["shipment"],
        json!({ "shipmentstatus": "Pending", "deliveryCount": 2, "openCount": 2 })
    );

    // The file has another shipment, another quantity, a further item, an unchanged line, a duplicate and a
    // contradiction. Without this setting, the contradiction would refuse all lines of its document.
    set(&world, &browser, "import-partial-documents", "true").await;
    let second = browser
        .import(
            "b.csv",
            csv(&[
                "dr-1,S-2,Aling Nena Store,2026-11-20 08:00,1,RICE-25,12",
                "DR-1,S-2,Aling Nena Store,2026-11-20 08:00,3,SOAP-1,4",
                "DR-2,S-1,Mang Jose Hardware,2026-11-20 09:00,1,NAIL-1,100",
                "DR-1,S-2,Aling Nena Store,2026-11-20 08:00,3,SOAP-1,4",
                "DR-1,S-2,Somebody Else,2026-11-20 08:00,3,SOAP-1,4",
            ]),
        )
        .await;
    assert_eq!((second.created, second.updated, second.skipped, second.failed), (0, 2, 2, 1), "{second:?}");
    let delivery = view(&browser, "DR-1").await;
    assert_eq!(delivery["id"], "DR-1", "the first spelling stays");
    assert_eq!((delivery["version"].as_u64(), delivery["linecount"].as_u64()), (Some(2), Some(3)));
    let items: Vec<_> =
        delivery["items"].as_array().unwrap().iter().map(|item| item["quantity"].as_f64().unwrap()).collect();
    assert_eq!(items, [12.0, 2.5, 4.0]);
    assert_eq!(delivery["shipment"]["deliveryCount"], json!(1), "it moved to the other shipment");
    assert_eq!(view(&browser, "DR-2").await["shipment"]["deliveryCount"], json!(1));
    assert_eq!(view(&browser, "DR-2").await["version"], json!(1));
    world
});

in_both_shapes!(a_delivery_that_moved_on_is_refused, |world: World| async move {
    let browser = world.admin().await;
    let db = world.database(deliveries::NAME).await;
    let zone = world.config.organization.zone();
    deliveries::seed::run(&db, &world.clock, zone, 500).await.unwrap();
    db.close().await;
    let query = "query { deliveries(page: { where: [{ key: \"deliverystatus\", operator: \"equals\", \
                 values: [\"Complete_No_Variance\"] }], limit: 1 }) { id shipmentnumber customername } }";
    let done = browser.data(query, json!({})).await["deliveries"][0].clone();
    let id = done["id"].as_str().unwrap();
    let ended = browser
        .import("late.csv", csv(&[&format!("{id},S-9,Somebody Else,2026-11-20 08:00,1,RICE-25,12")]))
        .await;
    assert_eq!((ended.status.as_str(), ended.failed), ("imported_with_errors", 1));
    let rows = browser
        .data(
            "query Q($id: String!) { uploadRows(uploadLog: $id) { deliveryId messages { code } } }",
            json!({ "id": ended.id }),
        )
        .await;
    assert_eq!(
        rows["uploadRows"],
        json!([{ "deliveryId": id, "messages": [{ "code": "DELIVERY_MOVED_ON" }] }])
    );
    assert_eq!(view(&browser, id).await["customername"], done["customername"]);
    world
});

in_both_shapes!(what_cannot_be_imported_is_refused_in_words, |world: World| async move {
    let browser = world.admin().await;
    let fields = |answer: &Value| answer["error"].as_str().unwrap_or_default().to_owned();

    let (status, answer) = browser.start_import("/objects/imports/made-up.csv", "a.csv", "").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
    assert!(fields(&answer).contains("not uploaded"), "{answer}");
    for url in
        ["", "http://169.254.169.254/latest", "/objects/../secrets/link_key", "/objects/imports/%2e%2e/x"]
    {
        assert_eq!(browser.start_import(url, "a.csv", "").await.0, StatusCode::BAD_REQUEST, "{url}");
    }
    let url = browser.put_file("a.csv", csv(&["DR-1,S-1,A,2026-11-20 08:00,1,X,1"])).await;
    let unknown = kit::clock::new_id().to_string();
    assert_eq!(browser.start_import(&url, "a.csv", &unknown).await.0, StatusCode::BAD_REQUEST);
    let (_, first) = browser.start_import(&url, "a.csv", "").await;
    let (_, again) = browser.start_import(&url, "a.csv", "").await;
    assert_eq!(first["uploadLog"], again["uploadLog"], "the same object is the same import");
    let (status, other) = browser.start_import(&url, "b.csv", "").await;
    assert_eq!((status, other["code"].as_str()), (StatusCode::BAD_REQUEST, Some("BAD_USER_INPUT")));
    browser.ended(first["uploadLog"].as_str().unwrap()).await;

    for (name, bytes, code) in [
        ("empty.csv", Vec::new(), "FILE_EMPTY"),
        ("photo.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "FILE_TYPE_UNKNOWN"),
        ("headings.csv", HEADER.into(), "FILE_NO_ROWS"),
    ] {
        let ended = browser.import(name, bytes).await;
        assert_eq!((ended.status.as_str(), ended.failure.as_deref()), ("failed", Some(code)), "{name}");
        assert_eq!(ended.total, 0);
    }
    world
});

in_both_shapes!(somebody_elses_file_cannot_be_imported, |world: World| async move {
    let admin = world.admin().await;
    let url = admin.put_file("a.csv", csv(&["DR-1,S-1,A,2026-11-20 08:00,1,X,1"])).await;
    let other = admin.signed_in_user("dina", &["dispatcher"]).await;
    assert_eq!(other.start_import(&url, "a.csv", "").await.0, StatusCode::BAD_REQUEST);
    assert_eq!(admin.start_import(&url, "a.csv", "").await.0, StatusCode::OK);
    world
});

in_both_shapes!(a_file_that_was_replaced_is_not_gone_on_with, |world: World| async move {
    use sea_orm::ConnectionTrait;
    let browser = world.admin().await;
    let ended = browser.import("a.csv", csv(&["DR-1,S-1,A,2026-11-20 08:00,1,X,1"])).await;
    assert_eq!(ended.status, "imported");
    // Create the leftovers of an importer that died while it was reading another file.
    let db = world.database(upload::NAME).await;
    let tx = db.begin().await.unwrap();
    for sql in [
        "UPDATE upload_log SET status = 'importing', sha256 = 'of another file'",
        "UPDATE job SET state = 'waiting', finished_at = NULL",
    ] {
        tx.execute_unprepared(sql).await.unwrap();
    }
    tx.commit().await.unwrap();
    db.close().await;
    let ended = browser.ended(&ended.id).await;
    assert_eq!((ended.status.as_str(), ended.failure.as_deref()), ("failed", Some("FILE_CHANGED")));
    assert_eq!((ended.total, total(&browser).await), (1, 1), "nothing more was imported");
    world
});

in_both_shapes!(refused_rows_come_back_mended_and_overwrite_nobody, |world: World| async move {
    let browser = world.admin().await;
    let header = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,SKU,Quantity,Plate No.";
    let file = |lines: &[&str]| format!("{header}\n{}\n", lines.join("\n")).into_bytes();
    set(&world, &browser, "import-partial-documents", "true").await;
    let lines = [
        "DR-1,S-1,Aling Nena Store,23/11/2026 08:00,S1,1,ABC-1",
        "DR-1,S-1,Aling Nena Store,23/11/2026 08:00,S2,two,ABC-1",
        "DR-1,S-1,Aling Nena Store,23/11/2026 08:00,S3,3,ABC-1",
        "DR-2,S-1,Aling Nena Store,05/12/2026 08:00,S1,two,ABC-1",
    ];
    let ended = browser.import("a.csv", file(&lines)).await;
    assert_eq!((ended.created, ended.failed), (2, 2), "{ended:?}");
    let log = browser
        .data(
            "query Q($id: String!) { uploadLog(id: $id) { warnings headings columns { heading reading } } \
             uploadWarnings(uploadLog: $id) { line column code } }",
            json!({ "id": ended.id }),
        )
        .await;
    assert_eq!(
        log["uploadWarnings"],
        json!([{ "line": null, "column": "Plate No.", "code": "HEADING_NOT_USED" }])
    );
    assert_eq!(
        log["uploadLog"]["columns"],
        json!([{ "heading": "Dispatch Date and Time", "reading": "day_first" }])
    );

    // Correct the rows as a person corrects the download: the cells are under their headings, and two columns
    // are added.
    let rows = refused_rows(&browser, &ended.id).await;
    let mut mended = format!("{header},Refused row,Refused because\n");
    for row in &rows {
        let cells: Vec<&str> =
            row["cells"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        mended += &format!("{},{},why\n", cells.join(",").replace(",two,", ",2,"), row["rowNumber"]);
    }
    let again = browser.import("a-refused-rows.csv", mended.into_bytes()).await;
    assert_eq!((again.status.as_str(), again.failed, again.total), ("imported", 0, 2), "{again:?}");
    let items = view(&browser, "DR-1").await["items"].clone();
    let of = |item: &Value| (item["sku"].as_str().unwrap().to_owned(), item["quantity"].as_f64().unwrap());
    let mut items: Vec<_> = items.as_array().unwrap().iter().map(of).collect();
    items.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(items, [("S1".into(), 1.0), ("S2".into(), 2.0), ("S3".into(), 3.0)]);
    // Without the other dates of the first file, 05/12 would be the twelfth of May.
    assert_eq!(view(&browser, "DR-2").await["scheduledatetime"], "2026-12-05T00:00:00Z");
    world
});
