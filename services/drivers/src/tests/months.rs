use kit::config;
use sea_orm::ConnectionTrait;

use super::*;
use crate::store::{months, retention};

async fn tend(world: &World) {
    let config = config::Drivers::default();
    retention::tend(world.db(), world.clock.now(), &config, &no_doubts()).await.unwrap();
}

store::on_both!(what_is_too_old_leaves, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let day = 86_400;
    let days = [-89, -60, -30, 0];
    let points = days.map(|it| world.point(it * day - 1)).to_vec();
    assert_eq!(world.tell("DRV-1", points).await.unwrap().0, 4);
    assert_eq!(world.tell("DRV-1", vec![world.point(-91 * day)]).await.unwrap(), (0, 0), "not even kept");
    // The phone that reports the second entry started with a wrong date.
    let long_ago = Some(proto::timestamp(at("2020-01-01T00:00:00Z")));
    let wrong = DriverLogInput { occurred_at: long_ago, ..super::logs::entry(2, "scan") };
    let told = RecordDriverLogsRequest { logs: vec![super::logs::entry(1, "scan"), wrong] };
    good(world.drivers.record_driver_logs(as_driver("DRV-1", told)).await);
    world.send("phone-1", vec![world.point(0)]).await.unwrap_err();
    tend(&world).await;
    assert_eq!(world.way("DRV-1").await.len(), 4);
    let logs =
        async || good(world.drivers.list_driver_logs(viewer(ListDriverLogsRequest::default())).await).logs;
    assert_eq!(logs().await.len(), 2);
    world.clock.advance(Duration::days(75));
    tend(&world).await;
    let way = world.way("DRV-1").await;
    assert_eq!(way.len(), 1, "{way:?}");
    assert!(world.get("DRV-1").await.last_position.is_some());
    world.clock.advance(Duration::days(300));
    tend(&world).await;
    assert!(world.way("DRV-1").await.is_empty());
    let driver = world.get("DRV-1").await;
    assert!(driver.last_position.is_none() && driver.last_seen_at.is_some(), "{driver:?}");
    assert!(world.locations(None).await.locations.is_empty());
    assert!(logs().await.is_empty());
    let list = world.drivers.list_unpaired_devices(viewer(ListUnpairedDevicesRequest {}));
    assert!(good(list.await).devices.is_empty());
    world.stop().await;
});

// A tracker whose clock is years ahead must not keep its trail for years.
store::on_both!(what_is_dated_far_ahead_leaves_by_its_time_of_receipt, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let keep = i64::from(config::Drivers::default().positions_keep_days);
    let ahead = 1_000 * 86_400;
    assert_eq!(world.tell("DRV-1", vec![world.point(ahead)]).await.unwrap(), (1, 1));
    world.clock.advance(Duration::days(keep - 1));
    assert_eq!(world.tell("DRV-1", vec![world.point(ahead)]).await.unwrap(), (1, 1));
    tend(&world).await;
    assert_eq!(world.way("DRV-1").await.len(), 2);
    world.clock.advance(Duration::days(2));
    tend(&world).await;
    assert_eq!(world.way("DRV-1").await.len(), 1, "the second was received two days ago");
    world.clock.advance(Duration::days(keep));
    tend(&world).await;
    assert!(world.way("DRV-1").await.is_empty());
    world.stop().await;
});

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn months_are_made_ahead_and_take_what_waited_for_them() {
    let test = store::testing::TestDb::migrated::<Migrator>(store::testing::Backend::Postgres).await;
    let world = World::start(test.db.clone()).await;
    world.create("DRV-1").await;
    let expected = ["08", "09", "10", "11", "12"].map(|it| format!("position_2026_{it}"));
    let there = months::there(world.db()).await.unwrap();
    assert_eq!(there[..5], expected);
    assert_eq!(there[5..], ["position_2027_01"]);
    // A device's clock is three months ahead. No monthly table is created for its point.
    let ahead = world.point(95 * 86_400);
    assert_eq!(world.tell("DRV-1", vec![ahead.clone()]).await.unwrap(), (1, 1));
    let rest = "SELECT count(*) AS n FROM position_rest";
    let count = async |statement: &str| -> i64 {
        let statement = sea_orm::Statement::from_string(world.db().backend(), statement);
        world.db().read().query_one_raw(statement).await.unwrap().unwrap().try_get("", "n").unwrap()
    };
    assert_eq!(count(rest).await, 1);
    world.clock.advance(Duration::days(60));
    tend(&world).await;
    let there = months::there(world.db()).await.unwrap();
    assert_eq!(
        (there.first().unwrap().as_str(), there.last().unwrap().as_str()),
        ("position_2026_10", "position_2027_03")
    );
    assert_eq!(count(rest).await, 0);
    assert_eq!(count("SELECT count(*) AS n FROM position_2027_02").await, 1);
    assert_eq!(world.way("DRV-1").await.len(), 1);
    assert_eq!(world.tell("DRV-1", vec![PositionInput { ..ahead }]).await.unwrap(), (0, 0), "known still");
    world.stop().await;
    test.close().await;
}
