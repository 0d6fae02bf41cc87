use super::*;

fn reasons(way: &[Position]) -> Vec<&str> {
    way.iter().map(|it| it.filtered_reason.as_deref().unwrap_or("")).collect()
}

store::on_both!(the_same_positions_again_change_nothing, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let all = PositionInput {
        altitude: Some(12.5),
        speed_kmh: Some(32.25),
        heading_deg: Some(271.0),
        accuracy_m: Some(5.0),
        battery_pct: Some(80.0),
        charging: Some(false),
        motion: Some(true),
        odometer_m: Some(123_456.7),
        attributes: [("hdop".into(), "0.9".into()), ("note".into(), "say \"hi\"".into())].into(),
        ..world.point(-10)
    };
    let batch = vec![world.point(-20), all.clone()];
    assert_eq!(world.tell("drv-1", batch.clone()).await.unwrap(), (2, 0));
    world.clock.advance(Duration::seconds(30));
    assert_eq!(world.tell("DRV-1", batch.clone()).await.unwrap(), (0, 0));
    let mut one_new = batch.clone();
    one_new.push(world.point(-1));
    assert_eq!(world.tell("DRV-1", one_new).await.unwrap(), (1, 0));
    let way = world.way("DRV-1").await;
    assert_eq!(way.len(), 3);
    // Positions are read back as they were sent.
    let kept = &way[1];
    assert_eq!((kept.occurred_at, kept.lat, kept.lng), (all.occurred_at, 14.559, 121.02));
    assert_eq!((kept.altitude, kept.speed_kmh, kept.heading_deg), (Some(12.5), Some(32.25), Some(271.0)));
    assert_eq!(
        (kept.accuracy_m, kept.battery_pct, kept.odometer_m),
        (Some(5.0), Some(80.0), Some(123_456.7))
    );
    assert_eq!((kept.charging, kept.motion, kept.valid), (Some(false), Some(true), true));
    assert_eq!((kept.provider.as_str(), &kept.attributes), ("api", &all.attributes));
    assert_eq!((way[0].altitude, way[0].charging), (None, None));
    let driver = world.get("DRV-1").await;
    assert_eq!(driver.last_position.as_ref(), way.last());
    assert_eq!(driver.online_state(), OnlineState::Online);
    world.stop().await;
});

store::on_both!(what_was_dated_ahead_is_known_again_when_its_time_has_come, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let ahead = world.point(3_600);
    assert_eq!(world.tell("DRV-1", vec![world.point(-10), ahead.clone()]).await.unwrap(), (2, 1));
    // When the device repeats the point, the clock has nearly reached its time. The point looks new, because
    // it is later than the driver's latest known position, but it is stored already.
    world.clock.advance(Duration::seconds(3_590));
    let new = PositionInput { occurred_at: world.point(-1).occurred_at, ..ahead.clone() };
    assert_eq!(world.tell("DRV-1", vec![ahead.clone(), new]).await.unwrap(), (1, 0));
    assert_eq!(world.way("DRV-1").await.len(), 3);
    world.stop().await;
});

// While the server's clock is slow, the positions of all devices are ahead of it.
store::on_both!(what_was_dated_ahead_is_judged_again_when_it_is_repeated, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let vague = PositionInput { accuracy_m: Some(900.0), ..world.point(175) };
    let batch = vec![world.point(170), vague, world.point(180)];
    assert_eq!(world.tell("DRV-1", batch.clone()).await.unwrap(), (3, 3));
    // Its time has not come yet.
    world.clock.advance(Duration::seconds(40));
    assert_eq!(world.tell("DRV-1", batch.clone()).await.unwrap(), (0, 0));
    assert_eq!(reasons(&world.way("DRV-1").await), ["future_time"; 3]);
    assert_eq!(world.get("DRV-1").await.last_position, None);
    world.clock.advance(Duration::seconds(140));
    for _ in 0..2 {
        assert_eq!(world.tell("DRV-1", batch.clone()).await.unwrap(), (0, 0), "they are not new");
        let way = world.way("DRV-1").await;
        assert_eq!(reasons(&way), ["", "accuracy", ""]);
        let last = world.get("DRV-1").await.last_position.unwrap();
        assert_eq!(last.occurred_at, way[2].occurred_at);
    }
    assert_eq!(world.locations(None).await.locations.len(), 1);
    world.stop().await;
});

store::on_both!(what_is_not_believed_is_kept_and_moves_nobody, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    assert_eq!(world.tell("DRV-1", vec![world.point(-60)]).await.unwrap(), (1, 0));
    let doubtful = vec![
        world.place(-50, 0.0, 0.0),
        PositionInput { accuracy_m: Some(900.0), ..world.point(-40) },
        world.place(-30, 15.559, 121.02),
        world.place(-60, 14.5591, 121.02),
        world.point(3_600),
    ];
    assert_eq!(world.tell("DRV-1", doubtful.clone()).await.unwrap(), (5, 5));
    assert_eq!(world.tell("DRV-1", doubtful).await.unwrap(), (0, 0));
    let way = world.way("DRV-1").await;
    let mut told = reasons(&way);
    told.sort_unstable();
    assert_eq!(told, ["", "accuracy", "duplicate", "future_time", "max_speed", "zero_island"]);
    assert!(way.iter().all(|it| it.valid == it.filtered_reason.is_none()));
    let last = world.get("DRV-1").await.last_position.unwrap();
    assert_eq!(last.occurred_at, world.point(-60).occurred_at);
    let locations = world.locations(None).await.locations;
    assert_eq!((locations.len(), locations[0].position.as_ref()), (1, Some(&last)));
    // Another point with the same future time must not be accepted, either.
    let ahead = PositionInput { speed_kmh: Some(3.0), ..world.point(3_600) };
    assert_eq!(world.tell("DRV-1", vec![ahead]).await.unwrap(), (1, 1));
    // Genuine points are still accepted.
    assert_eq!(world.tell("DRV-1", vec![world.place(-5, 14.5592, 121.02)]).await.unwrap(), (1, 0));
    assert_eq!(world.get("DRV-1").await.last_position.unwrap().lat, 14.5592);
    world.stop().await;
});

store::on_both!(late_positions_find_their_place, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.tell("DRV-1", vec![world.point(-300), world.point(-10)]).await.unwrap();
    // The first point is a hundred kilometers from where the driver was twenty seconds earlier. The second
    // is where the driver was.
    let late = vec![world.place(-280, 15.559, 121.02), world.point(-270)];
    assert_eq!(world.tell("DRV-1", late).await.unwrap(), (2, 1));
    let way = world.way("DRV-1").await;
    assert_eq!(reasons(&way), ["", "max_speed", "", ""]);
    let last = world.get("DRV-1").await.last_position.unwrap();
    assert_eq!(last.occurred_at, world.point(-10).occurred_at, "the newest stays the last");
    // A batch out of order, with points before, between and after the known ones.
    let mixed = vec![world.point(-5), world.point(-310), world.point(-20)];
    assert_eq!(world.tell("DRV-1", mixed).await.unwrap(), (3, 0));
    let times: Vec<_> = world.way("DRV-1").await.iter().map(|it| it.occurred_at.unwrap().seconds).collect();
    assert!(times.is_sorted());
    assert_eq!(times.len(), 7);
    world.stop().await;
});

store::on_both!(a_malformed_batch_changes_nothing, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let bad = vec![world.point(-2), world.place(-1, 91.0, 121.0)];
    let error = world.tell("DRV-1", bad.clone()).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::InvalidInput, "INVALID_FIELDS"));
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["positions[1].lat"]);
    assert!(world.way("DRV-1").await.is_empty());
    assert_eq!(world.get("DRV-1").await.last_seen_at, None);
    // A malformed report does not put an unknown device on the list, either.
    assert_eq!(world.send("phone-1", bad).await.unwrap_err().0, ReportRefusal::Invalid);
    let list = world.drivers.list_unpaired_devices(viewer(ListUnpairedDevicesRequest {}));
    assert!(good(list.await).devices.is_empty());
    let unknown = world.tell("DRV-9", vec![world.point(0)]).await.unwrap_err();
    assert_eq!(unknown.reason, "DRIVER_NOT_FOUND");
    world.stop().await;
});

store::on_both!(a_blocked_driver_is_refused_at_once, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    good(world.pair("phone-1", "DRV-1").await);
    world.tell("DRV-1", vec![world.point(-2)]).await.unwrap();
    world.send("phone-1", vec![world.point(-1)]).await.unwrap();
    world.block("DRV-1", true).await;
    let error = world.tell("DRV-1", vec![world.point(0)]).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "DRIVER_BLOCKED"));
    let (refusal, _) = world.send("phone-1", vec![world.point(0)]).await.unwrap_err();
    assert_eq!(refusal, ReportRefusal::Blocked);
    let told = RecordDriverLogsRequest { logs: vec![super::logs::entry(1, "arrived")] };
    let error = refused(world.drivers.record_driver_logs(as_driver("DRV-1", told)).await);
    assert_eq!(error.reason, "DRIVER_BLOCKED");
    assert_eq!(world.way("DRV-1").await.len(), 2);
    world.block("DRV-1", false).await;
    assert_eq!(world.tell("DRV-1", vec![world.point(0)]).await.unwrap(), (1, 0));
    world.stop().await;
});

store::on_both!(each_report_of_a_call_is_answered_for_itself, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for driver in 0..4 {
        world.create(&format!("DRV-{driver}")).await;
        good(world.pair(&format!("phone-{driver}"), &format!("DRV-{driver}")).await);
    }
    world.block("DRV-2", true).await;
    let mut reports: Vec<_> = (0..4)
        .map(|driver| {
            let positions = (0..=driver).map(|step| world.point(-10 - i64::from(step))).collect();
            report(&format!("phone-{driver}"), positions)
        })
        .collect();
    reports.insert(1, report("phone-9", vec![world.point(0)]));
    reports.push(report("phone-3", vec![world.place(0, 91.0, 0.0)]));
    reports.push(report("phone-0", vec![world.point(-5), world.point(-10)]));
    let answers = world.report(reports.clone()).await.unwrap();
    let told: Vec<_> = answers.iter().map(|it| (it.refusal(), it.recorded)).collect();
    let kept = |count| (ReportRefusal::Unspecified, count);
    let expected = [
        kept(1),
        (ReportRefusal::Unpaired, 0),
        kept(2),
        (ReportRefusal::Blocked, 0),
        kept(4),
        (ReportRefusal::Invalid, 0),
        kept(1),
    ];
    assert_eq!(told, expected);
    assert!(answers[5].message.contains("Latitude"), "{}", answers[5].message);
    assert_eq!((world.way("DRV-0").await.len(), world.way("DRV-3").await.len()), (2, 4));
    let again = world.report(reports).await.unwrap();
    assert!(again.iter().all(|it| it.recorded == 0));
    let many = vec![report("phone-0", vec![world.point(0)]); 257];
    assert_eq!(world.report(many).await.unwrap_err().kind, Kind::InvalidInput);
    world.stop().await;
});

store::on_both!(many_requests_at_once_are_each_answered_for_themselves, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for driver in 0..8 {
        world.create(&format!("DRV-{driver}")).await;
    }
    let requests = (0..400).map(|request| {
        let world = &world;
        let id = format!("DRV-{}", request % 8);
        // Each position is sent twice, in two requests.
        let positions = (0..10).map(|step| world.point(-i64::from(request / 16 * 10 + step) - 1)).collect();
        async move { world.tell(&id, positions).await.unwrap() }
    });
    let answers = futures::future::join_all(requests).await;
    let recorded: u32 = answers.iter().map(|it| it.0).sum();
    assert_eq!((answers.len(), recorded), (400, 2_000));
    let mut kept = 0;
    for driver in 0..8 {
        kept += world.way(&format!("DRV-{driver}")).await.len();
    }
    assert_eq!(kept, 2_000);
    world.stop().await;
});

store::on_both!(what_was_taken_is_written_before_the_writers_end, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let positions: Vec<_> = (0..1_000).map(|step| world.point(-step)).collect();
    let (told, ()) = tokio::join!(world.tell("DRV-1", positions), async { world.stop.cancel() });
    // The request either succeeds with all positions stored, or fails with none.
    match told {
        Ok(recorded) => assert_eq!((recorded, world.way("DRV-1").await.len()), ((1_000, 0), 1_000)),
        Err(error) => assert_eq!((error.kind, world.way("DRV-1").await.len()), (Kind::Unavailable, 0)),
    }
    // A few requests may still be accepted. Later ones must be refused instead of being left waiting.
    let error = loop {
        if let Err(error) = world.tell("DRV-1", vec![world.point(0)]).await {
            break error;
        }
    };
    assert_eq!((error.kind, error.retry_after.is_some()), (Kind::Unavailable, true));
    world.stop().await;
});

// A phone that reconnects after months learns that its positions were not stored.
store::on_both!(what_is_too_old_to_be_kept_is_said_to_be, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    good(world.pair("phone-1", "DRV-1").await);
    let days = i64::from(kit::config::Drivers::default().positions_keep_days);
    let positions =
        vec![world.point(-86_400 * (days + 1)), world.point(-86_400 * (days + 2)), world.point(-1)];
    let request = as_driver("DRV-1", RecordPositionsRequest { positions: positions.clone() });
    let done = good(world.tracker.record_positions(request).await);
    assert_eq!((done.recorded, done.filtered, done.too_old), (1, 0, 2));
    let answers = world.report(vec![report("phone-1", positions)]).await.unwrap();
    assert_eq!((answers[0].recorded, answers[0].too_old), (1, 2), "another protocol, another position");
    assert_eq!(world.way("DRV-1").await.len(), 2);
    world.stop().await;
});
