//! Undoing imports whose deliveries people and drivers may have changed in the meantime.

mod blocked;
mod driver_reports;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ::store::clearing::Doubts;
use ::store::{Db, counter, on_both};
use kit::clock::new_id;
use kit::principal::Principal;
use kit::{Kind, Result, Role};
use proto::common::v1::Page;
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use sea_orm::{EntityTrait, PaginatorTrait};
use tokio::sync::Barrier;
use uuid::Uuid;

use super::invariants::*;
use super::office::*;
use super::{batch, default_source, row};
use crate::Migrator;
use crate::commands::{import, undo_import};
use crate::domain::head::Texts;
use crate::domain::row::Row;
use crate::entity::import_change::UndoResult;
use crate::entity::{delivery, import_change, item as item_table, removed_delivery};
use crate::queries::{items, snapshot};
use crate::{queries, tables};

fn service() -> Principal {
    Principal::Service { name: "upload".into() }
}

impl Office {
    async fn bring(&self, upload: Uuid, number: i32, rows: Vec<Row>) -> ImportDeliveriesResponse {
        let source_id = default_source(&self.context.db).await;
        import::run(&self.context, batch(upload, number, source_id, rows)).await.unwrap()
    }

    /// Undoes an import completely, part by part.
    async fn undo(&self, upload: Uuid) -> UndoCounts {
        let (mut all, mut after) = (UndoCounts::default(), String::new());
        loop {
            let part = self.part(upload, &after).await.unwrap();
            let counts = part.counts.unwrap();
            all.reversed += counts.reversed;
            all.kept += counts.kept;
            all.failed += counts.failed;
            if part.next.is_empty() {
                return all;
            }
            after = part.next;
        }
    }

    async fn part(&self, upload: Uuid, after: &str) -> Result<UndoImportResponse> {
        let request = UndoImportRequest {
            upload_log_id: upload.to_string(),
            after: after.to_owned(),
            undone_by: "ana".into(),
        };
        told(self.service().undo_import(sent(service(), request)).await)
    }

    async fn preview(&self, upload: Uuid) -> UndoCounts {
        let request = PreviewUndoRequest { upload_log_id: upload.to_string() };
        self.service().preview_undo(sent(service(), request)).await.unwrap().into_inner()
    }

    async fn exceptions(&self, upload: Uuid) -> Vec<UndoException> {
        let page = Some(Page { limit: 100, ..Page::default() });
        let request = ListUndoExceptionsRequest { upload_log_id: upload.to_string(), page };
        let answer = self.service().list_undo_exceptions(by(Role::Viewer, request)).await.unwrap();
        answer.into_inner().exceptions
    }

    async fn is_there(&self, id: &str) -> bool {
        queries::deliveries::get(&self.context.db, id).await.is_ok()
    }

    async fn describe(&self, id: &str, text: &str) {
        let seen = self.get(id).await;
        let head = DeliveryHead {
            referencedoc: Some(text.into()),
            driver_id: seen.driver_id.clone(),
            scheduledatetime: seen.scheduledatetime,
            ..head(&seen.shipmentnumber)
        };
        let request = UpdateDeliveryRequest { id: id.into(), version: seen.version, head: Some(head) };
        self.service().update_delivery(by(Role::Dispatcher, request)).await.unwrap();
    }
}

fn counts(reversed: u32, kept: u32, failed: u32) -> UndoCounts {
    UndoCounts { reversed, kept, failed }
}

/// Returns a delivery and its items, without the columns that say when, by whom and by which import they
/// were changed.
async fn values(db: &Db, id: &str) -> (delivery::Model, Vec<item_table::Model>) {
    let row = queries::deliveries::get(db, id).await.unwrap();
    let mut items = items::by_deliveries(db, &[id.to_owned()]).await.unwrap();
    let at = chrono::DateTime::UNIX_EPOCH;
    for item in &mut items {
        item.upload_log_id = None;
    }
    let row = delivery::Model {
        version: 0,
        updated_at: at,
        updated_by: String::new(),
        last_upload_log_id: None,
        office_decided_at: None,
        ..row
    };
    (row, items)
}

on_both!(an_undo_takes_back_what_nobody_touched, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office
        .bring(new_id(), 0, vec![row(2, "UP-1", "S-1", "1", 5_000), row(3, "UP-2", "S-1", "1", 5_000)])
        .await;
    let before = (values(&db, "UP-1").await, values(&db, "UP-2").await);
    let upload = new_id();
    let mut moved = row(4, "UP-1", "S-2", "1", 9_000);
    moved.customeraddress = Some("1 New St".into());
    let mut second = row(5, "UP-1", "S-2", "2", 1_000);
    second.customeraddress = moved.customeraddress.clone();
    let rows = vec![
        row(2, "NEW-1", "S-1", "1", 1_000),
        row(3, "NEW-2", "S-3", "1", 1_000),
        moved,
        second,
        row(6, "UP-2", "S-1", "1", 7_000),
        row(7, "NEW-3", "S-1", "1", 1_000),
    ];
    office.bring(upload, 0, rows.clone()).await;
    // Somebody edits one updated delivery, and records the outcome of one created delivery.
    office.later(5);
    office.describe("UP-2", "SI-1").await;
    let done = outcome("NEW-3", Some(DeliveryStatus::Undelivered), vec![]);
    office.record(Role::Dispatcher, done).await.unwrap();
    office.later(5);

    let expected = counts(3, 2, 0);
    assert_eq!(office.preview(upload).await, expected);
    assert_eq!(office.undo(upload).await, expected);
    // A repeated undo changes nothing and returns the same counts.
    assert_eq!(office.undo(upload).await, expected);
    assert_eq!(office.preview(upload).await, counts(0, 0, 0));

    assert!(!office.is_there("NEW-1").await && !office.is_there("NEW-2").await);
    assert_eq!(values(&db, "UP-1").await, before.0);
    assert_ne!(values(&db, "UP-2").await, before.1);
    let kept: Vec<(String, Option<String>)> =
        office.exceptions(upload).await.into_iter().map(|it| (it.delivery_id, it.touched_by)).collect();
    let dispatcher = Some("dispatcher.office".to_owned());
    assert_eq!(kept, [("NEW-3".to_owned(), dispatcher.clone()), ("UP-2".to_owned(), dispatcher)]);
    assert_eq!(counter::get(db.read(), tables::deliveries::COUNTER).await.unwrap(), 3);
    for id in ["UP-1", "UP-2", "NEW-3"] {
        holds(&db, id).await;
    }
    shipments_hold(&db).await;
    sequences_hold(&db).await;
    // History and edit records contain the undo.
    let told = office.history("NEW-1").await;
    let last = told.last().unwrap();
    assert_eq!((told.len(), last.actor_name.as_str()), (2, "ana"));
    assert_eq!(last.note.as_deref(), Some("Removed: its import was undone"));
    let version = office.get("UP-1").await.version as i64;
    let undone = &record(&db, "UP-1").await[&version];
    assert_eq!(
        (undone[0].field.as_str(), undone[0].after.clone()),
        ("undoneUploadLogId", Some(upload.to_string()))
    );
    assert!(undone.iter().any(|it| it.field == "quantity"));

    // Importing the file again brings all its deliveries back, each with one continuous history.
    office.bring(new_id(), 0, rows[..4].to_vec()).await;
    for id in ["NEW-1", "NEW-2", "UP-1"] {
        holds(&db, id).await;
    }
    assert_eq!(removed_delivery::Entity::find().count(db.read()).await.unwrap(), 0);
    shipments_hold(&db).await;
    sequences_hold(&db).await;
});

on_both!(the_office_can_make_a_removed_delivery_anew, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let upload = new_id();
    office.bring(upload, 0, vec![row(2, "DR-1", "S-1", "1", 5_000)]).await;
    assert_eq!(office.undo(upload).await, counts(1, 0, 0));
    let made = office.create("DR-1", "S-1", two_items()).await;
    assert_eq!(made.version, 3);
    holds(&db, "DR-1").await;
    shipments_hold(&db).await;
    sequences_hold(&db).await;
    // The delivery no longer belongs to the import.
    assert_eq!(office.undo(upload).await, counts(1, 0, 0));
    assert!(office.is_there("DR-1").await);
});

on_both!(a_snapshot_has_what_an_undo_removed, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let upload = new_id();
    office.bring(new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 5_000)]).await;
    office.bring(upload, 0, vec![row(2, "DR-2", "S-2", "1", 5_000)]).await;
    office.undo(upload).await;
    let keys = snapshot::keys_after(&db, "").await.unwrap();
    let messages = snapshot::deliveries(&db, keys).await.unwrap();
    let facts = messages.into_iter().flat_map(|it| it.deliveries).filter_map(|it| it.delivery);
    let found: Vec<_> = facts.map(|it| (it.id, it.removed, it.sequence)).collect();
    assert_eq!(found, [("DR-1".to_owned(), false, 1), ("dr-2".to_owned(), true, 2)]);
    let shipments = snapshot::shipments(&db, "").await.unwrap().unwrap().shipments;
    let facts = shipments.into_iter().map(|it| (it.shipmentnumber, it.shipmentstatus, it.sequence));
    let expected = [("S-1".to_owned(), "Pending".to_owned(), 1), ("s-2".to_owned(), String::new(), 2)];
    assert_eq!(facts.collect::<Vec<_>>(), expected);
    assert_eq!(snapshot::shipments(&db, "s-2").await.unwrap(), None);
});

on_both!(imports_are_undone_from_the_last_one_on, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let (first, second, third) = (new_id(), new_id(), new_id());
    let with_driver = |driver: &str, row: Row| {
        let texts = Texts { driver_id: Some(driver.into()), ..Texts::default() };
        Row { texts, ..row }
    };
    office.bring(first, 0, vec![with_driver("D-1", row(2, "DR-1", "S-1", "1", 1_000))]).await;
    let one = values(&db, "DR-1").await;
    office.bring(second, 0, vec![with_driver("d-1", row(2, "DR-1", "S-1", "1", 2_000))]).await;
    let two = values(&db, "DR-1").await;
    let rows = [row(2, "DR-1", "S-2", "1", 3_000), row(3, "DR-1", "S-2", "2", 1_000)];
    office.bring(third, 0, rows.map(|row| with_driver("D-2", row)).into()).await;
    // The third import also changed the delivery, so an undo of the second would keep it.
    assert_eq!(office.preview(second).await, counts(0, 1, 0));
    assert_eq!(office.undo(third).await, counts(1, 0, 0));
    assert_eq!(values(&db, "DR-1").await, two);
    assert_eq!(office.preview(second).await, counts(1, 0, 0));
    assert_eq!(office.undo(second).await, counts(1, 0, 0));
    assert_eq!(values(&db, "DR-1").await, one);
    holds(&db, "DR-1").await;
    assert_eq!(office.undo(first).await, counts(1, 0, 0));
    assert!(!office.is_there("DR-1").await);
    // The second import only spelled the driver's id differently.
    let expected = [("", "d-1"), ("", ""), ("d-1", "d-2"), ("d-2", "d-1"), ("", ""), ("d-1", "")];
    assert_eq!(handovers(&db, "DR-1").await, expected.map(handover));
    assert_eq!(delivery::Entity::find().count(db.read()).await.unwrap(), 0);
    shipments_hold(&db).await;
    sequences_hold(&db).await;
});

on_both!(
    a_delivery_of_several_batches_goes_back_to_what_was_before_the_first,
    Migrator,
    |db: Db| async move {
        let office = Office::open(&db);
        office
            .bring(new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 1_000), row(3, "DR-2", "S-1", "1", 1_000)])
            .await;
        let before = values(&db, "DR-1").await;
        let upload = new_id();
        let batches = |number: i32| {
            let line = 2 + u32::try_from(number).unwrap();
            let item = if number == 0 { "1" } else { "2" };
            vec![row(line, "DR-1", "S-1", item, 8_000), row(line, "DR-2", "S-1", item, 8_000)]
        };
        office.bring(upload, 0, batches(0)).await;
        // Between two batches of one import somebody edits one of its deliveries.
        office.describe("DR-2", "SI-1").await;
        office.bring(upload, 1, batches(1)).await;
        assert_eq!(office.undo(upload).await, counts(1, 1, 0));
        assert_eq!(values(&db, "DR-1").await, before);
        assert_eq!(office.get("DR-2").await.referencedoc.as_deref(), Some("SI-1"));
        holds(&db, "DR-1").await;
        holds(&db, "DR-2").await;
    }
);

on_both!(without_the_values_of_before_an_update_stays, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.bring(new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 1_000)]).await;
    let upload = new_id();
    office.bring(upload, 0, vec![row(2, "DR-1", "S-1", "1", 2_000), row(3, "DR-2", "S-1", "1", 2_000)]).await;
    office.later(29 * 24 * 60);
    let doubts = Doubts::holding(Duration::ZERO);
    undo_import::clear(&db, office.context.clock.now(), &doubts).await.unwrap();
    assert_eq!(office.preview(upload).await, counts(2, 0, 0));
    office.later(2 * 24 * 60);
    undo_import::clear(&db, office.context.clock.now(), &doubts).await.unwrap();
    assert_eq!(office.preview(upload).await, counts(1, 0, 1));
    assert_eq!(office.undo(upload).await, counts(1, 0, 1));
    let failed = office.exceptions(upload).await;
    assert_eq!(
        (failed.len(), failed[0].failed, failed[0].code.as_str()),
        (1, true, "PREVIOUS_VALUES_NOT_KEPT")
    );
    assert_eq!(items::by_deliveries(&db, &["DR-1".into()]).await.unwrap()[0].quantity, 2_000);
});

on_both!(outcomes_at_the_moment_of_an_undo_are_never_lost, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    const DELIVERIES: u32 = 40;
    let upload = new_id();
    let rows = (0..DELIVERIES).map(|at| row(at + 2, &format!("DR-{at}"), "S-1", "1", 1_000)).collect();
    office.bring(upload, 0, rows).await;
    let begun = Arc::new(Barrier::new(5));
    let told_by = (0..4).map(|part| {
        let (office, begun) = (office.clone(), begun.clone());
        tokio::spawn(async move {
            for at in (part..DELIVERIES).step_by(4) {
                let request = outcome(&format!("DR-{at}"), Some(DeliveryStatus::Undelivered), vec![]);
                for tried in 0.. {
                    match office.record(Role::Dispatcher, request.clone()).await {
                        Ok(_) => break,
                        Err(error) => assert!(error.kind == Kind::Unavailable && tried < 50, "{error}"),
                    }
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                if at == part {
                    begun.wait().await;
                }
            }
        })
    });
    let told_by: Vec<_> = told_by.collect();
    // Each task has recorded its first outcome, and most outcomes are still to come.
    begun.wait().await;
    let undone = loop {
        match office.part(upload, "").await {
            Ok(answer) => break answer.counts.unwrap(),
            Err(error) => assert_eq!(error.kind, Kind::Unavailable, "{error}"),
        }
    };
    for task in told_by {
        task.await.unwrap();
    }
    assert_eq!(undone.reversed + undone.kept + undone.failed, DELIVERIES);
    assert_eq!(undone.failed, 0);
    assert!(undone.kept >= 4, "{undone:?}");
    for at in 0..DELIVERIES {
        let id = format!("DR-{at}");
        assert_eq!(office.get(&id).await.deliverystatus(), DeliveryStatus::Undelivered, "{id}");
        holds(&db, &id).await;
    }
    shipments_hold(&db).await;
    sequences_hold(&db).await;
    assert_eq!(counter::get(db.read(), tables::deliveries::COUNTER).await.unwrap(), u64::from(DELIVERIES));
});

/// Pseudo-random numbers, so that a failure can be reproduced.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

on_both!(after_any_story_each_delivery_of_an_import_is_in_one_state, Migrator, |db: Db| async move {
    let stories =
        std::env::var("WAYBILL_TEST_DB_SEQUENCES").ok().and_then(|it| it.parse().ok()).unwrap_or(12);
    for story in 0..stories {
        let (office, mut dice) = (Office::open(&db), Dice(story + 1));
        let id = |at: u64| format!("R{story}-{at}");
        let file = |dice: &mut Dice| -> Vec<Row> {
            let rows = (0..1 + dice.roll(8)).map(|line| {
                let (at, item, shipment) = (dice.roll(6), dice.roll(3), dice.roll(2));
                let shipment = format!("S{story}-{shipment}");
                row(line as u32 + 2, &id(at), &shipment, &item.to_string(), 1_000 + dice.roll(3) as i64)
            });
            rows.collect()
        };
        let mut uploads = vec![new_id()];
        office.bring(uploads[0], 0, file(&mut dice)).await;
        let mut touched: BTreeMap<String, bool> = BTreeMap::new();
        for _ in 0..dice.roll(8) {
            office.later(1);
            let id = id(dice.roll(6));
            match dice.roll(4) {
                0 => {
                    uploads.push(new_id());
                    office.bring(*uploads.last().unwrap(), 0, file(&mut dice)).await;
                }
                1 if office.is_there(&id).await
                    && office.get(&id).await.deliverystatus() == DeliveryStatus::Pending =>
                {
                    office.describe(&id, &format!("SI-{}", dice.roll(1_000_000))).await;
                    touched.insert(id, true);
                }
                2 => {
                    let request = outcome(&id, Some(DeliveryStatus::Undelivered), vec![]);
                    if office.record(Role::Dispatcher, request).await.is_ok() {
                        touched.insert(id, true);
                    }
                }
                _ => {
                    let upload = uploads[dice.roll(uploads.len() as u64) as usize];
                    office.undo(upload).await;
                }
            }
        }
        while let Some(upload) = uploads.pop() {
            let notes: Vec<import_change::Model> =
                import_change::Entity::find().all(db.read()).await.unwrap();
            let notes = notes.iter().filter(|it| it.upload_log_id == upload);
            let (open, done): (Vec<_>, Vec<_>) = notes.partition(|it| it.result.is_none());
            let expected = office.preview(upload).await;
            let all = expected.reversed + expected.kept + expected.failed;
            assert_eq!(all as usize, open.len(), "story {story}");
            let of = |result| done.iter().filter(|it| it.result == Some(result)).count() as u32;
            let undone = office.undo(upload).await;
            let wanted = counts(
                expected.reversed + of(UndoResult::Reversed),
                expected.kept + of(UndoResult::Kept),
                expected.failed + of(UndoResult::Failed),
            );
            assert_eq!(undone, wanted, "story {story}");
            assert_eq!(undone.failed, 0, "story {story}");
            assert_eq!(office.exceptions(upload).await.len() as u32, undone.kept, "story {story}");
        }
        let notes = import_change::Entity::find().all(db.read()).await.unwrap();
        let kept = notes.into_iter().filter(|it| it.result == Some(UndoResult::Kept));
        let kept: BTreeSet<String> = kept.map(|it| it.delivery_key).collect();
        for at in 0..6 {
            let is_there = office.is_there(&id(at)).await;
            if is_there {
                holds(&db, &id(at)).await;
            }
            // All imports are undone, so a delivery that is left was changed by somebody or by another
            // import.
            let kept = kept.contains(&::store::filter::fold(&id(at)));
            assert!(!is_there || kept || touched.contains_key(&id(at)), "story {story}, {}", id(at));
            assert!(is_there || !touched.contains_key(&id(at)), "story {story}, {} was lost", id(at));
        }
        shipments_hold(&db).await;
        sequences_hold(&db).await;
    }
});
