//! Imports on both databases, with a scripted deliveries service.

mod abandoned;
mod awkward;
mod books;
mod clocks;
mod columns;
mod corrections;
mod documents;
mod endings;
mod headers;
mod items;
mod leases;
mod neighbours;
mod parties;
mod review;
mod saved_mappings;
mod undo;
mod undo_answers;
mod values;
mod world;

use ::store::{Db, on_both};
use kit::Error;
use kit::principal::Role;
use proto::common::v1::Page;
use proto::upload::v1::CommitImportRequest;
use proto::upload::v1::upload_service_server::UploadService;
use uuid::Uuid;

use crate::Migrator;
use crate::entity::upload_log::Status;
use crate::store;
use world::{World, csv, document};

on_both!(a_document_stands_or_falls_whole, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    // 23/11 shows that 01/12 is the first of December. The last line of A is apart from its other lines.
    let file = csv(&[
        "A,S-1,C,23/11/2026,S1,1,ABC-1",
        "A,S-1,C,01/12/2026,S2,many,ABC-1",
        "B,S-1,C,01/12/2026,S1,1,ABC-1",
        "A,S-1,C,23/11/2026,S4,1,ABC-1",
    ]);
    let id = world.upload("a.csv", &file).await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!(log.status, Status::ImportedWithErrors, "{log:?}");
    assert_eq!((log.rows_total, log.rows_created, log.rows_failed), (4, 1, 3));
    let [request] = <[_; 1]>::try_from(world.deliveries.requests()).unwrap();
    assert!(request.whole_documents);
    assert_eq!(request.rows.len(), 1);
    let sent = &request.rows[0];
    let day = proto::instant(sent.scheduledatetime.unwrap()).unwrap();
    assert_eq!((sent.delivery_id.as_str(), day.to_rfc3339().as_str()), ("B", "2026-12-01T00:00:00+00:00"));

    let rows = world.rows(id).await;
    let codes: Vec<_> = rows.iter().map(|row| (row.row_number, row.messages.0[0].code.as_str())).collect();
    assert_eq!(codes, [(2, "DOCUMENT_REFUSED"), (3, "NUMBER_NOT_UNDERSTOOD"), (5, "DOCUMENT_REFUSED")]);
    assert!(rows[2].messages.0[0].text.starts_with("Row 3 of this document"), "{rows:?}");
    let kept = rows[1].cells.clone().unwrap().0;
    assert_eq!(kept, ["A", "S-1", "C", "2026-12-01", "S2", "many", "ABC-1"], "to be mended on its own");
    assert_eq!(world.warnings(id).await, ["HEADING_NOT_USED"]);
    let wire = proto::upload::v1::UploadLog::from(log);
    assert_eq!((wire.headings.len(), wire.warnings), (7, 1));
    assert_eq!(wire.columns[0].reading(), proto::upload::v1::UploadColumnReading::DayFirst);
});

on_both!(a_setting_lets_parts_of_a_document_in, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.set("import-partial-documents", "true").await;
    world.set("import-unknown-drivers", "refuse").await;
    let file = csv(&[
        "A,S-1,C,23/11/2026,S1,1,",
        "A,S-1,C,23/11/2026,S2,many,",
        "A,S-1,C,23/11/2026,S3,1,",
        "B,S-1,C,23/11/2026,S1,1,",
    ]);
    let id = world.upload("a.csv", &file).await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.rows_created, log.rows_failed), (3, 1));
    let [request] = <[_; 1]>::try_from(world.deliveries.requests()).unwrap();
    assert!(!request.whole_documents && request.refuse_unknown_drivers);
    let sent: Vec<_> = request
        .rows
        .iter()
        .map(|row| {
            (row.item.as_ref().unwrap().item_number.as_str(), row.item_number_given, row.document_incomplete)
        })
        .collect();
    // The refused line keeps its place: once corrected it is number 2 and overwrites nothing.
    assert_eq!(sent, [("1", false, true), ("3", false, true), ("1", false, false)]);
});

on_both!(a_batch_ends_where_a_document_ends, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let mut lines = Vec::new();
    for (name, length) in [("A", 700), ("B", 700), ("C", 1_400), ("D", 1), ("E", 2), ("F", 5_001)] {
        lines.extend(document(name, length));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.upload("a.csv", &csv(&lines)).await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created), (Status::Imported, 7_804));
    let sizes: Vec<_> = world.deliveries.requests().iter().map(|it| (it.batch, it.rows.len())).collect();
    // Up to five thousand lines of a document stay together.
    assert_eq!(sizes, [(0, 700), (1, 700), (2, 1_400), (3, 3), (4, 5_000), (5, 1)]);
});

on_both!(what_deliveries_says_of_a_row_is_kept_with_its_cells, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file =
        csv(&["A,S-1,C,23/11/2026,REFUSE,1,x", "B,S-1,C,23/11/2026,GHOST,1,", "B,S-1,C,23/11/2026,GHOST,2,"]);
    let id = world.upload("a.csv", &file).await;
    world.attempt().await;
    let [row] = <[_; 1]>::try_from(world.rows(id).await).unwrap();
    let message = &row.messages.0[0];
    assert_eq!((message.column.as_deref(), message.code.as_str()), (Some("Document"), "DELIVERY_MOVED_ON"));
    assert_eq!(row.cells.unwrap().0, ["A", "S-1", "C", "2026-11-23", "REFUSE", "1", "x"]);
    // The same warning about two lines is stored once.
    assert_eq!(world.warnings(id).await, ["HEADING_NOT_USED", "DRIVER_UNKNOWN"]);
});

on_both!(the_same_warning_in_several_batches_is_stored_once, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines = [document("A", 900), document("B", 900)].concat();
    let lines: Vec<String> = lines.iter().map(|line| line.replace(",S1,", ",GHOST,")).collect();
    let id = world.upload("a.csv", &csv(&lines.iter().map(String::as_str).collect::<Vec<_>>())).await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((world.deliveries.requests().len(), log.rows_created), (2, 1_800));
    assert_eq!(world.warnings(id).await, ["HEADING_NOT_USED", "DRIVER_UNKNOWN"]);
    assert_eq!(log.warnings, 2);
});

on_both!(an_import_that_is_taken_up_again_is_read_as_it_was_begun, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let mut lines = document("A", 900);
    lines.extend(document("B", 900));
    lines.push("C,S-1,C,23/11/2026,S1,many,".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.upload("a.csv", &csv(&lines)).await;
    world.deliveries.fail_at(1, Error::internal("boom"));
    world.attempt().await;
    let before = world.log(id).await;
    assert_eq!((before.status, before.next_batch, before.rows_created), (Status::Importing, 1, 900));

    world.set("import-date-order", "mdy").await;
    world.set("import-partial-documents", "true").await;
    world.later(60);
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total, log.rows_failed), (Status::ImportedWithErrors, 1_801, 1));
    assert_eq!((log.reading, log.warnings), (before.reading, before.warnings));
    assert!(world.deliveries.requests().iter().all(|it| it.whole_documents));
});

on_both!(the_same_file_again_is_pointed_out, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = csv(&["A,S-1,C,2026-11-23,S1,1,"]);
    let first = world.upload("a.csv", &file).await;
    world.attempt().await;
    let second = world.upload("b.csv", &file).await;
    world.attempt().await;
    assert_eq!(world.warnings(first).await, ["HEADING_NOT_USED"]);
    assert_eq!(world.warnings(second).await, ["FILE_IMPORTED_BEFORE", "HEADING_NOT_USED"]);
});

on_both!(a_file_that_is_sent_twice_at_once_is_imported_once, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = csv(&["A,S-1,C,2026-11-23,S1,1,"]);
    let sent = [world.upload("a.csv", &file).await, world.upload("b.csv", &file).await];
    // Whichever is read first keeps going until the other one has ended.
    let pause = world.deliveries.pause_at(0);
    let refused = async {
        pause.reached().await;
        loop {
            for id in sent {
                let log = world.log(id).await;
                if log.status == Status::Failed {
                    pause.end();
                    return log;
                }
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    let in_time = async { tokio::time::timeout(std::time::Duration::from_secs(30), refused).await.unwrap() };
    // A worker that collides with another one finds nothing at first.
    let worker = async || while !world.attempt().await {};
    let ((), (), refused) = tokio::join!(worker(), worker(), in_time);
    let running = world.log(if sent[0] == refused.id { sent[1] } else { sent[0] }).await;
    assert_eq!((running.status, refused.rows_total), (Status::Imported, 0));
    assert_eq!(refused.failure_code.as_deref(), Some("FILE_BEING_IMPORTED"));
    assert!(refused.failure_text.is_some_and(|text| text.contains(&running.filename)));

    let again = world.upload("c.csv", &file).await;
    world.attempt().await;
    assert_eq!(world.log(again).await.status, Status::Imported);

    let bytes = file.into_bytes();
    let first = world.upload_as("d.csv", bytes.clone(), true, false).await;
    let second = world.upload_as("e.csv", bytes, true, false).await;
    assert!(world.attempt().await && world.attempt().await);
    let commit = async |id: Uuid| {
        let request = CommitImportRequest { id: id.to_string() };
        let answer = world.service().commit_import(undo::by("ben", Role::Dispatcher, request)).await;
        answer.map_err(Error::from)
    };
    commit(first).await.unwrap();
    assert_eq!(commit(second).await.unwrap_err().reason, "FILE_BEING_IMPORTED");
    world.attempt().await;
    commit(second).await.unwrap();
});

on_both!(a_page_of_refused_rows_is_of_one_import_however_far, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines: Vec<String> = (0..1_101).map(|n| format!("D{n},S-1,C,2026-11-23,S1,many,")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let first = world.upload("a.csv", &csv(&lines)).await;
    world.upload("b.csv", &csv(&lines)).await;
    assert!(world.attempt().await && world.attempt().await);
    let page = Page { limit: 100, offset: 1_000, ..Page::default() };
    let (rows, more) = store::rows(world.db(), first, &page).await.unwrap();
    assert_eq!((rows.len(), rows[0].row_number, more), (100, 1_002, true));
    assert!(rows.iter().all(|row| row.upload_log_id == first));
});

on_both!(every_consumer_of_the_registry_runs, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let mut running: Vec<_> =
        crate::events::consumers(&world.context).into_iter().map(|it| (it.name, it.subject)).collect();
    running.sort();
    assert_eq!(running, proto::events::subjects_read_by(crate::NAME));
});
