//! A changed setting applies from the next decision on.

use kit::bus::Handler;
use proto::events::SettingChanged;

use super::*;

impl World {
    /// Changes a setting like the settings service, by an event.
    async fn set(&self, id: &str, version: u64, value: &str) {
        let payload = SettingChanged { id: id.into(), r#type: "number".into(), value: value.into() };
        let envelope = Envelope {
            id: kit::clock::new_id().to_string(),
            aggregate_id: id.into(),
            aggregate_version: version,
            payload: Some(Payload::SettingChanged(payload)),
            ..Envelope::default()
        };
        crate::events::follow_settings(&self.context).handle(&envelope).await.unwrap();
    }

    async fn state(&self) -> (OnlineState, OnlineState) {
        let driver = self.get("DRV-1").await;
        let location = self.locations(None).await.locations.remove(0);
        (driver.online_state(), location.online_state())
    }
}

store::on_both!(drivers_are_online_for_as_long_as_was_set, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.tell("DRV-1", vec![world.point(-100)]).await.unwrap();
    assert_eq!(world.state().await, (OnlineState::Online, OnlineState::Online));
    world.set("driver-online-seconds", 2, "60").await;
    assert_eq!(world.state().await, (OnlineState::Stale, OnlineState::Stale));
    world.set("driver-stale-seconds", 2, "90").await;
    assert_eq!(world.state().await, (OnlineState::Offline, OnlineState::Offline));
    // Until the other setting of the pair arrives, the stale period is shorter than the online period.
    world.set("driver-online-seconds", 3, "300").await;
    assert_eq!(world.state().await, (OnlineState::Online, OnlineState::Online));
    world.stop().await;
});

store::on_both!(every_rule_follows_its_setting, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for id in crate::settings::OBEYED {
        world.set(id, 2, "700").await;
    }
    let rules = world.context.rules();
    assert_eq!((rules.online_seconds, rules.stale_seconds), (700, 700));
    assert_eq!((rules.positions_keep_days, rules.logs_keep_days), (700, 700));
    world.stop().await;
});

store::on_both!(positions_are_kept_for_as_long_as_was_set, Migrator, |db: Db| async move {
    const DAY: i64 = 86_400;
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.tell("DRV-1", vec![world.point(-80 * DAY), world.point(-20 * DAY), world.point(-1)]).await.unwrap();
    world.set("driver-positions-keep-days", 2, "30").await;
    assert_eq!(world.tell("DRV-1", vec![world.point(-31 * DAY)]).await.unwrap(), (0, 0), "not even kept");
    // Nothing is deleted before this process has all settings.
    crate::chores(&world.context, &no_doubts()).await.unwrap();
    assert_eq!(world.way("DRV-1").await.len(), 3);
    let rules = world.context.rules();
    crate::store::retention::tend(world.db(), world.clock.now(), &rules, &no_doubts()).await.unwrap();
    assert_eq!(world.way("DRV-1").await.len(), 2);
    world.stop().await;
});
