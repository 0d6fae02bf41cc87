//! A clock that jumps neither freezes a map nor deletes a trail.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sea_orm::ActiveValue::Set;
use sea_orm::{EntityTrait, PaginatorTrait};
use store::settings::{Settings, setting_copy};
use store::testing::{Backend, TestDb};

use super::*;
use crate::entity::unpaired_device;
use crate::store::locations::Cursor;
use crate::store::{months, retention};

// In an earlier release, maps followed the times of writes. They never showed changes by a process whose
// clock was behind.
store::on_both!(open_maps_follow_writers_whatever_their_clocks_say, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let jumps = [0, 6, -61, 86_400, -86_400, -86_400, 86_400];
    for driver in 0..jumps.len() {
        world.create(&format!("DRV-{driver}")).await;
    }
    let mut cursor = world.locations(None).await.cursor;
    for (driver, seconds) in jumps.into_iter().enumerate() {
        let id = format!("DRV-{driver}");
        world.clock.advance(Duration::seconds(seconds));
        world.tell(&id, vec![world.point(-1)]).await.unwrap();
        let seen = world.locations(Some(&cursor)).await;
        let ids: Vec<_> = seen.locations.iter().map(|it| it.driver_id.as_str()).collect();
        assert_eq!(ids, [id.as_str()], "after {seconds} s");
        world.block(&id, true).await;
        let blocked = world.locations(Some(&seen.cursor)).await;
        assert_eq!(blocked.locations.len(), 1, "a block is shown too");
        assert!(blocked.locations[0].version > seen.locations[0].version);
        assert!(world.locations(Some(&blocked.cursor)).await.locations.is_empty(), "nothing comes twice");
        cursor = blocked.cursor;
    }
    world.stop().await;
});

store::on_both!(a_reader_of_a_restored_database_begins_anew, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.tell("DRV-1", vec![world.point(-1)]).await.unwrap();
    let ahead = URL_SAFE_NO_PAD.encode("#1000.1");
    assert!(Cursor::parse(&ahead).unwrap().is_some());
    assert_eq!(world.locations(Some(&ahead)).await.locations.len(), 1);
    world.stop().await;
});

/// Even with concurrent replicas, a reader who has seen a change's number must have seen all smaller ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_misses_nothing_of_writers_at_once() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let world = World::start(test.db.clone()).await;
    let other = World::start(test.db.clone()).await;
    for driver in 0..8 {
        world.create(&format!("DRV-{driver}")).await;
    }
    let writing = async {
        for step in 0..25 {
            let told = (0..8).map(|driver| {
                let world = if driver % 2 == 0 { &world } else { &other };
                let (id, point) = (format!("DRV-{driver}"), world.point(step - 100));
                async move { world.tell(&id, vec![point]).await.unwrap() }
            });
            futures::future::join_all(told).await;
        }
    };
    let done = std::cell::Cell::new(false);
    let reading = async {
        let (mut cursor, mut versions) = (None::<String>, std::collections::BTreeMap::new());
        loop {
            let last = done.get();
            let seen = world.locations(cursor.as_deref()).await;
            versions.extend(seen.locations.iter().map(|it| (it.driver_id.clone(), it.version)));
            cursor = Some(seen.cursor);
            if last {
                return versions;
            }
        }
    };
    let (versions, ()) = tokio::join!(reading, async {
        writing.await;
        done.set(true);
    });
    let now = world.locations(None).await.locations;
    let now: std::collections::BTreeMap<_, _> =
        now.into_iter().map(|it| (it.driver_id.clone(), it.version)).collect();
    assert_eq!((now.len(), versions), (8, now));
    world.stop().await;
    other.stop().await;
    test.close().await;
}

store::on_both!(a_clock_that_is_far_ahead_deletes_no_way, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let day = 86_400;
    let points = [-80, -40, 0].map(|it| world.point(it * day - 1)).to_vec();
    assert_eq!(world.tell("DRV-1", points).await.unwrap().0, 3);
    let log = RecordDriverLogsRequest { logs: vec![super::logs::entry(1, "scan")] };
    good(world.drivers.record_driver_logs(as_driver("DRV-1", log)).await);
    let config = kit::config::Drivers::default();
    let doubts = Doubts::default();
    for days in [1, -1, 3_650, -3_650, -400, 400] {
        world.clock.advance(Duration::days(days));
        retention::tend(world.db(), world.clock.now(), &config, &doubts).await.unwrap();
        assert_eq!(world.way("DRV-1").await.len(), 3, "after {days} days");
    }
    let logs = good(world.drivers.list_driver_logs(viewer(ListDriverLogsRequest::default())).await).logs;
    assert!(!logs.is_empty());
    world.stop().await;
});

store::on_both!(a_clock_that_is_far_ahead_forgets_no_device, Migrator, |db: Db| async move {
    const DEVICES: u64 = 150;
    let world = World::start(db).await;
    let now = world.clock.now();
    let rows = (0..DEVICES).map(|number| unpaired_device::ActiveModel {
        unique_id_key: Set(format!("phone-{number}")),
        unique_id: Set(format!("Phone-{number}")),
        provider: Set("osmand".into()),
        first_seen_at: Set(now),
        last_seen_at: Set(now),
        positions: Set(1),
        position: Set("{}".into()),
        address: Set(String::new()),
    });
    let tx = world.db().begin().await.unwrap();
    unpaired_device::Entity::insert_many(rows).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let (config, doubts) = (kit::config::Drivers::default(), Doubts::default());
    for days in [400, -400, -400, 400] {
        world.clock.advance(Duration::days(days));
        retention::tend(world.db(), world.clock.now(), &config, &doubts).await.unwrap();
        assert_eq!(unpaired_device::Entity::find().count(world.db().read()).await.unwrap(), DEVICES);
    }
    // A clock that keeps the new time must be right after all, so the devices are deleted.
    world.clock.advance(Duration::days(400));
    retention::tend(world.db(), world.clock.now(), &config, &no_doubts()).await.unwrap();
    assert_eq!(unpaired_device::Entity::find().count(world.db().read()).await.unwrap(), 0);
    world.stop().await;
});

// The service was first started while the clock was a year ahead, which somebody set right later.
store::on_both!(a_clock_that_was_ahead_at_first_keeps_nothing_longer, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.tell("DRV-1", vec![world.point(-1)]).await.unwrap();
    let asked = setting_copy::ActiveModel {
        id: Set("*".into()),
        value: Set(String::new()),
        version: Set(0),
        sequence: Set(0),
        kept_at: Set(world.clock.now() + Duration::days(365)),
    };
    let tx = world.db().begin().await.unwrap();
    setting_copy::Entity::insert(asked).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    world.clock.advance(Duration::days(130));
    let context = Context { settings: Settings::open(world.db()).await.unwrap(), ..world.context.clone() };
    crate::chores(&context, &no_doubts()).await.unwrap();
    assert!(world.way("DRV-1").await.is_empty(), "positions are kept for 90 days");
    world.stop().await;
});

/// If one replica's clock is months ahead, the database's clock decides what is too old.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_is_months_ahead_drops_no_month() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let context = |clock: Clock| crate::Context {
        db: test.db.clone(),
        clock,
        config: kit::config::Drivers::default(),
        settings: store::settings::Settings::default(),
    };
    let now = Clock::system().now();
    retention::tend(&test.db, now, &kit::config::Drivers::default(), &no_doubts()).await.unwrap();
    let before = months::there(&test.db).await.unwrap();
    assert!(before.len() >= 5, "{before:?}");
    let wrong = context(Clock::shifted(Duration::days(200)));
    let by = store::clearing::now(&wrong.db, &wrong.clock).await.unwrap();
    assert!(by - now < Duration::hours(1), "{by}");
    retention::tend(&test.db, by, &wrong.config, &no_doubts()).await.unwrap();
    assert_eq!(months::there(&test.db).await.unwrap(), before);
    test.close().await;
}
