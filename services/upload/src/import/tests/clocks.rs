//! A wrong clock deletes neither idempotency keys that may still be used nor the mappings that people chose
//! for headers.

use ::store::clearing::{self, Doubts};
use ::store::testing::{Backend, TestDb};
use ::store::{Db, on_both};
use chrono::{DateTime, TimeDelta, Utc};
use kit::clock::{Clock, new_id};
use sea_orm::{EntityTrait, IntoActiveModel, PaginatorTrait};
use tokio_util::sync::CancellationToken;

use super::world::World;
use crate::entity::{header_mapping, idempotency_key};
use crate::{Context, Migrator, store};

const ROWS: u64 = 3;

async fn fill(db: &Db, at: DateTime<Utc>) {
    let tx = db.begin().await.unwrap();
    for _ in 0..ROWS {
        let key = idempotency_key::Model {
            user_id: "id-of-maria".into(),
            action: "import".into(),
            key: new_id().to_string(),
            fingerprint: "f".into(),
            upload_log_id: new_id(),
            created_at: at,
        };
        let header = header_mapping::Model {
            fingerprint: new_id().to_string(),
            columns: "[]".into(),
            saved_by: "maria".into(),
            used_at: at,
            readings: None,
        };
        idempotency_key::Entity::insert(key.into_active_model()).exec_without_returning(&*tx).await.unwrap();
        header_mapping::Entity::insert(header.into_active_model())
            .exec_without_returning(&*tx)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

/// Returns the number of idempotency keys and of header mappings.
async fn left(db: &Db) -> [u64; 2] {
    let keys = idempotency_key::Entity::find().count(db.read()).await.unwrap();
    [keys, header_mapping::Entity::find().count(db.read()).await.unwrap()]
}

async fn clear(world: &World, doubts: &Doubts) -> [u64; 2] {
    let now = clearing::now(world.db(), &world.context.clock).await.unwrap();
    store::prune_keys(world.db(), now, doubts).await.unwrap();
    store::prune_layouts(world.db(), now, doubts).await.unwrap();
    left(world.db()).await
}

on_both!(a_clock_that_jumps_forgets_no_request, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    fill(&db, world.now()).await;
    let doubts = Doubts::default();
    for days in [1, -1, -1, 1, 31, -31, 400, -400, -400, 400] {
        world.context.clock.advance(TimeDelta::days(days));
        assert_eq!(clear(&world, &doubts).await, [ROWS; 2], "after {days} days");
    }
});

on_both!(what_is_over_is_forgotten, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    fill(&db, world.now()).await;
    let doubts = Doubts::default();
    world.later(3_600 * (24 * 7 - 1));
    assert_eq!(clear(&world, &doubts).await, [ROWS; 2]);
    world.later(3_600 * 2);
    assert_eq!(clear(&world, &doubts).await, [0, ROWS]);
    world.later(3_600 * 24 * 358);
    assert_eq!(clear(&world, &doubts).await, [0, 0]);
    // After 400 days without the service, deleting everything is implausible, so it is held back: for a day in
    // production, for a millisecond here.
    fill(&db, world.now()).await;
    world.later(3_600 * 24 * 400);
    let doubts = Doubts::holding(std::time::Duration::from_millis(1));
    assert_eq!(clear(&world, &doubts).await, [ROWS; 2]);
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    assert_eq!(clear(&world, &doubts).await, [0, 0]);
});

/// One of several replicas is years ahead: the database's clock decides, and only expired rows are deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_is_years_ahead_forgets_what_is_over_and_nothing_else() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let now = Clock::system().now();
    for days in [0, 1, 400] {
        fill(&test.db, now - TimeDelta::days(days)).await;
    }
    let world = World::open(&test.db).await;
    let context = Context { clock: Clock::shifted(TimeDelta::days(800)), ..world.context.clone() };
    let stop = CancellationToken::new();
    let running = crate::prune(&context).map(|task| tokio::spawn(task.run(stop.clone())));
    let cleared = async {
        while left(&test.db).await != [2 * ROWS; 2] {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(20), cleared).await;
    stop.cancel();
    for task in running {
        task.await.unwrap().unwrap();
    }
    assert!(waited.is_ok(), "{:?}", left(&test.db).await);
    assert_eq!(left(&test.db).await, [2 * ROWS; 2]);
    test.close().await;
}
