//! W5: an import through everything, against COPY of all that it wrote.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::postgres::{self, Databases};
use crate::server::{self, Server};
use crate::{Plan, say};

/// Written by a spreadsheet program: 10,000 deliveries with 30,000 lines.
const FIXTURE: &str = include_str!("../../../upload/fixtures/deliveries-10000.csv");
const FIXTURE_DELIVERIES: u64 = 10_000;
/// What an import writes to.
const TABLES: &[&str] = &[
    "delivery",
    "delivery_item",
    "delivery_status_history",
    "shipment",
    "customer",
    "trucker",
    "outbox",
    "import_batch",
    "row_count",
];
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// The fixture several times over, with numbers of their own.
fn file(times: u64) -> Result<String> {
    let (header, rows) = FIXTURE.split_once('\n').context("a header")?;
    let mut text = String::with_capacity(FIXTURE.len() * (times as usize + 1));
    writeln!(text, "{header}")?;
    for time in 0..times {
        let mut within_quotes = false;
        for line in rows.lines() {
            if within_quotes {
                writeln!(text, "{line}")?;
            } else {
                let mut cells = line.splitn(4, ',');
                let mut cell = || cells.next().context("a cell");
                writeln!(text, "{}{time:02},{},{}-{time:02},{}", cell()?, cell()?, cell()?, cell()?)?;
            }
            within_quotes ^= line.matches('"').count() % 2 == 1;
        }
    }
    Ok(text)
}

pub async fn run(plan: &Plan) -> Result<()> {
    let imported = Databases::make(&plan.postgres, "import").await?;
    let copied = Databases::make(&plan.postgres, "copy").await?;
    let measured = measure(plan, &imported, &copied).await;
    imported.drop().await?;
    copied.drop().await?;
    measured
}

async fn measure(plan: &Plan, imported: &Databases, copied: &Databases) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let times = plan.import_deliveries.div_ceil(FIXTURE_DELIVERIES).clamp(1, 100);
    let content = file(times)?;
    let size = content.len();
    let (before, after, took, rows) = import(plan, imported, folder.path(), content).await?;

    // The same rows, in the order in which they lie.
    let (from, to) = (folder.path().join("out.psql"), folder.path().join("in.psql"));
    let (mut out, mut back) = (String::new(), "BEGIN;\n".to_owned());
    for table in TABLES {
        let path = folder.path().join(table);
        writeln!(out, "\\copy (SELECT * FROM {table}) TO '{}'", path.display())?;
        writeln!(back, "\\copy {table} FROM '{}'", path.display())?;
    }
    back.push_str("COMMIT;\n");
    std::fs::write(&from, out)?;
    std::fs::write(&to, back)?;
    postgres::script(&imported.of("deliveries"), &from).await?;
    let mut migrate = server::command(plan, folder.path(), Some(&copied.url()));
    ensure!(migrate.arg("migrate").output().await?.status.success(), "the tables of the copy");
    let mut copies = Vec::new();
    for _ in 0..3 {
        let url = copied.of("deliveries");
        postgres::one(&url, &format!("TRUNCATE {}", TABLES.join(", "))).await?;
        postgres::one(&url, "CHECKPOINT").await?;
        copies.push(postgres::script(&url, &to).await?.as_secs_f64());
    }
    copies.sort_by(f64::total_cmp);
    let copy = copies[copies.len() / 2];
    let shown: Vec<String> = copies.iter().map(|took| format!("{took:.1}")).collect();
    say(format_args!(
        "W5  import of {} deliveries, {rows} lines, {:.1} MB, through upload and GraphQL",
        times * FIXTURE_DELIVERIES,
        size as f64 / 1e6,
    ));
    say(format_args!(
        "    import {took:.1} s, {:.0} lines/s; processor time of the product {:.1} s",
        rows as f64 / took,
        after.1
    ));
    say(format_args!("    COPY of the same rows {copy:.1} s (three times: {})", shown.join(" ")));
    say(format_args!("    ratio {:.2} x COPY", took / copy));
    say(format_args!("    resident before {before:.0} MB, at its peak {:.0} MB\n", after.0));
    Ok(())
}

/// Uploads and imports; resident before, peak and processor time after, seconds, lines.
async fn import(
    plan: &Plan,
    databases: &Databases,
    folder: &Path,
    content: String,
) -> Result<(f64, (f64, f64), f64, u64)> {
    let server = Server::start(plan, folder, Some(&databases.url())).await?;
    server.create_admin().await?;
    let token = server.token().await?;
    let sources = server.graphql(&token, "{ sources { id } }", json!({})).await?;
    let source = sources["sources"][0]["id"].as_str().context("a source")?.to_owned();

    let client = reqwest::Client::new();
    let base = format!("http://{}", server.address);
    let ask = client.post(format!("{base}/request-upload-link")).bearer_auth(&token);
    let ask = ask
        .header("content-type", "application/json")
        .body(json!({ "filename": "deliveries.csv" }).to_string());
    let answer: serde_json::Value =
        serde_json::from_slice(&ask.send().await?.error_for_status()?.bytes().await?)?;
    let link = answer["url"].as_str().context("a link")?;
    let link = if link.starts_with('/') { format!("{base}{link}") } else { link.to_owned() };
    client.put(&link).body(content).send().await?.error_for_status()?;
    let before = server.resident().map_or(0.0, |it| it.now);
    let busy = server.busy().unwrap_or_default();

    let begun = Instant::now();
    let stored = link.split('?').next().unwrap_or_default();
    let ask = client
        .post(format!("{base}/upload-deliveries"))
        .query(&[("url", stored), ("filename", "deliveries.csv"), ("sourceId", &source)])
        .bearer_auth(&token);
    let answer: serde_json::Value =
        serde_json::from_slice(&ask.send().await?.error_for_status()?.bytes().await?)?;
    let id = answer["uploadLog"].as_str().context("an upload log")?.to_owned();
    let query = "query ($id: String!) { uploadLog(id: $id) { status rowsTotal rowsCreated failureText } }";
    let mut token = token;
    let log = loop {
        let Ok(answer) = server.graphql(&token, query, json!({ "id": id })).await else {
            // The token of the beginning ran out.
            token = server.token().await?;
            continue;
        };
        let log = answer["uploadLog"].clone();
        match log["status"].as_str() {
            Some("imported" | "imported_with_errors" | "failed") => break log,
            _ if begun.elapsed() > PATIENCE => bail!("the import does not end: {log}"),
            _ => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    };
    let took = begun.elapsed().as_secs_f64();
    ensure!(
        log["status"] == "imported" && log["rowsCreated"] == log["rowsTotal"],
        "the import went wrong: {log}"
    );
    // Events leave after the last commit.
    let waiting = "SELECT count(*) FROM outbox WHERE published_at IS NULL";
    while postgres::one(&databases.of("deliveries"), waiting).await? != "0" {
        ensure!(begun.elapsed() < PATIENCE, "events do not leave");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let peak = server.resident().map_or(0.0, |it| it.peak);
    let spent = server.busy().unwrap_or_default().saturating_sub(busy).as_secs_f64();
    server.stop().await?;
    Ok((before, (peak, spent), took, log["rowsTotal"].as_u64().unwrap_or(0)))
}
