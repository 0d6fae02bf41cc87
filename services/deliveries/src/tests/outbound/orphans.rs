//! Messages that wait for an endpoint that was deleted, switched off or paused.

use ::store::Reading;
use chrono::{DateTime, Utc};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ConnectionTrait, DbBackend, QueryTrait, Statement};
use uuid::Uuid;

use super::*;
use crate::entity::dead_letter::ActiveModel;
use crate::entity::outbound_endpoint;
use crate::outbound::backlog;
use crate::outbound::sends::{self, Outgoing};

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
    let tx = db.begin().await.unwrap();
    outbound_endpoint::Entity::update_many()
        .col_expr(outbound_endpoint::Column::PausedAt, Expr::value(at(30)))
        .exec(&*tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(oldest_due(&office).await, None);
    assert_eq!(discard(&office).await, 0, "they wait for the endpoint");
    // A resent event waits for its consumer.
    add(&db, vec![row(None, State::ScheduledRetry)]).await;
    assert_eq!(oldest_due(&office).await, Some(at(0)));
});

on_both!(the_oldest_due_message_is_found_without_sorting, Migrator, |db: Db| async move {
    let explain = if db.is_postgres() { "EXPLAIN" } else { "EXPLAIN QUERY PLAN" };
    let read = db.begin_read(Reading::Page).await.unwrap();
    if db.is_postgres() {
        // In an empty table, Postgres would read and sort everything.
        for other in ["enable_seqscan", "enable_bitmapscan", "enable_sort"] {
            read.execute_unprepared(&format!("SET LOCAL {other} = off")).await.unwrap();
        }
    }
    for endpoint in [Some(kit::clock::new_id()), None] {
        let first = backlog::first_due(endpoint, at(0)).build(db.backend());
        let plan = Statement { sql: format!("{explain} {}", first.sql), ..first };
        let rows = read.query_all_raw(plan).await.unwrap();
        let line = |row: &sea_orm::QueryResult| match db.backend() {
            DbBackend::Postgres => row.try_get_by_index::<String>(0).unwrap(),
            _ => row.try_get::<String>("", "detail").unwrap(),
        };
        let plan = rows.iter().map(line).collect::<Vec<_>>().join("\n");
        assert!(plan.contains("dead_letter_due"), "{plan}");
        assert!(!plan.contains("Sort") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
});
