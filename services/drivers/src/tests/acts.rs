//! Which changes are recorded in the audit log.

use store::testing::acts;

use super::*;

async fn new(world: &World, seen: &mut usize) -> Vec<[String; 4]> {
    let all = acts(world.db()).await;
    let new = all[*seen..].iter().map(|(envelope, it)| {
        assert_eq!(envelope.subject, "waybill.drivers.audit.recorded.v1");
        assert_eq!((envelope.actor.as_str(), it.address.as_str()), ("maria", "192.0.2.7"));
        let what = format!("{} {} {}", it.action, it.entity, it.entity_name);
        [what, it.entity_id.clone(), it.before_json.clone(), it.after_json.clone()]
    });
    let new = new.collect();
    *seen = all.len();
    new
}

store::on_both!(each_change_of_a_driver_is_one_act, Migrator, |db: Db| async move {
    let (world, mut seen) = (World::start(db).await, 0);
    let is = |act: [&str; 4]| [act.map(str::to_owned)];
    world.create("DRV-1").await;
    let name = "Name of user-DRV-1";
    let made = r#"{"driverId":"DRV-1","name":"Name of user-DRV-1","username":"user-DRV-1"}"#;
    assert_eq!(
        new(&world, &mut seen).await,
        is([&format!("driver.created driver {name}"), "DRV-1", "", made])
    );
    let edit = |version, phone: &str| UpdateDriverRequest {
        driver_id: "drv-1".into(),
        version,
        driver: Some(DriverInput { phone: Some(phone.into()), ..form("user-DRV-1") }),
    };
    good(world.drivers.update_driver(editor(edit(1, "12345"))).await);
    let what = format!("driver.updated driver {name}");
    assert_eq!(
        new(&world, &mut seen).await,
        is([&what, "DRV-1", r#"{"phone":null}"#, r#"{"phone":"12345"}"#])
    );
    // An edit without a change, and a refused edit, leave no entry.
    good(world.drivers.update_driver(editor(edit(2, "12345"))).await);
    refused(world.drivers.update_driver(editor(edit(2, "6"))).await);
    assert!(new(&world, &mut seen).await.is_empty());
    for (blocked, act, before, after) in
        [(true, "driver.blocked", "active", "blocked"), (false, "driver.unblocked", "blocked", "active")]
    {
        world.block("DRV-1", blocked).await;
        world.block("DRV-1", blocked).await;
        let (what, status) = (format!("{act} driver {name}"), |it: &str| format!(r#"{{"status":"{it}"}}"#));
        assert_eq!(new(&world, &mut seen).await, is([&what, "DRV-1", &status(before), &status(after)]));
    }
    for _ in 0..2 {
        good(world.pair("Phone-7", "drv-1").await);
    }
    let of = r#"{"driverId":"DRV-1"}"#;
    assert_eq!(new(&world, &mut seen).await, is(["device.paired device Phone-7", "Phone-7", "", of]));
    let request = UnpairDeviceRequest { unique_id: "Phone-7".into(), driver_id: "DRV-1".into() };
    good(world.drivers.unpair_device(editor(request.clone())).await);
    refused(world.drivers.unpair_device(editor(request)).await);
    assert_eq!(new(&world, &mut seen).await, is(["device.unpaired device Phone-7", "Phone-7", of, ""]));
    world.stop().await;
});
