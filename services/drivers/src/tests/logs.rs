use proto::events::envelope::Payload;
use proto::events::{
    DeliveriesImported, DeliveryChangeKind as Kind, DeliveryChanged, DeliveryFact,
    DriverAccountReportKind as Reported, DriverAccountReported, ReportedOutcome, StopChanged,
};

use super::*;
use crate::store::{retention, snapshot};

/// Returns an entry as a device sends it, with an id derived from the number.
pub fn entry(number: u8, activity: &str) -> DriverLogInput {
    DriverLogInput {
        client_event_id: format!("0192d3a0-0000-7000-8000-0000000000{number:02}"),
        activity: activity.into(),
        delivery_id: Some(format!("DR-{number}")),
        occurred_at: Some(proto::timestamp(at("2026-11-21T07:00:00Z") + Duration::seconds(number.into()))),
        lat: Some(14.5),
        lng: Some(121.0),
        device_id: Some("phone-1".into()),
        app_version: Some("2.1.0".into()),
        detail: "{\"gate\":3}".into(),
    }
}

async fn list(world: &World, r#where: Vec<Filter>, sort: Vec<Sort>) -> Vec<DriverLog> {
    let request = ListDriverLogsRequest { page: Some(Page { r#where, sort, ..Default::default() }) };
    good(world.drivers.list_driver_logs(viewer(request)).await).logs
}

store::on_both!(what_a_device_tells_twice_is_one_entry, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.create("DRV-2").await;
    let tell = |id: &'static str, logs| {
        world.drivers.record_driver_logs(as_driver(id, RecordDriverLogsRequest { logs }))
    };
    let logs = vec![entry(1, "arrived"), entry(2, "scan")];
    assert_eq!(good(tell("drv-1", logs.clone()).await).recorded, 2);
    let more = vec![entry(2, "scan"), entry(3, "departed"), entry(3, "departed")];
    assert_eq!(good(tell("DRV-1", more).await).recorded, 1);
    assert_eq!(good(tell("DRV-2", vec![entry(1, "arrived")]).await).recorded, 1, "ids are a driver's own");
    let all = list(&world, vec![], vec![]).await;
    assert_eq!(all.len(), 4);
    let first = &all[0];
    assert_eq!((first.activity.as_str(), first.delivery_id.as_deref()), ("departed", Some("DR-3")));
    assert_eq!((first.driver_id.as_str(), first.driver_name.as_str()), ("DRV-1", "Name of user-DRV-1"));
    assert_eq!((first.ip.as_deref(), first.detail.as_str()), (Some("192.0.2.7"), "{\"gate\":3}"));
    assert_eq!((first.lat, first.device_id.as_deref()), (Some(14.5), Some("phone-1")));
    let one = good(world.drivers.get_driver_log(viewer(GetDriverLogRequest { id: first.id.clone() })).await);
    assert_eq!(&one, first);
    let none = world.drivers.get_driver_log(viewer(GetDriverLogRequest { id: "x".into() })).await;
    assert_eq!(refused(none).reason, "DRIVER_LOG_NOT_FOUND");

    // One wrong entry refuses all entries of the request.
    let error = refused(tell("DRV-1", vec![entry(8, "scan"), entry(9, "assigned")]).await);
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["logs[1].activity"]);
    assert_eq!(list(&world, vec![], vec![]).await.len(), 4);

    let count = |r#where| proto::common::v1::CountRequest { r#where };
    for (filters, expected) in [
        (vec![filter("driverId", "equals", &["drv-1"])], 3),
        (vec![filter("driverId", "contains", &["V-2"])], 1),
        (vec![filter("deliveryId", "contains", &["dr-3"])], 1),
        (vec![filter("activity", "equals", &["arrived", "scan"])], 3),
        (vec![filter("occurredAt", "inDateRange", &["2026-11-21T07:00:02Z", "2026-11-21T07:00:03Z"])], 1),
        (vec![filter("driverId", "equals", &["DRV-1"]), filter("activity", "!equals", &["scan"])], 2),
        (vec![], 4),
    ] {
        let found = list(&world, filters.clone(), vec![]).await.len() as u64;
        let counted = good(world.drivers.count_driver_logs(viewer(count(filters.clone()))).await);
        assert_eq!((found, counted.total, counted.exact), (expected, expected, true), "{filters:?}");
    }
    let sorted = list(&world, vec![], vec![sort("activity", SortDirection::Asc)]).await;
    assert_eq!(sorted[0].activity, "arrived");
    let sorted = list(&world, vec![], vec![sort("driverId", SortDirection::Desc)]).await;
    assert_eq!(sorted[0].driver_id, "DRV-2");
    world.stop().await;
});

store::on_both!(a_stop_has_the_latest_arrival_and_departure_in_any_order, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let time = |text: &str| Some(proto::timestamp(at(&format!("2026-11-21T{text}:00Z"))));
    let told = |number, activity, text: &str| DriverLogInput {
        delivery_id: Some("DR-1".into()),
        occurred_at: time(text),
        ..entry(number, activity)
    };
    let stay = vec![told(1, "arrived", "07:00"), told(2, "departed", "07:20")];
    let late = vec![told(3, "arrived", "06:50")];
    let again = vec![told(4, "departed", "07:30"), told(5, "departed", "07:10"), told(6, "scan", "07:40")];
    for logs in [stay.clone(), late, stay, again] {
        good(world.drivers.record_driver_logs(as_driver("drv-1", RecordDriverLogsRequest { logs })).await);
    }
    let stop = |departed| StopChanged {
        driver_id: "DRV-1".into(),
        delivery_id: "DR-1".into(),
        arrived_at: time("07:00"),
        departed_at: time(departed),
    };
    let emitted = events(world.db()).await.into_iter().filter_map(|it| match it.payload {
        Some(Payload::StopChanged(stop)) => Some(stop),
        _ => None,
    });
    assert_eq!(emitted.collect::<Vec<_>>(), ["07:20", "07:20", "07:20", "07:30"].map(stop));
    let page = snapshot::stops(world.db(), "").await.unwrap().unwrap();
    assert_eq!(page.stops, [StopSnapshot { stop: Some(stop("07:30")), sequence: 4 }]);
    assert_eq!(snapshot::stops(world.db(), &page.last_key).await.unwrap(), None);
    world.stop().await;
});

store::on_both!(only_the_duration_of_an_old_stop_is_kept, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let told = |number, delivery: &str, activity, hours: i64| DriverLogInput {
        delivery_id: Some(delivery.into()),
        occurred_at: Some(proto::timestamp(world.clock.now() + Duration::hours(hours))),
        ..entry(number, activity)
    };
    let report = async |logs| {
        good(world.drivers.record_driver_logs(as_driver("DRV-1", RecordDriverLogsRequest { logs })).await);
    };
    report(vec![
        told(1, "DR-1", "arrived", -3),
        told(2, "DR-1", "departed", -1),
        told(3, "DR-2", "arrived", -3),
        told(4, "DR-3", "departed", -3),
    ])
    .await;
    world.clock.advance(Duration::days(364));
    report(vec![told(5, "DR-4", "arrived", -1)]).await;
    world.clock.advance(Duration::days(2));
    for _again in 0..2 {
        retention::tend(world.db(), world.clock.now(), &world.context.config, &no_doubts()).await.unwrap();
        let page = snapshot::stops(world.db(), "").await.unwrap().unwrap();
        let hours = |at: Option<prost_types::Timestamp>| at.map(|at| at.seconds / 3_600);
        let stops = page.stops.into_iter().filter_map(|it| it.stop);
        let mut stops: Vec<_> =
            stops.map(|it| (it.delivery_id, hours(it.arrived_at), hours(it.departed_at))).collect();
        stops.sort();
        let recent = (world.clock.now() - Duration::days(2) - Duration::hours(1)).timestamp() / 3_600;
        let expected = [
            ("DR-1", Some(0), Some(2)),
            ("DR-2", Some(0), None),
            ("DR-3", Some(0), None),
            ("DR-4", Some(recent), None),
        ];
        assert_eq!(stops, expected.map(|(id, arrived, departed)| (id.to_owned(), arrived, departed)));
    }
    // Of another visit, no departure is known yet.
    report(vec![told(6, "DR-1", "arrived", -1)]).await;
    let page = snapshot::stops(world.db(), "").await.unwrap().unwrap();
    let mut stops = page.stops.into_iter().filter_map(|it| it.stop);
    let again = stops.find(|it| it.delivery_id == "DR-1").unwrap();
    assert!(again.arrived_at.is_some_and(|at| at.seconds > 86_400) && again.departed_at.is_none());
    world.stop().await;
});

fn event(kind: Kind, driver: &str, left: &str, actor: &str) -> Envelope {
    let delivery = DeliveryFact {
        id: "DR-1".into(),
        version: 2,
        deliverystatus: "Undelivered".into(),
        driver_id: driver.into(),
        deliverydatetime: Some(proto::timestamp(at("2026-11-21T06:30:00Z"))),
        ..Default::default()
    };
    let changed = DeliveryChanged {
        delivery: Some(delivery),
        kind: kind.into(),
        attempt: 1,
        driver_is_new: driver != left,
        left_driver_id: if driver == left { String::new() } else { left.into() },
        ..Default::default()
    };
    Envelope {
        id: kit::clock::new_id().to_string(),
        subject: "waybill.deliveries.delivery.changed.v1".into(),
        occurred_at: Some(proto::timestamp(at("2026-11-21T07:30:00Z"))),
        actor: actor.into(),
        aggregate_id: "DR-1".into(),
        aggregate_version: 2,
        payload: Some(Payload::DeliveryChanged(changed)),
        ..Default::default()
    }
}

store::on_both!(deliveries_come_and_go_in_the_log, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.create("DRV-2").await;
    let consumer = crate::events::consumers(&world.context).remove(0);
    let reassigned = event(Kind::Assigned, "drv-2", "DRV-1", "maria");
    for _ in 0..2 {
        consumer.handler.handle(&reassigned).await.unwrap();
    }
    let told = |logs: &[DriverLog]| -> Vec<(String, String)> {
        let mut told: Vec<_> = logs.iter().map(|it| (it.driver_id.clone(), it.activity.clone())).collect();
        told.sort();
        told
    };
    let pair = |id: &str, activity: &str| (id.to_owned(), activity.to_owned());
    let logs = list(&world, vec![], vec![]).await;
    assert_eq!(told(&logs), [pair("DRV-1", "unassigned"), pair("DRV-2", "assigned")], "once");
    assert_eq!(
        (logs[0].delivery_id.as_deref(), logs[0].detail.as_str()),
        (Some("DR-1"), "{\"by\":\"maria\"}")
    );

    // None of these adds an entry: an edit that keeps the driver, an outcome recorded by the office, an
    // unknown driver.
    for event in [
        event(Kind::Edited, "DRV-2", "DRV-2", "maria"),
        event(Kind::OutcomeRecorded, "DRV-2", "DRV-2", "maria"),
        event(Kind::Created, "DRV-9", "", "maria"),
    ] {
        consumer.handler.handle(&event).await.unwrap();
    }
    assert_eq!(list(&world, vec![], vec![]).await.len(), 2);
    consumer.handler.handle(&event(Kind::OutcomeRecorded, "DRV-2", "DRV-2", "USER-drv-2")).await.unwrap();
    let outcome = list(&world, vec![filter("activity", "equals", &["outcome_submitted"])], vec![]).await;
    assert_eq!(outcome.len(), 1);
    assert_eq!(outcome[0].occurred_at, Some(proto::timestamp(at("2026-11-21T06:30:00Z"))));
    assert!(outcome[0].detail.contains("\"status\":\"Undelivered\""), "{}", outcome[0].detail);
    consumer.handler.handle(&event(Kind::Created, "DRV-1", "", "maria")).await.unwrap();
    assert_eq!(list(&world, vec![], vec![]).await.len(), 4);

    // The previous release sends the kind of change only as the string `change`.
    let mut before = event(Kind::Unspecified, "DRV-2", "DRV-2", "user-drv-2");
    let Some(Payload::DeliveryChanged(changed)) = &mut before.payload else { panic!() };
    changed.change = "superseded".into();
    consumer.handler.handle(&before).await.unwrap();
    let logs = list(&world, vec![filter("activity", "equals", &["outcome_submitted"])], vec![]).await;
    assert!(logs.len() == 2 && logs.iter().any(|it| it.detail.contains("\"superseded\":true")), "{logs:?}");

    // The log has what the driver reported, not what the office had decided.
    let mut late = event(Kind::Superseded, "DRV-2", "DRV-2", "user-drv-2");
    let Some(Payload::DeliveryChanged(changed)) = &mut late.payload else { panic!() };
    changed.attempt = 2;
    changed.reported =
        Some(ReportedOutcome { deliverystatus: "Complete_No_Variance".into(), attempt: 1, late: true });
    consumer.handler.handle(&late).await.unwrap();
    let logs = list(&world, vec![filter("activity", "equals", &["outcome_submitted"])], vec![]).await;
    let detail = |it: &DriverLog| serde_json::from_str::<serde_json::Value>(&it.detail).unwrap();
    let reported = serde_json::json!({
        "status": "Complete_No_Variance", "attempt": 1, "late": true, "superseded": true,
    });
    assert!(logs.iter().any(|it| detail(it) == reported), "{logs:?}");
    world.stop().await;
});

store::on_both!(imports_and_their_undo_are_in_the_log, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.create("DRV-2").await;
    let fact = |id: &str, driver: &str, left: &str, driver_is_new| DeliveryFact {
        id: id.into(),
        driver_id: driver.into(),
        left_driver_id: left.into(),
        driver_is_new,
        ..Default::default()
    };
    let deliveries = vec![
        fact("DR-1", "drv-1", "", true),
        fact("DR-2", "DRV-1", "DRV-2", true),
        fact("DR-3", "DRV-1", "", false),
        fact("DR-4", "DRV-9", "", true),
        DeliveryFact { removed: true, ..fact("DR-5", "DRV-2", "DRV-2", false) },
    ];
    let imported = DeliveriesImported { deliveries, ..Default::default() };
    let payload = Some(Payload::DeliveriesImported(imported));
    let event = Envelope { payload, ..event(Kind::Created, "", "", "maria") };
    let mut consumers = crate::events::consumers(&world.context).into_iter();
    let consumer = consumers.find(|it| it.name == "drivers-imports").unwrap();
    for _ in 0..2 {
        consumer.handler.handle(&event).await.unwrap();
    }
    let logs = list(&world, vec![], vec![]).await;
    let mut told: Vec<_> = logs
        .iter()
        .map(|it| (it.delivery_id.as_deref().unwrap(), it.driver_id.as_str(), it.activity.as_str()))
        .collect();
    told.sort_unstable();
    let expected = [
        ("DR-1", "DRV-1", "assigned"),
        ("DR-2", "DRV-1", "assigned"),
        ("DR-2", "DRV-2", "unassigned"),
        ("DR-5", "DRV-2", "unassigned"),
    ];
    assert_eq!(told, expected, "once");
    assert_eq!(logs[0].detail, "{\"by\":\"maria\"}");
    assert_eq!(logs[0].occurred_at, event.occurred_at);
    world.stop().await;
});

store::on_both!(refused_sign_ins_and_new_pins_are_in_the_log, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let mut consumers = crate::events::consumers(&world.context).into_iter();
    let consumer = consumers.find(|it| it.name == "drivers-accounts").unwrap();
    let reported = |driver_id: &str, kind: Reported, minute: u32| {
        let address = "203.0.113.7".to_owned();
        let reported = DriverAccountReported { driver_id: driver_id.into(), kind: kind.into(), address };
        Envelope {
            id: kit::clock::new_id().to_string(),
            occurred_at: Some(proto::timestamp(at(&format!("2026-11-21T07:{minute}:00Z")))),
            payload: Some(Payload::DriverAccountReported(reported)),
            ..event(Kind::Created, "", "", "system:auth")
        }
    };
    let failed = reported("drv-1", Reported::SignInFailed, 30);
    let set = reported("DRV-1", Reported::PinSet, 31);
    // Neither is added: a driver who is unknown here, and something that only a later release reports.
    let others =
        [reported("DRV-9", Reported::SignInFailed, 32), reported("DRV-1", Reported::Unspecified, 33)];
    for event in [&failed, &failed, &set].into_iter().chain(&others) {
        consumer.handler.handle(event).await.unwrap();
    }
    let logs = list(&world, vec![], vec![]).await;
    let told: Vec<_> = logs.iter().map(|it| (it.activity.as_str(), it.ip.as_deref())).collect();
    let address = Some("203.0.113.7");
    assert_eq!(told, [("password_reset", address), ("login_failed", address)], "once");
    assert_eq!((logs[1].driver_id.as_str(), logs[1].occurred_at), ("DRV-1", failed.occurred_at));
    world.stop().await;
});

store::on_both!(every_consumer_of_the_registry_runs, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let mut running: Vec<_> =
        crate::events::consumers(&world.context).into_iter().map(|it| (it.name, it.subject)).collect();
    running.sort();
    assert_eq!(running, proto::events::subjects_read_by(crate::NAME));
    world.stop().await;
});
