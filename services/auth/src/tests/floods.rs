//! Floods of requests: other people can still sign in, and memory does not run out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration as StdDuration, Instant};

use super::*;
use crate::Migrator;

/// Returns the resident memory of this process, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A thousand wrong sign-ins per second against one account, with the real cost of a hash, while others
/// sign in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_sign_in_while_one_account_is_under_attack() {
    const LASTS: StdDuration = StdDuration::from_secs(4);
    let test = ::store::testing::TestDb::migrated::<Migrator>(::store::testing::Backend::Sqlite).await;
    let context = Context { clock: Clock::system(), ..context(test.db.clone()) };
    let passwords = crate::hashing(&context).await.unwrap();
    let world = Arc::new(World::with_passwords(context, passwords).await);
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    for name in ["Ana", "Ben", "Cesar"] {
        world.make(name, &["viewer"]).await;
    }
    let before = resident();
    let (checked, refused, other) = <(Arc<AtomicUsize>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    let attack = {
        let (world, checked, refused, other) =
            (world.clone(), checked.clone(), refused.clone(), other.clone());
        tokio::spawn(async move {
            // Limits concurrent requests, so that a machine that cannot keep up does not collect a backlog.
            let under_way = Arc::new(tokio::sync::Semaphore::new(64));
            let mut guesses = tokio::task::JoinSet::new();
            let mut tick = tokio::time::interval(StdDuration::from_millis(1));
            let begun = Instant::now();
            let mut number: usize = 0;
            while begun.elapsed() < LASTS {
                tick.tick().await;
                number += 1;
                let place = under_way.clone().acquire_owned().await.unwrap();
                let (world, checked, refused, other) =
                    (world.clone(), checked.clone(), refused.clone(), other.clone());
                guesses.spawn(async move {
                    let _place = place;
                    let address = format!("198.51.{}.{}", number % 7, number % 250);
                    let error = world.login_from(NAME, "not the password", &address).await.unwrap_err();
                    match error.reason.as_str() {
                        "SIGN_IN_FAILED" => checked.fetch_add(1, Ordering::SeqCst),
                        "SIGN_IN_THROTTLED" => refused.fetch_add(1, Ordering::SeqCst),
                        _ => other.fetch_add(1, Ordering::SeqCst),
                    };
                });
                while guesses.try_join_next().is_some_and(|done| done.is_ok()) {}
            }
            guesses.join_all().await;
            number
        })
    };
    let mut slowest = StdDuration::ZERO;
    let mut visits = 0;
    while !attack.is_finished() {
        for name in ["Ana", "Ben", "Cesar"] {
            let begun = Instant::now();
            world.login_from(name, PASSWORD, "203.0.113.9").await.expect("nobody attacks this one");
            slowest = slowest.max(begun.elapsed());
            visits += 1;
        }
        tokio::time::sleep(StdDuration::from_millis(100)).await;
    }
    let made = attack.await.unwrap();
    let (checked, refused, other) =
        (checked.load(Ordering::SeqCst), refused.load(Ordering::SeqCst), other.load(Ordering::SeqCst));
    let grown = resident().saturating_sub(before);
    println!(
        "{made} attempts: {checked} checked, {refused} refused, {other} busy, {visits} others, slowest {slowest:?}, {grown} KiB more"
    );
    assert_eq!(checked + refused + other, made);
    // The free attempts, plus one attempt per wait that ended during the flood.
    assert!(checked <= 5 + 4, "{checked} passwords were looked at");
    assert!(visits >= 6, "{visits} others signed in");
    assert!(slowest < StdDuration::from_secs(2), "somebody else waited {slowest:?}");
    // Two concurrent hashes account for 38 MiB.
    assert!(grown < 100 << 10, "{grown} KiB more");
    assert!(
        world.login_from(NAME, PASSWORD, HOME).await.is_ok(),
        "from where she lately was she comes in, too"
    );
    test.close().await;
}
