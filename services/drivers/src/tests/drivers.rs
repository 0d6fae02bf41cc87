use store::snapshot::{PAGE, Snapshot};

use super::*;
use crate::store::snapshot::Drivers;

store::on_both!(a_driver_is_made_and_others_learn_of_it, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let input = DriverInput {
        name: " Nestor Ilagan ".into(),
        username: "Nestor".into(),
        phone: Some("+63 917 555 0101".into()),
        licence_expiry: Some("2027-05-31".into()),
        language: Some("fil".into()),
        trucker: Some("Alon Freight".into()),
        ..Default::default()
    };
    let request = CreateDriverRequest { driver_id: " DRV-1 ".into(), driver: Some(input) };
    let made = good(world.drivers.create_driver(editor(request)).await);
    assert_eq!((made.driver_id.as_str(), made.name.as_str(), made.version), ("DRV-1", "Nestor Ilagan", 1));
    assert_eq!((made.status(), made.online_state()), (DriverStatus::Active, OnlineState::Offline));
    assert_eq!(made.licence_expiry.as_deref(), Some("2027-05-31"));
    assert_eq!((made.created_by.as_str(), made.last_seen_at), ("maria", None));
    assert_eq!(world.get("drv-1").await, made, "ids match ignoring case");

    let events = events(world.db()).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].subject, "waybill.drivers.driver.changed.v1");
    assert_eq!((events[0].aggregate_id.as_str(), events[0].aggregate_version), ("DRV-1", 1));
    let Some(Payload::DriverChanged(told)) = &events[0].payload else { panic!("another event") };
    assert_eq!((told.username.as_str(), told.status.as_str()), ("Nestor", "active"));
    world.stop().await;
});

store::on_both!(ids_and_usernames_are_unique_whatever_their_case, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.create("DRV-2").await;
    let again = CreateDriverRequest { driver_id: "drv-1".into(), driver: Some(form("USER-drv-2")) };
    let error = refused(world.drivers.create_driver(editor(again)).await);
    assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "DRIVER_EXISTS"));
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["driverId", "username"]);
    let request =
        UpdateDriverRequest { driver_id: "DRV-1".into(), version: 1, driver: Some(form("user-DRV-2")) };
    let error = refused(world.drivers.update_driver(editor(request)).await);
    assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "USERNAME_TAKEN"));
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["username"]);
    assert_eq!(events(world.db()).await.len(), 2, "what is refused tells nothing");
    world.stop().await;
});

store::on_both!(an_edit_of_an_old_version_is_refused, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let edit = |version, name: &str| UpdateDriverRequest {
        driver_id: "drv-1".into(),
        version,
        driver: Some(DriverInput { name: name.into(), ..form("nestor") }),
    };
    let edited = good(world.drivers.update_driver(editor(edit(1, "Nestor"))).await);
    assert_eq!((edited.name.as_str(), edited.username.as_str(), edited.version), ("Nestor", "nestor", 2));
    let error = refused(world.drivers.update_driver(editor(edit(1, "Other"))).await);
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "DRIVER_CHANGED"));
    assert_eq!(world.get("DRV-1").await.name, "Nestor");
    assert_eq!(events(world.db()).await.last().unwrap().aggregate_version, 2);
    let nobody = UpdateDriverRequest { driver_id: "DRV-9".into(), ..edit(1, "X") };
    assert_eq!(refused(world.drivers.update_driver(editor(nobody)).await).reason, "DRIVER_NOT_FOUND");
    world.stop().await;
});

store::on_both!(blocking_is_told_logged_and_done_once, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let blocked = world.block("drv-1", true).await;
    assert_eq!((blocked.status(), blocked.version), (DriverStatus::Blocked, 2));
    assert_eq!(world.block("DRV-1", true).await.version, 2, "the present status again");
    let events = events(world.db()).await;
    assert_eq!(events.len(), 2);
    let Some(Payload::DriverChanged(told)) = &events[1].payload else { panic!("another event") };
    assert_eq!(told.status, "blocked");
    let stale = UpdateDriverStatusRequest {
        driver_id: "DRV-1".into(),
        version: Some(1),
        status: DriverStatus::Active.into(),
    };
    let error = refused(world.drivers.update_driver_status(editor(stale)).await);
    assert_eq!(error.reason, "DRIVER_CHANGED");
    world.clock.advance(Duration::seconds(5));
    assert_eq!(world.block("DRV-1", false).await.version, 3);
    let logs = good(world.drivers.list_driver_logs(viewer(ListDriverLogsRequest::default())).await).logs;
    let told: Vec<_> = logs.iter().map(|it| (it.activity.as_str(), it.detail.as_str())).collect();
    assert_eq!(told, [("unblocked", "{\"by\":\"maria\"}"), ("blocked", "{\"by\":\"maria\"}")]);
    world.stop().await;
});

/// Waits until the condition is true; fails after five seconds.
async fn within_seconds(what: &str, so: impl AsyncFn() -> bool) {
    let waiting = async {
        while !so().await {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(5), waiting).await;
    waited.unwrap_or_else(|_| panic!("too late: {what}"));
}

store::on_both!(
    who_was_blocked_by_another_process_is_refused_within_a_second,
    Migrator,
    |db: Db| async move {
        let (here, there) = (World::start(db.clone()).await, World::start(db).await);
        here.create("DRV-1").await;
        for world in [&here, &there] {
            world.tell("DRV-1", vec![world.point(-1)]).await.unwrap();
        }
        here.block("DRV-1", true).await;
        assert_eq!(here.tell("DRV-1", vec![here.point(0)]).await.unwrap_err().reason, "DRIVER_BLOCKED");
        let told = || there.tell("DRV-1", vec![there.point(0)]);
        within_seconds("the block is known", async || {
            told().await.is_err_and(|error| error.reason == "DRIVER_BLOCKED")
        })
        .await;
        here.block("DRV-1", false).await;
        within_seconds("the block is lifted", async || told().await.is_ok()).await;
        here.stop().await;
        there.stop().await;
    }
);

store::on_both!(the_list_is_filtered_and_sorted, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for id in ["DRV-1", "DRV-2", "DRV-3"] {
        world.create(id).await;
    }
    world.block("DRV-2", true).await;
    world.tell("DRV-3", vec![world.point(-1)]).await.unwrap();
    world.clock.advance(Duration::seconds(10));
    world.tell("DRV-1", vec![world.point(-1)]).await.unwrap();
    let list =
        |r#where, sort| ListDriversRequest { page: Some(Page { r#where, sort, ..Default::default() }) };
    let ids = |answer: ListDriversResponse| -> Vec<String> {
        answer.drivers.into_iter().map(|it| it.driver_id).collect()
    };
    let ask = |request| world.drivers.list_drivers(viewer(request));
    assert_eq!(ids(good(ask(list(vec![], vec![])).await)), ["DRV-1", "DRV-2", "DRV-3"]);
    let seen = vec![sort("lastSeenAt", SortDirection::Desc)];
    // A missing value sorts as the greatest one.
    assert_eq!(ids(good(ask(list(vec![], seen)).await)), ["DRV-2", "DRV-1", "DRV-3"]);
    let blocked = vec![filter("status", "equals", &["blocked"])];
    assert_eq!(ids(good(ask(list(blocked.clone(), vec![])).await)), ["DRV-2"]);
    let name = vec![filter("name", "contains", &["DRV-3"])];
    let found = good(ask(list(name, vec![sort("name", SortDirection::Desc)])).await);
    assert!(found.drivers[0].last_position.is_some() && found.drivers[0].last_seen_at.is_some());
    assert_eq!(ids(found), ["DRV-3"]);
    let count = proto::common::v1::CountRequest { r#where: blocked };
    let count = good(world.drivers.count_drivers(viewer(count)).await);
    assert_eq!((count.total, count.exact), (1, true));
    let state = list(vec![filter("onlineState", "equals", &["online"])], vec![]);
    assert_eq!(refused(ask(state).await).reason, "FIELD_UNKNOWN");
    let batch = proto::common::v1::BatchGetRequest { ids: vec!["drv-3".into(), "DRV-9".into()] };
    let batch = good(world.drivers.batch_get_drivers(viewer(batch)).await).drivers;
    assert_eq!(batch.len(), 1);
    world.stop().await;
});

store::on_both!(who_may_do_what, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let create = CreateDriverRequest { driver_id: "DRV-2".into(), driver: Some(form("two")) };
    assert_eq!(refused(world.drivers.create_driver(viewer(create.clone())).await).kind, Kind::Forbidden);
    assert_eq!(refused(world.drivers.create_driver(as_driver("DRV-1", create)).await).kind, Kind::Forbidden);
    let get = GetDriverRequest { driver_id: "DRV-1".into() };
    assert_eq!(refused(world.drivers.get_driver(as_driver("DRV-1", get)).await).kind, Kind::Forbidden);
    let positions = RecordPositionsRequest { positions: vec![world.point(0)] };
    assert_eq!(refused(world.tracker.record_positions(editor(positions)).await).kind, Kind::Forbidden);
    let reports = RecordReportsRequest::default();
    assert_eq!(refused(world.tracker.record_reports(editor(reports)).await).kind, Kind::Forbidden);
    let service = Principal::Service { name: "upload".into() };
    let reports = by(service, RecordReportsRequest::default());
    assert_eq!(refused(world.tracker.record_reports(reports).await).kind, Kind::Forbidden);
    world.stop().await;
});

// Postgres refuses a query that contains a string with a zero byte, so such ids must not reach it.
store::on_both!(an_id_with_a_zero_byte_is_no_driver, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    for id in ["\0", "DRV-1\0"] {
        let get = viewer(GetDriverRequest { driver_id: id.into() });
        assert_eq!(refused(world.drivers.get_driver(get).await).reason, "DRIVER_NOT_FOUND");
        let edit = UpdateDriverRequest { driver_id: id.into(), version: 1, driver: Some(form("nestor")) };
        assert_eq!(refused(world.drivers.update_driver(editor(edit)).await).reason, "DRIVER_NOT_FOUND");
        let all = viewer(proto::common::v1::BatchGetRequest { ids: vec![id.into(), "DRV-1".into()] });
        assert_eq!(good(world.drivers.batch_get_drivers(all).await).drivers.len(), 1);
        let pair = PairDeviceRequest { driver_id: "DRV-1".into(), unique_id: id.into() };
        assert_eq!(refused(world.drivers.pair_device(editor(pair)).await).kind, Kind::InvalidInput);
    }
});

/// Returns the newest event about each aggregate, in the form that snapshots contain.
fn newest(events: Vec<Envelope>) -> std::collections::BTreeMap<String, Envelope> {
    let plain = |it: Envelope| Envelope {
        id: String::new(),
        subject: String::new(),
        traceparent: String::new(),
        ..it
    };
    events.into_iter().map(|it| (it.aggregate_id.to_lowercase(), plain(it))).collect()
}

store::on_both!(the_snapshot_tells_what_the_newest_events_told, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for at in 0..PAGE + 2 {
        world.create(&format!("DRV-{at:04}")).await;
    }
    for id in ["DRV-0003", "DRV-0500", "DRV-0003"] {
        world.clock.advance(Duration::minutes(1));
        let blocked = world.get(id).await.status() == DriverStatus::Active;
        world.block(id, blocked).await;
    }
    let (mut told, mut key) = (Vec::new(), String::new());
    loop {
        let page = Drivers.after(world.db(), &key).await.unwrap();
        assert!(page.len() <= PAGE);
        let Some(last) = page.last() else { break };
        key = last.aggregate_id.to_lowercase();
        told.extend(page);
    }
    assert!(told.is_sorted_by_key(|it| it.aggregate_id.to_lowercase()));
    let told: std::collections::BTreeMap<_, _> =
        told.into_iter().map(|it| (it.aggregate_id.to_lowercase(), it)).collect();
    assert_eq!(told, newest(events(world.db()).await));
    world.stop().await;
});
