//! Snapshots of deliveries while deliveries are removed.

use kit::principal::Principal;
use proto::deliveries::v1::snapshot_service_server::SnapshotService;
use proto::deliveries::v1::{SnapshotDeliveriesRequest, SnapshotDeliveriesResponse};
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

/// Returns how many deliveries exist, and how many were removed after their first event.
fn counts(messages: &[SnapshotDeliveriesResponse]) -> (u64, u64) {
    let facts = messages.iter().flat_map(|it| &it.deliveries).map(|it| it.delivery.as_ref().unwrap());
    let (removed, existing): (Vec<_>, Vec<_>) = facts.partition(|it| it.removed);
    assert!(removed.iter().all(|it| it.sequence == 1));
    assert!(messages.iter().all(|it| it.lists_removed));
    (existing.len() as u64, removed.len() as u64)
}

on_both!(deliveries_that_vanish_while_their_page_is_read_come_as_removed, Migrator, |db: Db| async move {
    fill(&db).await;
    let first = snapshot::keys_after(&db, "").await.unwrap();
    let tx = db.begin().await.unwrap();
    remove_first_page(&tx).await;
    tx.commit().await.unwrap();
    let last = first.last().cloned().unwrap();
    let messages = snapshot::deliveries(&db, first).await.unwrap();
    assert_eq!(counts(&messages), (0, PAGE));
    assert_eq!(messages.last().unwrap().last_key, last);
    let rest = snapshot::keys_after(&db, &last).await.unwrap();
    let messages = snapshot::deliveries(&db, rest).await.unwrap();
    assert_eq!(counts(&messages), (MORE, 0));
    let last = &messages.last().unwrap().last_key;
    assert!(snapshot::keys_after(&db, last).await.unwrap().is_empty());
});

on_both!(a_stream_without_any_delivery_says_that_no_removed_one_is_missing, Migrator, |db: Db| async move {
    let service = crate::rpc::snapshot::Service { db: db.clone() };
    let reader = Principal::Service { name: "analytics".into() };
    let stream = service.snapshot_deliveries(sent(reader, SnapshotDeliveriesRequest::default())).await;
    let messages: Vec<_> = stream.unwrap().into_inner().map(|message| message.unwrap()).collect().await;
    assert!(messages.len() == 1 && messages[0].lists_removed, "{messages:?}");
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
    assert_eq!(counts(&messages), (MORE, PAGE));
    test.close().await;
}
