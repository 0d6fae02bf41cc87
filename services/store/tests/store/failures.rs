//! Events that cannot be published or handled, and old events, on both databases.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Duration, Utc};
use kit::bus::{DeadLetters as _, Earlier, EncodedEvent, End, RawMessage};
use kit::clock::{Clock, new_id};
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{AuditRecorded, Envelope};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use store::clearing::Doubts;
use store::dead_letters::{self, DeadLetters, event_attempt};
use store::inbox::inbox_event;
use store::outbox::{self, NewEvent, outbox_event};
use store::relay::{Publish, Relay};
use store::{Db, on_both, retention};
use tokio_util::sync::CancellationToken;

use crate::Migrator;

fn act(text: &str) -> Payload {
    Payload::AuditRecorded(AuditRecorded { after_json: text.to_owned(), ..AuditRecorded::default() })
}

async fn try_add(db: &Db, name: &str, payload: Payload) -> kit::Result<()> {
    let tx = db.begin().await?;
    let event = NewEvent {
        service: "upload",
        actor: "maria",
        aggregate_id: name,
        aggregate_version: 1,
        occurred_at: Clock::system().now(),
        payload,
    };
    outbox::add(&tx, event).await?;
    tx.commit().await
}

async fn add(db: &Db, name: &str) {
    try_add(db, name, act("")).await.unwrap();
}

/// A bus that refuses some events for good and defers others.
#[derive(Clone, Default)]
struct Bus(Arc<Mutex<Vec<(String, u32)>>>);

impl Bus {
    fn sent(&self) -> Vec<(String, u32)> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Publish for Bus {
    async fn publish(&self, event: &EncodedEvent, time: u32) -> kit::Result<()> {
        match event.envelope.aggregate_id.as_str() {
            "too large" => return Err(kit::Error::invalid("EVENT_TOO_LARGE", "The event is too large")),
            "waits" if time < 3 => {
                let kept = kit::Error::unavailable("EVENT_KEPT", "not yet");
                return Err(kit::Error { retry_after: Some(std::time::Duration::from_millis(1)), ..kept });
            }
            name => self.0.lock().unwrap().push((name.to_owned(), time)),
        }
        Ok(())
    }

    fn keeps_events(&self) -> bool {
        true
    }
}

async fn insert(
    db: &Db,
    envelope: &[u8],
    published_at: Option<DateTime<Utc>>,
    refused_at: Option<DateTime<Utc>>,
) {
    let row = outbox_event::ActiveModel {
        id: Set(new_id()),
        subject: Set("waybill.upload.audit.recorded.v1".into()),
        envelope: Set(envelope.to_vec()),
        created_at: Set(Clock::system().now()),
        claimed_until: Set(None),
        published_at: Set(published_at),
        claims: Set(0),
        refused_at: Set(refused_at),
        refusal: Set(None),
    };
    let tx = db.begin().await.unwrap();
    outbox_event::Entity::insert(row).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

// An event that no bus accepts, or that nobody can read, must not block the events behind it.
on_both!(a_poisoned_event_stops_nobody, Migrator, |db: Db| async move {
    add(&db, "1").await;
    add(&db, "too large").await;
    add(&db, "2").await;
    insert(&db, b"\xff\xff no envelope", None, None).await;
    add(&db, "3").await;
    let bus = Bus::default();
    let relay = Relay::new(db.clone(), bus.clone());
    while relay.relay().await.unwrap() > 0 {}
    assert_eq!(bus.sent(), [("1".into(), 1), ("2".into(), 1), ("3".into(), 1)]);
    assert_eq!(outbox::waiting(&db).await.unwrap(), 0);
    assert_eq!(outbox::refused(&db).await.unwrap(), 2, "an administrator sees that there are some");
    let refused = outbox_event::Entity::find().filter(outbox_event::Column::RefusedAt.is_not_null());
    let refused: Vec<_> =
        refused.all(db.read()).await.unwrap().into_iter().map(|it| it.refusal.unwrap()).collect();
    assert!(refused.iter().any(|it| it.contains("EVENT_TOO_LARGE")), "{refused:?}");
});

// In one process the outbox is the queue: an event that a consumer cannot handle yet blocks no other, and the
// bus learns how often the event was tried.
on_both!(an_event_that_waits_stops_nobody, Migrator, |db: Db| async move {
    for name in ["waits", "1", "2"] {
        add(&db, name).await;
    }
    let bus = Bus::default();
    let relay = Relay::new(db.clone(), bus.clone());
    relay.relay().await.unwrap();
    assert_eq!(bus.sent(), [("1".into(), 1), ("2".into(), 1)]);
    while outbox::waiting(&db).await.unwrap() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        relay.relay().await.unwrap();
    }
    assert_eq!(bus.sent().last().unwrap(), &("waits".to_owned(), 3));
});

// An event that no bus would accept is refused together with its change, before anybody learns that the
// change was saved.
on_both!(a_change_whose_event_is_too_large_is_refused, Migrator, |db: Db| async move {
    let error = try_add(&db, "1", act(&"x".repeat(outbox::MAX_BYTES))).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::InvalidInput, "EVENT_TOO_LARGE"));
    try_add(&db, "1", act(&"x".repeat(outbox::MAX_BYTES - 300))).await.unwrap();
    assert_eq!(outbox::waiting(&db).await.unwrap(), 1);
});

fn letters(db: &Db) -> DeadLetters {
    DeadLetters { db: db.clone(), service: "upload", clock: Clock::system() }
}

/// Returns an event of a newer release, with a field that this release does not know.
fn event(text: &str) -> EncodedEvent {
    let envelope = Envelope {
        id: new_id().to_string(),
        subject: "waybill.drivers.audit.recorded.v1".into(),
        payload: Some(act(text)),
        ..Envelope::default()
    };
    let mut bytes = envelope.encode_to_vec();
    prost::encoding::string::encode(1_000, &"new".to_owned(), &mut bytes);
    EncodedEvent::decode(bytes).unwrap()
}

// The result of a commit may be lost, so raising a dead letter again must not make a second one. The letter
// has the whole event, however large, and the event about the letter always fits through the bus.
on_both!(a_dead_letter_is_kept_once_and_whole, Migrator, |db: Db| async move {
    let sink = letters(&db);
    let (small, large) = (event("a"), event(&"x".repeat(1_000_000)));
    let id = small.envelope.id.as_str();
    let garbage =
        RawMessage { id, subject: "waybill.drivers.audit.recorded.v1", payload: b"\xff\0 no envelope" };
    for _ in 0..2 {
        sink.raise(&small, "upload-x", 5, "It was wrong (WRONG)").await.unwrap();
        sink.raise(&large, "upload-x", 5, "It was\0wrong (WRONG)").await.unwrap();
        sink.raise_raw(&garbage, "upload-x", 1, "the message is no envelope").await.unwrap();
    }
    sink.raise(&small, "upload-y", 5, "It was wrong (WRONG)").await.unwrap();
    let all = dead_letters::list(&db, 10).await.unwrap();
    assert_eq!((all.len(), dead_letters::count(&db).await.unwrap()), (4, 4));
    let payloads: Vec<_> = all.iter().map(|it| it.payload.clone()).collect();
    assert_eq!(
        payloads,
        [small.bytes.to_vec(), large.bytes.to_vec(), garbage.payload.to_vec(), small.bytes.to_vec()]
    );
    assert_eq!((all[0].event_id.as_str(), all[0].attempts), (id, 5));
    assert_ne!(all[2].event_id, id, "it only says so");
    let raised: Vec<_> = store::testing::events(&db).await.into_iter().filter_map(|it| it.payload).collect();
    assert_eq!(raised.len(), 4, "each is reported once");
    let Payload::DeadLetterRaised(first) = &raised[0] else { panic!("{:?}", raised[0]) };
    assert_eq!(first.envelope, small.bytes, "as it was received");
    let largest =
        outbox_event::Entity::find().all(db.read()).await.unwrap().into_iter().map(|it| it.envelope.len());
    assert!(largest.max().unwrap() < 100_000);
    assert_eq!(
        sink.begin("upload-x", id, LONGEST).await.unwrap(),
        Earlier::GivenUp,
        "whoever gets it again leaves it"
    );
});

/// How long an attempt may run.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(60);

/// Makes attempts so old that none can be running any more.
async fn age_attempts(db: &Db) {
    let earlier = Clock::system().now() - Duration::seconds(61);
    let tx = db.begin().await.unwrap();
    let attempts =
        event_attempt::Entity::update_many().col_expr(event_attempt::Column::NotedAt, Expr::value(earlier));
    attempts.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

// Only failures that the event itself caused, or that killed the process, count.
on_both!(failures_are_counted_over_restarts, Migrator, |db: Db| async move {
    let (sink, id) = (letters(&db), new_id().to_string());
    let tried = |failures, died| Earlier::Tried { failures, died };
    assert_eq!(sink.end("a", &id, End::Failed).await.unwrap(), 1, "the first time nothing was noted before");
    assert_eq!(sink.begin("a", &id, LONGEST).await.unwrap(), tried(1, false));
    assert_eq!(sink.end("a", &id, End::Waiting).await.unwrap(), 1);
    assert_eq!(sink.begin("a", &id, LONGEST).await.unwrap(), tried(1, false));
    // The process dies, twice.
    for failures in [2, 3] {
        age_attempts(&db).await;
        assert_eq!(letters(&db).begin("a", &id, LONGEST).await.unwrap(), tried(failures, true));
    }
    assert_eq!(sink.end("a", &id, End::Failed).await.unwrap(), 4);
    assert_eq!(sink.begin("b", &id, LONGEST).await.unwrap(), tried(0, false), "each consumer for itself");
    sink.end("a", &id, End::Handled).await.unwrap();
    assert_eq!(sink.begin("a", &id, LONGEST).await.unwrap(), tried(0, false));
});

// The reader of the bus and reconciliation, here and in another replica, may have the same event.
on_both!(an_attempt_that_runs_elsewhere_is_no_death, Migrator, |db: Db| async move {
    let (sink, other, id) = (letters(&db), letters(&db), new_id().to_string());
    for _ in 0..6 {
        let begun = sink.begin("a", &id, LONGEST).await.unwrap();
        assert_eq!(begun, Earlier::Tried { failures: 0, died: false });
        assert_eq!(other.begin("a", &id, LONGEST).await.unwrap(), Earlier::Running);
        assert_eq!(sink.end("a", &id, End::Waiting).await.unwrap(), 0);
    }
});

async fn seen(db: &Db, at: DateTime<Utc>, rows: usize) {
    let rows = (0..rows).map(|_| inbox_event::ActiveModel {
        consumer: Set("a".into()),
        event_id: Set(new_id()),
        handled_at: Set(at),
    });
    let tx = db.begin().await.unwrap();
    inbox_event::Entity::insert_many(rows).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

// Old rows are deleted in batches, however many there are. Rows that may still be needed stay.
on_both!(old_events_are_cleared_in_steps, Migrator, |db: Db| async move {
    let ago = |time: Duration| Clock::system().now() - time;
    for _ in 0..5 {
        seen(&db, ago(Duration::days(10)), 500).await;
    }
    seen(&db, ago(Duration::days(8)), 3).await;
    for (published, refused) in [
        (Some(ago(Duration::days(8))), None),
        (Some(ago(Duration::days(2))), None),
        (Some(ago(Duration::hours(1))), None),
        (None, None),
        (None, Some(ago(Duration::days(400)))),
    ] {
        insert(&db, b"", published, refused).await;
    }
    let left = || async {
        let outbox = outbox_event::Entity::find().count(db.read()).await.unwrap();
        (outbox, inbox_event::Entity::find().count(db.read()).await.unwrap())
    };
    let doubts = Doubts::holding(std::time::Duration::ZERO);
    assert_eq!(retention::clear(&db, true, &doubts).await.unwrap(), 2_501);
    assert_eq!(left().await, (4, 3), "where the broker may lose events, a week is kept");
    assert_eq!(retention::clear(&db, false, &doubts).await.unwrap(), 1);
    assert_eq!(left().await, (3, 3));
});

/// A bus that always causes another event, so that a relay never runs out of them.
struct Endless {
    db: Db,
    goes_on: Arc<AtomicBool>,
}

#[async_trait::async_trait]
impl Publish for Endless {
    async fn publish(&self, _: &EncodedEvent, _: u32) -> kit::Result<()> {
        match self.goes_on.load(Ordering::SeqCst) {
            true => try_add(&self.db, "next", act("")).await,
            false => Ok(()),
        }
    }

    fn keeps_events(&self) -> bool {
        false
    }
}

on_both!(a_relay_that_is_always_busy_clears_old_events, Migrator, |db: Db| async move {
    let day_ago = Clock::system().now() - Duration::days(1);
    insert(&db, b"", Some(day_ago - Duration::days(1)), None).await;
    insert(&db, b"", Some(day_ago + Duration::hours(12)), None).await;
    add(&db, "first").await;
    let (goes_on, stop) = (Arc::new(AtomicBool::new(true)), CancellationToken::new());
    let relay = Relay::new(db.clone(), Endless { db: db.clone(), goes_on: goes_on.clone() });
    let running = tokio::spawn(relay.run(stop.clone()));
    let cleared = async {
        let old = outbox_event::Entity::find().filter(outbox_event::Column::PublishedAt.lt(day_ago));
        while old.clone().count(db.read()).await.unwrap() > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    let in_time = tokio::time::timeout(std::time::Duration::from_secs(30), cleared).await;
    goes_on.store(false, Ordering::SeqCst);
    stop.cancel();
    running.await.unwrap().unwrap();
    in_time.expect("the old event was not cleared");
});
