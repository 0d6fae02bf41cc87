//! Checks how Postgres reads a driver's day: from one index range of one month, without sorting.

use sea_orm::{ConnectionTrait, DbBackend, QuerySelect, QueryTrait, Statement};

use super::*;
use crate::store::positions::Span;
use crate::store::positions::spans::span;

/// Inserts twenty drivers' points, one every three minutes, for forty days.
const FILL: &str = "INSERT INTO position (driver, occurred_at, fingerprint, received_at, lat, lng, provider) \
    SELECT d, t, d * 1000003 + extract(epoch FROM t)::bigint, t, 14.5, 121, 'api' \
    FROM generate_series(1, 20) d, \
    generate_series('2026-10-12T00:00:00Z'::timestamptz, '2026-11-21T00:00:00Z', '3 minutes') t";

async fn plan(db: &Db, wanted: Span) -> String {
    let statement = span(wanted).limit(10_001).build(DbBackend::Postgres);
    let explain = Statement { sql: format!("EXPLAIN {}", statement.sql), ..statement };
    let rows = db.read().query_all_raw(explain).await.unwrap();
    let lines = rows.iter().map(|row| row.try_get::<String>("", "QUERY PLAN").unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drivers_day_is_one_range_of_an_index() {
    let test = store::testing::TestDb::migrated::<Migrator>(store::testing::Backend::Postgres).await;
    let world = World::start(test.db.clone()).await;
    world.db().read().execute_unprepared(FILL).await.unwrap();
    world.db().read().execute_unprepared("ANALYZE position").await.unwrap();
    let day =
        Span { driver: 7, from: at("2026-11-12T00:00:00Z"), to: at("2026-11-13T00:00:00Z"), after: None };
    let found = plan(world.db(), day).await;
    assert!(found.contains("Index Scan") && found.contains("position_2026_11"), "{found}");
    for other in ["Sort", "Seq Scan", "Bitmap", "position_2026_10", "position_rest", "Append"] {
        assert!(!found.contains(other), "{other} in\n{found}");
    }
    // A span across the end of a month reads one range in each of the two months.
    let two = Span { from: at("2026-10-31T12:00:00Z"), to: at("2026-11-01T12:00:00Z"), ..day };
    let found = plan(world.db(), two).await;
    assert!(found.contains("position_2026_10") && found.contains("position_2026_11"), "{found}");
    for other in ["Sort", "Seq Scan", "position_2026_09", "position_rest"] {
        assert!(!found.contains(other), "{other} in\n{found}");
    }
    world.stop().await;
    test.close().await;
}
