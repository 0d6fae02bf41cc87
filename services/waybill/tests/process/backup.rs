//! Backs up a running program while it is being written to, and restores the backup elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::process::{Pid, Signal, kill_process};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend, Statement};
use serde_json::json;
use waybill::target::SERVICES;

use crate::browser::{Browser, PASSWORD};
use crate::program::{Ports, Program, refused};
use crate::running::until;

const CREATE: &str = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";

/// Runs a command of the program on a data folder and returns its output.
fn command(data: &Path, arguments: &[&str]) -> String {
    let output = Ports::free().command(data).args(arguments).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns every row of every table in a database file, as text.
async fn rows(file: &Path) -> BTreeMap<String, Vec<String>> {
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode=ro", file.display()));
    options.max_connections(1).sqlx_logging(false);
    let connection = Database::connect(options).await.unwrap();
    let ask = |sql: String| Statement::from_string(DbBackend::Sqlite, sql);
    let named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let mut found = BTreeMap::new();
    for table in connection.query_all_raw(ask(named.to_owned())).await.unwrap() {
        let table: String = table.try_get("", "name").unwrap();
        let columns =
            connection.query_all_raw(ask(format!("SELECT name FROM pragma_table_info('{table}')"))).await;
        let columns: Vec<String> = columns
            .unwrap()
            .iter()
            .map(|it| format!("quote(\"{}\")", it.try_get::<String>("", "name").unwrap()))
            .collect();
        let all = format!("SELECT {} AS line FROM \"{table}\" ORDER BY 1", columns.join(" || ',' || "));
        let lines = connection.query_all_raw(ask(all)).await.unwrap();
        found.insert(table, lines.iter().map(|it| it.try_get("", "line").unwrap()).collect());
    }
    connection.close().await.unwrap();
    found
}

/// Returns the names of drivers in a table of one service.
async fn names(data: &Path, service: &str, column: &str, table: &str) -> BTreeSet<String> {
    let mut options = ConnectOptions::new(format!("sqlite://{}/{service}.db?mode=ro", data.display()));
    options.max_connections(1).sqlx_logging(false);
    let connection = Database::connect(options).await.unwrap();
    let sql = format!("SELECT {column} AS name FROM {table} WHERE {column} LIKE 'w%'");
    let found = connection.query_all_raw(Statement::from_string(DbBackend::Sqlite, sql)).await.unwrap();
    let names = found.iter().map(|it| it.try_get("", "name").unwrap()).collect();
    connection.close().await.unwrap();
    names
}

/// A driver is a row in the drivers database and, through an event, an account in the auth database. If the
/// databases were copied one after the other, a restored program would have accounts without drivers, or
/// drivers who never get an account.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_restores_row_for_row_and_its_services_agree() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let program = Program::start(&data).await;
    let mut browser = Browser::new(&program.base);
    browser.create_admin("admin", PASSWORD).await;
    browser.sign_in("admin", PASSWORD).await;
    // An import creates an object, and secrets that sign links to it.
    browser.import("import.csv", crate::browser::fixture("deliveries-1000.csv")).await;
    let (stop, made) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let (browser, stop, made) = (browser.clone(), stop.clone(), made.clone());
            tokio::spawn(async move {
                for number in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let name = format!("w{writer}-{number}");
                    let input = json!({ "driverId": name.to_uppercase(), "name": name, "username": name });
                    browser.data(CREATE, json!({ "input": input })).await;
                    made.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    let mut least = Vec::new();
    for round in 0..2 {
        let before = made.load(Ordering::SeqCst);
        until("drivers are made", || async { made.load(Ordering::SeqCst) > before + 10 }).await;
        least.push(made.load(Ordering::SeqCst));
        let to = dir.path().join(format!("backup-{round}"));
        let said = command(&data, &["backup", "--to", to.to_str().unwrap()]);
        assert!(said.contains("6 databases with"), "{said}");
    }
    stop.store(true, Ordering::SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    program.kill();

    for (round, least) in least.into_iter().enumerate() {
        let from = dir.path().join(format!("backup-{round}"));
        let from_text = from.to_str().unwrap();
        let restored = dir.path().join(format!("restored-{round}"));
        assert!(command(&restored, &["restore", "--check", "--from", from_text]).contains("is whole"));
        command(&restored, &["restore", "--from", from_text]);
        for row in SERVICES {
            let file = format!("{}.db", row.name);
            assert_eq!(
                rows(&restored.join(&file)).await,
                rows(&from.join("databases").join(&file)).await,
                "{file}"
            );
        }
        let over = ["restore", "--from", from_text];
        assert!(refused_with(&restored, &over).contains("is not empty"));

        let drivers = names(&restored, "drivers", "username", "driver").await;
        assert!(drivers.len() >= least, "what was acknowledged before the backup is in it");
        let accounts = || names(&restored, "auth", "username", "users");
        let ahead: Vec<_> = accounts().await.difference(&drivers).cloned().collect();
        assert!(ahead.is_empty(), "accounts of drivers that are not there: {ahead:?}");
        let again = Program::start(&restored).await;
        until("every driver of the backup has an account", || async { accounts().await == drivers }).await;
        let mut browser = Browser::new(&again.base);
        browser.sign_in("admin", PASSWORD).await;
    }
}

fn refused_with(data: &Path, arguments: &[&str]) -> String {
    let mut command = Ports::free().command(data);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    refused(command)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_is_damaged_unfinished_or_in_the_way_is_refused_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let (data, to) = (dir.path().join("data"), dir.path().join("backup"));
    command(&data, &["migrate"]);
    let to_text = to.to_str().unwrap();
    command(&data, &["backup", "--to", to_text]);
    assert!(refused_with(&data, &["backup", "--to", to_text]).contains("is not empty"));

    let (other, check) = (dir.path().join("other"), ["restore", "--check", "--from", to_text]);
    let file = to.join("databases/auth.db");
    let whole = std::fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[5_000] ^= 1;
    std::fs::write(&file, damaged).unwrap();
    assert!(refused_with(&other, &check).contains("databases/auth.db is not what it was"));
    assert!(refused_with(&other, &["restore", "--from", to_text]).contains("is not what it was"));
    assert!(!other.join("auth.db").exists());
    std::fs::write(&file, whole).unwrap();
    command(&other, &check);
    std::fs::remove_file(to.join("manifest.json")).unwrap();
    assert!(refused_with(&other, &check).contains("was not finished"));
}

/// The doctor is what an administrator runs first when something looks wrong.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_finds_a_damaged_database_an_open_folder_and_links_that_leave() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let said = command(&data, &["doctor"]);
    assert!(said.contains("database of auth: not there yet") && !data.exists(), "{said}");
    let mut program = Program::start(&data).await;
    let said = command(&data, &["doctor"]);
    assert!(!said.contains("WRONG") && said.contains("database of upload: whole"), "{said}");
    // Stopping moves the write-ahead log into the database file.
    kill_process(Pid::from_child(&program.child), Signal::TERM).unwrap();
    assert!(program.child.wait().unwrap().success());
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut open = Ports::free().command(&data);
    let leaving =
        open.arg("doctor").env("WAYBILL__TELEMETRY__OTLP_ENDPOINT", "http://otel:4317").output().unwrap();
    let said = String::from_utf8(leaving.stdout).unwrap();
    assert!(said.contains("others on this machine may read it (755)"), "{said}");
    assert!(said.contains("links that leave: telemetry: http://otel:4317"), "{said}");
    let file = data.join("auth.db");
    let mut bytes = std::fs::read(&file).unwrap();
    // Damage the first page of the schema's tables and the page after it.
    bytes[4_096..4_096 + 6_000].fill(0xff);
    std::fs::write(&file, bytes).unwrap();
    let damaged = Ports::free().command(&data).arg("doctor").output().unwrap();
    let said = String::from_utf8(damaged.stdout).unwrap();
    assert!(!damaged.status.success() && said.contains("WRONG  database of auth"), "{said}");
}
