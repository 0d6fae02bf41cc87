//! Checks how Postgres finds a user's announcements: along the index of start times, and no further than
//! needed.

use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::office::*;
use super::*;
use crate::domain::announcement::Reader;
use crate::store::news::{newest, newest_open};

/// Creates a thousand announcements, most of them ended, and 200 users who have seen half of them.
const FILL: &str = "\
    INSERT INTO announcement (id, creation_id, creation_fingerprint, title, title_key, message, message_key, severity, \
        audience_roles, audience_users, starts_at, ends_at, is_active, dismissible, seen_count, created_at, \
        created_by, created_by_key, updated_at, updated_by, updated_by_key, version) \
    SELECT md5(n::text)::uuid, md5('c' || n)::uuid, '', 'Title ' || n, 'title ' || n, repeat('word ', 60), '', 'info', \
        '', '[]', t, CASE WHEN n % 10 = 0 THEN NULL ELSE t + interval '3 days' END, n % 20 <> 1, true, 100, t, \
        'maria', 'maria', t, 'maria', 'maria', 1 \
    FROM (SELECT n, timestamptz '2026-11-21T00:00:00Z' - n * interval '6 hours' AS t FROM generate_series(1, 1000) n) a; \
    INSERT INTO announcement_audience (announcement_id, audience) \
    SELECT md5(n::text)::uuid, CASE WHEN n % 2 = 0 THEN 'everybody' ELSE 'role:viewer' END FROM generate_series(1, 1000) n; \
    INSERT INTO announcement_view (announcement_id, user_id, seen_at) \
    SELECT md5(n::text)::uuid, 'user-' || u, now() FROM generate_series(1, 1000, 2) n, generate_series(1, 200) u; \
    ANALYZE announcement; ANALYZE announcement_audience; ANALYZE announcement_view";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_news_of_a_user_are_one_walk_along_an_index() {
    let test = store::testing::TestDb::migrated::<Migrator>(store::testing::Backend::Postgres).await;
    test.db.read().execute_unprepared(FILL).await.unwrap();
    let reader = Reader::of(&person("user-7", &[Role::Viewer])).unwrap();
    let now = at("2026-11-21T08:00:00Z");
    for query in [newest(&reader, now), newest_open(&reader, now)] {
        let statement = DbBackend::Postgres.build(&query);
        let explain = Statement { sql: format!("EXPLAIN {}", statement.sql), ..statement };
        let rows = test.db.read().query_all_raw(explain).await.unwrap();
        let lines = rows.iter().map(|row| row.try_get::<String>("", "QUERY PLAN").unwrap());
        let plan = lines.collect::<Vec<_>>().join("\n");
        assert!(plan.contains("announcement_by_start") && plan.contains("announcement_view_pkey"), "{plan}");
        for other in ["Seq Scan on announcement", "Sort"] {
            assert!(!plan.contains(other), "{other} in\n{plan}");
        }
    }
    test.close().await;
}
