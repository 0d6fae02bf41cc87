//! Imports that a process of the previous release began or is working on. That release has no jobs.

use ::store::jobs::State;
use ::store::testing::{Backend, TestDb, events};
use ::store::{Db, on_both};
use proto::upload::v1::SaveMappingRequest;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::world::{World, csv, document};
use crate::Migrator;
use crate::entity::upload_log::Status;

fn two_batches() -> String {
    let lines = [document("A", 900), document("B", 900)].concat();
    csv(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

async fn ended(world: &World, id: Uuid) -> Status {
    let waiting = async {
        while Status::OPEN.contains(&world.log(id).await.status) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), waiting).await.expect("the import ends");
    world.log(id).await.status
}

on_both!(imports_under_way_go_on_after_an_upgrade, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let over = world.upload("a.csv", &two_batches()).await;
    world.attempt().await;
    let begun = world.upload("b.csv", &two_batches()).await;
    world.deliveries.fail_at(1, kit::Error::internal("boom"));
    world.attempt().await;
    assert_eq!(world.log(begun).await.next_batch, 1);
    let fresh = world.upload("c.csv", &two_batches().replace("A,", "C,")).await;
    // Go back to the tables of the release before jobs, and add the lease of a process that died.
    for _later in 0..8 {
        ::store::testing::down_one::<Migrator>(&db).await;
    }
    let error = ::store::migrate::require_current::<Migrator>(&db, crate::NAME).await.unwrap_err();
    assert_eq!(error.reason, "MIGRATIONS_PENDING");
    let lease = (world.now() + chrono::Duration::seconds(20)).to_rfc3339();
    world.execute(&format!("UPDATE upload_log SET claimed_until = '{lease}', attempts = 3")).await;
    ::store::migrate::up::<Migrator>(&db).await.unwrap();

    assert_eq!(::store::jobs::get(&db, over).await.unwrap_err().reason, "JOB_NOT_FOUND");
    let open = [fresh, begun];
    for id in open {
        let job = world.job(id).await;
        assert_eq!((job.state, job.attempts, job.created_by.as_str()), (State::Waiting, 3, "maria"));
    }
    if db.is_postgres() {
        world.attempt().await;
        world.attempt().await;
        assert!(!world.attempt().await, "another process may still work on them");
        world.later(21);
    }
    while world.attempt().await {}
    for id in open {
        let log = world.log(id).await;
        assert_eq!((log.status, log.rows_total, log.rows_created), (Status::Imported, 1_800, 1_800));
    }
});

on_both!(imports_of_the_release_before_are_taken_over, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload("a.csv", &two_batches()).await;
    world.execute("DELETE FROM job").await;
    let stop = CancellationToken::new();
    let process = world.process(&stop);
    let adopting = tokio::spawn(crate::adopt_imports(&world.context).run(stop.clone()));
    assert_eq!(ended(&world, id).await, Status::Imported);
    stop.cancel();
    process.await.unwrap().unwrap();
    adopting.await.unwrap().unwrap();
    assert_eq!(events(&db).await.len(), 1);
    assert_eq!(crate::store::adopt(&db).await.unwrap(), 0, "one that has ended is left alone");
});

on_both!(an_import_that_waited_for_its_columns_is_not_adopted, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.upload_as("a.csv", two_batches().into_bytes(), false, true).await;
    assert!(world.attempt().await);
    // Jobs that ended are removed after some time.
    world.execute("DELETE FROM job").await;
    let fields = ["delivery_id", "shipmentnumber", "customername", "scheduledate", "sku", "quantity", ""]
        .map(str::to_owned);
    let decided = SaveMappingRequest {
        id: id.to_string(),
        header_line: 1,
        fields: fields.to_vec(),
        ..SaveMappingRequest::default()
    };
    world.save(decided).await.unwrap();
    assert_eq!(world.log(id).await.status, Status::Uploaded);
    assert_eq!(crate::store::adopt(&db).await.unwrap(), 0, "it has a job already");
    while world.attempt().await {}
    assert_eq!(world.log(id).await.status, Status::Imported);
});

/// An importer of the previous release takes an import that ours is working on, and confirms the batch first.
/// This is possible on Postgres only, because a SQLite file has a single process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_releases_at_one_import_double_no_line() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let world = World::open(&test.db).await;
    let id = world.upload("a.csv", &two_batches()).await;
    let pause = world.deliveries.pause_at(0);
    let lease = (world.now() + chrono::Duration::seconds(30)).to_rfc3339();
    let confirmed = format!(
        "UPDATE upload_log SET next_batch = 1, rows_total = 900, rows_created = 900, claimed_until = '{lease}'"
    );
    let other = async {
        pause.reached().await;
        world.execute(&confirmed).await;
        pause.end();
    };
    tokio::join!(world.attempt(), other);
    let log = world.log(id).await;
    assert_eq!((log.next_batch, log.rows_total), (1, 900), "counted once");
    let job = world.job(id).await;
    assert_eq!((job.state, job.attempts), (State::Waiting, 0), "it is nobody's fault");
    world.later(11);
    assert!(world.attempt().await);
    assert_eq!(world.log(id).await.next_batch, 1, "the other one works on it");
    world.later(31);
    while world.attempt().await {}
    let log = world.log(id).await;
    assert_eq!((log.status, log.rows_total, log.rows_created), (Status::Imported, 1_800, 1_800));

    // The other way round: an importer of the previous release ends an import that is queued here.
    let theirs = world.upload("b.csv", &two_batches()).await;
    world.execute(&format!("UPDATE upload_log SET status = 'imported' WHERE id = '{theirs}'")).await;
    world.attempt().await;
    assert_eq!(world.job(theirs).await.state, State::Done);
    assert_eq!(events(&test.db).await.len(), 1, "the end is told once, by the one that ended it");
    test.close().await;
}
