//! Simulated drivers: they move along the roads of Manila, report positions and complete their deliveries,
//! through the public driver API of a running Waybill. For demonstrations and load tests.
//!
//! An admin of that Waybill provides accounts: drivers `SIM-001` and so on are created if missing, and get a
//! PIN that only this run knows. Other drivers are never changed, and their deliveries only on request.

mod api;
mod driver;
mod preparation;
pub(crate) mod roads;
mod van;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::Args;
use kit::lifecycle::Signals;
use tokio::sync::watch;
use tokio::task::JoinSet;

use api::Staff;

/// The maximum number of drivers, since one machine cannot simulate more.
const MOST_DRIVERS: u16 = 5_000;
const EACH: Duration = Duration::from_secs(10);
/// How long drivers may take to finish at the end.
const FAREWELL: Duration = Duration::from_secs(15);

#[derive(Args, Debug, Clone)]
pub struct Options {
    /// Number of drivers
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_DRIVERS)))]
    pub drivers: u16,
    /// Points per second and driver; stops are that much shorter
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=50))]
    pub speed: u16,
    /// Address of the running Waybill; that of this configuration when left out
    #[arg(long)]
    pub url: Option<String>,
    /// Duration in minutes; until stopped when left out
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_080))]
    pub minutes: Option<u64>,
    /// Username of an admin of that Waybill
    #[arg(long, env = "WAYBILL_SIMULATE_USERNAME")]
    pub username: String,
    /// Read the admin's password from standard input, instead of WAYBILL_SIMULATE_PASSWORD
    #[arg(long)]
    pub password_stdin: bool,
    /// Also take today's pending deliveries from other drivers
    #[arg(long)]
    pub take_over: bool,
}

/// The reason why the simulation cannot continue, for the person who started it.
#[derive(Debug)]
pub struct Problem(String);

impl Problem {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

impl From<reqwest::Error> for Problem {
    fn from(error: reqwest::Error) -> Self {
        Self(format!("Waybill does not answer: {}", error.without_url()))
    }
}

pub type Result<T> = std::result::Result<T, Problem>;

/// Totals of all drivers.
#[derive(Default)]
pub struct Counts {
    /// Acknowledged points, and how many of these were rejected as implausible.
    pub points: AtomicU64,
    pub filtered: AtomicU64,
    /// Points dropped because they could not be sent for too long.
    pub lost: AtomicU64,
    pub outcomes: AtomicU64,
    pub refused: AtomicU64,
    pub later: AtomicU64,
    /// Responses, and their total time in microseconds.
    pub answers: AtomicU64,
    pub micros: AtomicU64,
    pub slowest: AtomicU64,
}

impl Counts {
    pub fn answered(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.answers.fetch_add(1, Relaxed);
        self.micros.fetch_add(micros, Relaxed);
        self.slowest.fetch_max(micros, Relaxed);
    }
}

/// Prepares the drivers and lets them drive until a signal; `say` gets one line at a time.
pub async fn run(
    options: Options,
    base: &str,
    password: &str,
    signals: &Signals,
    say: impl Fn(&str),
) -> Result<()> {
    let base = base.trim_end_matches('/');
    let http = api::client()?;
    let staff = Staff::sign_in(http.clone(), base, &options.username, password).await?;
    let prepared = tokio::select! {
        prepared = preparation::prepare(&staff, &http, base, &options, &say) => prepared,
        () = signals.received() => Err(Problem::new("stopped before it began")),
    };
    staff.sign_out().await;
    let drivers = prepared?;
    say(&format!("{} drivers are on their way; Ctrl-C stops them", drivers.len()));

    let (stop, stopped) = watch::channel(false);
    let counts = Arc::new(Counts::default());
    let mut on_the_road = JoinSet::new();
    for ready in drivers {
        on_the_road.spawn(driver::drive(ready, options.speed, counts.clone(), stopped.clone()));
    }
    let begun = Instant::now();
    let end = async {
        match options.minutes {
            Some(minutes) => tokio::time::sleep(Duration::from_secs(minutes * 60)).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = end => {}
        () = signals.received() => {}
        () = tell(&counts, &say) => {}
        () = all(&mut on_the_road) => say("no driver is left"),
    }
    let _ = stop.send(true);
    if tokio::time::timeout(FAREWELL, all(&mut on_the_road)).await.is_err() {
        on_the_road.abort_all();
    }
    let seconds = begun.elapsed().as_secs_f64();
    let read = |count: &AtomicU64| count.load(Relaxed);
    say(&format!(
        "in {seconds:.0} s: {} positions ({:.0}/s), {} of them not believed, {} given up; {} deliveries, {} refused",
        read(&counts.points),
        read(&counts.points) as f64 / seconds,
        read(&counts.filtered),
        read(&counts.lost),
        read(&counts.outcomes),
        read(&counts.refused),
    ));
    Ok(())
}

async fn all(tasks: &mut JoinSet<()>) {
    while tasks.join_next().await.is_some() {}
}

/// Prints a line with the current rates, again and again.
async fn tell(counts: &Counts, say: &impl Fn(&str)) {
    let mut before = [0; 6];
    loop {
        tokio::time::sleep(EACH).await;
        let all = [
            &counts.points,
            &counts.outcomes,
            &counts.refused,
            &counts.later,
            &counts.answers,
            &counts.micros,
        ];
        let now = all.map(|count| count.load(Relaxed));
        let [points, outcomes, refused, later, answers, micros] =
            std::array::from_fn(|at| (now[at] - before[at]) as f64);
        before = now;
        let slowest = counts.slowest.swap(0, Relaxed) as f64 / 1_000.0;
        let seconds = EACH.as_secs_f64();
        say(&format!(
            "positions {:.0}/s, deliveries {outcomes:.0}, refused {refused:.0}, to be sent again {later:.0}, \
             answers {:.0}/s in {:.1} ms, the slowest {slowest:.0} ms",
            points / seconds,
            answers / seconds,
            micros / answers.max(1.0) / 1_000.0,
        ));
    }
}
