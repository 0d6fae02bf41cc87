//! A day of the office with a kill at every named moment, and with kills at random ones: it ends as a day
//! without any.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use kit::clock::Clock;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use tokio_util::sync::CancellationToken;

use crate::client::Staff;
use crate::day::live;
use crate::number;
use crate::product::Product;
use crate::traces::end_of;

/// Points that only objects in a folder have.
const ONLY_LOCAL: &str = "kit.object.";

/// All points of the program, from its sources.
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

/// Changes from day to day, so that in time a share of the points is all of them.
fn seed() -> u64 {
    let today = Clock::system().now().timestamp() / 86_400;
    number("WAYBILL_KILL_SEED", usize::try_from(today).unwrap()) as u64
}

/// As many of the points as the environment says, or the default.
fn share(points: impl IntoIterator<Item = String>, default: usize) -> Vec<String> {
    let mut points: Vec<_> = points.into_iter().collect();
    points.shuffle(&mut rand::rngs::StdRng::seed_from_u64(seed()));
    points.truncate(number("WAYBILL_KILL_POINTS", default));
    points
}

/// An import that is killed more often than this without getting further is given up, rightly.
const KILLS_PER_IMPORT: usize = 4;

/// By when what follows a delivery elsewhere has come: an event is handed out again half a minute after the
/// process that had it was killed.
const CATCH_UP: Duration = Duration::from_secs(60);

/// Days with a kill at each of the points, then one without: all of them end the same.
async fn killed_at(mut product: Product, points: Vec<String>) {
    let (imports, others): (Vec<_>, Vec<_>) = points.into_iter().partition(|name| is_of_import(name));
    // A first start has points of its own, so they come first.
    let mut rounds = vec![others];
    rounds.extend(imports.chunks(KILLS_PER_IMPORT).map(<[String]>::to_vec));
    let mut days = 0;
    for round in rounds {
        product.arm(round);
        product.kill();
        product.revive().await;
        live(&mut Staff::new(&mut product), days).await;
        let missed = product.unreached();
        assert!(missed.is_empty(), "no part of the day reaches {missed:?}");
        days += 1;
    }
    compare(&mut Staff::new(&mut product), days).await;
    product.end().await;
}

/// Jobs are imports, checks, undos, imports of corrected rows and changes of many, on such a day.
fn is_of_import(point: &str) -> bool {
    let kinds = [".import.", ".undo.", ".correct.", ".bulk."];
    kinds.iter().any(|kind| point.contains(kind)) || point.starts_with("store.job.")
}

/// Compares the days so far with one in which nothing is killed, after a last kill.
async fn compare(staff: &mut Staff<'_>, days: u32) {
    staff.product.kill();
    staff.product.revive().await;
    live(staff, days).await;
    let quiet = settled(staff, days).await;
    for day in 0..days {
        let until = Instant::now() + CATCH_UP;
        let mut left = end_of(staff, day).await;
        while left != quiet && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(500)).await;
            left = end_of(staff, day).await;
        }
        let kills = &staff.product.killed_at;
        assert_same(&left, &quiet, &format!("day {day}, seed {}, kills {kills:?}", seed()));
    }
}

/// What a day has left once nothing comes any more.
async fn settled(staff: &mut Staff<'_>, day: u32) -> serde_json::Value {
    let mut last = end_of(staff, day).await;
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = end_of(staff, day).await;
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
    killed_at(Product::in_one(), share(points(), 24)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_each_point_of_separate_services() {
    let (imports, others): (Vec<_>, Vec<_>) = points()
        .into_iter()
        .filter(|name| !name.starts_with(ONLY_LOCAL))
        .partition(|name| is_of_import(name));
    // Another process takes up an import only when the lease of the dead one has run out.
    let points = share(others, 12).into_iter().chain(share(imports, 1));
    killed_at(Product::apart().await, points.collect()).await;
}

/// Days with kills at random moments, of any process.
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
    killed_at_random(Product::in_one(), number("WAYBILL_KILL_DAYS", 6)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_random_moments_of_separate_services() {
    killed_at_random(Product::apart().await, number("WAYBILL_KILL_DAYS", 4)).await;
}

/// A day while one link after the other is cut, reset, half-open, slow or late: nothing that was answered is
/// lost or doubled, and what follows it elsewhere has come within a minute of the last fault.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_network_between_any_two_parts_goes_wrong() {
    let faults = number("WAYBILL_NETWORK_FAULTS", 12);
    let (mut product, network) = Product::over_a_network().await;
    product.revive().await;
    let stop = CancellationToken::new();
    let sabotage = tokio::spawn(network.sabotage(seed(), faults, stop.clone()));
    let mut staff = Staff::new(&mut product);
    let mut days = 0;
    while !sabotage.is_finished() || days == 0 {
        live(&mut staff, days).await;
        days += 1;
    }
    stop.cancel();
    let (network, broken) = sabotage.await.unwrap();
    println!("{broken:#?}");
    let healed = Instant::now();
    for day in 0..days {
        end_of(&mut staff, day).await;
    }
    assert!(healed.elapsed() < Duration::from_secs(60), "{broken:#?}");
    compare(&mut staff, days).await;
    product.end().await;
    drop(network);
}
