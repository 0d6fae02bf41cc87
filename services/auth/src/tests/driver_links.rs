//! Links by which a driver sets a PIN: who may create them, and how many.

use futures::future::join_all;
use kit::Kind;
use proto::auth::v1::SecretKind;

use super::links::{link, told};
use super::*;
use crate::Migrator;

::store::on_both!(a_driver_gets_a_pin, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let id = world.driver("DRV-1", "nestor", "active", 1).await;
    let token = link(&world, &id).await;
    assert_eq!(world.kind_of_link(&token).await.unwrap(), SecretKind::Pin as i32);
    for weak in ["12345", "123456", "111111", "a good long password", "1234567890123"] {
        let error = world.redeem(&token, weak).await.unwrap_err();
        assert!(error.fields.contains_key("password") && error.message.contains("PIN "), "{error}");
    }
    assert_eq!(reason(world.driver_login("nestor", "482913").await), "SIGN_IN_FAILED");
    world.redeem(&token, "482913").await.unwrap();
    let secret = world.driver_login("Nestor", "482913").await.unwrap();
    let user = world.check(&world.token(&secret).await.unwrap()).await.unwrap();
    assert_eq!((user.roles, user.driver_id), (vec!["driver".to_owned()], "DRV-1".to_owned()));
    let entry = world.audit().await.pop().unwrap();
    assert_eq!((entry.action.as_str(), entry.entity.as_str()), ("driver_account.pin_set", "driver_account"));
    // A blocked driver gets no link.
    world.driver("DRV-1", "nestor", "blocked", 2).await;
    let error = world.sign_in(NAME).await.link(&id).await.unwrap_err();
    assert_eq!(
        told(&error),
        (Kind::FailedPrecondition, "ACCOUNT_DISABLED", "This driver is blocked. Unblock the driver first.")
    );
});

::store::on_both!(a_dispatcher_helps_drivers_alone, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let viewer = world.make("Vera", &["viewer"]).await;
    for (name, role) in [("Dina", "dispatcher"), ("Tito", "transport_planner")] {
        world.make(name, &[role]).await;
        let person = world.sign_in(name).await;
        let driver = world.driver("DRV-1", "nestor", "active", 1).await;
        let made = person.link(&driver).await.unwrap();
        assert!(world.kind_of_link(&made.reset_token).await.is_ok());
        for id in [&viewer.id, &person.id, &kit::clock::new_id().to_string()] {
            let error = person.link(id).await.unwrap_err();
            assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "ROLE_MISSING"));
        }
        assert_eq!(reason(person.link("nonsense").await), "USER_NOT_FOUND");
    }
    let vera = world.sign_in("Vera").await;
    assert_eq!(reason(vera.link(&viewer.id).await), "ROLE_MISSING");
    let admin = world.sign_in(NAME).await;
    assert_eq!(reason(admin.link(&kit::clock::new_id().to_string()).await), "USER_NOT_FOUND");
});

/// Returns how many links for drivers this process has counted, also in other tests.
fn counted() -> f64 {
    kit::testing::metric_value("waybill_driver_links_total", &[]).unwrap_or_default()
}

::store::on_both!(links_for_drivers_are_counted, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let driver = world.driver("DRV-1", "nestor", "active", 1).await;
    let before = counted();
    for _ in 0..3 {
        link(&world, &driver).await;
    }
    assert!(counted() >= before + 3.0);
});

::store::on_both!(twenty_links_for_drivers_a_day, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.make("Dina", &["dispatcher"]).await;
    world.make("Tito", &["transport_planner"]).await;
    let driver = world.driver("DRV-1", "nestor", "active", 1).await;
    let start = world.context.clock.now();
    let dina = world.sign_in("Dina").await;
    for _ in 0..18 {
        dina.link(&driver).await.unwrap();
    }
    world.advance(Duration::minutes(90));
    let at_once = join_all((0..8).map(|_| dina.link(&driver))).await;
    assert_eq!(at_once.iter().filter(|made| made.is_ok()).count(), 2, "also when asked for at once");
    let error = dina.link(&driver).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::RateLimited, "RESET_LINKS_SPENT"));
    let left = start + Duration::hours(24) - world.context.clock.now();
    assert_eq!(error.retry_after, Some(left.to_std().unwrap()));
    assert!(error.message.ends_with("Ask an administrator, or try again in 23 hours."), "{}", error.message);
    world.sign_in("Tito").await.link(&driver).await.expect("each has a number of their own");
    let admin = world.sign_in(NAME).await;
    for _ in 0..25 {
        admin.link(&driver).await.expect("admins have no limit");
    }
    world.advance(left - Duration::minutes(30));
    let error = world.sign_in("Dina").await.link(&driver).await.unwrap_err();
    assert!(error.message.ends_with("or try again in 1 hour."), "{}", error.message);
    world.advance(Duration::minutes(30));
    let dina = world.sign_in("Dina").await;
    for _ in 0..18 {
        dina.link(&driver).await.expect("a day is over");
    }
    assert_eq!(reason(dina.link(&driver).await), "RESET_LINKS_SPENT");
    // The clock is a year ahead, until somebody notices it a day later.
    world.advance(Duration::days(365));
    let dina = world.sign_in("Dina").await;
    for _ in 0..20 {
        dina.link(&driver).await.unwrap();
    }
    assert_eq!(reason(dina.link(&driver).await), "RESET_LINKS_SPENT");
    world.advance(Duration::days(-364));
    world.sign_in("Dina").await.link(&driver).await.expect("links of the wrong time do not count");
});
