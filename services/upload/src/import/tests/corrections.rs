//! Corrects refused rows and imports them again.

use ::store::testing::events;
use ::store::{Db, on_both};
use kit::principal::Role;
use kit::{Error, Kind};
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use sea_orm::{EntityTrait, PaginatorTrait};
use tonic::Response;
use uuid::Uuid;

use super::undo::by;
use super::world::{World, csv};
use crate::Migrator;
use crate::entity::upload_correction;
use crate::entity::upload_log::Status;

const DOCUMENT: u32 = 0;
const DATE: u32 = 3;
const QUANTITY: u32 = 5;

impl World {
    pub async fn correct(&self, id: Uuid, cells: &[(u32, u32, &str)]) -> Result<u32, Error> {
        let cell = |(row_number, column, value): &(u32, u32, &str)| CellCorrection {
            row_number: *row_number,
            column: *column,
            value: (*value).to_owned(),
        };
        let corrections = cells.iter().map(cell).collect();
        let request = CorrectRowsRequest { upload_log_id: id.to_string(), corrections };
        let answer = self.service().correct_rows(by("ben", Role::Dispatcher, request)).await;
        answer.map(|it| it.into_inner().changed).map_err(Error::from)
    }

    pub(super) async fn replace(
        &self,
        id: Uuid,
        find: &str,
        value: &str,
        whole: bool,
        dry: bool,
    ) -> Result<u32, Error> {
        let request = ReplaceInColumnRequest {
            upload_log_id: id.to_string(),
            column: QUANTITY,
            find: find.to_owned(),
            value: value.to_owned(),
            whole_cell: whole,
            dry_run: dry,
        };
        let answer = self.service().replace_in_column(by("ben", Role::Dispatcher, request)).await;
        answer.map(|it| it.into_inner().changed).map_err(Error::from)
    }

    pub async fn import_corrected(&self, id: Uuid) -> Result<UploadLog, Error> {
        let request = ImportCorrectedRowsRequest { id: id.to_string() };
        let answer = self.service().import_corrected_rows(by("ben", Role::Dispatcher, request)).await;
        answer.map(Response::into_inner).map_err(Error::from)
    }

    pub async fn listed(&self, id: Uuid) -> Vec<UploadRow> {
        let request = ListUploadRowsRequest { upload_log_id: id.to_string(), page: None };
        let answer = self.service().list_upload_rows(by("ben", Role::Viewer, request)).await;
        answer.unwrap().into_inner().rows
    }

    /// Returns the refused rows as the browser downloads them.
    async fn download(&self, id: Uuid) -> String {
        let mut lines = vec![self.log(id).await.headings.unwrap().0.join(",")];
        lines[0].push_str(",Refused row,Refused because");
        for mut row in self.listed(id).await {
            for UploadCorrection { column, value } in row.corrections {
                row.cells[column as usize] = value;
            }
            lines.push(format!("\"{}\",{},Why.", row.cells.join("\",\""), row.row_number));
        }
        lines.join("\n")
    }

    async fn corrections(&self) -> u64 {
        upload_correction::Entity::find().count(self.db().read()).await.unwrap()
    }
}

/// Returns line, delivery, item number and day of each row of the last request.
fn sent(world: &World) -> Vec<(u32, String, String, String)> {
    let request = world.deliveries.requests().pop().unwrap();
    let rows = request.rows.into_iter().map(|row| {
        let day = proto::instant(row.scheduledatetime.unwrap()).unwrap().format("%m-%d").to_string();
        (row.line, row.delivery_id, row.item.unwrap().item_number, day)
    });
    rows.collect()
}

fn row(line: u32, delivery: &str, item: &str, day: &str) -> (u32, String, String, String) {
    (line, delivery.to_owned(), item.to_owned(), day.to_owned())
}

on_both!(corrected_rows_are_imported_and_the_others_stay, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world
        .upload(
            "a.csv",
            &csv(&[
                "A,S-1,C,23/11/2026,S1,1,",
                "A,S-1,C,23/11/2026,S2,many,",
                "B,S-1,C,23/11/2026,S1,1,",
                ",S-1,C,23/11/2026,S9,1,",
                "C,S-1,C,32/11/2026,S1,1,",
            ]),
        )
        .await;
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::ImportedWithErrors, 1, 4));

    assert_eq!(world.correct(id, &[(3, QUANTITY, "2"), (5, DOCUMENT, "D")]).await.unwrap(), 2);
    // Typing the file's own value withdraws a correction.
    assert_eq!(world.correct(id, &[(5, DATE, "24/11/2026"), (2, QUANTITY, "7")]).await.unwrap(), 2);
    assert_eq!(world.correct(id, &[(5, DATE, "2026-11-23"), (2, QUANTITY, "1")]).await.unwrap(), 2);
    let listed = world.listed(id).await;
    let kept: Vec<_> = listed.iter().map(|row| (row.row_number, row.corrections.len())).collect();
    assert_eq!(kept, [(2, 0), (3, 1), (5, 1), (6, 0)]);
    assert_eq!((listed[1].corrections[0].column, listed[1].corrections[0].value.as_str()), (QUANTITY, "2"));
    assert_eq!(listed[1].cells[5], "many", "the file stays beside it");

    assert_eq!(world.import_corrected(id).await.unwrap().status(), UploadStatus::Correcting);
    world.import_corrected(id).await.unwrap();
    let refused = world.correct(id, &[(6, DATE, "30/11/2026")]).await.unwrap_err();
    assert_eq!(refused.reason, "CORRECTIONS_RUNNING");
    assert!(world.attempt().await);
    assert!(!world.attempt().await, "asked twice, done once");
    // Both lines of A keep their places in the file.
    let expected = [row(2, "A", "1", "11-23"), row(3, "A", "2", "11-23"), row(5, "D", "1", "11-23")];
    assert_eq!(sent(&world), expected);
    let request = world.deliveries.requests().pop().unwrap();
    assert_eq!((request.batch, request.uploaded_by.as_str()), (2, "ben"));
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::ImportedWithErrors, 4, 1));
    assert_eq!(log.rows_total, 5);
    let left: Vec<_> = world.rows(id).await.into_iter().map(|row| row.row_number).collect();
    assert_eq!((left, world.corrections().await), (vec![6], 0));

    // The corrected value is also wrong, so the row is refused again, with the reason for that value.
    world.correct(id, &[(6, DATE, "33/11/2026")]).await.unwrap();
    world.import_corrected(id).await.unwrap();
    world.attempt().await;
    let [still] = <[_; 1]>::try_from(world.listed(id).await).unwrap();
    assert!(still.messages[0].text.contains("33/11/2026"), "{still:?}");
    assert_eq!(still.corrections[0].value, "33/11/2026", "what was typed stays");
    assert_eq!(world.log(id).await.rows_failed, 1);

    // The corrected date is read like its column at the import: day first.
    world.correct(id, &[(6, DATE, "03/12/2026")]).await.unwrap();
    world.import_corrected(id).await.unwrap();
    world.attempt().await;
    assert_eq!(sent(&world), [row(6, "C", "1", "12-03")]);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::Imported, 5, 0));
    assert_eq!((world.rows(id).await.len(), world.corrections().await), (0, 0));
    assert_eq!(world.import_corrected(id).await.unwrap_err().reason, "NOTHING_TO_CORRECT");
    // Each import of corrections that changed something emits an event.
    assert_eq!(events(&db).await.len(), 4);
});

// In the download, only the refused rows could show that the column has commas, or that the day comes first.
on_both!(corrections_that_are_downloaded_mean_what_they_mean_in_place, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world
        .upload(
            "a.csv",
            &csv(&[
                "A,S-1,C,23/11/2026,S1,\"1.204,50\",",
                "B,S-1,C,32/11/2026,S1,\"452,125\",",
                "D,S-1,C,03/12/2026,S1,many,",
                "E,S-1,C,05/12/2026,S1,none,",
            ]),
        )
        .await;
    world.attempt().await;
    assert_eq!(world.log(id).await.rows_failed, 3);
    world.correct(id, &[(3, DATE, "04/12/2026"), (4, QUANTITY, "12,5")]).await.unwrap();
    assert_eq!(world.correct(id, &[(4, QUANTITY, "12.5")]).await.unwrap(), 0, "the same number");
    assert_eq!(world.replace(id, "none", "0,375", true, false).await.unwrap(), 1);
    assert_eq!(world.replace(id, "12,5", "12,75", true, false).await.unwrap(), 1, "the number is found");
    let shown: Vec<_> =
        world.listed(id).await.into_iter().map(|row| row.corrections[0].value.clone()).collect();
    assert_eq!(shown, ["2026-12-04", "12.75", "0.375"]);

    let download = world.download(id).await;
    world.import_corrected(id).await.unwrap();
    assert!(world.attempt().await);
    let again = world.upload("a-refused-rows.csv", &download).await;
    assert!(world.attempt().await);
    assert_eq!((world.log(id).await.rows_failed, world.log(again).await.rows_failed), (0, 0), "{download}");
    for request in world.deliveries.requests().split_off(1) {
        let row = |row: proto::deliveries::v1::ImportRow| {
            let day = proto::instant(row.scheduledatetime.unwrap()).unwrap().format("%m-%d").to_string();
            (day, row.item.unwrap().quantity_thousandths)
        };
        let rows: Vec<_> = request.rows.into_iter().map(row).collect();
        let wanted = [("12-04", 452_125), ("12-03", 12_750), ("12-05", 375)];
        assert_eq!(
            rows,
            wanted.map(|(day, quantity)| (day.to_owned(), quantity)),
            "{}",
            request.upload_log_id
        );
    }
});

on_both!(a_row_that_deliveries_refuses_again_stays_with_its_document, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id =
        world.upload("a.csv", &csv(&["A,S-1,C,23/11/2026,S1,many,", "B,S-1,C,23/11/2026,S1,many,"])).await;
    world.attempt().await;
    world.correct(id, &[(2, QUANTITY, "1"), (2, 4, "REFUSE"), (3, QUANTITY, "1")]).await.unwrap();
    world.import_corrected(id).await.unwrap();
    world.attempt().await;
    let [still] = <[_; 1]>::try_from(world.listed(id).await).unwrap();
    assert_eq!((still.row_number, still.messages[0].code.as_str()), (2, "DELIVERY_MOVED_ON"));
    assert_eq!((still.corrections.len(), still.cells[5].as_str()), (2, "many"));
    let log = world.log(id).await;
    assert_eq!((log.rows_created, log.rows_failed, log.rows_total), (1, 1, 2));
});

on_both!(a_value_is_replaced_in_a_whole_column, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines: Vec<String> = (0..2_200)
        .map(|n| format!("D{n},S-1,C,2026-11-23,S1,{},", if n % 2 == 0 { "12 pcs" } else { "one" }))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.upload("a.csv", &csv(&lines)).await;
    world.attempt().await;
    assert_eq!(world.replace(id, "one", "1", true, true).await.unwrap(), 1_100);
    assert_eq!(world.corrections().await, 0, "it was only counted");
    assert_eq!(world.replace(id, "pcs", "1", true, false).await.unwrap(), 0);
    assert_eq!(world.replace(id, " pcs", "", false, false).await.unwrap(), 1_100);
    assert_eq!(world.replace(id, "one", "1", true, false).await.unwrap(), 1_100);
    assert_eq!(world.replace(id, "one", "1", true, false).await.unwrap(), 0, "looks at what is corrected");
    assert_eq!(world.corrections().await, 2_200);
    world.import_corrected(id).await.unwrap();
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::Imported, 2_200, 0));
    assert_eq!(world.corrections().await, 0);
});

on_both!(an_import_of_corrected_rows_goes_on_where_it_stopped, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    // Document 3 keeps a wrong line, so all of its lines stay refused.
    let lines: Vec<String> = (0..6)
        .flat_map(|n| (0..600).map(move |line| (n, line)))
        .map(|(n, line)| {
            let quantity = if (n, line) == (3, 599) { "none" } else { "many" };
            format!("D{n},S-1,C,2026-11-23,S{line},{quantity},")
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut runs = Vec::new();
    for stops in [false, true] {
        let id = world.upload("a.csv", &csv(&lines)).await;
        while world.attempt().await {}
        assert_eq!(world.log(id).await.rows_failed, 3_600);
        world.replace(id, "many", "1", true, false).await.unwrap();
        world.import_corrected(id).await.unwrap();
        let first = world.log(id).await.next_batch.unsigned_abs();
        let before = world.deliveries.requests().len();
        for batch in (first..first + 6).filter(|_| stops) {
            world.deliveries.fail_at(batch, Error::internal("gone"));
            world.attempt().await;
            world.later(11);
        }
        while world.attempt().await {}
        let log = world.log(id).await;
        assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::ImportedWithErrors, 3_000, 600));
        assert_eq!(world.rows(id).await.len(), 600);
        assert_eq!(world.corrections().await, 599, "of what stayed refused");
        let sent = world.deliveries.requests().split_off(before);
        let lines = sent.iter().map(|it| {
            let rows = it.rows.iter().map(|row| (row.line, row.item.clone().unwrap().item_number));
            (it.batch, rows.collect::<Vec<_>>())
        });
        runs.push(lines.collect::<Vec<_>>());
        world.correct(id, &[(2_401, QUANTITY, "1")]).await.unwrap();
        world.import_corrected(id).await.unwrap();
        world.attempt().await;
        let log = world.log(id).await;
        assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::Imported, 3_600, 0));
    }
    assert_eq!(runs[0], runs[1], "the same batches, each once");
});

on_both!(an_import_of_corrected_rows_that_is_cancelled_keeps_both_parts, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines: Vec<String> = (0..3_000).map(|n| format!("D{n},S-1,C,2026-11-23,S1,many,")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.upload("a.csv", &csv(&lines)).await;
    world.attempt().await;
    world.replace(id, "many", "1", true, false).await.unwrap();
    world.import_corrected(id).await.unwrap();
    let pause = world.deliveries.pause_at(world.log(id).await.next_batch.unsigned_abs() + 1);
    let cancelling = async {
        pause.reached().await;
        let request = CancelUploadRequest { id: id.to_string() };
        world.service().cancel_upload(by("ben", Role::Dispatcher, request)).await.unwrap();
        pause.end();
    };
    tokio::join!(world.attempt(), cancelling);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::ImportedWithErrors, 2_000, 1_000));
    assert_eq!((world.rows(id).await.len(), world.corrections().await), (1_000, 1_000));
});

on_both!(corrected_rows_are_imported_after_an_answer_was_lost, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let line = |row: u32| {
        let sku = if row == 7 { "REFUSE" } else { "S1" };
        let quantity = if [3, 9].contains(&row) { "many" } else { "1" };
        format!("D{row},S-1,C,2026-11-23,{sku},{quantity},")
    };
    let lines: Vec<String> = (2..=10).map(line).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for gives_up in [false, true] {
        let id = world.upload("a.csv", &csv(&lines)).await;
        assert!(world.attempt().await);
        world.correct(id, &[(9, QUANTITY, "2")]).await.unwrap();
        world.import_corrected(id).await.unwrap();
        world.lose_next_batch(id, gives_up).await;
        let log = world.log(id).await;
        assert_eq!((log.status, log.rows_failed), (Status::ImportedWithErrors, 3));
        assert_eq!(log.failure_code.is_some(), gives_up);

        world.correct(id, &[(3, QUANTITY, "3")]).await.unwrap();
        world.import_corrected(id).await.unwrap();
        assert!(world.attempt().await);
        let upload = id.to_string();
        let mut sent = Vec::new();
        for request in world.deliveries.requests().iter().filter(|it| it.upload_log_id == upload) {
            assert!(request.rows.iter().all(|row| row.delivery_id == format!("D{}", row.line)));
            sent.push((request.batch, request.rows.iter().map(|row| row.line).collect::<Vec<_>>()));
        }
        // No number is used for two batches.
        assert_eq!(sent, [(0, vec![2, 4, 5, 6, 7, 8, 10]), (2, vec![7, 9]), (3, vec![3, 7, 9])]);
        // Deliveries has row 9 already.
        let log = world.log(id).await;
        assert_eq!((log.rows_created, log.rows_skipped, log.rows_failed, log.rows_total), (7, 1, 1, 9));
        let [left] = <[_; 1]>::try_from(world.rows(id).await).unwrap();
        assert_eq!((left.row_number, left.messages.0[0].code.as_str()), (7, "DELIVERY_MOVED_ON"));
        assert_eq!(world.deliveries.stored(id), 8, "all but row 7");
    }
});

on_both!(corrected_rows_obey_the_settings_of_now, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    world.set("import-earliest-date", "2026-11-24").await;
    let lines = ["A,S-1,C,23/11/2026,S1,1,", "B,S-1,C,25/11/2026,S1,1,", "C,S-1,C,25/11/2026,S1,many,"];
    let id = world.upload("a.csv", &csv(&lines)).await;
    assert!(world.attempt().await);
    assert_eq!((world.log(id).await.rows_created, world.log(id).await.rows_failed), (1, 2));

    world.set("import-earliest-date", "2026-01-01").await;
    world.import_corrected(id).await.unwrap();
    assert!(world.attempt().await);
    assert_eq!(sent(&world), [row(2, "A", "1", "11-23")]);
    assert_eq!((world.log(id).await.rows_created, world.log(id).await.rows_failed), (2, 1));

    // The other rows were read in UTC, and one import has one time zone.
    world.correct(id, &[(4, QUANTITY, "1")]).await.unwrap();
    world.set("organization-time-zone", "Asia/Manila").await;
    let refused = world.import_corrected(id).await.unwrap_err();
    assert_eq!(refused.reason, "TIME_ZONE_CHANGED");
    assert!(refused.message.contains("Download the refused rows"), "{refused}");
    assert_eq!(world.log(id).await.status, Status::ImportedWithErrors);
});

on_both!(the_day_to_undo_an_import_starts_again_with_corrected_rows, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S-1,C,23/11/2026,S1,1,", "B,S-1,C,23/11/2026,S1,many,"])).await;
    assert!(world.attempt().await);
    let preview = async || {
        let request = by("maria", Role::Dispatcher, PreviewUndoRequest { id: id.to_string() });
        world.service().preview_undo(request).await.map(Response::into_inner).map_err(Error::from)
    };
    world.later(25 * 3_600);
    assert_eq!(preview().await.unwrap_err().reason, "UNDO_NOT_ALLOWED");
    world.correct(id, &[(3, QUANTITY, "2")]).await.unwrap();
    world.import_corrected(id).await.unwrap();
    assert!(world.attempt().await);
    world.later(24 * 3_600 - 1);
    assert_eq!(preview().await.unwrap().total, 2);
    world.later(1);
    assert_eq!(preview().await.unwrap_err().reason, "UNDO_NOT_ALLOWED");
});

on_both!(what_cannot_be_a_correction_is_refused, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S-1,C,23/11/2026,S1,many,", "B,S-1,C,23/11/2026,S1,1,"])).await;
    let early = world.correct(id, &[(2, QUANTITY, "1")]).await.unwrap_err();
    assert_eq!(early.reason, "NOTHING_TO_CORRECT");
    world.attempt().await;
    let long = "x".repeat(16_001);
    for (cell, kind) in [
        ((2, 7, "no such column"), Kind::InvalidInput),
        ((2, u32::MAX, "no such column"), Kind::InvalidInput),
        ((2, QUANTITY, "a\0b"), Kind::InvalidInput),
        ((2, QUANTITY, &long), Kind::InvalidInput),
        ((3, QUANTITY, "the row was imported"), Kind::FailedPrecondition),
    ] {
        let error = world.correct(id, &[(2, DATE, "24/11/2026"), cell]).await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
    }
    let many = vec![(2, QUANTITY, "1"); 1_001];
    assert_eq!(world.correct(id, &many).await.unwrap_err().kind, Kind::InvalidInput);
    assert_eq!(world.replace(id, "", "1", false, false).await.unwrap_err().kind, Kind::InvalidInput);
    assert_eq!(world.corrections().await, 0, "all of a request or nothing");
    for role in [Role::Viewer, Role::Driver] {
        let cells = CorrectRowsRequest { upload_log_id: id.to_string(), corrections: Vec::new() };
        let replace = ReplaceInColumnRequest { upload_log_id: id.to_string(), ..Default::default() };
        let start = ImportCorrectedRowsRequest { id: id.to_string() };
        let service = world.service();
        let errors = [
            service.correct_rows(by("eve", role, cells)).await.unwrap_err(),
            service.replace_in_column(by("eve", role, replace)).await.unwrap_err(),
            service.import_corrected_rows(by("eve", role, start)).await.unwrap_err(),
        ];
        assert!(errors.into_iter().all(|error| Error::from(error).kind == Kind::Forbidden));
    }
});
