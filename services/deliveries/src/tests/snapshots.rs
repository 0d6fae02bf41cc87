//! Snapshots of deliveries while deliveries are removed.

use kit::principal::Principal;
use proto::deliveries::v1::SnapshotDeliveriesRequest;
use proto::deliveries::v1::snapshot_service_server::SnapshotService;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tokio_stream::StreamExt;

use super::office::sent;
use super::*;
use crate::queries::snapshot::{self, PAGE};
use ::store::Tx;
use ::store::testing::{Backend, TestDb};

/// Deliveries on the second page.
const MORE: u64 = 40;

/// Creates `PAGE + MORE` deliveries. Their keys are in the order of their numbers.
async fn fill(db: &Db) {
    let deliveries = u32::try_from(PAGE + MORE).unwrap();
    let rows =
        (0..deliveries).map(|at| row(at + 2, &format!("DR-{at:04}"), &format!("S-{}", at / 20), "1", 1_000));
    import(db, new_id(), 0, rows.collect()).await.unwrap();
}

/// Removes the deliveries of the first page.
async fn remove_first_page(tx: &Tx) {
    let first = delivery::Column::IdKey.lt(format!("dr-{PAGE:04}"));
    let removed = delivery::Entity::delete_many().filter(first).exec(&**tx).await.unwrap();
    assert_eq!(removed.rows_affected, PAGE);
}

on_both!(a_page_that_vanishes_while_it_is_read_is_not_the_last_one, Migrator, |db: Db| async move {
    fill(&db).await;
    let first = snapshot::keys_after(&db, "").await.unwrap();
    let tx = db.begin().await.unwrap();
    remove_first_page(&tx).await;
    tx.commit().await.unwrap();
    let last = first.last().cloned().unwrap();
    assert!(snapshot::deliveries(&db, first).await.unwrap().is_empty());
    let rest = snapshot::keys_after(&db, &last).await.unwrap();
    let messages = snapshot::deliveries(&db, rest).await.unwrap();
    let delivered: usize = messages.iter().map(|it| it.deliveries.len()).sum();
    assert_eq!(delivered as u64, MORE);
    let last = &messages.last().unwrap().last_key;
    assert!(snapshot::keys_after(&db, last).await.unwrap().is_empty());
});

/// Waits until another connection waits for the sequences' table.
async fn until_somebody_waits(tx: &Tx) {
    let waiting = "SELECT count(*) AS waiting FROM pg_locks \
         WHERE NOT granted AND relation = 'event_sequence'::regclass \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    for _ in 0..1_000 {
        let row = tx.query_one_raw(Statement::from_string(DbBackend::Postgres, waiting)).await.unwrap();
        if row.unwrap().try_get::<i64>("", "waiting").unwrap() > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the stream never asked for the sequences");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_goes_on_behind_a_page_that_vanished() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    fill(&test.db).await;
    // The lock stops the stream between the keys of its first page and their rows.
    let tx = test.db.begin().await.unwrap();
    tx.execute_unprepared("LOCK TABLE event_sequence IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let service = crate::rpc::snapshot::Service { db: test.db.clone() };
    let reader = Principal::Service { name: "analytics".into() };
    let stream = service.snapshot_deliveries(sent(reader, SnapshotDeliveriesRequest::default())).await;
    let stream = stream.unwrap().into_inner();
    until_somebody_waits(&tx).await;
    remove_first_page(&tx).await;
    tx.commit().await.unwrap();
    let messages: Vec<_> = stream.map(|message| message.unwrap()).collect().await;
    let delivered: usize = messages.iter().map(|it| it.deliveries.len()).sum();
    assert_eq!(delivered as u64, MORE);
    test.close().await;
}
