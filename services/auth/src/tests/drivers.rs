//! Events create and change the accounts of drivers.

use std::time::Duration as StdDuration;

use ::store::consume::Revision;
use ::store::outbox::outbox_event;
use kit::bus::{Bus, Consumer, MemoryBus, Retry};
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{DeadLetterRaised, DriverAccountReportKind, DriverChanged, Envelope};
use sea_orm::PaginatorTrait;

use super::*;
use crate::Migrator;
use crate::entity::session;

fn consumer(world: &World) -> Consumer {
    crate::events::consumers(&world.context).remove(0)
}

fn event(driver_id: &str, username: &str, status: &str, version: u64) -> Envelope {
    let driver = DriverChanged {
        driver_id: driver_id.into(),
        name: format!("{username} who drives"),
        username: username.into(),
        status: status.into(),
    };
    Envelope {
        id: kit::clock::new_id().to_string(),
        subject: "waybill.drivers.driver.changed.v1".into(),
        actor: "tito".into(),
        aggregate_id: driver_id.into(),
        aggregate_version: version,
        payload: Some(Payload::DriverChanged(driver)),
        ..Envelope::default()
    }
}

async fn handle(world: &World, event: &Envelope) -> Result<(), Error> {
    consumer(world).handler.handle(event).await
}

async fn account(world: &World, driver_id: &str) -> Option<user::Model> {
    let found = user::Entity::find().filter(user::Column::DriverId.eq(driver_id));
    found.one(world.context.db.read()).await.unwrap()
}

/// Returns a driver with the PIN 482913, signed in.
async fn with_pin<'a>(world: &'a World, driver_id: &str, username: &str) -> Person<'a> {
    handle(world, &event(driver_id, username, "active", 1)).await.unwrap();
    let id = account(world, driver_id).await.unwrap().id.to_string();
    let link = world.sign_in(NAME).await.link(&id).await.unwrap();
    world.redeem(&link.reset_token, "482913").await.unwrap();
    Person { world, id, secret: world.driver_login(username, "482913").await.unwrap() }
}

::store::on_both!(a_driver_brings_an_account, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let first = event("DRV-1", "Nestor", "active", 1);
    for _ in 0..3 {
        handle(&world, &first).await.expect("an event twice is an event once");
    }
    let user = account(&world, "DRV-1").await.unwrap();
    assert_eq!((user.username.as_str(), user.username_key.as_str()), ("Nestor", "nestor"));
    assert_eq!((user.display_name.as_str(), user.email.as_str()), ("Nestor who drives", ""));
    assert_eq!((user.status, user.driver_version), (crate::domain::Status::Invited, 1));
    assert_eq!(user.created_by, "tito");
    assert_eq!(world.audit().await.len(), 2);
    assert_eq!(reason(world.driver_login("Nestor", "482913").await), "SIGN_IN_FAILED");

    handle(&world, &event("DRV-1", "nestor.ilagan", "active", 3)).await.unwrap();
    handle(&world, &event("DRV-1", "Nestor", "active", 2)).await.expect("old news is no failure");
    let user = account(&world, "DRV-1").await.unwrap();
    assert_eq!((user.username.as_str(), user.driver_version), ("nestor.ilagan", 3));
    assert_eq!(user.display_name_key, "nestor.ilagan who drives");
    // Ids that differ in case only are the same driver.
    handle(&world, &event("drv-1", "nestor.ilagan", "active", 4)).await.unwrap();
    let drivers = user::Entity::find().filter(user::Column::DriverId.is_not_null());
    assert_eq!(drivers.count(world.context.db.read()).await.unwrap(), 1);
});

::store::on_both!(drivers_and_the_office_sign_in_at_places_of_their_own, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let driver = with_pin(&world, "DRV-1", "nestor").await;
    let token = world.token(&driver.secret).await.unwrap();
    assert_eq!(world.who(&token).await.unwrap().driver().unwrap(), "DRV-1");
    let office = world.token(&world.login(NAME, PASSWORD).await.unwrap()).await.unwrap();
    assert!(world.who(&office).await.unwrap().driver().is_err());
    // The refusal does not reveal that the PIN was right.
    let wrong = world.login("nestor", "000000").await.unwrap_err();
    for refused in [world.login("nestor", "482913").await, world.driver_login(NAME, PASSWORD).await] {
        let refused = refused.unwrap_err();
        assert_eq!((refused.kind, &refused.reason), (wrong.kind, &wrong.reason));
        assert_eq!(refused.message, wrong.message);
    }
});

::store::on_both!(a_blocked_driver_is_out_at_once, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let driver = with_pin(&world, "DRV-1", "nestor").await;
    let token = world.token(&driver.secret).await.unwrap();
    let link = world.sign_in(NAME).await.link(&driver.id).await.unwrap().reset_token;
    handle(&world, &event("DRV-1", "nestor", "blocked", 2)).await.unwrap();
    assert_eq!(reason(world.check(&token).await), "SESSION_OVER");
    assert_eq!(reason(world.token(&driver.secret).await), "SESSION_OVER");
    assert_eq!(reason(world.kind_of_link(&link).await), "RESET_TOKEN_INVALID");
    assert_eq!(reason(world.driver_login("nestor", "482913").await), "SIGN_IN_FAILED");
    let of_driver = session::Entity::find()
        .filter(session::Column::UserId.eq(account(&world, "DRV-1").await.unwrap().id));
    assert_eq!(of_driver.count(world.context.db.read()).await.unwrap(), 0);
    // An older event does not unblock them.
    handle(&world, &event("DRV-1", "nestor", "active", 1)).await.unwrap();
    assert_eq!(reason(world.driver_login("nestor", "482913").await), "SIGN_IN_FAILED");
    handle(&world, &event("DRV-1", "nestor", "active", 3)).await.unwrap();
    assert_eq!(reason(world.kind_of_link(&link).await), "RESET_TOKEN_INVALID");
    world.driver_login("nestor", "482913").await.expect("with the PIN of before");
    let actions: Vec<String> =
        world.audit().await.into_iter().map(|entry| entry.action).rev().take(2).collect();
    assert_eq!(actions, ["driver_account.unblocked", "driver_account.blocked"]);
});

::store::on_both!(a_driver_who_begins_blocked, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    handle(&world, &event("DRV-1", "nestor", "blocked", 1)).await.unwrap();
    assert_eq!(account(&world, "DRV-1").await.unwrap().status, crate::domain::Status::Disabled);
    handle(&world, &event("DRV-1", "nestor", "active", 2)).await.unwrap();
    assert_eq!(account(&world, "DRV-1").await.unwrap().status, crate::domain::Status::Invited);
});

::store::on_both!(a_name_that_is_taken_keeps_nobody_from_being_blocked, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    with_pin(&world, "DRV-1", "nestor").await;
    let error = handle(&world, &event("DRV-1", NAME, "active", 2)).await.unwrap_err();
    assert_eq!(error.reason, "USERNAME_TAKEN");
    assert_eq!(account(&world, "DRV-1").await.unwrap().username, "nestor");
    handle(&world, &event("DRV-1", NAME, "blocked", 3)).await.unwrap();
    let user = account(&world, "DRV-1").await.unwrap();
    assert_eq!((user.username.as_str(), user.status), ("nestor", crate::domain::Status::Disabled));
    assert!(world.login(NAME, PASSWORD).await.is_ok(), "whose name it is does not notice");
});

::store::on_both!(what_cannot_be_becomes_a_dead_letter, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let retry = Retry {
        attempts: 3,
        first_delay: StdDuration::from_millis(1),
        max_delay: StdDuration::from_millis(2),
        timeout: StdDuration::from_secs(10),
    };
    let bus = Bus::Memory(MemoryBus::new(retry));
    let _registered = bus.register(vec![consumer(&world)]).await.unwrap();
    let taken = event("DRV-2", NAME, "active", 1);
    let events = [
        (event("DRV-1", "nestor", "active", 1), 1),
        (taken.clone(), 3),
        (event("DRV-3", "berto", "asleep", 1), 3),
        (event("DRV-4", "", "active", 1), 3),
        (event("", "berto", "active", 1), 3),
        (event("DRV-5", "berto", "active", 1), 1),
    ];
    for (event, times) in events {
        for time in 1..=times {
            let done = bus.publish_again(&(&event).into(), time).await;
            assert_eq!(done.is_ok(), time == times, "time {time}: handled, or at last a dead letter");
        }
    }
    assert!(account(&world, "DRV-1").await.is_some() && account(&world, "DRV-5").await.is_some());
    let outbox = outbox_event::Entity::find().order_by_asc(outbox_event::Column::Id);
    let letters: Vec<DeadLetterRaised> = outbox
        .all(world.context.db.read())
        .await
        .unwrap()
        .into_iter()
        .map(|row| match Envelope::decode(row.envelope.as_slice()).unwrap().payload {
            Some(Payload::DeadLetterRaised(letter)) => letter,
            other => panic!("{other:?}"),
        })
        .collect();
    let told: Vec<&str> = letters.iter().map(|letter| letter.last_error.as_str()).collect();
    assert_eq!(
        told,
        [
            "The username of driver DRV-2 belongs to another account. Give the driver another one. (USERNAME_TAKEN)",
            "Status must be active or blocked (INVALID_FIELDS)",
            "Username must have 1 to 64 characters (INVALID_FIELDS)",
            "Driver id must have 1 to 64 characters (INVALID_FIELDS)",
        ]
    );
    assert!(letters.iter().all(|letter| letter.consumer == "auth-drivers" && letter.attempts == 3));
    assert_eq!(letters[0].envelope, taken.encode_to_vec());
    let kept = ::store::dead_letters::list(&world.context.db, 10).await.unwrap();
    assert_eq!(kept.iter().filter(|it| it.payload == taken.encode_to_vec()).count(), 1);
    assert_eq!(kept.len(), 4, "an administrator finds each here");
});

::store::on_both!(refused_sign_ins_and_pins_are_published, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    with_pin(&world, "DRV-1", "nestor").await;
    world.make("Jose", &["viewer"]).await;
    for (name, pin) in [("nestor", "604182"), ("Jose", "604182"), ("nobody", "604182")] {
        assert_eq!(reason(world.driver_login(name, pin).await), "SIGN_IN_FAILED");
    }
    // Also with the right PIN, where only the office signs in.
    assert_eq!(reason(world.login("nestor", "482913").await), "SIGN_IN_FAILED");
    world.work().await;
    let rows = outbox_event::Entity::find().order_by_asc(outbox_event::Column::Id);
    let rows = rows.all(world.context.db.read()).await.unwrap();
    let events = rows.iter().map(|row| Envelope::decode(row.envelope.as_slice()).unwrap());
    let told: Vec<_> = events
        .map(|event| match event.payload {
            Some(Payload::DriverAccountReported(it)) => (it.kind(), it.driver_id, it.address, event.actor),
            other => panic!("{other:?}"),
        })
        .collect();
    let of = |kind, actor: &str| (kind, "DRV-1".to_owned(), HOME.to_owned(), actor.to_owned());
    let refused = of(DriverAccountReportKind::SignInFailed, "system:auth");
    assert_eq!(told, [of(DriverAccountReportKind::PinSet, "nestor"), refused.clone(), refused]);
});

::store::on_both!(drivers_at_once_are_each_made_once, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let events: Vec<Envelope> = (0..32)
        .map(|at| event(&format!("DRV-{}", at % 4), &format!("driver{}", at % 4), "active", 1 + at / 4))
        .collect();
    // On Postgres both handlers may try to create the same account; the one that fails is retried.
    for event in &events {
        let two = futures::future::join_all([handle(&world, event), handle(&world, event)]).await;
        assert!(two.iter().any(Result::is_ok));
    }
    let all = futures::future::join_all(events.iter().map(|event| handle(&world, event))).await;
    assert!(all.into_iter().all(|done| done.is_ok()));
    let drivers = user::Entity::find().filter(user::Column::DriverId.is_not_null());
    assert_eq!(drivers.count(world.context.db.read()).await.unwrap(), 4);
});

::store::on_both!(every_consumer_of_the_registry_runs, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let running = crate::events::consumers(&world.context).into_iter().map(|it| (it.name, it.subject));
    let mut running: Vec<_> = running.collect();
    running.sort();
    assert_eq!(running, proto::events::subjects_read_by(crate::NAME));
});

::store::on_both!(demo_drivers_give_way_to_who_is_there, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let change = |id: &str, username: &str| {
        let Some(Payload::DriverChanged(driver)) = event(id, username, "active", 0).payload else { panic!() };
        DriverChange::parse(driver, Revision::default(), "demo").unwrap()
    };
    let changes = [change("DRV-1", "nestor"), change("DRV-2", NAME), change("DRV-3", "berto")];
    for _ in 0..2 {
        crate::store::drivers::follow(&world.context.db, &world.context.clock, &changes).await.unwrap();
    }
    assert!(account(&world, "DRV-1").await.is_some() && account(&world, "DRV-2").await.is_none());
    handle(&world, &event("DRV-3", "berto.cruz", "active", 1)).await.unwrap();
    assert_eq!(account(&world, "DRV-3").await.unwrap().username, "berto.cruz", "the real one is newer");
});
