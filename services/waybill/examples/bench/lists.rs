//! Lists, lookups and single deliveries through the product, compared with the same statements under
//! pgbench; then the same on SQLite.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::http::{Load, Sample};
use crate::postgres::{self, Databases};
use crate::server::{self, Server};
use crate::work::{self, Case};
use crate::{Folder, Plan, Result, matrix, say, takeout};

pub fn run(plan: &Plan) -> Result<()> {
    let databases = Databases::make(plan, "lists")?;
    if plan.parts.contains("lists") {
        measure(plan, &databases)?;
    } else if !databases.are_filled {
        fill(plan, &databases, Folder::make("lists")?.path())?;
    }
    if plan.parts.contains("sqlite") {
        on_sqlite(plan, &databases.of("deliveries"))?;
    }
    Ok(())
}

/// Measures the same rows on SQLite: every filter with every sort, and W1 for one user and for eight.
/// Search values are drawn from the Postgres database. It has the same deliveries, but what became of today's
/// depends on the minute of the seed. So the answers are not compared with it.
fn on_sqlite(plan: &Plan, url: &str) -> Result<()> {
    say("    the same on SQLite");
    let folder = Folder::make("sqlite")?;
    if !folder.is_filled {
        seed(plan, folder.path(), None)?;
    }
    let server = Server::start(plan, folder.path(), None)?;
    if !folder.is_filled {
        server.create_admin()?;
    }
    server.settle()?;
    for work in work::all(url)? {
        let bodies = work.bodies();
        for clients in [1, 8] {
            let token = server.token()?;
            let load = Load {
                address: &server.address,
                path: "/graphql",
                token: &token,
                bodies: &bodies,
                gzip: false,
            };
            load.run(clients, 1)?;
            let before = server.busy();
            let mut sample = load.run(clients, plan.seconds)?;
            let each = work::each(server.busy() - before, &sample);
            say(format_args!(
                "    {:<34}{clients:>3}{:>11.0}/s  p50 {:.2}  p99 {:.2} ms  product CPU {each:.2} ms",
                work.name,
                sample.rate(),
                sample.percentile(50),
                sample.percentile(99),
            ));
        }
    }
    matrix::run(&server, url)?;
    let resident = server.resident();
    say(format_args!("    after the load the process held {:.0} MB\n", resident.map_or(0.0, |it| it.now)));
    server.stop()
}

fn measure(plan: &Plan, databases: &Databases) -> Result<()> {
    let folder = Folder::make("lists")?;
    if !databases.are_filled {
        fill(plan, databases, folder.path())?;
    }
    let url = databases.of("deliveries");
    let server = Server::start(plan, folder.path(), Some(&databases.url()))?;
    if !databases.are_filled {
        server.create_admin()?;
    }
    server.settle()?;
    if plan.rounds > 0 {
        ratios(plan, &server, &url, folder.path())?;
    }
    matrix::run(&server, &url)?;
    takeout::run(&server)?;
    let resident = server.resident();
    say(format_args!("    after the load the process held {:.0} MB\n", resident.map_or(0.0, |it| it.now)));
    server.stop()
}

fn ratios(plan: &Plan, server: &Server, url: &str, folder: &Path) -> Result<()> {
    say(
        "    list of deliveries          clients   product/s    p50     p99   limit/s    p50     p99   ratio   p99 ratio   product CPU ms",
    );
    for work in work::all(url)? {
        work.compare(server, url)?;
        let bodies = work.bodies();
        let files = write(&work.cases, folder)?;
        for gzip in [false, true] {
            let connections = if gzip { &plan.connections[..1] } else { &plan.connections[..] };
            for clients in connections {
                let label = if gzip { format!("{}, gzip", work.name) } else { work.name.to_owned() };
                let token = server.token()?;
                let load =
                    Load { address: &server.address, path: "/graphql", token: &token, bodies: &bodies, gzip };
                pair(plan, server, &load, url, &files, *clients, folder, &label)?;
            }
        }
    }
    say("");
    Ok(())
}

pub fn fill(plan: &Plan, databases: &Databases, folder: &Path) -> Result<()> {
    seed(plan, folder, Some(&databases.url()))?;
    let url = databases.of("deliveries");
    postgres::one(&url, "VACUUM (ANALYZE)")?;
    postgres::one(&url, "CHECKPOINT")?;
    Ok(())
}

pub fn seed(plan: &Plan, folder: &Path, database: Option<&str>) -> Result<()> {
    let begun = Instant::now();
    let mut seed = server::command(plan, folder, database);
    seed.args(["seed", "--deliveries", &plan.deliveries.to_string()]);
    let done = seed.output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into());
    }
    let made = String::from_utf8_lossy(&done.stdout);
    say(format_args!(
        "{} (in {:.0} s)\n",
        made.lines().last().unwrap_or_default(),
        begun.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Alternates between the product and the baseline, so that other load on the machine affects both.
#[allow(clippy::too_many_arguments)]
pub fn pair(
    plan: &Plan,
    server: &Server,
    load: &Load<'_>,
    url: &str,
    files: &[PathBuf],
    clients: usize,
    folder: &Path,
    name: &str,
) -> Result<()> {
    load.run(clients, 1)?;
    let (mut ours, mut limit) = (Sample::default(), Sample::default());
    let mut busy = 0.0;
    for _ in 0..plan.rounds {
        let before = server.busy();
        ours.add(load.run(clients, plan.seconds)?);
        busy += server.busy() - before;
        limit.add(postgres::pgbench(url, files, clients, plan.seconds, folder)?);
    }
    let each = work::each(busy, &ours);
    let (our_p99, limit_p99) = (ours.percentile(99), limit.percentile(99));
    say(format_args!(
        "    {name:<34}{clients:>3}{:>11.0}{:>8.2}{our_p99:>8.2}{:>9.0}{:>8.2}{limit_p99:>8.2}{:>8.2}{:>12.2}{each:>17.2}",
        ours.rate(),
        ours.percentile(50),
        limit.rate(),
        limit.percentile(50),
        ours.rate() / limit.rate(),
        our_p99 / limit_p99,
    ));
    Ok(())
}

fn write(cases: &[Case], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let path = folder.join(format!("case-{number}.sql"));
        std::fs::write(&path, &case.statements)?;
        files.push(path);
    }
    Ok(files)
}
