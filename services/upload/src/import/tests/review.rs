//! The rows of a checked file: reviewed, changed, checked again and imported.

use std::time::Duration;

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use kit::principal::Role;
use kit::{Error, Kind};
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use sea_orm::{EntityTrait, PaginatorTrait};
use uuid::Uuid;

use super::undo::by;
use super::world::{World, csv};
use crate::Migrator;
use crate::entity::upload_log::Status;
use crate::entity::{upload_edit, upload_part};
use crate::store;

use UploadRowResult::{Created, Refused, Skipped, Unspecified};

const DOCUMENT: u32 = 0;
const DATE: u32 = 3;
const SKU: u32 = 4;
const QUANTITY: u32 = 5;

impl World {
    async fn checked_file(&self, lines: &[&str]) -> Uuid {
        let id = self.upload_as("a.csv", csv(lines).into_bytes(), true, false).await;
        while self.attempt().await {}
        assert_eq!(self.log(id).await.status, Status::Validated);
        id
    }

    async fn review(
        &self,
        id: Uuid,
        result: UploadRowResult,
        (offset, limit): (u32, u32),
    ) -> Result<ListReviewRowsResponse, Error> {
        let upload_log_id = id.to_string();
        let request = ListReviewRowsRequest { upload_log_id, result: result.into(), offset, limit };
        let answer = self.service().list_review_rows(by("eve", Role::Viewer, request)).await;
        answer.map(tonic::Response::into_inner).map_err(Error::from)
    }

    async fn all_rows(&self, id: Uuid) -> Vec<UploadReviewRow> {
        let mut rows = Vec::new();
        loop {
            let window = (u32::try_from(rows.len()).unwrap(), 200);
            let found = self.review(id, Unspecified, window).await.unwrap();
            assert!(found.kept);
            if found.rows.is_empty() {
                assert_eq!(found.total as usize, rows.len());
                return rows;
            }
            rows.extend(found.rows);
        }
    }

    /// Returns the numbers of parts and of changed cells, of all files.
    async fn kept(&self) -> (u64, u64) {
        let parts = upload_part::Entity::find().count(self.db().read()).await.unwrap();
        (parts, upload_edit::Entity::find().count(self.db().read()).await.unwrap())
    }

    async fn last_skus(&self) -> Vec<(String, String, String)> {
        let request = self.deliveries.requests().pop().unwrap();
        let row = |row: proto::deliveries::v1::ImportRow| {
            let item = row.item.unwrap();
            (row.delivery_id, item.item_number, item.sku.unwrap_or_default())
        };
        request.rows.into_iter().map(row).collect()
    }
}

fn numbers(rows: &[UploadReviewRow]) -> Vec<u32> {
    rows.iter().map(|row| row.row_number).collect()
}

fn many(rows: usize) -> Vec<String> {
    let quantity = |n| if n % 1_000 == 999 { "many" } else { "1" };
    (0..rows).map(|n| format!("D{n},S-1,C,2026-11-23,S{n},{},", quantity(n))).collect()
}

fn borrowed(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

on_both!(a_check_keeps_every_row_with_its_result, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines = many(2_500);
    let id = world.checked_file(&borrowed(&lines)).await;
    let rows = world.all_rows(id).await;
    assert_eq!(numbers(&rows), (2..2_502).collect::<Vec<_>>());
    for (row, line) in rows.iter().zip(&lines) {
        assert_eq!(row.cells.join(","), *line);
        assert_eq!(row.result() == Refused, !row.messages.is_empty());
    }
    let log = world.log(id).await;
    let count = |result| rows.iter().filter(|row| row.result() == result).count();
    assert_eq!((count(Created), count(Refused)), (2_498, 2));
    assert_eq!((log.rows_created, log.rows_failed, log.rows_total), (2_498, 2, 2_500));

    let refused = world.review(id, Refused, (0, 200)).await.unwrap();
    assert_eq!((numbers(&refused.rows), refused.total), (vec![1_001, 2_001], 2));
    assert_eq!(refused.rows[0].messages[0].column_index, Some(QUANTITY));
    assert_eq!(numbers(&world.review(id, Refused, (1, 200)).await.unwrap().rows), [2_001]);
    let window = world.review(id, Created, (998, 3)).await.unwrap();
    assert_eq!((numbers(&window.rows), window.total), (vec![1_000, 1_002, 1_003], 2_498));
    let past = world.review(id, Unspecified, (2_499, 200)).await.unwrap();
    assert_eq!((numbers(&past.rows), past.total), (vec![2_501], 2_500));
    let none = world.review(id, Skipped, (0, 200)).await.unwrap();
    assert_eq!((none.rows.len(), none.total, none.kept), (0, 0, true));
    for limit in [0, 201] {
        assert_eq!(world.review(id, Refused, (0, limit)).await.unwrap_err().kind, Kind::InvalidInput);
    }

    world.commit(id).await;
    assert_eq!(world.kept().await, (0, 0), "an import keeps no rows");
    assert!(!world.review(id, Unspecified, (0, 200)).await.unwrap().kept);
    let direct = world.upload("b.csv", &csv(&borrowed(&lines))).await;
    while world.attempt().await {}
    assert_eq!((world.log(direct).await.rows_total, world.kept().await), (2_500, (0, 0)));
});

on_both!(changed_cells_are_checked_again_and_imported, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines = [
        "A,S-1,C,23/11/2026,S1,1,",
        "A,S-1,C,23/11/2026,S2,many,",
        "B,S-1,C,23/11/2026,S1,none,",
        "C,S-1,C,23/11/2026,S1,5,",
    ];
    let id = world.checked_file(&lines).await;
    assert!(!world.log(id).await.changed_since_check);
    // Row 2 is not wrong itself. Row 5 moves to the document of the others.
    let cells = [(3, QUANTITY, "2"), (2, SKU, "S9"), (5, DOCUMENT, "A")];
    assert_eq!(world.correct(id, &cells).await.unwrap(), 3);
    assert_eq!(world.correct(id, &cells).await.unwrap(), 0, "the same again changes nothing");
    let rows = world.all_rows(id).await;
    assert_eq!((rows[0].cells[4].as_str(), rows[0].corrections[0].value.as_str()), ("S1", "S9"));
    assert!(world.log(id).await.changed_since_check);

    world.check_again(id).await.unwrap();
    assert_eq!(world.correct(id, &cells).await.unwrap_err().reason, "IMPORT_NOT_CHECKED");
    assert!(!world.review(id, Unspecified, (0, 200)).await.unwrap().kept);
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.rows_created, log.rows_failed, log.changed_since_check), (3, 1, false));
    let rows = world.all_rows(id).await;
    let cells = |row: usize, place: u32| rows[row].cells[place as usize].as_str();
    assert_eq!((cells(0, SKU), cells(1, QUANTITY), cells(3, DOCUMENT)), ("S9", "2", "A"));

    // The value of the file is a change like any other: the check has another one.
    assert_eq!(world.correct(id, &[(2, SKU, "S1")]).await.unwrap(), 1);
    world.commit(id).await;
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors);
    let row = |document: &str, item: &str, sku: &str| (document.to_owned(), item.to_owned(), sku.to_owned());
    let wanted = [row("A", "1", "S1"), row("A", "2", "S2"), row("A", "3", "S1")];
    assert_eq!(world.last_skus().await, wanted);
    assert_eq!(world.kept().await, (0, 3), "the file may be read again to correct row 4");

    world.correct(id, &[(4, DOCUMENT, "A"), (4, QUANTITY, "4")]).await.unwrap();
    world.import_corrected(id).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.status, Status::Imported);
    assert_eq!(world.last_skus().await, [row("A", "1", "S1")]);
    assert_eq!(world.kept().await, (0, 0));
});

on_both!(
    a_refused_row_keeps_its_changes_when_it_is_corrected_after_the_import,
    Migrator,
    |db: Db| async move {
        let world = World::open(&db).await;
        let id = world.checked_file(&["A,S-1,C,23/11/2026,S1,many,", "B,S-1,C,23/11/2026,S1,1,"]).await;
        world.correct(id, &[(2, SKU, "S7"), (2, QUANTITY, "none")]).await.unwrap();
        world.commit(id).await;
        let [row] = <[_; 1]>::try_from(world.rows(id).await).unwrap();
        let cells = row.cells.unwrap().0;
        assert_eq!((cells[4].as_str(), cells[5].as_str()), ("S7", "none"));
        assert_eq!(world.correct(id, &[(2, QUANTITY, "2")]).await.unwrap(), 1);
        world.import_corrected(id).await.unwrap();
        assert!(world.attempt().await);
        assert_eq!(world.last_skus().await, [("A".to_owned(), "1".to_owned(), "S7".to_owned())]);
        assert_eq!((world.log(id).await.status, world.kept().await), (Status::Imported, (0, 0)));
    }
);

// 23/11 shows the order of the column. It keeps to it when somebody types another day over that cell.
on_both!(a_changed_cell_does_not_change_how_others_are_read, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.checked_file(&["A,S-1,C,23/11/2026,S1,1,", "B,S-1,C,03/12/2026,S1,1,"]).await;
    world.correct(id, &[(2, DATE, "04/12/2026")]).await.unwrap();
    world.check_again(id).await.unwrap();
    assert!(world.attempt().await);
    let rows = world.all_rows(id).await;
    let days: Vec<_> = rows.iter().map(|row| row.cells[DATE as usize].as_str()).collect();
    assert_eq!(days, ["2026-12-04", "2026-12-03"]);
    // A day that contradicts the column is refused alone; the file stays readable.
    world.correct(id, &[(2, DATE, "12/24/2026")]).await.unwrap();
    world.check_again(id).await.unwrap();
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::Validated, 1, 1));
});

on_both!(a_value_is_replaced_in_all_rows_of_a_checked_file, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.checked_file(&borrowed(&many(3_000))).await;
    assert_eq!(world.replace(id, "many", "5", true, true).await.unwrap(), 3);
    assert!(!world.log(id).await.changed_since_check, "it was only counted");
    assert_eq!(world.replace(id, "1", "2", true, false).await.unwrap(), 2_997);
    assert_eq!(world.replace(id, "1", "2", true, false).await.unwrap(), 0, "looks at what is changed");
    assert_eq!(world.replace(id, "many", "5", true, false).await.unwrap(), 3);
    assert_eq!(world.kept().await, (3, 3_000));
    world.commit(id).await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::Imported, 3_000, 0));
    let sent: Vec<_> = world.deliveries.requests().into_iter().rev().take(3).collect();
    let quantity = |row: &proto::deliveries::v1::ImportRow| row.item.as_ref().unwrap().quantity_thousandths;
    let twos = sent.iter().flat_map(|it| &it.rows).filter(|row| quantity(row) == 2_000).count();
    assert_eq!(twos, 2_997);
    assert_eq!(world.kept().await, (0, 0));
});

// An import is interrupted three times, and each time somebody tries to change a cell. The batches stay the same.
on_both!(changes_are_frozen_while_the_file_is_imported, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.checked_file(&borrowed(&many(3_000))).await;
    world.replace(id, "many", "5", true, false).await.unwrap();
    let request = CommitImportRequest { id: id.to_string() };
    world.service().commit_import(by("ben", Role::Dispatcher, request)).await.unwrap();
    assert_eq!(world.job(id).await.kind, store::EDITED);
    let checked = world.deliveries.requests().len();
    for batch in 0..3 {
        world.deliveries.fail_at(batch, Error::internal("gone"));
        world.attempt().await;
        world.later(11);
        let late = world.correct(id, &[(2, QUANTITY, "7")]).await.unwrap_err();
        assert_eq!(late.reason, "NOTHING_TO_CORRECT");
    }
    while world.attempt().await {}
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created), (Status::Imported, 3_000));
    let sent = world.deliveries.requests().split_off(checked);
    let lines: Vec<u32> = sent.iter().flat_map(|it| it.rows.iter().map(|row| row.line)).collect();
    assert_eq!(lines, (2..3_002).collect::<Vec<_>>(), "each row once");
});

on_both!(a_check_that_stops_between_batches_keeps_parts_and_counts_equal, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_as("a.csv", csv(&borrowed(&many(3_000))).into_bytes(), true, false).await;
    for batch in 1..3 {
        world.deliveries.fail_at(batch, Error::internal("gone"));
        world.attempt().await;
        let log = world.log(id).await;
        assert_eq!((log.rows_total, log.next_batch), (1_000 * batch as i32, batch as i32));
        assert_eq!(world.kept().await.0, u64::from(batch));
        assert!(!world.review(id, Unspecified, (0, 200)).await.unwrap().kept, "not checked yet");
        world.later(11);
    }
    while world.attempt().await {}
    let rows = world.all_rows(id).await;
    assert_eq!(numbers(&rows), (2..3_002).collect::<Vec<_>>());
});

on_both!(a_canceled_check_keeps_nothing, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.checked_file(&borrowed(&many(2_000))).await;
    world.correct(id, &[(2, SKU, "S9")]).await.unwrap();
    world.check_again(id).await.unwrap();
    let pause = world.deliveries.pause_at(1);
    let canceling = async {
        pause.reached().await;
        let request = CancelUploadRequest { id: id.to_string() };
        world.service().cancel_upload(by("ben", Role::Dispatcher, request)).await.unwrap();
        pause.end();
    };
    tokio::join!(world.attempt(), canceling);
    let log = world.log(id).await;
    assert_eq!((log.status, world.kept().await), (Status::Failed, (0, 0)));
    assert!(log.failure_text.unwrap().contains("Nothing was imported"));
    // Its refused rows are all that is left of the check.
    assert!(log.rows_failed > 0);
    assert_eq!((log.rows_total, log.rows_created), (log.rows_failed, 0));
    assert_eq!((log.deliveries_created, log.items_created), (0, 0));
});

// The grid shows numbers of this column with a point, although the file has commas.
on_both!(a_number_typed_with_a_point_is_read_with_it, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world
        .checked_file(&[
            "A,S-1,C,2026-11-23,S1,\"1.204,50\",",
            "B,S-1,C,2026-11-23,S1,\"452,125\",",
            "C,S-1,C,2026-11-23,S1,many,",
            "D,S-1,C,2026-11-23,S1,none,",
        ])
        .await;
    let shown = |rows: &[UploadReviewRow]| {
        rows.iter().map(|row| row.cells[QUANTITY as usize].clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&world.all_rows(id).await), ["1204.50", "452.125", "many", "none"]);
    world.correct(id, &[(3, QUANTITY, "453.125"), (4, QUANTITY, "453,125")]).await.unwrap();
    world.commit(id).await;
    let sent = |world: &World| {
        let request = world.deliveries.requests().pop().unwrap();
        let rows = request.rows.into_iter();
        rows.map(|row| row.item.unwrap().quantity_thousandths).collect::<Vec<_>>()
    };
    assert_eq!(sent(&world), [1_204_500, 453_125, 453_125]);
    // A refused row is corrected the same way after the import.
    world.correct(id, &[(5, QUANTITY, "1235.5")]).await.unwrap();
    world.import_corrected(id).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(sent(&world), [1_235_500]);
});

// Without the other rows, the typed number could be a thousand or slightly more than one.
on_both!(a_changed_cell_is_read_with_the_sign_of_its_column, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world
        .checked_file(&[
            "A,S-1,C,2026-11-23,S1,12.5,",
            "B,S-1,C,2026-11-23,S1,3,",
            "C,S-1,C,2026-11-23,S1,many,",
        ])
        .await;
    world.correct(id, &[(4, QUANTITY, "1,234")]).await.unwrap();
    world.check_again(id).await.unwrap();
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.rows_created, log.rows_failed), (3, 0));
});

on_both!(refused_rows_of_a_check_have_the_changes_made_since, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.checked_file(&["A,S-1,C,2026-11-23,S1,many,"]).await;
    world.correct(id, &[(2, QUANTITY, "2")]).await.unwrap();
    let [row] = <[_; 1]>::try_from(world.listed(id).await).unwrap();
    assert_eq!(row.cells[QUANTITY as usize], "many");
    assert_eq!((row.corrections[0].column, row.corrections[0].value.as_str()), (QUANTITY, "2"));
});

on_both!(changes_stay_when_only_the_reading_is_chosen_again, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = "Title\nDelivery Doc,Shipment no.,Customer Name,Delivery Date,Street,City\n\
                A,S-1,Acme,03/04/2026,Main St 1,Makati\n";
    let id = world.upload_as("a.csv", file.into(), true, false).await;
    while world.attempt().await {}
    assert_eq!(world.log(id).await.status, Status::Validated);
    world.correct(id, &[(3, 2, "Nena Store")]).await.unwrap();
    let choose = |order: UploadDateOrder, city: &str| SaveMappingRequest {
        id: id.to_string(),
        header_line: 2,
        fields: ["delivery_id", "shipmentnumber", "customername", "scheduledate", "customeraddress", city]
            .map(str::to_owned)
            .to_vec(),
        date_order: order.into(),
        ..SaveMappingRequest::default()
    };
    let again = || async {
        let request = ChooseColumnsRequest { id: id.to_string() };
        world.service().choose_columns(by("ben", Role::Dispatcher, request)).await.unwrap();
        assert!(world.attempt().await);
    };
    again().await;
    world.save(choose(UploadDateOrder::Dmy, "")).await.unwrap();
    assert!(world.attempt().await);
    let rows = world.all_rows(id).await;
    assert_eq!(rows[0].cells[..4], ["A", "S-1", "Nena Store", "2026-04-03"]);

    // Default values add columns behind those of the file. Changes of their cells go with them.
    let with_default = |field: &str, value: &str| {
        let defaults = vec![UploadDefault { field: field.to_owned(), value: value.to_owned() }];
        SaveMappingRequest { defaults, ..choose(UploadDateOrder::Dmy, "") }
    };
    again().await;
    world.save(with_default("trucker", "Isla Express")).await.unwrap();
    assert!(world.attempt().await);
    let rows = world.all_rows(id).await;
    assert_eq!((rows[0].cells[2].as_str(), rows[0].cells[6].as_str()), ("Nena Store", "Isla Express"));
    assert!(!world.warnings(id).await.contains(&"EDITS_DROPPED".to_owned()));
    world.correct(id, &[(3, 6, "Luzon Haul")]).await.unwrap();
    world.check_again(id).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.all_rows(id).await[0].cells[6], "Luzon Haul");
    again().await;
    world.save(with_default("priority", "high")).await.unwrap();
    assert!(world.attempt().await);
    let rows = world.all_rows(id).await;
    assert_eq!((rows[0].cells[2].as_str(), rows[0].cells[6].as_str()), ("Nena Store", "high"));
    assert!(world.warnings(id).await.contains(&"EDITS_DROPPED".to_owned()));
    assert_eq!(world.kept().await, (1, 1));

    // Two columns become one, so places mean other things now.
    again().await;
    world.save(choose(UploadDateOrder::Dmy, "customeraddress")).await.unwrap();
    assert!(world.attempt().await);
    let rows = world.all_rows(id).await;
    assert_eq!((rows[0].cells[2].as_str(), rows[0].cells[4].as_str()), ("Acme", "Main St 1, Makati"));
    assert!(world.warnings(id).await.contains(&"EDITS_DROPPED".to_owned()));
    assert_eq!(world.kept().await, (1, 0));
});

on_both!(what_cannot_be_changed_is_refused, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let part = "x".repeat(9_000);
    let long = format!("B,S-1,{part},2026-11-23,S1,1,{part}");
    let id = world.checked_file(&["A,S-1,C,2026-11-23,S1,1,", &long]).await;
    let rows = world.all_rows(id).await;
    assert_eq!((rows[1].cells.len(), rows[1].row_number), (0, 3), "too long to keep");
    let text = "x".repeat(16_001);
    for (cell, kind) in [
        ((2, 7, "no such column"), Kind::InvalidInput),
        ((2, QUANTITY, "a\0b"), Kind::InvalidInput),
        ((2, QUANTITY, &text), Kind::InvalidInput),
        ((3, QUANTITY, "too long a row"), Kind::FailedPrecondition),
        ((9, QUANTITY, "no such row"), Kind::FailedPrecondition),
    ] {
        let error = world.correct(id, &[(2, SKU, "S2"), cell]).await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
    }
    assert_eq!(world.kept().await.1, 0, "all of a request or nothing");
    let (later, doubts) = (world.now() + TimeDelta::days(31), Doubts::holding(Duration::from_millis(1)));
    assert_eq!(store::prune_parts(&db, later, &doubts).await.unwrap(), 0, "the clock may be wrong");
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(store::prune_parts(&db, later, &doubts).await.unwrap(), 1);
    assert!(!world.review(id, Unspecified, (0, 200)).await.unwrap().kept);
    assert_eq!(world.correct(id, &[(2, SKU, "S2")]).await.unwrap_err().reason, "ROWS_NOT_KEPT");
    world.check_again(id).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(world.correct(id, &[(2, SKU, "S2")]).await.unwrap(), 1);
});
