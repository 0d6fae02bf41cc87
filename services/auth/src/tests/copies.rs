//! Accounts of drivers are a copy, which can be rebuilt from the drivers.

use ::store::consume::{self, Revision};
use ::store::copies::{Keep, Known, Reported};
use ::store::testing::copies::Case;
use proto::events::{AUTH_DRIVERS, DriverChanged};

use super::*;
use crate::Migrator;
use crate::domain::Status;
use crate::events::on_driver_changed::{self, Accounts};

fn driver(id: &str, username: &str, status: &str) -> DriverChanged {
    DriverChanged {
        driver_id: id.into(),
        name: format!("{id}, or {username}"),
        username: username.into(),
        status: status.into(),
    }
}

/// Returns the columns of accounts that are copied from the drivers service.
async fn copied(db: Db) -> Vec<String> {
    let users = user::Entity::find().filter(user::Column::DriverIdKey.is_not_null());
    let users = users.all(db.read()).await.unwrap();
    let copied = |it: &user::Model| {
        let names = (&it.driver_id, &it.username, &it.username_key, &it.display_name, &it.display_name_key);
        format!("{names:?} {:?} {} {}", it.status, it.driver_version, it.driver_sequence)
    };
    let mut copied: Vec<String> = users.iter().map(copied).collect();
    copied.sort();
    copied
}

fn case(make: fn(&str, u64) -> DriverChanged) -> Case<DriverChanged> {
    Case {
        copy: crate::copies().remove(0),
        make,
        handler: |db, clock| {
            consume::consumers(AUTH_DRIVERS, db, clock, on_driver_changed::apply).remove(0).handler
        },
        rows: |db| Box::pin(copied(db)),
        removes: false,
    }
}

::store::on_both!(accounts_of_drivers_are_rebuilt, Migrator, |db: Db| async move {
    let case = case(|id, n| driver(id, &format!("{id}.{n}"), if n % 3 == 2 { "blocked" } else { "active" }));
    ::store::testing::copies::hold::<Migrator, _>(db, case).await;
});

/// Applies these drivers as a rebuild would. Each has its version, and the version that the account had
/// before the rebuild queried the drivers.
async fn tell(world: &World, drivers: &[(DriverChanged, i64, Option<i64>)]) {
    let revision = |version| Revision { version, sequence: version };
    let reported = drivers.iter().map(|(event, version, was)| Reported {
        event: event.clone(),
        meta: consume::Meta {
            id: kit::clock::new_id(),
            actor: "tito".into(),
            aggregate_id: event.driver_id.clone(),
            revision: revision(*version),
            occurred_at: world.context.clock.now(),
            now: world.context.clock.now(),
        },
        was: was.map(revision),
    });
    let tx = world.context.db.begin().await.unwrap();
    Accounts.write(&tx, reported.collect()).await.unwrap();
    tx.commit().await.unwrap();
}

async fn account(world: &World, id: &str) -> user::Model {
    let found = user::Entity::find().filter(user::Column::DriverId.eq(id));
    found.one(world.context.db.read()).await.unwrap().unwrap()
}

::store::on_both!(a_driver_whom_the_owner_lost_is_blocked_and_comes_back, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    tell(&world, &[(driver("DRV-1", "nestor", "active"), 4, None)]).await;
    let remove = async |version| {
        let gone = Known { key: "drv-1".into(), revision: Revision { version, sequence: version } };
        let tx = world.context.db.begin().await.unwrap();
        Accounts.remove(&tx, &[gone], world.context.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        account(&world, "DRV-1").await
    };
    assert_eq!(remove(3).await.status, Status::Invited, "an event came meanwhile");
    let before = account(&world, "DRV-1").await;
    let blocked = remove(4).await;
    assert_eq!((blocked.status, blocked.id), (Status::Disabled, before.id));
    assert_eq!(remove(0).await, blocked, "once is enough");
    tell(&world, &[(driver("DRV-1", "nestor", "active"), 1, None)]).await;
    let back = account(&world, "DRV-1").await;
    assert_eq!((back.status, back.driver_version, back.id), (Status::Invited, 1, before.id));
});

::store::on_both!(two_drivers_may_have_exchanged_their_usernames, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let first = [driver("DRV-1", "nestor", "active"), driver("DRV-2", "alma", "active")];
    tell(&world, &first.clone().map(|it| (it, 1, None))).await;
    // The first driver took a name that the second gave up.
    let second = [driver("DRV-1", "alma", "active"), driver("DRV-2", "alma.reyes", "active")];
    tell(&world, &second.map(|it| (it, 2, Some(1)))).await;
    assert_eq!(account(&world, "DRV-1").await.username, "alma");
    assert_eq!(account(&world, "DRV-2").await.username, "alma.reyes");
    // A driver cannot take an office user's name; the accounts of other drivers are written nevertheless.
    let taken = [driver("DRV-1", NAME, "active"), driver("DRV-3", "joel", "active")];
    tell(&world, &taken.map(|it| (it, 3, None))).await;
    assert_eq!(account(&world, "DRV-1").await.username, "alma");
    assert_eq!(account(&world, "DRV-3").await.username, "joel");
});

::store::on_both!(a_username_given_up_on_a_later_page_is_free, Migrator, |db: Db| async move {
    let world = World::with_admin(db.clone()).await;
    let case = case(|id, n| {
        let username = match (id, n) {
            ("id-0000", 2) => "id-0539",
            (_, 2) => "rosa",
            _ => id,
        };
        driver(id, username, "active")
    });
    ::store::testing::copies::rebuild_pages(&db, &case).await;
    assert_eq!(account(&world, "id-0000").await.username, "id-0539");
    assert_eq!(account(&world, "id-0539").await.username, "rosa");
});

::store::on_both!(usernames_may_have_moved_among_drivers, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let ids = ["DRV-1", "DRV-2", "DRV-3"];
    let steps = [
        (["nestor", "alma", "joel"], "active"),
        // An exchange.
        (["alma", "nestor", "joel"], "active"),
        // Each takes the name of the next, of whom only the last has a new one.
        (["nestor", "joel", "rosa"], "active"),
        // A ring, also for a driver who is blocked.
        (["joel", "rosa", "nestor"], "blocked"),
    ];
    for (version, (names, status)) in (1_i64..).zip(steps) {
        let was = (version > 1).then_some(version - 1);
        let drivers = [
            (driver(ids[0], names[0], "active"), version, was),
            (driver(ids[1], names[1], status), version, was),
            (driver(ids[2], names[2], "active"), version, was),
        ];
        tell(&world, &drivers).await;
        for (id, name) in ids.into_iter().zip(names) {
            let account = account(&world, id).await;
            assert_eq!((account.username.as_str(), account.username_key.as_str()), (name, name));
            assert_eq!(account.driver_version, version);
        }
    }
    assert_eq!(account(&world, "DRV-2").await.status, Status::Disabled);
});
