//! Compares the product with the best that the same Postgres can do, in one run.
//!
//! `scripts/bench.sh` builds and runs this program; `docs/benchmarks.md` explains its output. Every figure is
//! a ratio to something measured at the same time, because absolute times on a shared machine mean little.

// This program uses the standard library only, so that `rustc` alone can build it. In the workspace, this
// program would be linked with the whole product, and built again after each change of it.

mod analytics;
mod beside;
mod http;
mod import;
mod lists;
mod matrix;
mod positions;
mod postgres;
mod server;
mod takeout;
mod work;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

/// The parameters of a run, from the environment.
pub struct Plan {
    /// The measured program.
    pub waybill: PathBuf,
    /// URL of a database on the Postgres server. The benchmark creates its own databases on this server.
    pub postgres: String,
    pub deliveries: u64,
    pub import_deliveries: u64,
    /// The number of rows in the table of positions from which a day is read.
    pub positions: u64,
    /// Duration of the long run with 5,000 positions a second, in seconds.
    pub sustained: u64,
    pub seconds: u64,
    pub rounds: u64,
    pub connections: Vec<usize>,
    pub parts: String,
}

fn number(name: &str, default: u64) -> Result<u64> {
    match std::env::var(name) {
        Ok(text) => text.parse().map_err(|_| format!("{name} is no number").into()),
        Err(_) => Ok(default),
    }
}

impl Plan {
    fn read() -> Result<Self> {
        let postgres = std::env::var("WAYBILL_TEST_POSTGRES_URL")
            .unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5432/postgres".to_owned());
        Ok(Self {
            waybill: std::env::var_os("WAYBILL_BIN").ok_or("WAYBILL_BIN names the program")?.into(),
            postgres,
            deliveries: number("BENCH_DELIVERIES", 1_000_000)?,
            import_deliveries: number("BENCH_IMPORT", 100_000)?,
            positions: number("BENCH_POSITIONS", 2_000_000)?,
            sustained: match number("BENCH_MINUTES", 0)? {
                0 => 20,
                minutes => minutes * 60,
            },
            seconds: number("BENCH_SECONDS", 7)?,
            rounds: number("BENCH_ROUNDS", 3)?,
            connections: vec![8, 16],
            parts: std::env::var("BENCH_PARTS")
                .unwrap_or_else(|_| "start lists sqlite analytics import positions".to_owned()),
        })
    }
}

/// A temporary folder, removed at the end unless `BENCH_KEEP` names the data.
pub struct Folder {
    path: PathBuf,
    is_kept: bool,
    /// Whether an earlier run has filled the folder.
    pub is_filled: bool,
}

impl Folder {
    pub fn make(name: &str) -> Result<Self> {
        let kept = std::env::var("BENCH_KEEP").ok();
        let run = kept.clone().unwrap_or_else(|| std::process::id().to_string());
        let path = std::env::temp_dir().join(format!("waybill-bench-{run}-{name}"));
        let is_filled = path.exists();
        std::fs::create_dir_all(&path)?;
        Ok(Self { path, is_kept: kept.is_some(), is_filled })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Prints a line of the result.
#[allow(clippy::print_stdout)]
pub fn say(text: impl std::fmt::Display) {
    println!("{text}");
}

fn main() -> Result<()> {
    run(&Plan::read()?)
}

fn run(plan: &Plan) -> Result<()> {
    let cores = std::thread::available_parallelism()?;
    let server = postgres::one(&plan.postgres, "SELECT version()")?;
    let settings = "SELECT string_agg(name || '=' || setting || coalesce(unit, ''), ' ' ORDER BY name) FROM pg_settings \
        WHERE name IN ('fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size')";
    let settings = postgres::one(&plan.postgres, settings)?;
    say(format_args!("{cores} cores, shared by load, product and database; {server}; {settings}\n"));
    if plan.parts.contains("start") {
        start(plan)?;
    }
    if plan.parts.contains("lists") || plan.parts.contains("sqlite") {
        lists::run(plan)?;
    }
    if plan.parts.contains("analytics") {
        analytics::run(plan)?;
    }
    if plan.parts.contains("import") {
        import::run(plan)?;
    }
    if plan.parts.contains("positions") {
        positions::run(plan)?;
    }
    if plan.parts.contains("beside") {
        beside::run(plan)?;
    }
    Ok(())
}

/// F: measures the time from the program's start to its first "ready", and its memory when idle.
fn start(plan: &Plan) -> Result<()> {
    say("F   one process, everything ready   start ms (five starts)      idle MB");
    let databases = postgres::Databases::make(plan, "start")?;
    for (name, url) in [("SQLite", None), ("Postgres", Some(databases.url()))] {
        let folder = Folder::make(&format!("start-{name}"))?;
        let mut times = Vec::new();
        let mut idle = None;
        // The first start creates the tables, so it is not counted.
        for turn in 0..6 {
            let server = server::Server::start(plan, folder.path(), url.as_deref())?;
            if turn > 0 {
                times.push(format!("{:.0}", server.started.as_secs_f64() * 1_000.0));
            }
            if turn == 5 {
                std::thread::sleep(Duration::from_secs(5));
                idle = server.resident();
            }
            server.stop()?;
        }
        let idle = idle.map_or_else(|| "-".to_owned(), |now| format!("{:.0}", now.now));
        say(format_args!("    {name:<32}{:<28}{idle}", times.join(" ")));
    }
    say("");
    Ok(())
}
