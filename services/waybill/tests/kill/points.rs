//! A day of the office with a kill at every named point, and days with kills at random moments. Each day ends
//! like a day without kills.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use kit::clock::Clock;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use tokio_util::sync::CancellationToken;

use crate::client::Staff;
use crate::day::live;
use crate::number;
use crate::product::Product;
use crate::traces::{AuditLog, end_of};

/// Points that only a local folder or an upgrade of SQLite reaches.
const ONLY_LOCAL: [&str; 2] = ["kit.object.", "store.upgrade."];

/// Returns all kill points, read from the sources of the program.
fn points() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = BTreeSet::new();
    let mut folders: Vec<_> = ["services", "gateway"].iter().map(|name| root.join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !["tests", "target"].iter().any(|name| path.ends_with(name)) {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let calls = text.split("fail_point(\"").skip(1);
                for name in calls.map(|rest| rest.split('"').next().unwrap().to_owned()) {
                    assert!(found.insert(name.clone()), "{name} is twice in the sources");
                }
            }
        }
    }
    found
}

#[test]
fn the_page_lists_every_point() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fail-points.md");
    let page = std::fs::read_to_string(page).unwrap();
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| Some(line.strip_prefix("- `")?.split('`').next()?.to_owned()))
        .collect();
    assert_eq!(listed, points());
    assert!(listed.len() >= 60);
}

/// Returns the seed for random choices, and prints it. By default it changes daily, so that over time all points are
/// chosen.
pub fn seed() -> u64 {
    // Computed once, because a test may run past midnight.
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        let today = Clock::system().now().timestamp() / 86_400;
        let seed = number("WAYBILL_KILL_SEED", usize::try_from(today).unwrap()) as u64;
        eprintln!("WAYBILL_KILL_SEED={seed} repeats this run");
        seed
    });
    *SEED
}

/// Returns a share of these points: as many as the environment says, else `default`.
fn share(points: impl IntoIterator<Item = String>, default: usize) -> Vec<String> {
    let mut points: Vec<_> = points.into_iter().collect();
    points.shuffle(&mut rand::rngs::StdRng::seed_from_u64(seed()));
    points.truncate(number("WAYBILL_KILL_POINTS", default));
    points
}

/// An import is rightly given up when it is killed more often than this without progress.
const KILLS_PER_IMPORT: usize = 4;

/// Time until a change has taken effect in other services. An event is delivered again half a minute after
/// its process was killed.
const CATCH_UP: Duration = Duration::from_secs(60);

/// Runs days with a kill at each of the points, then a day without kills. All days end the same.
async fn killed_at(mut product: Product, points: Vec<String>) {
    let (imports, others): (Vec<_>, Vec<_>) = points.into_iter().partition(|name| is_of_import(name));
    // A first start reaches points that no later start does, so those points come first.
    let mut rounds = vec![others];
    rounds.extend(imports.chunks(KILLS_PER_IMPORT).map(<[String]>::to_vec));
    let mut days = 0;
    for round in rounds {
        product.arm(round);
        product.kill();
        product.revive().await;
        live(&mut Staff::new(&mut product), days).await;
        // Background work may reach its point after the day: another process continues a rebuild of analytics
        // only when the lease of the killed process has expired.
        let until = Instant::now() + CATCH_UP;
        while !product.unreached().is_empty() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(500)).await;
            product.revive().await;
        }
        let missed = product.unreached();
        assert!(missed.is_empty(), "no part of the day reaches {missed:?}");
        days += 1;
    }
    compare(&mut Staff::new(&mut product), days).await;
    product.end().await;
}

/// Returns whether a point is in a job: an import, a dry run, an undo, an import of corrected rows or a bulk
/// change.
fn is_of_import(point: &str) -> bool {
    let kinds = [".import.", ".undo.", ".correct.", ".bulk."];
    kinds.iter().any(|kind| point.contains(kind)) || point.starts_with("store.job.")
}

/// Compares the days so far with a day without kills.
async fn compare(staff: &mut Staff<'_>, days: u32) {
    staff.product.kill();
    staff.product.revive().await;
    live(staff, days).await;
    let kills = staff.product.killed_at.clone();
    all_equal(staff, days, days, Instant::now() + CATCH_UP, &format!("kills {kills:?}")).await;
}

/// Fails unless all days equal the day without kills. Days that differ are read again until the deadline, and
/// once more after it. The day without kills is read again, too, because on a busy machine the last entries
/// of its audit log may come late.
async fn all_equal(staff: &mut Staff<'_>, days: u32, quiet_day: u32, until: Instant, context: &str) {
    let mut quiet = settled(staff, quiet_day).await;
    let mut log = AuditLog::read(staff).await;
    let mut day = 0;
    while day < days {
        if end_of(staff, day, &log).await == quiet {
            day += 1;
            continue;
        }
        let is_late = Instant::now() >= until;
        tokio::time::sleep(Duration::from_millis(500)).await;
        log = AuditLog::read(staff).await;
        let now = end_of(staff, quiet_day, &log).await;
        if is_late {
            let left = end_of(staff, day, &log).await;
            assert_same(&left, &now, &format!("day {day}, seed {}, {context}", seed()));
        }
        // The quiet day has changed, so compare the earlier days with it again.
        day = if now == quiet { day } else { 0 };
        quiet = now;
    }
}

/// Returns what a day has left once its records no longer change.
async fn settled(staff: &mut Staff<'_>, day: u32) -> serde_json::Value {
    let log = AuditLog::read(staff).await;
    let mut last = end_of(staff, day, &log).await;
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let log = AuditLog::read(staff).await;
        let now = end_of(staff, day, &log).await;
        if now == last {
            return now;
        }
        last = now;
    }
}

fn assert_same(one: &serde_json::Value, other: &serde_json::Value, context: &str) {
    let (one, other) = (format!("{one:#}"), format!("{other:#}"));
    let differing = one.lines().zip(other.lines()).position(|(a, b)| a != b);
    let around = |text: &str| {
        let from = differing.unwrap_or_default().saturating_sub(10);
        text.lines().skip(from).take(25).collect::<Vec<_>>().join("\n")
    };
    assert!(one == other, "{context}\n{}\ninstead of\n{}", around(&one), around(&other));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_each_point_of_one_process() {
    killed_at(Product::in_one(), share(points(), 14)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_each_point_of_separate_services() {
    let (imports, others): (Vec<_>, Vec<_>) = points()
        .into_iter()
        .filter(|name| !ONLY_LOCAL.iter().any(|prefix| name.starts_with(prefix)))
        .partition(|name| is_of_import(name));
    // Another process continues an import only when the lease of the killed process has expired.
    let points = share(others, 8).into_iter().chain(share(imports, 1));
    killed_at(Product::apart().await, points.collect()).await;
}

/// Runs days on which random processes are killed at random moments.
async fn killed_at_random(mut product: Product, kills: usize) {
    let mut random = rand::rngs::StdRng::seed_from_u64(seed());
    product.revive().await;
    let mut staff = Staff::new(&mut product);
    let (mut done, mut days) = (0, 0);
    while done < kills {
        let killers: Vec<_> = (0..kills - done)
            .take(3)
            .map(|_| {
                let at = random.random_range(0..staff.product.size());
                staff.product.kill_after(at, Duration::from_millis(random.random_range(0..2_500)))
            })
            .collect();
        done += killers.len();
        live(&mut staff, days).await;
        for killer in killers {
            killer.join().unwrap();
        }
        staff.product.revive().await;
        days += 1;
    }
    compare(&mut staff, days).await;
    product.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random_moments_of_one_process() {
    killed_at_random(Product::in_one(), number("WAYBILL_KILL_DAYS", 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random_moments_of_separate_services() {
    killed_at_random(Product::apart().await, number("WAYBILL_KILL_DAYS", 2)).await;
}

/// Runs days during which one link after the other is cut, reset, half-open, slow or late. Nothing that was
/// acknowledged is lost or duplicated, and a minute after the last fault all days equal a day without faults.
/// Processes are not restarted, so that a connection that never recovers shows, at the latest on the
/// following day.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_network_between_any_two_parts_goes_wrong() {
    let faults = number("WAYBILL_NETWORK_FAULTS", 6);
    let (mut product, network) = Product::over_a_network().await;
    product.revive().await;
    let mut staff = Staff::new(&mut product);
    live(&mut staff, 0).await;
    settled(&mut staff, 0).await;
    let (count, stop) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
    let sabotage = tokio::spawn(network.sabotage(seed(), count.clone(), stop.clone()));
    let mut days = 1;
    while count.load(Ordering::Relaxed) < faults || days == 1 {
        live(&mut staff, days).await;
        days += 1;
    }
    stop.cancel();
    let (network, broken) = sabotage.await.unwrap();
    let (healed, context) = (Instant::now(), format!("{broken:#?}"));
    all_equal(&mut staff, days, 0, healed + CATCH_UP, &context).await;
    let took = healed.elapsed();
    eprintln!("{} faults in {} days; all days equal after {took:?}", broken.len(), days - 1);
    assert!(took < CATCH_UP, "equal only after {took:?}, {context}");
    live(&mut staff, days).await;
    all_equal(&mut staff, days + 1, 0, Instant::now() + CATCH_UP, &context).await;
    product.end().await;
    drop(network);
}
