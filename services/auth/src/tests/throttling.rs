use futures::future::join_all;
use kit::Kind;
use sea_orm::PaginatorTrait;

use super::*;
use crate::Migrator;
use crate::entity::{sign_in_address, throttle};

const WRONG: &str = "not the password at all";
const AWAY: &str = "198.51.100.1";

async fn wrong(world: &World, username: &str, address: &str) -> Error {
    world.login_from(username, WRONG, address).await.unwrap_err()
}

/// Returns whether the attempt got as far as checking the password.
fn was_checked(error: &Error) -> bool {
    match error.reason.as_str() {
        "SIGN_IN_FAILED" => true,
        "SIGN_IN_THROTTLED" => false,
        other => panic!("{other}"),
    }
}

fn wait(error: &Error) -> Duration {
    assert_eq!((error.kind, error.reason.as_str()), (Kind::RateLimited, "SIGN_IN_THROTTLED"));
    Duration::from_std(error.retry_after.unwrap()).unwrap()
}

::store::on_both!(waits_grow_and_end, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for _ in 0..5 {
        assert!(was_checked(&wrong(&world, NAME, AWAY).await));
    }
    for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1200, 1200] {
        let refused = wrong(&world, NAME, AWAY).await;
        assert_eq!(wait(&refused), Duration::seconds(seconds));
        let right = world.login_from(NAME, PASSWORD, AWAY).await.unwrap_err();
        assert_eq!(right.message, refused.message, "nor is a right one looked at");
        world.advance(Duration::seconds(seconds) - Duration::milliseconds(1));
        assert_eq!(wait(&wrong(&world, NAME, AWAY).await), Duration::seconds(1));
        world.advance(Duration::milliseconds(1));
        assert!(was_checked(&wrong(&world, NAME, AWAY).await));
    }
    world.advance(Duration::seconds(1200));
    world.login_from(NAME, PASSWORD, AWAY).await.unwrap();
    for _ in 0..5 {
        assert!(was_checked(&wrong(&world, NAME, "198.51.100.2").await), "all is forgotten");
    }
});

::store::on_both!(a_day_of_rest_is_forgiven, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for _ in 0..5 {
        wrong(&world, NAME, AWAY).await;
    }
    world.advance(Duration::hours(24) - Duration::seconds(1));
    assert!(was_checked(&wrong(&world, NAME, AWAY).await));
    assert_eq!(wait(&wrong(&world, NAME, AWAY).await), Duration::seconds(2));
    world.advance(Duration::hours(24));
    for _ in 0..5 {
        assert!(was_checked(&wrong(&world, NAME, AWAY).await));
    }
});

::store::on_both!(known_and_unknown_names_are_throttled_alike, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.make("Jose", &["viewer"]).await;
    world.disable().await;
    let names = ["Maria", "nobody", "JOSE", "no\0body"];
    for step in 0..40 {
        let mut told = Vec::new();
        for (at, name) in names.iter().enumerate() {
            // Each attempt comes from another network, so that only the names are counted.
            let error = wrong(&world, name, &format!("198.51.{at}.{step}")).await;
            told.push((error.kind, error.reason, error.message, error.retry_after));
        }
        assert!(told.iter().all(|it| *it == told[0]), "{told:?}");
        world.advance(Duration::seconds(7 * step));
    }
});

::store::on_both!(sixty_four_at_once_are_five_guesses, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for name in [NAME, "nobody"] {
        let addresses: Vec<String> = (0..64).map(|at| format!("198.51.100.{at}")).collect();
        let answers = join_all(addresses.iter().map(|address| world.login_from(name, WRONG, address))).await;
        let checked = answers.iter().filter(|answer| answer.as_ref().unwrap_err().reason == "SIGN_IN_FAILED");
        assert_eq!(checked.count(), 5);
        for error in answers.into_iter().filter_map(Result::err) {
            assert!(["SIGN_IN_FAILED", "SIGN_IN_THROTTLED", "SIGN_IN_BUSY"].contains(&error.reason.as_str()));
        }
    }
});

::store::on_both!(what_found_no_place_is_not_counted, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let places = world.passwords.fill();
    for _ in 0..20 {
        assert_eq!(reason(world.login_from(NAME, WRONG, AWAY).await), "SIGN_IN_BUSY");
    }
    drop(places);
    assert_eq!(throttle::Entity::find().count(world.context.db.read()).await.unwrap(), 0);
    assert!(world.login_from(NAME, PASSWORD, AWAY).await.is_ok());
});

::store::on_both!(nobody_elsewhere_locks_the_owner_out, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.login_from(NAME, PASSWORD, HOME).await.unwrap();
    world.login_from(NAME, PASSWORD, "2001:db8:1:2::1").await.unwrap();
    for round in 0..15 {
        while was_checked(&wrong(&world, NAME, AWAY).await) {}
        if round < 14 {
            world.advance(wait(&wrong(&world, NAME, AWAY).await));
        }
    }
    assert!(world.login_from(NAME, PASSWORD, HOME).await.is_ok());
    assert!(world.login_from(NAME, PASSWORD, "2001:db8:1:2:3:4:5:6").await.is_ok(), "the same network");
    let elsewhere = world.login_from(NAME, PASSWORD, "2001:db8:1:3::1").await.unwrap_err();
    assert!(!was_checked(&elsewhere), "another network");
    assert!(!was_checked(&wrong(&world, NAME, AWAY).await), "and the count elsewhere stays");
    // Wrong attempts from home count as well, in a counter of their own.
    for _ in 0..5 {
        assert!(was_checked(&wrong(&world, NAME, HOME).await));
    }
    assert_eq!(wait(&wrong(&world, NAME, HOME).await), Duration::seconds(1));
    assert!(world.login_from(NAME, PASSWORD, "2001:db8:1:2::9").await.is_ok());
});

::store::on_both!(an_address_is_known_for_thirty_days, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.login_from(NAME, PASSWORD, HOME).await.unwrap();
    let attack = async |world: &World| {
        for _ in 0..6 {
            wrong(world, NAME, AWAY).await;
        }
    };
    world.advance(Duration::days(30) - Duration::seconds(1));
    attack(&world).await;
    world.login_from(NAME, PASSWORD, HOME).await.unwrap();
    world.advance(Duration::days(30));
    attack(&world).await;
    assert!(!was_checked(&wrong(&world, NAME, HOME).await));
    world.chores().await;
    assert_eq!(sign_in_address::Entity::find().count(world.context.db.read()).await.unwrap(), 0);
});

::store::on_both!(ten_addresses_of_an_account_are_known, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for at in 0..12 {
        world.login_from(NAME, PASSWORD, &format!("203.0.113.{at}")).await.unwrap();
        world.advance(Duration::seconds(1));
    }
    let kept = sign_in_address::Entity::find().order_by_asc(sign_in_address::Column::LastUsedAt);
    let kept = kept.all(world.context.db.read()).await.unwrap();
    let addresses: Vec<&str> = kept.iter().map(|row| row.address.as_str()).collect();
    let newest: Vec<String> = (2..12).map(|at| format!("203.0.113.{at}")).collect();
    assert_eq!(addresses, newest);
});

::store::on_both!(an_address_that_is_wrong_too_often_is_refused, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.make("Jose", &["viewer"]).await;
    world.login_from(NAME, PASSWORD, AWAY).await.unwrap();
    // Attempts that the account's own wait refuses do not count against the address.
    for at in 0..100 {
        assert_eq!(was_checked(&wrong(&world, "one name", AWAY).await), at < 5);
    }
    for at in 0..45 {
        assert!(was_checked(&wrong(&world, &format!("name {at}"), AWAY).await), "{at}");
        // Successful attempts do not count.
        world.login_from(NAME, PASSWORD, AWAY).await.unwrap();
    }
    world.advance(Duration::minutes(4));
    let refused = world.login_from("Jose", PASSWORD, AWAY).await.unwrap_err();
    assert_eq!(wait(&refused), Duration::minutes(6));
    assert_eq!(refused.message, "Too many attempts. Try again in 6 minutes.");
    assert!(world.login_from("Jose", PASSWORD, "198.51.100.2").await.is_ok(), "not the neighbour");
    assert!(world.login_from(NAME, PASSWORD, AWAY).await.is_ok(), "nor who lately signed in from there");
    assert!(was_checked(&wrong(&world, NAME, AWAY).await));
    world.advance(Duration::minutes(6));
    assert!(world.login_from("Jose", PASSWORD, AWAY).await.is_ok());
});

::store::on_both!(the_half_of_an_ipv6_address_is_one, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for at in 0..50 {
        assert!(was_checked(&wrong(&world, &format!("name {at}"), &format!("2001:db8::{at:x}")).await));
    }
    assert!(!was_checked(&wrong(&world, "name", "2001:db8::ffff:1").await));
    assert!(was_checked(&wrong(&world, "name", "2001:db8:0:1::1").await));
});

::store::on_both!(a_restart_forgets_nothing, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for _ in 0..5 {
        wrong(&world, NAME, AWAY).await;
    }
    let again = World::start(world.context.clone()).await;
    assert!(!was_checked(&wrong(&again, NAME, AWAY).await));
    let rows = throttle::Entity::find().all(world.context.db.read()).await.unwrap();
    assert!(rows.iter().all(|row| row.key.len() == 32), "names are kept as digests");
});

/// Simulates a month in which an attacker guesses again as soon as each wait is over, from five hundred
/// addresses. Tests SQLite only, because the statements are the same on both databases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_month_of_guessing_is_less_than_a_hundred_a_day() {
    let test = ::store::testing::TestDb::migrated::<Migrator>(::store::testing::Backend::Sqlite).await;
    let world = World::with_admin(test.db.clone()).await;
    world.login_from(NAME, PASSWORD, HOME).await.unwrap();
    let start = world.context.clock.now();
    let mut guesses: Vec<DateTime<chrono::Utc>> = Vec::new();
    let (mut number, mut visits) = (0, 0);
    loop {
        let now = world.context.clock.now();
        if now - start >= Duration::days(30) {
            break;
        }
        number += 1;
        let address = format!("198.51.{}.{}", number % 4, number % 250);
        let error = wrong(&world, NAME, &address).await;
        if was_checked(&error) {
            guesses.push(now);
        } else {
            world.advance(wait(&error));
        }
        // Meanwhile the owner signs in every day.
        if (now - start).num_days() > visits {
            visits += 1;
            let begun = std::time::Instant::now();
            world.login_from(NAME, PASSWORD, HOME).await.unwrap();
            assert!(begun.elapsed().as_secs() < 2);
        }
        world.chores_if(number % 500 == 0).await;
    }
    assert_eq!(visits, 29);
    for (at, first) in guesses.iter().enumerate() {
        let within = guesses[at..].iter().take_while(|guess| **guess - *first < Duration::days(1)).count();
        assert!(within <= 100, "{within} guesses within a day of {first}");
    }
    assert!(guesses.len() > 2_000, "it was tried: {}", guesses.len());
    test.close().await;
}

/// Compares how long sign-ins with known and unknown names take, with the real cost of a hash. The clock
/// advances each round, so that nothing is throttled.
///
/// If an unknown name cost no hash, the times would differ by nearly a whole hash, which a few pairs reveal.
/// Detecting smaller differences takes `just long`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_name_takes_as_long_as_an_unknown_one() {
    let test = ::store::testing::TestDb::migrated::<Migrator>(::store::testing::Backend::Sqlite).await;
    let context = context(test.db.clone());
    let passwords = crate::hashing(&context).await.unwrap();
    let world = World::with_passwords(context, passwords).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    let (rounds, allowed) = if kit::testing::long() { (2_000, 0.05) } else { (60, 0.2) };
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        world.advance(Duration::hours(25));
        // The order alternates, because the first sign-in of a pair may find colder caches.
        for turn in [round % 2, 1 - round % 2] {
            let begun = std::time::Instant::now();
            let error = wrong(&world, [NAME, "nobody"][turn], AWAY).await;
            times[turn].push(begun.elapsed());
            assert!(was_checked(&error));
        }
    }
    let [known, unknown] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    });
    println!("known {known} s, unknown {unknown} s");
    let difference = (known - unknown).abs() / known.max(unknown);
    assert!(known > 0.005, "the hash has its full cost: {known} s");
    assert!(difference < allowed, "known {known} s, unknown {unknown} s");
    test.close().await;
}
