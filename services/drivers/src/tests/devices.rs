use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait};

use super::*;
use crate::domain::form;
use crate::domain::position::{Last, points};
use crate::entity::{ended_pairing, unpaired_device};
use crate::store::{devices, retention};

async fn unpaired(world: &World) -> Vec<UnpairedDevice> {
    good(world.drivers.list_unpaired_devices(viewer(ListUnpairedDevicesRequest {})).await).devices
}

store::on_both!(an_unknown_device_waits_to_be_paired, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let (refusal, _) = world.send("PHONE-1", vec![world.point(-2), world.point(-1)]).await.unwrap_err();
    assert_eq!(refusal, ReportRefusal::Unpaired);
    world.clock.advance(Duration::seconds(1));
    world.send("phone-2", vec![world.point(0)]).await.unwrap_err();
    world.clock.advance(Duration::seconds(1));
    world.send("phone-1", vec![world.place(0, 14.6, 121.1)]).await.unwrap_err();
    let waiting = unpaired(&world).await;
    let ids: Vec<_> = waiting.iter().map(|it| it.unique_id.as_str()).collect();
    assert_eq!(ids, ["PHONE-1", "phone-2"], "the last heard of first");
    let first = &waiting[0];
    assert_eq!(
        (first.positions, first.provider.as_str(), first.address.as_str()),
        (3, "osmand", "192.0.2.7")
    );
    assert_eq!(first.last_position.as_ref().unwrap().lat, 14.6);
    assert!(first.first_seen_at.unwrap().seconds < first.last_seen_at.unwrap().seconds);
    assert!(world.way("DRV-1").await.is_empty());

    let paired = good(world.pair("phone-1", "drv-1").await);
    assert_eq!((paired.device_unique_ids.as_slice(), paired.version), (&["phone-1".to_owned()][..], 2));
    assert_eq!(unpaired(&world).await.len(), 1, "it is on the list no more");
    assert_eq!(good(world.pair("PHONE-1", "DRV-1").await).version, 2, "again changes nothing");
    assert_eq!(world.send("PHONE-1", vec![world.point(0)]).await.unwrap(), (1, 0));
    assert_eq!(world.way("DRV-1").await[0].provider, "osmand");
    world.stop().await;
});

// A report that arrives while its device is being paired records the device again, after the pairing.
store::on_both!(a_paired_device_does_not_wait, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    good(world.pair("phone-1", "DRV-1").await);
    let point = points(vec![world.point(0)]).unwrap().remove(0);
    let last = Last { point, received_at: world.clock.now(), provider: "osmand".into() };
    let device = form::device("phone-1").unwrap();
    devices::note_unpaired(world.db(), device, &last, false, 1, "192.0.2.7", 10).await.unwrap();
    assert!(unpaired(&world).await.is_empty());
    good(world.pair("phone-1", "DRV-1").await);
    assert_eq!(unpaired_device::Entity::find().count(world.db().read()).await.unwrap(), 0);
    world.stop().await;
});

store::on_both!(a_device_has_one_driver, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.create("DRV-2").await;
    good(world.pair("phone-1", "DRV-1").await);
    let error = refused(world.pair("Phone-1", "DRV-2").await);
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "DEVICE_TAKEN"));
    assert!(error.fields.contains_key("uniqueId"));
    let unpair = |id: &str| UnpairDeviceRequest { unique_id: "phone-1".into(), driver_id: id.into() };
    assert_eq!(refused(world.drivers.unpair_device(editor(unpair("DRV-2"))).await).kind, Kind::NotFound);
    let freed = good(world.drivers.unpair_device(editor(unpair("DRV-1"))).await);
    assert!(freed.device_unique_ids.is_empty());
    assert_eq!(world.send("phone-1", vec![world.point(0)]).await.unwrap_err().0, ReportRefusal::Unpaired);
    good(world.pair("phone-1", "DRV-2").await);
    assert_eq!(world.send("phone-1", vec![world.point(0)]).await.unwrap(), (1, 0));
    assert_eq!(world.way("DRV-2").await.len(), 1);
    for more in 2..=10 {
        good(world.pair(&format!("phone-{more}"), "DRV-2").await);
    }
    assert_eq!(refused(world.pair("phone-11", "DRV-2").await).reason, "TOO_MANY_DEVICES");
    world.stop().await;
});

// A phone without network keeps its positions, also when it goes to another driver in the meantime.
store::on_both!(late_positions_belong_to_the_driver_who_had_the_device, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let pass = || world.clock.advance(Duration::seconds(60));
    let unpair = async |id: &str| {
        let request = UnpairDeviceRequest { unique_id: "phone-1".into(), driver_id: id.into() };
        good(world.drivers.unpair_device(editor(request)).await)
    };
    let trails = async || (world.way("DRV-1").await.len(), world.way("DRV-2").await.len());
    world.create("DRV-1").await;
    world.create("DRV-2").await;
    good(world.pair("phone-1", "DRV-1").await);
    pass();
    unpair("DRV-1").await;
    pass();
    assert_eq!(world.send("phone-1", vec![world.point(-70)]).await.unwrap(), (1, 0), "while nobody has it");
    let mixed = vec![world.point(-80), world.point(-50)];
    assert_eq!(world.send("phone-1", mixed.clone()).await.unwrap_err().0, ReportRefusal::Unpaired);
    assert_eq!(trails().await, (1, 0), "refused as a whole");
    good(world.pair("phone-1", "DRV-2").await);
    assert_eq!(world.send("phone-1", mixed).await.unwrap(), (2, 0));
    assert_eq!(trails().await, (2, 1), "the next driver gets what was sent while nobody had it");
    pass();
    assert_eq!(world.send("phone-1", vec![world.point(-150), world.point(-10)]).await.unwrap(), (2, 0));
    assert_eq!(trails().await, (3, 2));

    // A blocked former driver does not hold up the current one.
    world.block("DRV-1", true).await;
    let mixed = vec![world.point(-160), world.point(-5)];
    assert_eq!(world.send("phone-1", mixed).await.unwrap(), (1, 0));
    assert_eq!(trails().await, (3, 3));
    unpair("DRV-2").await;
    let late = vec![world.point(-160)];
    assert_eq!(world.send("phone-1", late).await.unwrap_err().0, ReportRefusal::Blocked);

    // Pairings are kept as long as positions.
    let kept = async || ended_pairing::Entity::find().count(world.db().read()).await.unwrap();
    for (days, count) in [(89, 2), (2, 0)] {
        world.clock.advance(Duration::days(days));
        retention::tend(world.db(), world.clock.now(), &world.context.config, &no_doubts()).await.unwrap();
        assert_eq!(kept().await, count);
    }
    world.stop().await;
});

// A driver who has left the company may still have the app on their phone.
store::on_both!(nobody_sees_where_a_device_is_that_was_unpaired, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    good(world.pair("phone-1", "DRV-1").await);
    world.clock.advance(Duration::seconds(60));
    let unpair = UnpairDeviceRequest { unique_id: "phone-1".into(), driver_id: "DRV-1".into() };
    good(world.drivers.unpair_device(editor(unpair)).await);
    for days in [1, 60, 31] {
        world.clock.advance(Duration::days(days));
        retention::tend(world.db(), world.clock.now(), &world.context.config, &no_doubts()).await.unwrap();
        world.tracker.shared.lookup.forget();
        world.send("phone-1", vec![world.point(0)]).await.unwrap_err();
    }
    assert_eq!(ended_pairing::Entity::find().count(world.db().read()).await.unwrap(), 0);
    let devices = unpaired(&world).await;
    assert_eq!((devices.len(), devices[0].positions), (1, 3), "it can be paired again");
    assert_eq!(devices[0].last_position, None);
    world.stop().await;
});

store::on_both!(of_too_many_unpaired_devices_the_longest_unheard_leaves, Migrator, |db: Db| async move {
    let config = kit::config::Drivers { max_unpaired_devices: 3, ..Default::default() };
    let world = World::with(db, config).await;
    for device in ["a", "b", "c", "a", "d"] {
        world.clock.advance(Duration::seconds(1));
        world.send(device, vec![world.point(0)]).await.unwrap_err();
    }
    let ids: Vec<_> = unpaired(&world).await.into_iter().map(|it| it.unique_id).collect();
    assert_eq!(ids, ["d", "a", "c"]);
    world.stop().await;
});

// Ids are easily invented. Invented ones must not push other people's devices off the list.
store::on_both!(one_address_does_not_fill_the_list, Migrator, |db: Db| async move {
    let config = kit::config::Drivers { max_unpaired_devices: 120, ..Default::default() };
    let world = World::with(db, config).await;
    world.send("ours", vec![world.point(0)]).await.unwrap_err();
    world.clock.advance(Duration::seconds(1));
    let made_up = (0..250).map(|n| DeviceReport {
        address: "198.51.100.9".into(),
        ..report(&format!("made-up-{n}"), vec![world.point(0)])
    });
    for answer in world.report(made_up.collect()).await.unwrap() {
        assert_eq!(answer.refusal(), ReportRefusal::Unpaired, "answered as any other");
    }
    let listed = unpaired(&world).await;
    assert!(listed.iter().any(|it| it.unique_id == "ours"), "{}", listed.len());
    world.stop().await;
});

// Reports of many devices come in one call. An error in one must not affect the others.
store::on_both!(a_failing_look_up_fails_one_report, Migrator, |db: Db| async move {
    let world = World::start(db.clone()).await;
    world.create("DRV-1").await;
    good(world.pair("phone-1", "DRV-1").await);
    let tx = db.begin().await.unwrap();
    tx.execute_unprepared("ALTER TABLE unpaired_device RENAME TO away").await.unwrap();
    tx.commit().await.unwrap();
    let reports = vec![report("phone-9", vec![world.point(0)]), report("phone-1", vec![world.point(0)])];
    let answers = world.report(reports).await.unwrap();
    let told: Vec<_> = answers.iter().map(|it| (it.refusal(), it.recorded)).collect();
    assert_eq!(told, [(ReportRefusal::Later, 0), (ReportRefusal::Unspecified, 1)]);
    assert!(!answers[0].message.contains("unpaired_device"), "{}", answers[0].message);
    world.stop().await;
});
