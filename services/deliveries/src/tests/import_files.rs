//! Imported files: what they must not overwrite, deliveries that are imported as a whole or refused, and
//! unknown drivers.

use std::time::Duration;

use ::store::{Db, on_both};
use kit::clock::new_id;
use kit::principal::Principal;
use kit::{Result, Role};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use sea_orm::{ConnectionTrait, EntityTrait, QuerySelect};

use super::default_source;
use super::invariants::{holds, record, shipments_hold};
use super::office::*;
use crate::Migrator;
use crate::entity::customer;

use ImportAction::{Created, Refused, Skipped, Updated};

/// Returns a line of a file without item numbers. `place` is its place among the lines of its delivery.
fn line(number: u32, delivery: &str, place: u32, sku: &str, quantity: i64) -> ImportRow {
    ImportRow {
        line: number,
        delivery_id: delivery.into(),
        shipmentnumber: "S-1".into(),
        customername: "Aling Nena Store".into(),
        scheduledatetime: Some(proto::timestamp(at(0))),
        item: Some(ImportItem {
            item_number: place.to_string(),
            sku: Some(sku.into()),
            quantity_thousandths: quantity,
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn file(rows: Vec<ImportRow>) -> ImportDeliveriesRequest {
    ImportDeliveriesRequest {
        upload_log_id: new_id().to_string(),
        uploaded_by: "maria".into(),
        rows,
        ..Default::default()
    }
}

fn actions(answer: &ImportDeliveriesResponse) -> Vec<ImportAction> {
    answer.rows.iter().map(|row| row.action()).collect()
}

impl Office {
    async fn import_file(&self, request: ImportDeliveriesRequest) -> Result<ImportDeliveriesResponse> {
        let source_id = default_source(&self.context.db).await;
        let principal = Principal::Service { name: "upload".into() };
        let request = ImportDeliveriesRequest { source_id, ..request };
        told(self.service().import_deliveries(sent(principal, request)).await)
    }

    async fn articles(&self, id: &str) -> Vec<(String, String, i64)> {
        let items = self.items(id).await.into_iter();
        items.map(|it| (it.item_number, it.sku.unwrap_or_default(), it.quantity_thousandths)).collect()
    }
}

on_both!(a_mended_line_never_overwrites_another_article, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    // Validation refused the file's second line, so it was never sent.
    let rows = [(2, 1, "S1", 1_000), (4, 3, "S3", 3_000), (5, 4, "S4", 4_000)];
    let rows = rows.map(|(number, place, sku, quantity)| line(number, "DR-1", place, sku, quantity));
    let answer = office.import_file(file(rows.to_vec())).await.unwrap();
    assert_eq!(actions(&answer), [Created, Created, Created]);
    let answer = office.import_file(file(vec![line(2, "DR-1", 1, "S2", 2_000)])).await.unwrap();
    assert_eq!((actions(&answer), answer.items_created), (vec![Updated], 1));
    let wanted = [("1", "S1", 1_000), ("2", "S2", 2_000), ("3", "S3", 3_000), ("4", "S4", 4_000)];
    let wanted = wanted.map(|(number, sku, quantity)| (number.to_owned(), sku.to_owned(), quantity));
    assert_eq!(office.articles("DR-1").await, wanted);
    holds(&db, "DR-1").await;
    let changes = record(&db, "DR-1").await.remove(&2).unwrap();
    assert!(
        changes.iter().all(|it| it.item_number.as_deref() == Some("2") && it.before.is_none()),
        "{changes:?}"
    );
});

on_both!(a_document_is_imported_whole_or_marked, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let rows = || {
        let bad = ImportRow { customername: "Another Store".into(), ..line(3, "DR-1", 2, "S2", 2_000) };
        vec![line(2, "DR-1", 1, "S1", 1_000), bad, line(4, "DR-2", 1, "S1", 1_000)]
    };
    let whole = ImportDeliveriesRequest { whole_documents: true, ..file(rows()) };
    let answer = office.import_file(whole).await.unwrap();
    assert_eq!(actions(&answer), [Refused, Refused, Created]);
    assert_eq!(answer.rows[0].text, "row 3 of this document was refused");
    let error = told(
        office
            .service()
            .get_delivery(by(Role::Admin, GetDeliveryRequest { id: "DR-1".into(), ..Default::default() }))
            .await,
    );
    assert_eq!(error.unwrap_err().reason, "DELIVERY_NOT_FOUND");

    let part = file(rows());
    let upload = part.upload_log_id.clone();
    let answer = office.import_file(part).await.unwrap();
    assert_eq!(actions(&answer), [Created, Refused, Skipped]);
    assert_eq!(office.get("DR-1").await.incomplete_upload_log_id, Some(upload.clone()));
    assert_eq!(office.get("DR-2").await.incomplete_upload_log_id, None);
    // Importing the remaining lines clears the mark of an incomplete import and leaves an edit record.
    let answer = office.import_file(file(vec![line(2, "DR-1", 1, "S2", 2_000)])).await.unwrap();
    assert_eq!(actions(&answer), [Updated]);
    let delivery = office.get("DR-1").await;
    assert_eq!((delivery.incomplete_upload_log_id, delivery.version), (None, 2));
    let changes = record(&db, "DR-1").await.remove(&2).unwrap();
    let mark = changes.iter().find(|it| it.field == "incompleteUploadLogId").unwrap();
    assert_eq!((mark.before.as_ref(), mark.after.as_ref()), (Some(&upload), None));

    // Editing the items clears the mark of an incomplete import, too.
    let incomplete = ImportRow { document_incomplete: true, ..line(2, "DR-3", 1, "S1", 1_000) };
    office.import_file(file(vec![incomplete])).await.unwrap();
    let delivery = office.get("DR-3").await;
    assert!(delivery.incomplete_upload_log_id.is_some());
    let request = CreateDeliveryItemRequest {
        delivery_id: "DR-3".into(),
        version: delivery.version,
        item: Some(item("2", 1_000)),
    };
    let edited = told(office.service().create_delivery_item(by(Role::Dispatcher, request)).await).unwrap();
    assert_eq!(edited.incomplete_upload_log_id, None);
    for id in ["DR-1", "DR-2", "DR-3"] {
        holds(&db, id).await;
    }
    shipments_hold(&db).await;
});

on_both!(a_customer_gets_the_first_email_and_address_of_a_file, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let with = |row: ImportRow, email: &str, address: &str| ImportRow {
        customer_email: Some(email.into()),
        customeraddress: Some(address.into()),
        ..row
    };
    let rows = vec![
        line(2, "DR-1", 1, "S1", 1_000),
        with(line(3, "DR-2", 1, "S1", 1_000), "nena@store.example", "12 Mabini St"),
        with(line(4, "DR-3", 1, "S1", 1_000), "other@store.example", "1 Rizal Ave"),
    ];
    office.import_file(file(rows)).await.unwrap();
    let customer = async |name: &str| {
        let row = crate::queries::customers::get(&db, name).await.unwrap();
        (row.customer_email, row.customer_address, row.version, row.updated_by)
    };
    let nena = (Some("nena@store.example".to_owned()), "12 Mabini St".to_owned(), 1, "maria".to_owned());
    assert_eq!(customer("Aling Nena Store").await, nena);

    // A later file fills what is still empty, and replaces nothing.
    let other = |row: ImportRow| ImportRow { customername: "Other Store".into(), ..row };
    office.import_file(file(vec![other(line(2, "DR-4", 1, "S1", 1_000))])).await.unwrap();
    assert_eq!(customer("Other Store").await, (None, String::new(), 1, "maria".to_owned()));
    let rows = vec![
        with(other(line(2, "DR-5", 1, "S1", 1_000)), "other@store.example", "1 Rizal Ave"),
        with(line(3, "DR-6", 1, "S1", 1_000), "new@store.example", "99 Rizal Ave"),
    ];
    let later = ImportDeliveriesRequest { uploaded_by: "ana".into(), ..file(rows) };
    office.import_file(later).await.unwrap();
    let filled = (Some("other@store.example".to_owned()), "1 Rizal Ave".to_owned(), 2, "ana".to_owned());
    assert_eq!(customer("Other Store").await, filled);
    assert_eq!(customer("Aling Nena Store").await, nena);
});

on_both!(a_file_waits_for_no_customer_that_it_has_nothing_for, Migrator, |db: Db| async move {
    if !db.is_postgres() {
        // SQLite locks no rows.
        return;
    }
    let office = Office::open(&db);
    let with_address = |row: ImportRow| ImportRow { customeraddress: Some("12 Mabini St".to_owned()), ..row };
    office.import_file(file(vec![with_address(line(2, "DR-1", 1, "S1", 1_000))])).await.unwrap();
    let holder = db.begin().await.unwrap();
    customer::Entity::find().lock_exclusive().all(&*holder).await.unwrap();
    let again = office.import_file(file(vec![with_address(line(2, "DR-2", 1, "S1", 1_000))]));
    tokio::time::timeout(Duration::from_secs(10), again).await.expect("only its email is empty").unwrap();
    holder.commit().await.unwrap();
});

on_both!(drivers_whom_nobody_knows_are_warned_about, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let by_driver = |number: u32, driver: &str| ImportRow {
        driver_id: Some(driver.into()),
        ..line(number, &format!("DR-{number}"), 1, "S1", 1_000)
    };
    // While the drivers service has sent no driver, every driver id is accepted unless unknown ones are refused.
    let refusing =
        ImportDeliveriesRequest { refuse_unknown_drivers: true, ..file(vec![by_driver(9, "D-9")]) };
    let answer = office.import_file(refusing).await.unwrap();
    assert_eq!((actions(&answer), answer.rows[0].code.as_str()), (vec![Refused], "DRIVER_UNKNOWN"));
    let answer = office.import_file(file(vec![by_driver(9, "D-9")])).await.unwrap();
    assert_eq!((actions(&answer), answer.warnings.len()), (vec![Created], 0));
    office.hears("D-1", "active", 1).await.unwrap();
    office.hears("D-2", "blocked", 1).await.unwrap();
    let rows = || vec![by_driver(2, "d-1"), by_driver(3, "D-7"), by_driver(4, "D-2")];

    let strict = ImportDeliveriesRequest { refuse_unknown_drivers: true, ..file(rows()) };
    let answer = office.import_file(strict).await.unwrap();
    assert_eq!(actions(&answer), [Created, Refused, Refused]);
    let codes: Vec<&str> = answer.rows.iter().map(|row| row.code.as_str()).collect();
    assert_eq!((codes, answer.warnings.len()), (vec!["", "DRIVER_UNKNOWN", "DRIVER_BLOCKED"], 0));

    let answer = office.import_file(file(rows())).await.unwrap();
    assert_eq!(actions(&answer), [Skipped, Created, Created]);
    let told: Vec<(u32, &str, &str)> =
        answer.warnings.iter().map(|it| (it.line, it.column.as_str(), it.code.as_str())).collect();
    assert_eq!(told, [(3, "Driver ID", "DRIVER_UNKNOWN"), (4, "Driver ID", "DRIVER_BLOCKED")]);
    assert_eq!(office.get("DR-3").await.driver_id.as_deref(), Some("D-7"), "an unknown one is kept");
    assert_eq!(office.get("DR-4").await.driver_id, None, "nobody is assigned for a blocked one");
    let skipping = ImportDeliveriesRequest { mode: ImportMode::SkipExisting.into(), ..file(rows()) };
    let answer = office.import_file(skipping).await.unwrap();
    assert_eq!((actions(&answer), answer.warnings.len()), (vec![Skipped; 3], 0), "their drivers stay");
});

on_both!(a_file_joins_shipments_as_they_are, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let rows =
        |range: std::ops::Range<u32>| range.map(|n| line(n, &format!("DR-{n}"), 1, "S1", 1_000)).collect();
    office.import_file(file(rows(2..5))).await.unwrap();
    shipments_hold(&db).await;
    for id in ["DR-2", "DR-3", "DR-4"] {
        office
            .record(Role::Admin, outcome(id, Some(DeliveryStatus::CompleteNoVariance), vec![]))
            .await
            .unwrap();
    }
    assert_eq!(office.shipment("S-1").await.unwrap().shipmentstatus(), ShipmentStatus::Completed);
    // Deliveries with an earlier dispatch join the shipment; then two are postponed, and one leaves.
    let earlier = |row: ImportRow| ImportRow { scheduledatetime: Some(proto::timestamp(at(-60))), ..row };
    let joining: Vec<ImportRow> = rows(5..8);
    office.import_file(file(joining.into_iter().map(earlier).collect())).await.unwrap();
    assert_eq!(office.shipment("S-1").await.unwrap().shipmentstatus(), ShipmentStatus::Partial);
    shipments_hold(&db).await;
    office.import_file(file(rows(5..7))).await.unwrap();
    shipments_hold(&db).await;
    let leaving = ImportRow { shipmentnumber: "S-2".into(), ..line(7, "DR-7", 1, "S1", 1_000) };
    office.import_file(file(vec![leaving])).await.unwrap();
    shipments_hold(&db).await;

    // A shipment that deliveries only join is not recounted for each batch.
    let tx = db.begin().await.unwrap();
    let many = "UPDATE shipment SET delivery_count = 90000 WHERE shipmentnumber_key = 's-1'";
    tx.execute_unprepared(many).await.unwrap();
    tx.commit().await.unwrap();
    office.import_file(file(rows(20..22))).await.unwrap();
    assert_eq!(office.shipment("S-1").await.unwrap().delivery_count, 90_002);
});

on_both!(a_delivery_with_thousands_of_imported_lines_can_be_counted, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let rows = (1..=1_500).map(|n| line(n + 1, "DR-1", n, &format!("S{n}"), 1_000)).collect();
    office.import_file(file(rows)).await.unwrap();
    let counted = |n: u32| {
        count(&n.to_string(), if n == 7 { 0 } else { 1_000 }, 0, (n == 7).then_some("short_shipped"))
    };
    let lines: Vec<LineCount> = (1..=1_500).map(counted).collect();
    let done = office.record(Role::Admin, outcome("DR-1", None, lines.clone())).await.unwrap();
    assert_eq!(done.deliverystatus(), DeliveryStatus::CompleteWithVariance);
    let mut more = lines;
    more.push(count("1501", 1_000, 0, None));
    office.create("DR-2", "S-1", two_items()).await;
    let error = office.record(Role::Admin, outcome("DR-2", None, more)).await.unwrap_err();
    assert!(error.fields["lines"][0].contains("no more than the 2"), "{error:?}");
});
