//! Files with unknown headers: a person decides, once per header.

use ::store::{Db, on_both};
use kit::Error;
use kit::principal::Role;
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::books::{Sheet, xlsx};
use super::undo::by;
use super::world::World;
use crate::Migrator;
use crate::entity::upload_log::{self, Status};

const FILE: &str = "Orders of Monday\nBeleg,Tour,Customer,Datum,Colour\nA,S-1,Acme,2026-11-23,red\nB,S-1,Acme,2026-11-23,blue\n";

impl World {
    async fn decide(&self, id: Uuid, fields: &[&str]) -> Result<UploadLog, Error> {
        let fields = fields.iter().map(|name| (*name).to_owned()).collect();
        let request = SaveMappingRequest {
            id: id.to_string(),
            header_line: 2,
            fields,
            ..SaveMappingRequest::default()
        };
        let answer = self.service().save_mapping(by("maria", Role::Dispatcher, request)).await;
        answer.map(tonic::Response::into_inner).map_err(Error::from)
    }

    async fn mapping(&self, id: Uuid, role: Role, header_line: u32) -> Result<UploadMapping, Error> {
        let request = GetMappingRequest { id: id.to_string(), header_line, ..GetMappingRequest::default() };
        let answer = self.service().get_mapping(by("maria", role, request)).await;
        answer.map(tonic::Response::into_inner).map_err(Error::from)
    }
}

const DECIDED: [&str; 5] = ["delivery_id", "shipmentnumber", "customername", "scheduledate", ""];

on_both!(a_header_that_is_not_understood_waits_for_a_decision, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", FILE).await;
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total, log.failure_code.as_deref()), (Status::NeedsMapping, 0, None));
    assert!(!world.attempt().await, "nothing is done meanwhile");

    assert!(world.mapping(id, Role::Viewer, 0).await.is_err());
    let mapping = world.mapping(id, Role::Dispatcher, 0).await.unwrap();
    assert_eq!((mapping.header_line, mapping.rows.len(), mapping.fields.len()), (2, 4, 26));
    let columns: Vec<(&str, &str)> =
        mapping.columns.iter().map(|it| (it.heading.as_str(), it.field.as_str())).collect();
    let proposed = [("Beleg", ""), ("Tour", ""), ("Customer", "customername"), ("Datum", ""), ("Colour", "")];
    assert_eq!(columns, proposed);
    assert_eq!(mapping.columns[0].examples, ["A", "B"]);
    assert_eq!(world.mapping(id, Role::Dispatcher, 1).await.unwrap().columns[0].heading, "Orders of Monday");

    let refused = world.decide(id, &["delivery_id", "", "", "", ""]).await.unwrap_err();
    assert!(refused.message.contains("Shipment no."), "{refused}");
    assert_eq!(world.decide(id, &DECIDED).await.unwrap().status(), UploadStatus::Uploaded);
    assert_eq!(world.decide(id, &DECIDED).await.unwrap_err().reason, "MAPPING_NOT_NEEDED");
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created), (Status::Imported, 2));
    let sent = world.deliveries.requests().remove(0);
    assert_eq!((sent.rows[0].delivery_id.as_str(), sent.rows[0].shipmentnumber.as_str()), ("A", "S-1"));
    assert_eq!(world.warnings(id).await, ["HEADING_NOT_USED"]);

    // Another file has the same header in another spelling, so nobody is asked.
    let again = FILE.replace("Beleg,Tour", "BELEG, tour ").replace("A,S-1", "C,S-1");
    let id = world.upload("b.csv", &again).await;
    assert!(world.attempt().await);
    assert_eq!((world.log(id).await.status, world.log(id).await.rows_created), (Status::Imported, 2));
});

on_both!(a_check_that_had_to_ask_stays_a_check, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", FILE).await;
    // Turn the import into a dry run, which has its own status and job.
    let tx = db.begin().await.unwrap();
    upload_log::Entity::update_many()
        .col_expr(upload_log::Column::Status, Expr::value(Status::Checking))
        .col_expr(upload_log::Column::JobId, Expr::value(id))
        .filter(upload_log::Column::Id.eq(id))
        .exec(&*tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::NeedsMapping);
    assert_eq!(world.decide(id, &DECIDED).await.unwrap().status(), UploadStatus::Checking);
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Validated);
    assert!(world.deliveries.requests().iter().all(|it| it.dry_run));
});

on_both!(what_nobody_can_decide_fails_as_before, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", "").await;
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.failure_code.as_deref()), (Status::Failed, Some("FILE_EMPTY")));
});

// The headings have no Latin letters.
on_both!(a_decision_is_not_used_for_another_order_of_columns, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = |headings: &str, row: &str| format!("Orders\n{headings}\n{row}\n");
    let first = "Накладная,Рейс,Клиент,Дата,Цвет";
    let id = world.upload("a.csv", &file(first, "A,S-1,Acme,2026-11-23,red")).await;
    assert!(world.attempt().await);
    world.decide(id, &DECIDED).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported);

    let exchanged = "Накладная,Клиент,Рейс,Дата,Цвет";
    let id = world.upload("b.csv", &file(exchanged, "B,Acme,S-1,2026-11-23,red")).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::NeedsMapping);

    let id = world.upload("c.csv", &file(&first.to_uppercase(), "C,S-1,Acme,2026-11-23,red")).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported);
});

on_both!(a_checked_file_is_checked_again_in_a_new_time_zone, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = "Delivery Doc,Shipment,Customer,Dispatch Date and Time\nA,S-1,Acme,2026-11-23 08:30\n";
    let id = world.upload_as("a.csv", file.into(), true, false).await;
    assert!(world.attempt().await);
    world.set("organization-time-zone", "Asia/Manila").await;
    let commit = by("ben", Role::Dispatcher, CommitImportRequest { id: id.to_string() });
    let refused = Error::from(world.service().commit_import(commit).await.unwrap_err());
    assert_eq!(refused.reason, "TIME_ZONE_CHANGED");
    let text = "The time zone is Asia/Manila now; the file was read in UTC. Check it again.";
    assert_eq!((refused.message.as_str(), world.log(id).await.status), (text, Status::Validated));

    world.check_again(id).await.unwrap();
    assert!(world.attempt().await);
    world.commit(id).await;
    assert_eq!(world.log(id).await.status, Status::Imported);
    let request = world.deliveries.requests().pop().unwrap();
    let at = proto::instant(request.rows[0].scheduledatetime.unwrap()).unwrap();
    assert_eq!(at.to_rfc3339(), "2026-11-23T00:30:00+00:00");
});

// Somebody else may decide about the same header, and settings may change, between check and import.
on_both!(an_import_reads_its_file_as_the_check_did, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let heading = "Delivery Doc,Shipment,Customer,Dispatch Date and Time";
    let file = |doc: &str| format!("{heading}\n{doc},S-1,Acme,03/04/2026 08:30\n");
    world.set("import-date-order", "mdy").await;
    let checked = world.upload_as("a.csv", file("A").into_bytes(), true, false).await;
    assert!(world.attempt().await);
    assert_eq!(world.log(checked).await.status, Status::Validated);

    world.set("import-date-order", "dmy").await;
    let other = world.upload_as("b.csv", file("B").into_bytes(), false, true).await;
    assert!(world.attempt().await);
    let fields = ["delivery_id", "customername", "shipmentnumber", "scheduledatetime"];
    let fields = fields.map(str::to_owned).to_vec();
    let request =
        SaveMappingRequest { id: other.to_string(), header_line: 1, fields, ..SaveMappingRequest::default() };
    world.service().save_mapping(by("ben", Role::Dispatcher, request)).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(other).await.status, Status::Imported);

    world.commit(checked).await;
    assert_eq!(world.log(checked).await.status, Status::Imported);
    let sent = world.deliveries.requests().pop().unwrap().rows.remove(0);
    assert_eq!((sent.delivery_id.as_str(), sent.customername.as_str()), ("A", "Acme"));
    assert_eq!(sent.scheduledatetime.unwrap().seconds, 1_772_613_000, "March 4, 8:30");
    assert_eq!(world.warnings(checked).await, ["DATES_AMBIGUOUS"], "as the check warned");
});

// Without the decision, other columns would hold the document and the instructions.
on_both!(the_download_of_refused_rows_is_read_as_its_file_was, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = "Delivery Doc,DR No,Trip,Customer Name,Delivery Date,Qty,Remarks\n\
                X-1,T-1,S-1,Acme,2026-11-23,\"1,5\",moved\n\
                X-2,T-2,S-1,Acme,soon,\"2,125\",moved\n";
    let fields = ["", "delivery_id", "shipmentnumber", "customername", "scheduledate", "quantity", ""];
    let trucker = UploadDefault { field: "trucker".to_owned(), value: "Isla Express".to_owned() };
    for defaults in [vec![trucker], Vec::new()] {
        let id = world.upload_as("a.csv", file.into(), false, true).await;
        assert!(world.attempt().await);
        let mut request = SaveMappingRequest {
            id: id.to_string(),
            header_line: 1,
            fields: fields.map(str::to_owned).to_vec(),
            defaults: defaults.clone(),
            ..SaveMappingRequest::default()
        };
        request.set_decimal_sign(UploadDecimalSign::Comma);
        world.save(request).await.unwrap();
        assert!(world.attempt().await);
        let log = world.log(id).await;
        assert_eq!((log.status, log.rows_failed), (Status::ImportedWithErrors, 1));

        assert_eq!(UploadLog::from(log.clone()).document_column, Some(1));
        let headings = log.headings.unwrap().0;
        assert_eq!(headings.len(), fields.len() + defaults.len());
        let cells = world.rows(id).await.remove(0).cells.unwrap().0;
        assert_eq!(cells[5], "2.125", "with a point, although the file has commas");
        let corrected = cells.join(",").replace("soon", "2026-11-24");
        let download =
            format!("{},Refused row,Refused because\n{corrected},3,Correct the date.\n", headings.join(","));
        let id = world.upload("a-refused-rows.csv", &download).await;
        assert!(world.attempt().await);
        assert_eq!(world.log(id).await.status, Status::Imported);
        let sent = world.deliveries.requests().pop().unwrap().rows.remove(0);
        assert_eq!((sent.delivery_id.as_str(), sent.instructions), ("T-2", None));
        assert_eq!(sent.trucker, defaults.first().map(|it| it.value.clone()));
        assert_eq!(sent.item.unwrap().quantity_thousandths, 2_125);
    }
});

// A comma in an unquoted text moves the cells behind it. The download has a column without a heading for the last one.
on_both!(a_moved_row_is_refused_in_the_download_as_well, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let heading = "Delivery Doc,Trip,Customer Name,Delivery Date,Instructions,Internal Note";
    let download = format!("{heading},,Refused row,Refused because");
    for (headings, cells, code) in [
        (heading, "Gate 4, ring twice,paid", Some("TOO_MANY_CELLS")),
        (&download, "Gate 4, ring twice,paid,2,Why.", Some("TOO_MANY_CELLS")),
        (&download, "\"Gate 4, ring twice\",paid,,2,Why.", None),
    ] {
        let file = format!("{headings}\nT-1,S-1,Acme,2026-11-23,{cells}\n");
        let id = world.upload("a.csv", &file).await;
        assert!(world.attempt().await);
        let codes: Vec<String> =
            world.rows(id).await.into_iter().map(|row| row.messages.0[0].code.clone()).collect();
        assert_eq!(codes, Vec::from_iter(code), "{file}");
    }
});

on_both!(each_sheet_begins_with_the_header_row_that_was_chosen_before, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let book: [Sheet<'_>; 2] = [
        ("Orders", &[&["Delivery Doc"], &["X"]]),
        (
            "Words",
            &[
                &["AA", "BB", "CC", "DD", "EE", "FF", "GG"],
                &["A", "S-1", "Branch", "2026-11-23", "Weight", "Remarks", "Contact"],
            ],
        ),
    ];
    for lines in [[1, 2], [1, 1]] {
        let id = world.upload_as("a.xlsx", xlsx(&book), false, true).await;
        assert!(world.attempt().await);
        let shown = world.mapping(id, Role::Dispatcher, 0).await.unwrap();
        assert_eq!(shown.sheets.iter().map(|it| it.header_line).collect::<Vec<_>>(), lines);
        let fields = ["delivery_id", "shipmentnumber", "customername", "scheduledate", "", "", ""];
        let request = SaveMappingRequest {
            id: id.to_string(),
            sheet: Some("Words".to_owned()),
            header_line: 1,
            fields: fields.map(str::to_owned).to_vec(),
            ..SaveMappingRequest::default()
        };
        world.save(request).await.unwrap();
        assert!(world.attempt().await);
    }
});

on_both!(a_default_of_an_earlier_file_fills_no_column_of_another_file, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = "Delivery Doc,Trip,Customer Name,Delivery Date\nT-1,S-1,Acme,2026-11-23\n";
    let id = world.upload_as("a.csv", file.into(), false, true).await;
    assert!(world.attempt().await);
    let fields = ["delivery_id", "shipmentnumber", "customername", "scheduledate"];
    let request = SaveMappingRequest {
        id: id.to_string(),
        header_line: 1,
        fields: fields.map(str::to_owned).to_vec(),
        defaults: vec![UploadDefault { field: "trucker".to_owned(), value: "Isla Express".to_owned() }],
        ..SaveMappingRequest::default()
    };
    world.save(request).await.unwrap();
    assert!(world.attempt().await);
    let headings = world.log(id).await.headings.unwrap().0.join(",");

    let download = ",Refused row,Refused because";
    for (added, cells, trucker) in [("", "", None), (download, ",3,Correct it.", Some("Isla Express"))] {
        let text = format!("{headings}{added}\nT-2,S-1,Acme,2026-11-23,{cells}\n");
        let id = world.upload("b.csv", &text).await;
        assert!(world.attempt().await);
        assert_eq!(world.log(id).await.status, Status::Imported);
        let sent = world.deliveries.requests().pop().unwrap().rows.remove(0);
        assert_eq!(sent.trucker.as_deref(), trucker, "{text}");
    }
});

on_both!(a_header_is_found_again_above_a_row_with_words_of_headings, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let words = "AA,BB,CC,DD,EE,FF,GG\nDOC,S-1,Branch,2026-11-23,Weight,Remarks,Contact\n";
    let codes = "VBELN,TKNUM,NAME1,LFDAT,MATNR,LFIMG,VRKME\nDOC,S-1,Acme,2026-11-23,K-1,2,KG\n";
    for (file, proposed) in [(words, 2), (codes, 1)] {
        let id = world.upload("a.csv", &file.replace("DOC", "A")).await;
        assert!(world.attempt().await);
        assert_eq!(world.mapping(id, Role::Dispatcher, 0).await.unwrap().header_line, proposed);
        let fields = ["delivery_id", "shipmentnumber", "customername", "scheduledate", "", "", ""];
        let fields = fields.map(str::to_owned).to_vec();
        let request = SaveMappingRequest {
            id: id.to_string(),
            header_line: 1,
            fields,
            ..SaveMappingRequest::default()
        };
        world.save(request).await.unwrap();
        assert!(world.attempt().await);
        assert_eq!(world.log(id).await.status, Status::Imported);

        let again = world.upload("b.csv", &file.replace("DOC", "B")).await;
        assert!(world.attempt().await);
        assert_eq!(world.log(again).await.status, Status::Imported, "nobody is asked twice");
        let chosen = world.upload_as("c.csv", file.replace("DOC", "C").into_bytes(), false, true).await;
        assert!(world.attempt().await);
        assert_eq!(world.mapping(chosen, Role::Dispatcher, 0).await.unwrap().header_line, 1);
    }
});
