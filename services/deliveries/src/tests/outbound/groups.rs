//! Dead letters to fix, grouped by error.

use std::time::{Duration, Instant};

use ::store::Reading;
use ::store::testing::{Backend, TestDb};
use proto::common::v1::{CountRequest, Filter};
use sea_orm::ActiveValue::Set;
use sea_orm::{ConnectionTrait, DbBackend, Statement, StatementBuilder};

use super::*;
use crate::entity::dead_letter::ActiveModel;
use crate::outbound::sends;
use crate::queries::dead_letter_groups;

/// Adds failed letters with `errors` different errors, `each` letters per error, and the same number of
/// sent letters.
async fn fill(db: &Db, errors: usize, each: usize) {
    let row = |n: usize, state: State| ActiveModel {
        delivery_id: Set(format!("DR-{n}")),
        delivery_key: Set(format!("dr-{n}")),
        state: Set(state),
        method: Set(if n.is_multiple_of(2) { Method::Status } else { Method::Form }),
        error_text: Set(format!("Error {}", n % errors)),
        error_fingerprint: Set(format!("error-{:04}", n % errors)),
        created_at: Set(at(i64::try_from(n).unwrap())),
        attempts: Set(1),
        ..sends::new_row(Method::Status, format!("{{\"text\":\"{}\"}}", "x".repeat(400)), at(0))
    };
    let rows = (0..errors * each).flat_map(|n| [row(n, State::Failed), row(n, State::Success)]);
    let tx = db.begin().await.unwrap();
    ::store::bulk::insert(&*tx, rows.collect()).await.unwrap();
    tx.commit().await.unwrap();
}

impl Office {
    async fn groups(&self, r#where: Vec<Filter>) -> kit::Result<ListDeadLetterGroupsResponse> {
        told(self.letters().list_dead_letter_groups(by(Role::Admin, CountRequest { r#where })).await)
    }
}

fn filter(key: &str, values: &[&str]) -> Filter {
    let operator = if key == "createdAt" { "inDateRange" } else { "equals" };
    let values = values.iter().map(|it| (*it).to_owned()).collect();
    Filter { key: key.into(), operator: operator.into(), values }
}

on_both!(a_hundred_groups_are_shown_and_it_is_said_when_there_are_more, Migrator, |db: Db| async move {
    let office = open(&db);
    fill(&db, 100, 2).await;
    let all = office.groups(vec![]).await.unwrap();
    assert_eq!((all.groups.len(), all.more), (100, false));
    assert!(all.groups.iter().all(|it| it.count == 2 && it.error_text.starts_with("Error ")));
    let first = &all.groups[0];
    assert_eq!(
        (first.first_seen_at, first.last_seen_at),
        (Some(proto::timestamp(at(0))), Some(proto::timestamp(at(100))))
    );
    fill(&db, 101, 1).await;
    let all = office.groups(vec![]).await.unwrap();
    assert_eq!((all.groups.len(), all.more), (100, true));
    assert!(all.groups.iter().all(|it| it.count == 3), "the largest first");
});

on_both!(groups_are_of_the_letters_that_match, Migrator, |db: Db| async move {
    let office = open(&db);
    fill(&db, 3, 4).await;
    let counts = async |filters| -> Vec<(String, u64)> {
        let answer = office.groups(filters).await.unwrap();
        answer.groups.into_iter().map(|it| (it.error_text, it.count)).collect()
    };
    let group = |n: usize, count: u64| (format!("Error {n}"), count);
    assert_eq!(counts(vec![filter("method", &["status"])]).await, [group(0, 2), group(1, 2), group(2, 2)]);
    assert_eq!(counts(vec![filter("deliveryId", &["DR-4"])]).await, [group(1, 1)]);
    let (from, to) = (at(6).to_rfc3339(), at(8).to_rfc3339());
    assert_eq!(counts(vec![filter("createdAt", &[&from, &to])]).await, [group(0, 1), group(1, 1)]);
    assert_eq!(office.groups(vec![filter("nothing", &["x"])]).await.unwrap_err().reason, "FIELD_UNKNOWN");
});

on_both!(groups_of_one_error_are_told_apart_by_their_endpoint, Migrator, |db: Db| async move {
    let office = open(&db);
    let row = |endpoint: &OutboundEndpoint| ActiveModel {
        state: Set(State::Failed),
        endpoint_id: Set(Some(endpoint.id.parse().unwrap())),
        error_fingerprint: Set("gone".into()),
        ..sends::new_row(Method::Status, "{}".into(), at(0))
    };
    let old = office.endpoint("Old ERP", "http://127.0.0.1:9/").await;
    let new = office.endpoint("New ERP", "http://127.0.0.1:9/").await;
    let tx = db.begin().await.unwrap();
    ::store::bulk::insert(&*tx, vec![row(&old), row(&old), row(&new)]).await.unwrap();
    tx.commit().await.unwrap();
    let groups = async |filters| -> Vec<(String, u64)> {
        let answer = office.groups(filters).await.unwrap();
        answer.groups.into_iter().map(|it| (it.endpoint_id, it.count)).collect()
    };
    assert_eq!(groups(vec![]).await, [(old.id.clone(), 2), (new.id.clone(), 1)]);
    let of_new = vec![filter("errorFingerprint", &["gone"]), filter("endpointId", &[&new.id])];
    assert_eq!(groups(of_new).await, [(new.id.clone(), 1)]);
});

on_both!(groups_are_counted_without_reading_letters, Migrator, |db: Db| async move {
    fill(&db, 50, 60).await;
    let (explain, index) = match db.is_postgres() {
        true => ("EXPLAIN", "Index Only Scan using dead_letter_by_error"),
        false => ("EXPLAIN QUERY PLAN", "USING COVERING INDEX dead_letter_by_error"),
    };
    let read = db.begin_read(Reading::Page).await.unwrap();
    if db.is_postgres() {
        // In a table this small, Postgres may prefer a bitmap scan.
        read.execute_unprepared("SET LOCAL enable_bitmapscan = off").await.unwrap();
    }
    let counted: Statement = StatementBuilder::build(&dead_letter_groups::counting(), &db.backend());
    let plan = Statement { sql: format!("{explain} {}", counted.sql), ..counted };
    let rows = read.query_all_raw(plan).await.unwrap();
    let line = |row: &sea_orm::QueryResult| match db.backend() {
        DbBackend::Postgres => row.try_get_by_index::<String>(0).unwrap(),
        _ => row.try_get::<String>("", "detail").unwrap(),
    };
    let plan: Vec<String> = rows.iter().map(line).collect();
    assert!(plan.iter().any(|it| it.contains(index)), "{plan:#?}");
});

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_that_take_too_long_say_what_to_narrow() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let office = open(&test.db);
    // The lock makes the query wait.
    let holder = test.db.begin().await.unwrap();
    holder.execute_unprepared("LOCK TABLE delivery_dead_letter IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let begun = Instant::now();
    let error = office.groups(vec![]).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::FailedPrecondition, "LIST_TOO_BROAD"));
    assert!(error.message.contains("date range"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(8));
    drop(holder);
    assert_eq!(office.groups(vec![]).await.unwrap().groups.len(), 0);
    drop(office);
    test.close().await;
}
