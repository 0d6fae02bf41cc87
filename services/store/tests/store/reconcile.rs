//! A consumer asks for events that never arrived, and handles them once; only entitled consumers get an
//! answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use kit::bus::{Bus, Consumer, EncodedEvent, Handler, MemoryBus, Retry};
use kit::clock::Clock;
use kit::principal::{KeySource, ServiceIdentity, Verifier};
use kit::rpc::Transport;
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::events_service_client::EventsServiceClient;
use proto::events::{AUTH_AUDIT, AuditRecorded, Envelope, ListPublishedRequest};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;
use sea_orm::sea_query::Expr;
use sea_orm_migration::prelude::*;
use store::consume::{Meta, consume};
use store::dead_letters::{self, DeadLetters, dead_letter};
use store::outbox::{self, NewEvent, outbox_event};
use store::published::Published;
use store::reconcile::Reconcile;
use store::relay::{Publish, Relay};
use store::{Db, Tx, on_both};
use tonic::service::Routes;
use uuid::Builder;

const SECRET: &str = "a-secret-of-this-test-and-no-other";
const SUBJECT: &str = "waybill.upload.audit.recorded.v1";

struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        store::migrate::migrations()
    }
}

struct NoKeys;

#[async_trait::async_trait]
impl KeySource for NoKeys {
    async fn keys(&self) -> kit::Result<HashMap<String, Vec<u8>>> {
        Ok(HashMap::new())
    }
}

/// A bus that accepts everything and delivers nothing.
struct Forgetful;

#[async_trait::async_trait]
impl Publish for Forgetful {
    async fn publish(&self, _: &EncodedEvent, _: u32) -> kit::Result<()> {
        Ok(())
    }

    fn keeps_events(&self) -> bool {
        true
    }
}

async fn nothing(_: &Tx, _: AuditRecorded, _: &Meta) -> kit::Result<()> {
    Ok(())
}

/// A consumer that remembers which events it handled. It fails at events named "bad", and at all events while
/// `away` is set.
#[derive(Clone)]
struct Log {
    db: Db,
    seen: Arc<Mutex<Vec<String>>>,
    away: Arc<Mutex<bool>>,
}

#[async_trait::async_trait]
impl Handler for Log {
    async fn handle(&self, envelope: &Envelope) -> kit::Result<()> {
        if *self.away.lock().unwrap() {
            return Err(kit::Error::unavailable("AWAY", "away"));
        }
        if envelope.aggregate_id == "bad" {
            return Err(kit::Error::invalid("BAD", "bad"));
        }
        consume(&self.db, &Clock::system(), AUTH_AUDIT, envelope, &nothing).await?;
        self.seen.lock().unwrap().push(envelope.aggregate_id.clone());
        Ok(())
    }
}

impl Log {
    fn new(db: &Db) -> Self {
        Self { db: db.clone(), seen: Arc::default(), away: Arc::default() }
    }

    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

fn source(db: &Db) -> Transport {
    let verifier = Verifier::new(Arc::new(NoKeys), SECRET.to_owned().into(), Clock::system());
    let routes = Routes::new(Published::service(db, "upload"));
    Transport::InProcess(kit::rpc::mount(routes, verifier, Duration::from_secs(10)))
}

fn identity(service: &'static str) -> ServiceIdentity {
    ServiceIdentity::new(service, SECRET.to_owned().into(), Clock::system())
}

fn reconcile(db: &Db, log: &Log) -> Reconcile {
    let retry = Retry {
        attempts: 3,
        first_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(2),
        timeout: Duration::from_secs(10),
    };
    let consumer = Consumer {
        name: AUTH_AUDIT.name(),
        subject: SUBJECT.to_owned(),
        handler: Arc::new(log.clone()),
        dead_letters: Arc::new(DeadLetters { db: db.clone(), service: "auth", clock: Clock::system() }),
    };
    Reconcile {
        db: db.clone(),
        bus: Bus::Memory(MemoryBus::new(retry.clone())),
        consumer,
        source: source(db),
        identity: identity("auth"),
        retry,
    }
}

async fn publish(db: &Db, names: &[&str]) {
    let tx = db.begin().await.unwrap();
    for name in names {
        let event = NewEvent {
            service: "upload",
            actor: "maria",
            aggregate_id: name,
            aggregate_version: 0,
            occurred_at: Clock::system().now(),
            payload: Payload::AuditRecorded(AuditRecorded {
                after_json: "x".repeat(5_000),
                ..Default::default()
            }),
        };
        outbox::add(&tx, event).await.unwrap();
    }
    tx.commit().await.unwrap();
    let relay = Relay::new(db.clone(), Forgetful);
    while relay.relay().await.unwrap() > 0 {}
}

// One database serves as that of the source and that of the consumer: they use different tables.
on_both!(what_never_came_is_handled_once, Migrator, |db: Db| async move {
    let log = Log::new(&db);
    let reconcile = reconcile(&db, &log);
    // These are too many events for one page, and they are too large for one page together.
    let names: Vec<String> = (0..450).map(|at| format!("{at:03}")).collect();
    publish(&db, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(reconcile.pass().await.unwrap(), 450);
    let mut seen = log.seen();
    seen.sort();
    assert_eq!(seen, names);
    assert_eq!((reconcile.pass().await.unwrap(), log.seen().len()), (0, 0), "nothing is missing any more");
    publish(&db, &["later"]).await;
    assert_eq!(reconcile.pass().await.unwrap(), 1);
    assert_eq!(log.seen(), ["later"]);
});

/// Adds an event under the id of its age, as a relay left it.
async fn insert(tx: &Tx, name: &str, age: chrono::Duration, state: outbox_event::ActiveModel) {
    let at = Clock::system().now() - age;
    let id = Builder::from_unix_timestamp_millis(at.timestamp_millis().unsigned_abs(), &[1; 10]).into_uuid();
    let event = Envelope {
        id: id.to_string(),
        subject: SUBJECT.into(),
        aggregate_id: name.to_owned(),
        payload: Some(Payload::AuditRecorded(AuditRecorded::default())),
        ..Envelope::default()
    };
    let row = outbox_event::ActiveModel {
        id: Set(id),
        subject: Set(SUBJECT.into()),
        envelope: Set(event.encode_to_vec()),
        created_at: Set(at),
        claims: Set(0),
        ..state
    };
    outbox_event::Entity::insert(row).exec_without_returning(&**tx).await.unwrap();
}

// Events that wait come after the published ones. A list goes back less far for them than for the published ones.
on_both!(what_waits_to_be_published_is_listed_for_those_who_ask, Migrator, |db: Db| async move {
    let (minutes, seconds) = (chrono::Duration::minutes, chrono::Duration::seconds);
    let now = Clock::system().now();
    let waits = outbox_event::ActiveModel::default;
    let tx = db.begin().await.unwrap();
    let published = outbox_event::ActiveModel { published_at: Set(Some(now - minutes(1))), ..waits() };
    insert(&tx, "published", minutes(30), published).await;
    insert(&tx, "old", minutes(2), waits()).await;
    let refused = outbox_event::ActiveModel { refused_at: Set(Some(now)), ..waits() };
    insert(&tx, "refused", seconds(21), refused).await;
    // Too new, however slow this test is.
    insert(&tx, "new", minutes(-3), waits()).await;
    // These are too many for one page.
    let names: Vec<String> = (0..450).map(|at| format!("{at:03}")).collect();
    for (name, at) in names.iter().zip(0..) {
        insert(&tx, name, seconds(20) - chrono::Duration::milliseconds(at), waits()).await;
    }
    tx.commit().await.unwrap();

    let source = source(&db);
    let list = async |since: Option<DateTime<Utc>>, waiting: bool| {
        let since = since.map(proto::timestamp);
        let mut ask = ListPublishedRequest { subject: SUBJECT.into(), since, waiting, after: String::new() };
        let mut listed = Vec::new();
        loop {
            let client = source.with_token(identity("auth").token().unwrap().into());
            let page =
                EventsServiceClient::new(client).list_published(ask.clone()).await.unwrap().into_inner();
            listed.extend(
                page.envelopes.iter().map(|it| Envelope::decode(it.as_slice()).unwrap().aggregate_id),
            );
            if page.next.is_empty() {
                return listed;
            }
            ask.after = page.next;
        }
    };
    assert_eq!(list(None, false).await, ["published"]);
    let recent = [vec!["published".to_owned()], names.clone()].concat();
    assert_eq!(list(Some(now), true).await, recent);
    let all = [vec!["published".to_owned(), "old".to_owned()], names].concat();
    assert_eq!(list(None, true).await, all);
});

// An inbox may have forgotten an event that waited for long, so a record would be written twice.
on_both!(a_record_is_handled_only_after_it_was_published, Migrator, |db: Db| async move {
    let log = Log::new(&db);
    let reconcile = reconcile(&db, &log);
    let tx = db.begin().await.unwrap();
    insert(&tx, "waiting", chrono::Duration::minutes(1), outbox_event::ActiveModel::default()).await;
    tx.commit().await.unwrap();
    assert_eq!(reconcile.pass().await.unwrap(), 0);
    assert!(log.seen().is_empty());
    publish(&db, &[]).await;
    assert_eq!(reconcile.pass().await.unwrap(), 1);
    assert_eq!(log.seen(), ["waiting"]);
});

// An id is created before its transaction commits, and an outage of the broker may last long, so an event
// that is published late has an old id.
on_both!(what_was_published_late_is_not_passed_over, Migrator, |db: Db| async move {
    let log = Log::new(&db);
    let reconcile = reconcile(&db, &log);
    let early = Envelope {
        id: "00000000-0000-7000-8000-000000000001".into(),
        subject: SUBJECT.into(),
        aggregate_id: "early".into(),
        payload: Some(Payload::AuditRecorded(AuditRecorded::default())),
        ..Envelope::default()
    };
    publish(&db, &["1", "2"]).await;
    reconcile.pass().await.unwrap();
    // Add an event whose id is so old that a search by id would miss it, although each pass starts somewhat
    // before the end of the previous one.
    let tx = db.begin().await.unwrap();
    let long_ago = Clock::system().now() - chrono::Duration::hours(3);
    outbox_event::Entity::update_many()
        .col_expr(outbox_event::Column::PublishedAt, Expr::value(long_ago))
        .exec(&*tx)
        .await
        .unwrap();
    let row = outbox_event::ActiveModel {
        id: Set(early.id.parse().unwrap()),
        subject: Set(SUBJECT.into()),
        envelope: Set(early.encode_to_vec()),
        created_at: Set(long_ago),
        claimed_until: Set(None),
        published_at: Set(None),
        claims: Set(0),
        refused_at: Set(None),
        refusal: Set(None),
    };
    outbox_event::Entity::insert(row).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    log.seen();
    publish(&db, &[]).await;
    assert_eq!(reconcile.pass().await.unwrap(), 1);
    assert_eq!(log.seen(), ["early"]);
});

// An event that cannot be handled yet is asked for again. An event that can never be handled becomes a dead
// letter and blocks no other event.
on_both!(the_rest_waits_or_is_given_up, Migrator, |db: Db| async move {
    let log = Log::new(&db);
    let reconcile = reconcile(&db, &log);
    publish(&db, &["bad", "good"]).await;
    *log.away.lock().unwrap() = true;
    for _ in 0..5 {
        assert_eq!(reconcile.pass().await.unwrap_err().reason, "EVENTS_WAIT");
    }
    *log.away.lock().unwrap() = false;
    for _ in 0..2 {
        assert_eq!(reconcile.pass().await.unwrap_err().reason, "EVENTS_WAIT", "being away did not count");
    }
    assert_eq!(dead_letters::count(&db).await.unwrap(), 0);
    assert_eq!(reconcile.pass().await.unwrap(), 1);
    assert_eq!((log.seen(), dead_letters::count(&db).await.unwrap()), (vec!["good".to_owned()], 1));
    publish(&db, &["next"]).await;
    assert_eq!(reconcile.pass().await.unwrap(), 1);
    assert_eq!((log.seen(), dead_letters::count(&db).await.unwrap()), (vec!["next".to_owned()], 1));
});

// Passes overlap, so a later pass sees events that were given up before.
on_both!(what_was_given_up_is_not_handled_once_more_by_each_pass, Migrator, |db: Db| async move {
    let log = Log::new(&db);
    let reconcile = reconcile(&db, &log);
    publish(&db, &["bad"]).await;
    while reconcile.pass().await.is_err() {}
    assert_eq!(dead_letters::count(&db).await.unwrap(), 1);
    assert_eq!(reconcile.pass().await.unwrap(), 0);
    // The event is not handled again, either, after an administrator discarded it.
    let tx = db.begin().await.unwrap();
    let discard =
        dead_letter::Entity::update_many().col_expr(dead_letter::Column::State, Expr::value("discarded"));
    discard.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(reconcile.pass().await.unwrap(), 0);
    // A dead letter of another consumer does not keep this consumer from handling the event.
    let tx = db.begin().await.unwrap();
    let other =
        dead_letter::Entity::update_many().col_expr(dead_letter::Column::Consumer, Expr::value("other"));
    other.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(reconcile.pass().await.unwrap_err().reason, "EVENTS_WAIT");
});

on_both!(only_who_consumes_the_events_may_ask, Migrator, |db: Db| async move {
    let ask = |client| async move {
        let request = ListPublishedRequest { subject: SUBJECT.into(), ..Default::default() };
        EventsServiceClient::new(client).list_published(request).await.map_err(kit::Error::from)
    };
    let source = source(&db);
    assert!(ask(source.with_token(identity("auth").token().unwrap().into())).await.is_ok());
    let refused = ask(source.with_token(identity("gateway").token().unwrap().into())).await.unwrap_err();
    assert_eq!(refused.reason, "SERVICE_ONLY");
    assert_eq!(ask(source.anonymous()).await.unwrap_err().kind, kit::Kind::Unauthenticated);
    let odd = ListPublishedRequest { after: "no place".into(), ..Default::default() };
    let client = source.with_token(identity("auth").token().unwrap().into());
    let refused =
        EventsServiceClient::new(client).list_published(odd).await.map_err(kit::Error::from).unwrap_err();
    assert_eq!(refused.kind, kit::Kind::InvalidInput);
});
