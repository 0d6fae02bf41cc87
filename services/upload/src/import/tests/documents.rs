//! Documents whose rows are in several batches, of which one is refused or contradicts another.

use ::store::{Db, on_both};
use kit::Error;
use uuid::Uuid;

use super::world::{World, csv, document};
use crate::Migrator;
use crate::entity::upload_log::Status;

/// Returns a file with a document that has a row in each of three batches; deliveries refuses the first. Between
/// them are two documents with this quantity.
fn apart(quantity: &str) -> String {
    let between = |name| {
        let lines = document(name, 1_000).into_iter();
        lines.map(|line| line.replace(",1,", &format!(",{quantity},"))).collect::<Vec<_>>()
    };
    let mut lines = vec!["D,S-1,C,23/11/2026,REFUSE,1,".to_owned()];
    lines.extend(between("A"));
    lines.push("D,S-1,C,23/11/2026,S2,1,".to_owned());
    lines.extend(between("B"));
    lines.push("D,S-1,C,23/11/2026,S3,1,".to_owned());
    csv(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the batches that deliveries got after the first few: number, number of rows, and whether a row is of an
/// incomplete document.
fn sent(world: &World, before: usize) -> Vec<(u32, usize, bool)> {
    let requests = world.deliveries.requests().split_off(before);
    let batch = |it: &proto::deliveries::v1::ImportDeliveriesRequest| {
        (it.batch, it.rows.len(), it.rows.iter().any(|row| row.document_incomplete))
    };
    requests.iter().map(batch).collect()
}

async fn codes(world: &World, id: Uuid) -> Vec<(i64, String)> {
    let rows = world.rows(id).await.into_iter();
    rows.map(|row| (row.row_number, row.messages.0[0].code.clone())).collect()
}

fn refused(rows: &[(i64, &str)]) -> Vec<(i64, String)> {
    rows.iter().map(|(row, code)| (*row, (*code).to_owned())).collect()
}

const ALL_OF_D: [(i64, &str); 3] =
    [(2, "DELIVERY_MOVED_ON"), (1_003, "DOCUMENT_REFUSED"), (2_004, "DOCUMENT_REFUSED")];

on_both!(a_document_in_several_batches_stands_or_falls_whole, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let whole: Vec<(u32, usize, bool)> = vec![(0, 1, false), (1, 1_000, false), (3, 1_000, false)];
    let part = vec![(0, 1, false), (1, 1_000, false), (2, 1, true), (3, 1_000, false), (4, 1, true)];
    for (partial, dry_run) in [(false, false), (false, true), (true, false)] {
        for stops in [false, true] {
            world.set("import-partial-documents", if partial { "true" } else { "false" }).await;
            let before = world.deliveries.requests().len();
            let id = world.upload_as("a.csv", apart("1").into_bytes(), dry_run, false).await;
            if stops {
                // The next attempt only has what is stored about the batches before.
                world.deliveries.fail_at(3, Error::internal("boom"));
                world.attempt().await;
                assert_eq!(world.log(id).await.next_batch, 3);
                world.later(60);
            }
            world.attempt().await;
            let log = world.log(id).await;
            let ended = if dry_run { Status::Validated } else { Status::ImportedWithErrors };
            assert_eq!((log.status, log.rows_total), (ended, 2_003));
            assert_eq!(sent(&world, before), if partial { part.clone() } else { whole.clone() });
            let expected = if partial { &ALL_OF_D[..1] } else { &ALL_OF_D[..] };
            assert_eq!(codes(&world, id).await, refused(expected));
            let rows = world.rows(id).await;
            let names_row_2 = |text: &str| text.starts_with("Row 2 of this document");
            assert!(rows.iter().skip(1).all(|row| names_row_2(&row.messages.0[0].text)), "{rows:?}");
        }
    }
});

on_both!(corrected_rows_of_a_split_document_stand_or_fall_whole, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    for stops in [false, true] {
        let id = world.upload("a.csv", &apart("many")).await;
        world.attempt().await;
        assert_eq!(world.log(id).await.rows_failed, 2_003);
        world.replace(id, "many", "1", true, false).await.unwrap();
        world.import_corrected(id).await.unwrap();
        let first = world.log(id).await.next_batch.unsigned_abs();
        let before = world.deliveries.requests().len();
        if stops {
            world.deliveries.fail_at(first + 1, Error::internal("gone"));
            world.attempt().await;
            world.later(60);
        }
        world.attempt().await;
        let batches = [(first, 1, false), (first + 1, 1_000, false), (first + 3, 1_000, false)];
        assert_eq!(sent(&world, before), batches);
        assert_eq!(codes(&world, id).await, refused(&ALL_OF_D));

        // What the import before refused is no reason once it is corrected.
        assert_eq!(world.correct(id, &[(2, 4, "S1")]).await.unwrap(), 1);
        world.import_corrected(id).await.unwrap();
        world.attempt().await;
        let log = world.log(id).await;
        assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::Imported, 2_003, 0));
    }
});

on_both!(rows_that_contradict_each_other_are_found_in_the_whole_file, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let far = |last: &str, quantity: &str| {
        let between =
            document("A", 1_000).into_iter().map(|line| line.replace(",1,", &format!(",{quantity},")));
        let first = "D,S-1,C,23/11/2026,S1,1,".to_owned();
        let lines: Vec<String> = [first].into_iter().chain(between).chain([last.to_owned()]).collect();
        csv(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    };
    for (dry_run, partial) in [(true, false), (false, false), (false, true)] {
        world.set("import-partial-documents", if partial { "true" } else { "false" }).await;
        let before = world.deliveries.requests().len();
        let file = far("D,S-1,Acme Inc,23/11/2026,S2,1,", "1").into_bytes();
        let id = world.upload_as("a.csv", file, dry_run, false).await;
        world.attempt().await;
        let log = world.log(id).await;
        let ended = if dry_run { Status::Validated } else { Status::ImportedWithErrors };
        let (created, failed) = if partial { (1_001, 1) } else { (1_000, 2) };
        assert_eq!((log.status, log.rows_created, log.rows_failed), (ended, created, failed));
        let parts: [(u32, usize, bool); 2] = [(0, 1, true), (1, 1_000, false)];
        assert_eq!(sent(&world, before), if partial { &parts[..] } else { &parts[1..] });
        let all = refused(&[(2, "DOCUMENT_REFUSED"), (1_003, "LINES_CONTRADICT")]);
        assert_eq!(codes(&world, id).await, if partial { &all[1..] } else { &all[..] });
        let message = world.rows(id).await.pop().unwrap().messages.0.remove(0);
        assert_eq!((message.column.as_deref(), message.column_index), (Some("Customer"), Some(2)));
        assert!(
            message.text.starts_with("Row 2 of this document has a different Customer Name."),
            "{message:?}"
        );
        if dry_run || partial {
            continue;
        }
        world.correct(id, &[(1_003, 2, "C")]).await.unwrap();
        world.import_corrected(id).await.unwrap();
        world.attempt().await;
        let log = world.log(id).await;
        assert_eq!((log.status, log.rows_created, log.rows_failed), (Status::Imported, 1_002, 0));
    }
    world.set("import-partial-documents", "false").await;
    let id = world.upload("b.csv", &far("d,s-1,c,23/11/2026,S2,1,", "1")).await;
    world.attempt().await;
    assert_eq!(world.log(id).await.status, Status::Imported, "spellings contradict nothing");

    // Corrected rows are compared as well.
    let id = world.upload("c.csv", &far("D,S-1,Acme Inc,23/11/2026,S2,1,", "many")).await;
    world.attempt().await;
    assert_eq!(world.log(id).await.rows_failed, 1_002);
    world.replace(id, "many", "1", true, false).await.unwrap();
    world.import_corrected(id).await.unwrap();
    world.attempt().await;
    let all = refused(&[(2, "DOCUMENT_REFUSED"), (1_003, "LINES_CONTRADICT")]);
    assert_eq!((codes(&world, id).await, world.log(id).await.rows_created), (all, 1_000));
});

on_both!(an_item_that_two_rows_far_apart_have_otherwise_is_refused, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let header = "Document,Shipment,Customer,Delivery Date,Item Number,SKU,Quantity".to_owned();
    let between = (0..1_000).map(|n| format!("A,S-1,C,23/11/2026,{n},S{n},1"));
    let line = |quantity| format!("D,S-1,C,23/11/2026,1,S1,{quantity}");
    let lines: Vec<String> = [header, line(1)].into_iter().chain(between).chain([line(2)]).collect();
    for dry_run in [true, false] {
        let before = world.deliveries.requests().len();
        let id = world.upload_as("a.csv", lines.join("\n").into_bytes(), dry_run, false).await;
        world.attempt().await;
        let all = [(2, "DOCUMENT_REFUSED"), (1_003, "LINES_CONTRADICT")];
        assert_eq!(codes(&world, id).await, refused(&all));
        assert_eq!(sent(&world, before), [(1, 1_000, false)]);
        let message = world.rows(id).await.pop().unwrap().messages.0.remove(0);
        assert_eq!(message.column.as_deref(), Some("Quantity"), "{message:?}");
    }
});
