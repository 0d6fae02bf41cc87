//! W1u and W1: the list of deliveries with its total, through everything, against the same
//! statements under pgbench.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::http::{Load, Sample};
use crate::postgres::{self, Databases};
use crate::server::{self, Server};
use crate::{Plan, say};

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
struct Case {
    filters: Value,
    statements: String,
}

fn all() -> Vec<Case> {
    vec![Case { filters: json!([]), statements: ALL.to_owned() }]
}

fn some() -> Vec<Case> {
    let mut cases = Vec::new();
    for prefix in PREFIXES {
        for [one, two] in STATUSES {
            let filters = json!([
                { "key": "deliverystatus", "operator": "equals", "values": [one, two] },
                { "key": "customername", "operator": "startsWith", "values": [prefix] },
            ]);
            // The least text after all with this prefix: these end in plain letters.
            let mut end = (*prefix).to_owned();
            let last = end.pop().map(|letter| ((letter as u8) + 1) as char);
            end.extend(last);
            let statements = [(":one", *one), (":two", *two), (":prefix", *prefix), (":end", end.as_str())]
                .into_iter()
                .fold(SOME.to_owned(), |text, (name, value)| text.replace(name, &format!("'{value}'")));
            cases.push(Case { filters, statements });
        }
    }
    cases
}

fn body(filters: &Value) -> String {
    let variables = json!({ "page": { "limit": 25, "offset": 0, "where": filters }, "where": filters });
    json!({ "operationName": "DeliveriesPage", "query": QUERY, "variables": variables }).to_string()
}

/// Both sides must answer the same, or the ratio would mean nothing.
async fn compare(server: &Server, token: &str, url: &str, case: &Case) -> Result<()> {
    let variables =
        json!({ "page": { "limit": 25, "offset": 0, "where": case.filters }, "where": case.filters });
    let answer = server.graphql(token, QUERY, variables).await?;
    let ours: Vec<&str> =
        answer["deliveries"].as_array().into_iter().flatten().filter_map(|it| it["id"].as_str()).collect();
    let statements: Vec<&str> = case.statements.split(';').filter(|it| !it.trim().is_empty()).collect();
    let [list, count] = statements.as_slice() else { anyhow::bail!("a list and a count") };
    let ids = format!("SELECT id FROM ({list}) AS page LIMIT 25");
    let theirs = postgres::one(url, &ids).await?;
    ensure!(theirs.lines().eq(ours), "the page differs from what Postgres answers to {ids}");
    let total: u64 = postgres::one(url, count).await?.parse()?;
    let ours = answer["deliveriesCount"]["total"].as_u64().context("a total")?;
    ensure!(
        ours == total.min(10_000) || case.filters == json!([]) && ours == total,
        "totals {ours} and {total}"
    );
    Ok(())
}

pub async fn run(plan: &Plan) -> Result<()> {
    let databases = Databases::make(&plan.postgres, "lists").await?;
    let measured = measure(plan, &databases).await;
    databases.drop().await?;
    measured
}

async fn measure(plan: &Plan, databases: &Databases) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let begun = Instant::now();
    let mut seed = server::command(plan, folder.path(), Some(&databases.url()));
    seed.args(["seed", "--deliveries", &plan.deliveries.to_string()]);
    let done = seed.output().await?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let made = String::from_utf8_lossy(&done.stdout);
    say(format_args!(
        "{} (in {:.0} s)\n",
        made.lines().last().unwrap_or_default(),
        begun.elapsed().as_secs_f64()
    ));
    let url = databases.of("deliveries");
    postgres::one(&url, "VACUUM (ANALYZE)").await?;
    postgres::one(&url, "CHECKPOINT").await?;

    let server = Server::start(plan, folder.path(), Some(&databases.url())).await?;
    server.create_admin().await?;
    say(
        "    list of deliveries          clients   product/s    p50     p99   limit/s    p50     p99   ratio   p99 ratio   product CPU ms",
    );
    for (name, cases) in [("W1u newest first, no filter", all()), ("W1  two states and a prefix", some())] {
        let token = server.token().await?;
        for case in &cases {
            compare(&server, &token, &url, case).await?;
        }
        let bodies: Vec<String> = cases.iter().map(|case| body(&case.filters)).collect();
        let files = write(&cases, folder.path())?;
        for gzip in [false, true] {
            let connections = if gzip { &plan.connections[..1] } else { &plan.connections[..] };
            for clients in connections {
                let label = if gzip { format!("{name}, gzip") } else { name.to_owned() };
                let token = server.token().await?;
                let load = Load { address: &server.address, token: &token, bodies: &bodies, gzip };
                pair(plan, &server, &load, &url, &files, *clients, folder.path(), &label).await?;
            }
        }
    }
    let resident = server.resident();
    say(format_args!("    after the load the process held {:.0} MB\n", resident.map_or(0.0, |it| it.now)));
    server.stop().await
}

/// Product and limit in turns, so that what else the machine does hits both.
#[allow(clippy::too_many_arguments)]
async fn pair(
    plan: &Plan,
    server: &Server,
    load: &Load<'_>,
    url: &str,
    files: &[PathBuf],
    clients: usize,
    folder: &Path,
    name: &str,
) -> Result<()> {
    load.run(clients, 1).await?;
    let (mut ours, mut limit) = (Sample::default(), Sample::default());
    let mut busy = 0.0;
    for _ in 0..plan.rounds {
        let before = server.busy();
        ours.add(load.run(clients, plan.seconds).await?);
        if let (Some(before), Some(after)) = (before, server.busy()) {
            busy += (after - before).as_secs_f64();
        }
        limit.add(postgres::pgbench(url, files, clients, plan.seconds, folder).await?);
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
