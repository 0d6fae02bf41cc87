//! Outbox, counts, transactions and connections, on both databases.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kit::bus::EncodedEvent;
use kit::clock::Clock;
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{Envelope, ImportFinished};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use store::outbox::outbox_event;
use store::outbox::{NewEvent, add, waiting};
use store::relay::{Publish, Relay};
use store::testing::{Backend, TestDb, config};
use store::{Db, counter, on_both};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::Migrator;

#[derive(Clone, Default)]
struct Recorder {
    seen: Arc<Mutex<Vec<String>>>,
    sent: Arc<Mutex<Vec<Vec<u8>>>>,
    refuse: Arc<AtomicUsize>,
}

#[async_trait::async_trait]
impl Publish for Recorder {
    async fn publish(&self, event: &EncodedEvent, _: u32) -> kit::Result<()> {
        if self.refuse.load(Ordering::SeqCst) > 0 {
            self.refuse.fetch_sub(1, Ordering::SeqCst);
            return Err(kit::Error::unavailable("BUS", "the bus is away"));
        }
        self.seen.lock().await.push(event.envelope.aggregate_id.clone());
        self.sent.lock().await.push(event.bytes.to_vec());
        Ok(())
    }

    fn keeps_events(&self) -> bool {
        false
    }
}

async fn commit(db: &Db, name: &str) {
    let tx = db.begin().await.unwrap();
    add(&tx, event(name)).await.unwrap();
    tx.commit().await.unwrap();
}

fn event(name: &str) -> NewEvent<'_> {
    NewEvent {
        service: "upload",
        actor: "maria",
        aggregate_id: name,
        aggregate_version: 1,
        occurred_at: Clock::system().now(),
        payload: Payload::ImportFinished(ImportFinished::default()),
    }
}

on_both!(a_change_and_its_event_commit_together, Migrator, |db: Db| async move {
    commit(&db, "kept").await;
    let tx = db.begin().await.unwrap();
    add(&tx, event("dropped")).await.unwrap();
    drop(tx);
    let recorder = Recorder::default();
    let relay = Relay::new(db.clone(), recorder.clone());
    while relay.relay().await.unwrap() > 0 {}
    assert_eq!(*recorder.seen.lock().await, ["kept"]);
    assert_eq!(waiting(&db).await.unwrap(), 0);
});

on_both!(a_refused_event_stays_and_order_is_kept, Migrator, |db: Db| async move {
    for name in ["1", "2", "3"] {
        commit(&db, name).await;
    }
    let recorder = Recorder::default();
    recorder.refuse.store(1, Ordering::SeqCst);
    let relay = Relay::new(db.clone(), recorder.clone());
    assert!(relay.relay().await.is_err());
    assert_eq!(waiting(&db).await.unwrap(), 3);
    while relay.relay().await.unwrap() > 0 {}
    assert_eq!(*recorder.seen.lock().await, ["1", "2", "3"]);
});

// During an update, the relay of an older process may claim events that a newer one wrote: one with an unknown field,
// and one with an unknown payload.
on_both!(an_event_is_published_as_it_was_stored, Migrator, |db: Db| async move {
    commit(&db, "unknown field").await;
    commit(&db, "unknown payload").await;
    let rows = outbox_event::Entity::find().order_by_asc(outbox_event::Column::Id);
    let mut stored = Vec::new();
    let tx = db.begin().await.unwrap();
    for row in rows.all(&*tx).await.unwrap() {
        let mut envelope = Envelope::decode(row.envelope.as_slice()).unwrap();
        if envelope.aggregate_id == "unknown payload" {
            envelope.payload = None;
        }
        let mut bytes = envelope.encode_to_vec();
        prost::encoding::string::encode(1_000, &"new".to_owned(), &mut bytes);
        let update = outbox_event::Entity::update_many()
            .col_expr(outbox_event::Column::Envelope, Expr::value(bytes.clone()))
            .filter(outbox_event::Column::Id.eq(row.id));
        update.exec(&*tx).await.unwrap();
        stored.push(bytes);
    }
    tx.commit().await.unwrap();
    let recorder = Recorder::default();
    assert_eq!(Relay::new(db.clone(), recorder.clone()).relay().await.unwrap(), 2);
    assert_eq!(*recorder.sent.lock().await, stored);
});

on_both!(an_abandoned_lease_runs_out, Migrator, |db: Db| async move {
    /// Signals that an event is being published; publishing never finishes.
    struct Stuck(Arc<tokio::sync::Notify>);
    #[async_trait::async_trait]
    impl Publish for Stuck {
        async fn publish(&self, _: &EncodedEvent, _: u32) -> kit::Result<()> {
            self.0.notify_one();
            std::future::pending().await
        }

        fn keeps_events(&self) -> bool {
            false
        }
    }
    commit(&db, "1").await;
    // A relay dies while publishing: its task is dropped, and its lease stays.
    let publishing = Arc::new(tokio::sync::Notify::new());
    let dying = Relay::new(db.clone(), Stuck(publishing.clone()));
    tokio::select! {
        ended = dying.relay() => panic!("it published {ended:?}"),
        () = publishing.notified() => {}
    }
    let recorder = Recorder::default();
    let relay = Relay::new(db.clone(), recorder.clone());
    assert_eq!(relay.relay().await.unwrap(), 0, "the lease still holds");
    let lease = outbox_event::Entity::find().one(db.read()).await.unwrap().unwrap().claimed_until.unwrap();
    let left = lease - Clock::system().now();
    assert!(left < chrono::Duration::seconds(31), "queues empty within a minute of a kill: {left}");
    let tx = db.begin().await.unwrap();
    let over = outbox_event::Entity::update_many()
        .col_expr(outbox_event::Column::ClaimedUntil, Expr::value(lease - chrono::Duration::seconds(31)));
    over.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(relay.relay().await.unwrap(), 1);
    assert_eq!(*recorder.seen.lock().await, ["1"]);
});

// The clock was a day ahead when the event was claimed.
on_both!(a_lease_of_a_clock_that_was_set_back_does_not_hold, Migrator, |db: Db| async move {
    commit(&db, "1").await;
    let tx = db.begin().await.unwrap();
    let ahead = Clock::system().now() + chrono::Duration::days(1);
    let claimed =
        outbox_event::Entity::update_many().col_expr(outbox_event::Column::ClaimedUntil, Expr::value(ahead));
    claimed.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(Relay::new(db.clone(), Recorder::default()).relay().await.unwrap(), 1);
});

/// As when a service had hardly any events for days: Postgres keeps the plan of a connection that it made for one row.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_has_its_size_however_few_rows_its_plan_was_made_for() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let keep_plans = "DO $$ BEGIN EXECUTE \
         format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database()); END $$";
    test.db.read().execute_unprepared(keep_plans).await.unwrap();
    let one = kit::config::Database { max_connections: 1, ..config() };
    let db = Db::connect(&test.url, &one).await.unwrap();
    let relay = Relay::new(db.clone(), Recorder::default());
    commit(&db, "first").await;
    assert_eq!(relay.relay().await.unwrap(), 1);
    db.read().execute_unprepared("ANALYZE outbox").await.unwrap();
    commit(&db, "second").await;
    assert_eq!(relay.relay().await.unwrap(), 1);
    let tx = db.begin().await.unwrap();
    for at in 0..150 {
        add(&tx, event(&at.to_string())).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(relay.relay().await.unwrap(), 100);
    db.close().await;
    test.close().await;
}

on_both!(the_running_relay_wakes_on_commit_and_empties_on_stop, Migrator, |db: Db| async move {
    let recorder = Recorder::default();
    let stop = CancellationToken::new();
    let relay = Relay::new(db.clone(), recorder.clone());
    let task = tokio::spawn(relay.run(stop.clone()));
    for at in 0..250 {
        commit(&db, &at.to_string()).await;
    }
    stop.cancel();
    task.await.unwrap().unwrap();
    let seen: HashSet<String> = recorder.seen.lock().await.iter().cloned().collect();
    assert_eq!(seen.len(), 250);
    assert_eq!(waiting(&db).await.unwrap(), 0);
});

on_both!(several_relays_share_the_work_on_postgres, Migrator, |db: Db| async move {
    for at in 0..300 {
        commit(&db, &at.to_string()).await;
    }
    let recorder = Recorder::default();
    // SQLite has one relay by design.
    let relays = if db.is_postgres() { 4 } else { 1 };
    let mut tasks = Vec::new();
    for _ in 0..relays {
        let relay = Relay::new(db.clone(), recorder.clone());
        tasks.push(tokio::spawn(async move { while relay.relay().await.unwrap() > 0 {} }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let seen = recorder.seen.lock().await;
    assert_eq!(seen.len(), 300, "each once");
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), 300);
});

on_both!(a_kept_count_survives_concurrent_writers, Migrator, |db: Db| async move {
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let db = db.clone();
        tasks.push(tokio::spawn(async move {
            let tx = db.begin().await.unwrap();
            counter::add(&*tx, "delivery", 3).await.unwrap();
            tx.commit().await.unwrap();
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let tx = db.begin().await.unwrap();
    counter::add(&*tx, "delivery", -1).await.unwrap();
    drop(tx);
    assert_eq!(counter::get(db.read(), "delivery").await.unwrap(), 60);
    assert_eq!(counter::get(db.read(), "nothing").await.unwrap(), 0);
});

on_both!(readers_cannot_write_on_sqlite, Migrator, |db: Db| async move {
    use sea_orm::ConnectionTrait;
    let refused = db.read().execute_unprepared("DELETE FROM outbox").await;
    assert_eq!(refused.is_err(), !db.is_postgres());
});

on_both!(no_connection_waits_before_it_sends, Migrator, |db: Db| async move {
    // Open all connections of the pool: `TCP_NODELAY` is set on the first while it is opened, on the others
    // afterwards.
    let mut held = Vec::new();
    for _ in 0..if db.is_postgres() { 4 } else { 1 } {
        held.push(db.begin().await.unwrap());
    }
    // Other tests of this process may be connecting right now.
    let mut waiting = usize::MAX;
    for _ in 0..100 {
        waiting = (3..1_024).filter(|number| is_waiting(*number)).count();
        if waiting == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(waiting, 0);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let other = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    assert!(is_waiting(std::os::fd::AsRawFd::as_raw_fd(&other)), "what this looks at can be seen");
});

/// Returns whether the descriptor is a TCP connection without `TCP_NODELAY`.
fn is_waiting(number: i32) -> bool {
    use nix::sys::socket::getsockopt;
    use nix::sys::socket::sockopt::TcpNoDelay;
    getsockopt(number, TcpNoDelay).is_ok_and(|set| !set)
}

on_both!(migrations_go_down_and_up_again, Migrator, |db: Db| async move {
    store::migrate::require_current::<Migrator>(&db, "upload").await.unwrap();
    store::testing::down_one::<Migrator>(&db).await;
    let error = store::migrate::require_current::<Migrator>(&db, "upload").await.unwrap_err();
    assert_eq!(error.reason, "MIGRATIONS_PENDING");
    store::migrate::up::<Migrator>(&db).await.unwrap();
    commit(&db, "1").await;
});

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_migrate_at_once_wait_for_each_other() {
    let (url, name) = store::testing::create_postgres().await;
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let url = url.clone();
        tasks.push(tokio::spawn(async move {
            let db = Db::connect(&url, &store::testing::config()).await.unwrap();
            store::migrate::up::<Migrator>(&db).await.unwrap();
            db.close().await;
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    store::testing::drop_postgres(&name).await;
}
