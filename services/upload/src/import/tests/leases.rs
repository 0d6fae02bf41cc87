//! Who may write to an import.

use ::store::jobs::{End, Halt, Hold};
use ::store::testing::events;
use ::store::{Db, on_both};
use uuid::Uuid;

use super::world::{World, csv, document};
use crate::Migrator;
use crate::entity::upload_log::Status;
use crate::entity::upload_row::Messages;
use crate::store::{self, Begun, NewWarning, Refused, Step};

async fn finish(hold: &Hold, id: Uuid, world: &World, end: End) -> Result<(), Halt> {
    let tx = hold.begin().await?;
    store::finish(&tx, id, &end, world.now()).await?;
    Ok(tx.commit().await?)
}

on_both!(who_lost_the_lease_can_neither_write_nor_end, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S-1,C,2026-11-23,S1,1,"])).await;
    let log = world.log(id).await;
    let (_, slow) = world.claim().await.unwrap();
    assert!(world.claim().await.is_none());
    world.later(31);
    let (taken, other) = world.claim().await.unwrap();
    assert_eq!(taken, id);

    let begun = || Begun {
        reading: "{}".into(),
        columns_key: String::new(),
        headings: Vec::new(),
        warnings: Vec::new(),
        values: None,
        at: world.now(),
    };
    let failed = || End::Failed(kit::Error::precondition("X", "X"));
    for refused in [
        store::set_status(&slow, &log, Status::Importing, world.now()).await,
        store::note_hash(&slow, &log, "abc").await.map(|_| ()),
        store::begin(&slow, &log, begun()).await,
        store::confirm(&slow, &log, Step::default()).await,
        finish(&slow, id, &world, failed()).await,
    ] {
        assert!(matches!(refused, Err(Halt::Lost)), "{refused:?}");
    }
    assert_eq!(world.log(id).await, log, "nothing was written");

    store::confirm(&other, &log, Step::default()).await.unwrap();
    for _ in 0..2 {
        finish(&other, id, &world, End::Done).await.unwrap();
    }
    assert_eq!(world.log(id).await.status, Status::Imported);
    assert_eq!(events(&db).await.len(), 1, "one import, one end");
});

on_both!(an_importer_that_was_slow_confirms_nothing, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S-1,C,2026-11-23,S1,1,", "B,S-1,C,2026-11-23,S1,many,"])).await;
    let pause = world.deliveries.pause_at(0);
    let overtaken = async {
        pause.reached().await;
        world.later(31);
        assert_eq!(world.claim().await.unwrap().0, id);
        pause.end();
    };
    tokio::join!(world.attempt(), overtaken);
    let log = world.log(id).await;
    assert_eq!((log.status, log.next_batch, log.rows_total), (Status::Importing, 0, 0));
    assert!(world.rows(id).await.is_empty());
    world.later(31);
    assert!(world.attempt().await);
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total, log.rows_created), (Status::ImportedWithErrors, 2, 1));
    assert_eq!(world.rows(id).await.len(), 1);
});

on_both!(a_batch_is_confirmed_once_and_in_order, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S-1,C,2026-11-23,S1,1,"])).await;
    let (_, hold) = world.claim().await.unwrap();
    let log = world.log(id).await;
    let step = |batch| {
        let refused = Refused { line: 7, delivery: None, messages: Messages(Vec::new()), cells: None };
        Step { batch, created: 2, bytes_read: 30, refused: vec![refused], ..Step::default() }
    };
    let confirm = async |batch| store::confirm(&hold, &log, step(batch)).await.is_ok();
    assert!(!confirm(1).await, "there is one before");
    assert!(confirm(0).await);
    assert!(!confirm(0).await, "it was confirmed");
    let (after, job) = (world.log(id).await, world.job(id).await);
    assert_eq!((after.next_batch, after.rows_total, after.rows_created, after.rows_failed), (1, 3, 2, 1));
    assert_eq!((job.progress_done, job.progress_total), (30, Some(log.size_bytes)));
    assert_eq!(world.rows(id).await.len(), 1);
    finish(&hold, id, &world, End::Done).await.unwrap();
    assert!(!confirm(1).await, "the import has ended");
    assert_eq!(world.log(id).await.rows_total, 3);
});

on_both!(importers_share_the_uploads_oldest_first, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let file = csv(&["A,S-1,C,2026-11-23,S1,1,"]);
    let mut waiting = Vec::new();
    for _ in 0..6 {
        waiting.push(world.upload("a.csv", &file).await);
    }
    let claim = async || world.claim().await.map(|(id, _)| id);
    assert_eq!(claim().await, Some(waiting.remove(0)));
    let claims = futures::future::join_all((0..8).map(|_| claim())).await;
    let mut claimed: Vec<_> = claims.into_iter().flatten().collect();
    // A worker that collides with others may find nothing at first, and looks again.
    while let Some(id) = claim().await {
        claimed.push(id);
    }
    claimed.sort();
    assert_eq!(claimed, waiting, "each one once");
});

on_both!(an_importer_that_stops_gives_the_import_back, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let lines = [document("A", 900), document("B", 900)].concat();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let id = world.upload("a.csv", &csv(&lines)).await;
    let stop = world.stop.lock().unwrap().clone();
    world.deliveries.stop_at(0, stop);
    world.attempt().await;
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total), (Status::Importing, 900), "the batch in hand is finished");
    *world.stop.lock().unwrap() = Default::default();
    assert!(world.attempt().await, "it need not wait");
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total, log.rows_created), (Status::Imported, 1_800, 1_800));
    let batches: Vec<_> = world.deliveries.requests().iter().map(|it| it.batch).collect();
    assert_eq!(batches, [0, 1], "none was sent twice");
});

on_both!(many_warnings_are_counted_and_the_first_are_kept, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &csv(&["A,S-1,C,2026-11-23,S1,1,"])).await;
    let (_, hold) = world.claim().await.unwrap();
    let log = world.log(id).await;
    let warning = |line: u32| NewWarning {
        line: Some(line),
        column: None,
        code: "X".into(),
        text: format!("About line {line}"),
    };
    for batch in 0..2 {
        let warnings = (0..300).map(|at| warning(batch * 300 + at)).collect();
        let step = Step { batch: batch as i32, warnings, ..Step::default() };
        store::confirm(&hold, &log, step).await.unwrap();
    }
    assert_eq!(world.log(id).await.warnings, 600);
    let page = |offset| proto::common::v1::Page { limit: 100, offset, ..Default::default() };
    let (last, more) = store::warnings(&db, id, &page(400)).await.unwrap();
    assert_eq!((last.len(), more), (100, false));
    assert_eq!((last[0].line, last[99].line), (Some(400), Some(499)));
});
