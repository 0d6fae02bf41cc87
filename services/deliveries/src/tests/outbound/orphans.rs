//! Messages that wait for an endpoint that was deleted, switched off or paused.

use std::time::Duration;

use ::store::Reading;
use ::store::testing::{Backend, TestDb, sqlite_plan};
use chrono::{DateTime, Utc};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, QueryFilter, QuerySelect, QueryTrait, Statement};
use uuid::Uuid;

use super::*;
use crate::entity::dead_letter::ActiveModel;
use crate::entity::outbound_endpoint;
use crate::outbound::backlog;
use crate::outbound::sends::{self, Outgoing};
use crate::tables::dead_letters::unsent;

const NOWHERE: &str = "http://127.0.0.1:9/";

async fn delete(office: &Office, endpoint: &OutboundEndpoint) {
    let request = DeleteOutboundEndpointRequest { id: endpoint.id.clone(), version: endpoint.version };
    told(office.letters().delete_outbound_endpoint(by(Role::Admin, request)).await).unwrap();
}

async fn switch(office: &Office, endpoint: OutboundEndpoint, is_active: bool) -> OutboundEndpoint {
    let request = SaveOutboundEndpointRequest {
        id: endpoint.id,
        version: endpoint.version,
        name: endpoint.name,
        url: endpoint.url,
        methods: endpoint.methods,
        is_active,
        ..Default::default()
    };
    told(office.letters().save_outbound_endpoint(by(Role::Admin, request)).await).unwrap()
}

async fn add(db: &Db, rows: Vec<ActiveModel>) {
    let tx = db.begin().await.unwrap();
    ::store::bulk::insert(&*tx, rows).await.unwrap();
    tx.commit().await.unwrap();
}

async fn oldest_due(office: &Office) -> Option<DateTime<Utc>> {
    backlog::oldest_due(&office.context.db, office.context.clock.now()).await.unwrap()
}

async fn discard(office: &Office) -> u64 {
    sends::discard_orphaned(&office.context.db, office.context.clock.now()).await.unwrap()
}

async fn pause_all(db: &Db, at: DateTime<Utc>) {
    let tx = db.begin().await.unwrap();
    outbound_endpoint::Entity::update_many()
        .col_expr(outbound_endpoint::Column::PausedAt, Expr::value(at))
        .col_expr(outbound_endpoint::Column::FailuresInRow, Expr::value(50))
        .exec(&*tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

/// Waits until another connection to Postgres waits for a lock. Reads outside of a transaction, which would keep
/// seeing the connections that were open at its first read.
async fn until_somebody_waits(db: &Db) {
    let waiting = "SELECT count(*) AS waiting FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event_type = 'Lock'";
    for _ in 0..1_000 {
        let statement = Statement::from_string(DbBackend::Postgres, waiting);
        let row = db.read().query_one_raw(statement).await.unwrap();
        if row.unwrap().try_get::<i64>("", "waiting").unwrap() > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("nobody waits for a lock");
}

fn row(endpoint: Option<Uuid>, state: State) -> ActiveModel {
    let waits = State::OPEN.contains(&state);
    ActiveModel {
        state: Set(state),
        endpoint_id: Set(endpoint),
        next_attempt_at: Set(waits.then(|| at(0))),
        ..sends::new_row(Method::Create, "{}".into(), at(0))
    }
}

on_both!(a_message_that_commits_after_its_endpoint_was_deleted_is_discarded, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", NOWHERE).await;
    let id: Uuid = endpoint.id.parse().unwrap();
    if db.is_postgres() {
        // The change has read the endpoints, but has not committed when an administrator deletes this one.
        let tx = db.begin().await.unwrap();
        let change = Outgoing {
            delivery_id: "DR-1".into(),
            source_id: None,
            methods: vec![Method::Create],
            data: serde_json::Map::new(),
        };
        sends::enqueue(&tx, vec![change], at(0)).await.unwrap();
        delete(&office, &endpoint).await;
        tx.commit().await.unwrap();
    } else {
        // SQLite has one writer at a time, so add what such a change would leave.
        delete(&office, &endpoint).await;
        add(&db, vec![row(Some(id), State::Queued)]).await;
    }
    let [left] = &office.sends().await[..] else { panic!("one") };
    assert_eq!((left.state, left.endpoint_id), (State::Queued, Some(id)));
    office.later(60);
    assert_eq!(oldest_due(&office).await, None, "nobody can send it");
    assert_eq!(discard(&office).await, 1);
    assert_eq!(discard(&office).await, 0);
    let [left] = &office.sends().await[..] else { panic!("one") };
    assert_eq!((left.state, left.next_attempt_at, left.closed_at), (State::Discarded, None, Some(at(60))));
    assert_eq!(left.discard_reason.as_deref(), Some("The endpoint was deleted"));
    assert_eq!(left.discarded_by.as_deref(), Some("system:deliveries"));
});

on_both!(only_unsent_messages_to_deleted_endpoints_are_discarded, Migrator, |db: Db| async move {
    let office = open(&db);
    let kept: Uuid = office.endpoint("ERP", NOWHERE).await.id.parse().unwrap();
    let gone = kit::clock::new_id();
    // More than one transaction of the chore takes.
    let mut rows: Vec<ActiveModel> = (0..1_100).map(|_| row(Some(gone), State::Queued)).collect();
    rows.extend([State::ScheduledRetry, State::Failed, State::Success].map(|it| row(Some(gone), it)));
    rows.extend([State::Queued, State::Failed, State::Success].map(|it| row(Some(kept), it)));
    // Events have no endpoint.
    rows.push(row(None, State::Failed));
    add(&db, rows).await;
    assert_eq!(discard(&office).await, 1_102);
    let sends = office.sends().await;
    let count = |endpoint: Option<Uuid>, state: State| {
        sends.iter().filter(|it| it.endpoint_id == endpoint && it.state == state).count()
    };
    assert_eq!((count(Some(gone), State::Discarded), count(Some(gone), State::Success)), (1_102, 1));
    assert_eq!((count(Some(kept), State::Queued), count(Some(kept), State::Failed)), (1, 1));
    assert_eq!((count(Some(kept), State::Success), count(None, State::Failed)), (1, 1));
});

// An endpoint may have a backlog of millions of messages, and SQLite has one writer at a time.
on_both!(the_backlog_of_a_deleted_endpoint_is_discarded_step_by_step, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", NOWHERE).await;
    let gone: Uuid = endpoint.id.parse().unwrap();
    let kept: Uuid = office.endpoint("WMS", NOWHERE).await.id.parse().unwrap();
    let mut rows: Vec<ActiveModel> = (0..2_000).map(|_| row(Some(gone), State::Queued)).collect();
    rows.extend([State::ScheduledRetry, State::Failed, State::Success].map(|it| row(Some(gone), it)));
    rows.extend([State::Queued, State::Failed].map(|it| row(Some(kept), it)));
    add(&db, rows).await;
    delete(&office, &endpoint).await;
    let discarded = async || -> Vec<Model> {
        office.sends().await.into_iter().filter(|it| it.state == State::Discarded).collect()
    };
    assert!(discarded().await.is_empty(), "not in the transaction of the request");
    assert_eq!(office.discard_of_deleted().await, 1);
    let discarded = discarded().await;
    assert_eq!(discarded.len(), 2_002);
    let of_job = |it: &Model| {
        it.endpoint_id == Some(gone)
            && it.discarded_by.as_deref() == Some(endpoint.updated_by.as_str())
            && it.discard_reason.as_deref() == Some("The endpoint was deleted")
    };
    assert!(discarded.iter().all(of_job), "{:?}", discarded[0]);
    assert_eq!(discard(&office).await, 0, "nothing is left");
    let acts = ::store::testing::acts(&db).await;
    assert_eq!(acts.last().unwrap().1.after_json, r#"{"lettersDiscarded":2002}"#);
});

/// On SQLite, no message is recorded as sent while others are discarded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_just_recorded_as_sent_is_not_discarded() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let (office, gone) = (open(&test.db), kit::clock::new_id());
    add(&test.db, vec![row(Some(gone), State::Queued), row(Some(gone), State::Queued)]).await;
    let sent = office.sends().await[0].id;
    let recording = test.db.begin().await.unwrap();
    Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Success))
        .col_expr(Column::NextAttemptAt, Expr::value(None::<DateTime<Utc>>))
        .filter(Column::Id.eq(sent))
        .exec(&*recording)
        .await
        .unwrap();
    let committing = async {
        until_somebody_waits(&test.db).await;
        recording.commit().await.unwrap();
    };
    let (discarded, ()) = tokio::join!(discard(&office), committing);
    assert_eq!(discarded, 1);
    let states: Vec<(bool, State)> =
        office.sends().await.iter().map(|it| (it.id == sent, it.state)).collect();
    assert_eq!(states, [(true, State::Success), (false, State::Discarded)]);
    drop(office);
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_finds_the_backlog_of_an_endpoint_in_its_indexes() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let backlog = Entity::find().select_only().column(Column::Id).filter(unsent(kit::clock::new_id()));
    let plan = sqlite_plan(test.db.read(), backlog.limit(1_000).build(DbBackend::Sqlite)).await;
    assert!(plan.contains("INDEX dead_letter_due") && !plan.contains("SCAN"), "{plan}");
    test.close().await;
}

on_both!(messages_to_an_endpoint_that_is_off_or_paused_are_not_due, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", NOWHERE).await;
    office.create("DR-1", "S-1", two_items()).await;
    office.later(60);
    assert_eq!(oldest_due(&office).await, Some(at(0)));
    let endpoint = switch(&office, endpoint, false).await;
    assert_eq!(oldest_due(&office).await, None);
    switch(&office, endpoint, true).await;
    assert_eq!(oldest_due(&office).await, Some(at(0)));
    pause_all(&db, at(30)).await;
    assert_eq!(oldest_due(&office).await, None);
    assert_eq!(discard(&office).await, 0, "they wait for the endpoint");
    // A resent event waits for its consumer.
    add(&db, vec![row(None, State::ScheduledRetry)]).await;
    assert_eq!(oldest_due(&office).await, Some(at(0)));
});

on_both!(a_paused_endpoint_sends_again_after_it_was_switched_off_and_on, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    pause_all(&db, at(0)).await;
    assert_eq!(office.send().await, 0);
    let off = switch(&office, endpoint, false).await;
    assert_eq!((off.paused_at, off.failures_in_row), (None, 0));
    assert_eq!(office.send().await, 0);
    switch(&office, off, true).await;
    assert_eq!(office.send().await, 1);
});

on_both!(what_metrics_read_every_few_seconds_is_found_without_sorting, Migrator, |db: Db| async move {
    let explain = if db.is_postgres() { "EXPLAIN" } else { "EXPLAIN QUERY PLAN" };
    let read = db.begin_read(Reading::Page).await.unwrap();
    if db.is_postgres() {
        // In an empty table, Postgres would read and sort everything.
        for other in ["enable_seqscan", "enable_bitmapscan", "enable_sort"] {
            read.execute_unprepared(&format!("SET LOCAL {other} = off")).await.unwrap();
        }
    }
    let due = |endpoint| (backlog::first_due(endpoint, at(0)).build(db.backend()), "dead_letter_due");
    let failed = (backlog::newest_failed().build(db.backend()), "dead_letter_by_state");
    for (query, index) in [due(Some(kit::clock::new_id())), due(None), failed] {
        let plan = Statement { sql: format!("{explain} {}", query.sql), ..query };
        let rows = read.query_all_raw(plan).await.unwrap();
        let line = |row: &sea_orm::QueryResult| match db.backend() {
            DbBackend::Postgres => row.try_get_by_index::<String>(0).unwrap(),
            _ => row.try_get::<String>("", "detail").unwrap(),
        };
        let plan = rows.iter().map(line).collect::<Vec<_>>().join("\n");
        assert!(plan.contains(index), "{plan}");
        assert!(!plan.contains("Sort") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
});

on_both!(a_letter_and_its_group_say_that_their_endpoint_is_off, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", NOWHERE).await;
    let id: Uuid = endpoint.id.parse().unwrap();
    add(&db, vec![row(Some(id), State::Failed)]).await;
    let [letter] = &office.sends().await[..] else { panic!("one") };
    let get = GetDeadLetterRequest { id: letter.id.to_string() };
    let off = async || {
        let shown = told(office.letters().get_dead_letter(by(Role::Admin, get.clone())).await).unwrap();
        let all = proto::common::v1::CountRequest::default();
        let groups =
            told(office.letters().list_dead_letter_groups(by(Role::Admin, all)).await).unwrap().groups;
        (shown.endpoint_off, groups[0].endpoint_off)
    };
    assert_eq!(off().await, (false, false));
    let endpoint = switch(&office, endpoint, false).await;
    assert_eq!(off().await, (true, true));
    switch(&office, endpoint, true).await;
    assert_eq!(off().await, (false, false));
});
