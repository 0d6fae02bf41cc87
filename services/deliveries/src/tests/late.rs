//! Late deliveries: their order, and which rows are read to find them.

use ::store::list::{Bounds, Listing};
use ::store::testing::{Backend, TestDb, sqlite_plan};
use chrono::{DateTime, Utc};
use proto::common::v1::{Filter, Page, SortDirection};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{ConnectionTrait, DbBackend, Statement, StatementBuilder};
use serde_json::Value;

use super::lists::{filter, seeded, sort};
use super::*;

/// Small thresholds, so that all paging strategies are used.
const LIST: Listing<delivery::Entity> =
    Listing { bounds: Bounds { few: 30, near: 120, ..Bounds::DEFAULT }, ..queries::deliveries::LIST };

fn due(it: &delivery::Model) -> DateTime<Utc> {
    it.time_window_end.unwrap_or(it.scheduledatetime)
}

on_both!(late_deliveries_can_be_sorted_by_when_they_are_due, Migrator, |db: Db| async move {
    let all = seeded(&db).await;
    let now = office::seeded_at();
    let pending = || filter("deliverystatus", "equals", &["Pending"]);
    let past = || filter("dueAt", "inDateRange", &["1970-01-01T00:00:00Z", &now.to_rfc3339()]);
    let driven = || filter("driverId", "!isEmpty", &[]);
    for filters in [vec![pending()], vec![pending(), past()], vec![pending(), past(), driven()]] {
        let mut expected: Vec<&delivery::Model> = all
            .iter()
            .filter(|it| it.deliverystatus == crate::domain::delivery::Status::Pending)
            .filter(|it| filters.len() < 2 || due(it) < now)
            .filter(|it| filters.len() < 3 || it.driver_id.is_some())
            .collect();
        assert!(!expected.is_empty());
        expected.sort_by_cached_key(|it| (due(it), it.id_key.clone()));
        for direction in [SortDirection::Asc, SortDirection::Desc] {
            let sort = vec![sort("dueAt", direction)];
            let page = Page { r#where: filters.clone(), sort, limit: 100, offset: 0 };
            let right: Vec<&str> = expected.iter().take(100).map(|row| row.id.as_str()).collect();
            let (rows, _) = LIST.page(&db, &page).await.unwrap();
            let there: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
            assert_eq!(there, right, "{filters:?} {direction:?}");
            let (mut exported, mut last) = (Vec::new(), None);
            loop {
                let rows = LIST.stretch(&db, &page, last.as_ref(), 7).await.unwrap();
                let Some(row) = rows.last() else { break };
                last = Some(row.clone());
                exported.extend(rows.into_iter().map(|row| row.id));
            }
            assert!(exported.iter().eq(expected.iter().map(|row| &row.id)), "{filters:?} {direction:?}");
            expected.reverse();
        }
    }
    // Only open deliveries have an index in this order.
    let more = filter("deliverystatus", "equals", &["Pending", "Rejected"]);
    for filters in [vec![], vec![past()], vec![more]] {
        let page =
            Page { r#where: filters, sort: vec![sort("dueAt", SortDirection::Asc)], ..Page::default() };
        let refused = LIST.page(&db, &page).await.unwrap_err();
        assert!(refused.message.contains("deliverystatus equals Pending"), "{refused}");
    }
});

/// Returns filters for the late deliveries at the start of a day in November.
fn late(day: u32) -> Vec<Filter> {
    let range = ["1970-01-01T00:00:00Z".to_owned(), format!("2026-11-{day}T00:00:00Z")];
    let range = [range[0].as_str(), range[1].as_str()];
    vec![filter("deliverystatus", "equals", &["Pending"]), filter("dueAt", "inDateRange", &range)]
}

/// Returns the statements for late deliveries, in both directions.
fn late_statements(backend: DbBackend) -> Vec<(&'static str, SelectStatement)> {
    let directions = [SortDirection::Asc, SortDirection::Desc];
    let pages = directions.map(|direction| {
        let page = Page { r#where: late(28), sort: vec![sort("dueAt", direction)], ..Page::default() };
        queries::deliveries::LIST.statements(&page, backend).unwrap()
    });
    pages.into_iter().flatten().collect()
}

/// Far fewer deliveries are late than are pending, and no others are read. `connection` is that of the test of plans.
pub async fn reads_little(connection: &impl ConnectionTrait) {
    let pending = "SELECT count(*) AS number FROM delivery WHERE deliverystatus = 'Pending'";
    let pending = Statement::from_string(DbBackend::Postgres, pending);
    let pending = connection.query_one_raw(pending).await.unwrap().unwrap();
    let pending: i64 = pending.try_get("", "number").unwrap();
    for (what, select) in late_statements(DbBackend::Postgres) {
        let Statement { sql, values, .. } = StatementBuilder::build(&select, &DbBackend::Postgres);
        let sql = format!("EXPLAIN (ANALYZE, FORMAT JSON) {sql}");
        let explain = Statement { sql, values, db_backend: DbBackend::Postgres };
        let row = connection.query_one_raw(explain).await.unwrap().unwrap();
        let plan: Value = row.try_get("", "QUERY PLAN").unwrap();
        let read = scanned(&plan);
        assert!(read > 0 && read < pending / 2, "{what} reads {read} of {pending}: {plan:#}");
    }
}

/// Returns how many deliveries the scans of a plan read.
fn scanned(node: &Value) -> i64 {
    match node {
        Value::Array(all) => all.iter().map(scanned).sum(),
        Value::Object(all) => {
            let rows = |key: &str| {
                let rows = all.get(key).and_then(Value::as_number).map(ToString::to_string);
                rows.and_then(|it| it.split('.').next()?.parse::<i64>().ok()).unwrap_or_default()
            };
            let own = match all.get("Relation Name").and_then(Value::as_str) {
                Some("delivery") => rows("Actual Rows") + rows("Rows Removed by Filter"),
                _ => 0,
            };
            own + all.values().map(scanned).sum::<i64>()
        }
        _ => 0,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_goes_along_the_late_deliveries() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    for (what, select) in late_statements(DbBackend::Sqlite) {
        let statement = StatementBuilder::build(&select, &DbBackend::Sqlite);
        let plan = sqlite_plan(test.db.read(), statement).await;
        assert!(
            plan.contains("delivery_by_due (deliverystatus=? AND <expr>>? AND <expr><?)"),
            "{what}: {plan}"
        );
        assert!(!plan.contains("TEMP B-TREE"), "{what}: {plan}");
    }
    test.close().await;
}
