//! The databases of a run, and what is run directly on Postgres: statements, pgbench and COPY.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::http::Sample;
use crate::{Plan, Result};

/// Runs a program of Postgres. `scripts/bench.sh` has put these programs on the path.
fn output(command: &mut Command) -> Result<String> {
    let done = command.output().map_err(|error| format!("psql and pgbench: {error}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into());
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// Returns the single value that a statement returns.
pub fn one(url: &str, statement: &str) -> Result<String> {
    output(Command::new("psql").args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement]))
}

/// Runs psql commands in one session and returns how long they took.
pub fn script(url: &str, file: &Path) -> Result<Duration> {
    let begun = Instant::now();
    output(Command::new("psql").args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-f"]).arg(file))?;
    Ok(begun.elapsed())
}

/// Returns the names of the services that have a database, read from the program's targets.
fn services(plan: &Plan) -> Result<Vec<String>> {
    let help = output(Command::new(&plan.waybill).args(["migrate", "--help"]))?;
    let targets = help.split("possible values: ").nth(1).and_then(|rest| rest.split(']').next());
    let names = targets.ok_or("the program names its targets in its help")?.split(", ");
    Ok(names.filter(|name| !["all", "gateway"].contains(name)).map(str::to_owned).collect())
}

/// One database for each service, removed at the end unless `BENCH_KEEP` names the databases.
pub struct Databases {
    admin: String,
    prefix: String,
    services: Vec<String>,
    is_kept: bool,
    /// Whether an earlier run has filled the databases.
    pub are_filled: bool,
}

impl Databases {
    pub fn make(plan: &Plan, name: &str) -> Result<Self> {
        let admin = &plan.postgres;
        let kept = std::env::var("BENCH_KEEP").ok();
        let run = kept.clone().unwrap_or_else(|| std::process::id().to_string());
        let prefix = format!("waybill_bench_{run}_{name}");
        let found = one(admin, &format!("SELECT count(*) FROM pg_database WHERE datname = '{prefix}_auth'"))?;
        let (is_kept, are_filled) = (kept.is_some(), found == "1");
        let services = services(plan)?;
        let this = Self { admin: admin.to_owned(), prefix, services, is_kept, are_filled };
        for name in this.services.iter().filter(|_| !are_filled) {
            one(admin, &format!("CREATE DATABASE {}_{name}", this.prefix))?;
        }
        Ok(this)
    }

    /// Returns the URL in the configuration's format.
    pub fn url(&self) -> String {
        self.of("{service}")
    }

    pub fn of(&self, service: &str) -> String {
        let base = self.admin.rsplit_once('/').map_or(self.admin.as_str(), |(base, _)| base);
        format!("{base}/{}_{service}", self.prefix)
    }
}

impl Drop for Databases {
    fn drop(&mut self) {
        for name in self.services.iter().filter(|_| !self.is_kept) {
            let drop = format!("DROP DATABASE IF EXISTS {}_{name} WITH (FORCE)", self.prefix);
            if let Err(error) = one(&self.admin, &drop) {
                crate::say(error);
            }
        }
    }
}

/// Runs prepared statements with pgbench, which chooses a file at random each time.
pub fn pgbench(url: &str, files: &[PathBuf], clients: usize, seconds: u64, folder: &Path) -> Result<Sample> {
    let log = folder.join("pgbench");
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", "prepared", "-j", "1", "-l", "--random-seed=1"]);
    command.args(["-c", &clients.to_string(), "-T", &seconds.to_string()]);
    command.arg("--log-prefix").arg(&log);
    for file in files {
        command.arg("-f").arg(file);
    }
    output(command.arg(url))?;
    let mut sample = Sample::default();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pgbench.")) {
            continue;
        }
        for line in std::fs::read_to_string(&path)?.lines() {
            let micros = line.split_whitespace().nth(2).ok_or("a line of pgbench's log")?;
            sample.micros.push(micros.parse()?);
        }
        std::fs::remove_file(path)?;
    }
    sample.seconds = seconds as f64;
    Ok(sample)
}
