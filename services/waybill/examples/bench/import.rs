//! W5: an import through the product, compared with COPY of the rows it wrote.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::http::once;
use crate::postgres::{self, Databases};
use crate::server::{self, Server, member};
use crate::{Folder, Plan, Result, say};

/// A file from a spreadsheet program: 10,000 deliveries with 30,000 lines.
const FIXTURE: &str = include_str!("../../../upload/fixtures/deliveries-10000.csv");
const FIXTURE_DELIVERIES: u64 = 10_000;
/// The tables that an import writes to.
const TABLES: &[&str] = &[
    "delivery",
    "delivery_item",
    "delivery_status_history",
    "shipment",
    "customer",
    "trucker",
    "outbox",
    "import_batch",
    "import_change",
    "event_sequence",
    "address",
    "row_count",
];
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// Returns the fixture repeated, with new numbers each time.
fn file(times: u64) -> Result<String> {
    let (header, rows) = FIXTURE.split_once('\n').ok_or("a header")?;
    let mut text = String::with_capacity(FIXTURE.len() * (times as usize + 1));
    writeln!(text, "{header}")?;
    for time in 0..times {
        let mut within_quotes = false;
        for line in rows.lines() {
            if within_quotes {
                writeln!(text, "{line}")?;
            } else {
                let mut cells = line.splitn(4, ',');
                let mut cell = || cells.next().ok_or("a cell");
                writeln!(text, "{}{time:02},{},{}-{time:02},{}", cell()?, cell()?, cell()?, cell()?)?;
            }
            within_quotes ^= line.matches('"').count() % 2 == 1;
        }
    }
    Ok(text)
}

pub fn run(plan: &Plan) -> Result<()> {
    let imported = Databases::make(plan, "import")?;
    let copied = Databases::make(plan, "copy")?;
    measure(plan, &imported, &copied)
}

fn measure(plan: &Plan, imported: &Databases, copied: &Databases) -> Result<()> {
    let folder = Folder::make("import")?;
    let times = plan.import_deliveries.div_ceil(FIXTURE_DELIVERIES).clamp(1, 100);
    let content = file(times)?;
    let it = import(plan, imported, folder.path(), &content)?;

    // Copy the same rows in storage order.
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
    postgres::script(&imported.of("deliveries"), &from)?;
    let mut migrate = server::command(plan, folder.path(), Some(&copied.url()));
    if !(migrate.arg("migrate").output()?.status.success()) {
        return Err("the tables of the copy".into());
    }
    let mut copies = Vec::new();
    let url = copied.of("deliveries");
    // Triggers protect recorded rows, so disable them for the copy.
    for table in TABLES {
        postgres::one(&url, &format!("ALTER TABLE {table} DISABLE TRIGGER USER"))?;
    }
    for _ in 0..3 {
        postgres::one(&url, &format!("TRUNCATE {}", TABLES.join(", ")))?;
        postgres::one(&url, "CHECKPOINT")?;
        copies.push(postgres::script(&url, &to)?.as_secs_f64());
    }
    copies.sort_by(f64::total_cmp);
    let copy = copies[copies.len() / 2];
    let shown: Vec<String> = copies.iter().map(|took| format!("{took:.1}")).collect();
    say(format_args!(
        "W5  import of {} deliveries, {} lines, {:.1} MB, through the upload screen's addresses",
        times * FIXTURE_DELIVERIES,
        it.lines,
        content.len() as f64 / 1e6,
    ));
    let rate = it.lines as f64 / it.seconds;
    say(format_args!(
        "    import {:.1} s, {rate:.0} lines/s; processor time of the product {:.1} s",
        it.seconds, it.busy
    ));
    say(format_args!("    COPY of the same rows {copy:.1} s (three times: {})", shown.join(" ")));
    say(format_args!("    ratio {:.2} x COPY", it.seconds / copy));
    say(format_args!("    resident {:.0} MB before, {:.0} MB at the peak\n", it.resident, it.peak));
    Ok(())
}

/// Measurements of an import.
struct Imported {
    seconds: f64,
    lines: u64,
    /// Processor time.
    busy: f64,
    /// Memory in megabytes, before the import and at its peak.
    resident: f64,
    peak: f64,
}

/// Uploads and imports a file the way the browser does.
fn import(plan: &Plan, databases: &Databases, folder: &Path, content: &str) -> Result<Imported> {
    let server = Server::start(plan, folder, Some(&databases.url()))?;
    server.create_admin()?;
    let mut token = server.token()?;
    let post = |token: &str, path: &str, body: &str| {
        let headers = format!("content-type: application/json\r\nauthorization: Bearer {token}\r\n");
        once(&server.address, "POST", path, &headers, body)?.good()
    };
    let answer = server.graphql(&token, "{ sources { id } }")?;
    let source = member(&answer, "id").ok_or("a source")?;
    let answer = post(&token, "/request-upload-link", "{\"filename\":\"deliveries.csv\"}")?;
    let link = member(&answer, "url").ok_or("a link")?;
    let path = link.find("/objects/").map(|at| &link[at..]).ok_or("a link of ours")?;
    once(&server.address, "PUT", path, "", content)?.good()?;
    let resident = server.resident().map_or(f64::NAN, |it| it.now);
    let busy = server.busy();

    let begun = Instant::now();
    let stored = link.split('?').next().unwrap_or_default();
    let path = format!("/upload-deliveries?url={stored}&filename=deliveries.csv&sourceId={source}");
    let answer = post(&token, &path, "")?;
    let id = member(&answer, "uploadLog").ok_or("an upload log")?;
    let query = format!(
        "{{ uploadLog(id: \\\"{id}\\\") {{ status rowsTotal rowsCreated failureText startedAt finishedAt }} }}"
    );
    let log = loop {
        std::thread::sleep(Duration::from_millis(50));
        let Ok(log) = server.graphql(&token, &query) else {
            // The token has expired: it is valid for a few minutes only.
            token = server.token()?;
            continue;
        };
        match member(&log, "status") {
            Some("imported" | "imported_with_errors" | "failed") => break log,
            _ if begun.elapsed() > PATIENCE => return Err(format!("the import does not end: {log}").into()),
            _ => {}
        }
    };
    let seconds = begun.elapsed().as_secs_f64();
    let number = |name| member(&log, name).and_then(|it| it.parse::<u64>().ok());
    let lines = number("rowsTotal").ok_or("a number of lines")?;
    if member(&log, "status") != Some("imported") || number("rowsCreated") != Some(lines) {
        return Err(format!("the import went wrong: {log}").into());
    }
    // Events are published after the last commit, so wait until all are published.
    let waiting = "SELECT count(*) FROM outbox WHERE published_at IS NULL";
    while postgres::one(&databases.of("deliveries"), waiting)? != "0" {
        if begun.elapsed() > PATIENCE {
            return Err("events do not leave".into());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let peak = server.resident().map_or(f64::NAN, |it| it.peak);
    let busy = server.busy() - busy;
    server.stop()?;
    Ok(Imported { seconds, lines, busy, resident, peak })
}
