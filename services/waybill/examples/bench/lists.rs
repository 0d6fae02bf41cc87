//! W1u and W1: the list of deliveries with its total, through everything, against the same
//! statements under pgbench.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::http::{Load, Sample};
use crate::postgres::{self, Databases};
use crate::server::{self, Server, members};
use crate::{Folder, Plan, Result, matrix, say, takeout};

/// As the browser application asks.
const QUERY: &str = "query DeliveriesPage($page: PageOptions, $where: [Filter!]) { \
    deliveries(page: $page) { id deliverystatus scheduledatetime deliverydatetime driverId linecount \
    customername trucker shipmentnumber referencedoc scanmode __typename } \
    deliveriesCount(where: $where) { total exact __typename } }";

/// The limit. Every column, because the service answers whole deliveries; one row more than the
/// page, because that tells whether there is another.
const ALL: &str = include_str!("all.sql");
const SOME: &str = include_str!("some.sql");

const PREFIXES: &[&str] = &["b", "d", "e", "g", "ku", "l", "ma", "n", "p", "pa", "s", "t"];
const STATUSES: &[[&str; 2]] = &[
    ["Complete_No_Variance", "Complete_With_Variance"],
    ["Pending", "Undelivered"],
    ["Complete_With_Variance", "Rejected"],
];

/// One way to ask, and the statements that answer the same.
pub struct Case {
    /// JSON.
    filters: String,
    statements: String,
}

fn all() -> Vec<Case> {
    vec![Case { filters: "[]".to_owned(), statements: ALL.to_owned() }]
}

pub fn some() -> Vec<Case> {
    let mut cases = Vec::new();
    for prefix in PREFIXES {
        for [one, two] in STATUSES {
            let filter = |key: &str, operator: &str, values: &str| {
                format!("{{\"key\":\"{key}\",\"operator\":\"{operator}\",\"values\":[{values}]}}")
            };
            let states = filter("deliverystatus", "equals", &format!("\"{one}\",\"{two}\""));
            let name = filter("customername", "startsWith", &format!("\"{prefix}\""));
            // The least text after all with this prefix: these end in plain letters.
            let mut end = (*prefix).to_owned();
            let last = end.pop().map(|letter| ((letter as u8) + 1) as char);
            end.extend(last);
            let statements = [(":one", *one), (":two", *two), (":prefix", *prefix), (":end", end.as_str())]
                .into_iter()
                .fold(SOME.to_owned(), |text, (name, value)| text.replace(name, &format!("'{value}'")));
            cases.push(Case { filters: format!("[{states},{name}]"), statements });
        }
    }
    cases
}

impl Case {
    pub fn body(&self) -> String {
        body(&self.filters, "[]")
    }
}

/// The request for the first page and its total; both are JSON.
pub fn body(filters: &str, sorts: &str) -> String {
    format!(
        "{{\"operationName\":\"DeliveriesPage\",\"query\":\"{QUERY}\",\"variables\":\
         {{\"page\":{{\"limit\":25,\"offset\":0,\"where\":{filters},\"sort\":{sorts}}},\"where\":{filters}}}}}"
    )
}

/// Both sides must answer the same, or the ratio would mean nothing.
fn compare(server: &Server, token: &str, url: &str, case: &Case) -> Result<()> {
    let answer = server.post_graphql(token, &case.body())?;
    let statements: Vec<&str> = case.statements.split(';').filter(|it| !it.trim().is_empty()).collect();
    let [list, count] = statements.as_slice() else { return Err("a list and a count".into()) };
    let ids = format!("SELECT id FROM ({list}) AS page LIMIT 25");
    let theirs = postgres::one(url, &ids)?;
    if !theirs.lines().eq(members(&answer, "id")) {
        return Err(format!("Postgres answers {theirs} to {ids}, the product {answer}").into());
    }
    let total: u64 = postgres::one(url, count)?.parse()?;
    // A filtered total stops counting at its bound, and says so.
    let ours = members(&answer, "total").next().ok_or("a total")?;
    let exact = members(&answer, "exact").next() == Some("true");
    if ours != (if exact { total } else { total - 1 }).to_string() {
        return Err(format!("Postgres counts {total}, the product {answer}").into());
    }
    Ok(())
}

pub fn run(plan: &Plan) -> Result<()> {
    measure(plan, &Databases::make(&plan.postgres, "lists")?)
}

fn measure(plan: &Plan, databases: &Databases) -> Result<()> {
    let folder = Folder::make()?;
    if !databases.are_filled {
        fill(plan, databases, folder.path())?;
    }
    let url = databases.of("deliveries");
    let server = Server::start(plan, folder.path(), Some(&databases.url()))?;
    if !databases.are_filled {
        server.create_admin()?;
    }
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
    for (name, cases) in [("W1u newest first, no filter", all()), ("W1  two states and a prefix", some())] {
        let token = server.token()?;
        for case in &cases {
            compare(server, &token, url, case)?;
        }
        let bodies: Vec<String> = cases.iter().map(Case::body).collect();
        let files = write(&cases, folder)?;
        for gzip in [false, true] {
            let connections = if gzip { &plan.connections[..1] } else { &plan.connections[..] };
            for clients in connections {
                let label = if gzip { format!("{name}, gzip") } else { name.to_owned() };
                let token = server.token()?;
                let load = Load { address: &server.address, token: &token, bodies: &bodies, gzip };
                pair(plan, server, &load, url, &files, *clients, folder, &label)?;
            }
        }
    }
    say("");
    Ok(())
}

pub fn fill(plan: &Plan, databases: &Databases, folder: &Path) -> Result<()> {
    let begun = Instant::now();
    let mut seed = server::command(plan, folder, Some(&databases.url()));
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
    let url = databases.of("deliveries");
    postgres::one(&url, "VACUUM (ANALYZE)")?;
    postgres::one(&url, "CHECKPOINT")?;
    Ok(())
}

/// Product and limit in turns, so that what else the machine does hits both.
#[allow(clippy::too_many_arguments)]
fn pair(
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
    let each = busy * 1_000.0 / ours.micros.len().max(1) as f64;
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
