//! Backs up a running program while it is being written to, and restores the backup elsewhere.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use waybill::target::SERVICES;

use crate::browser::{Browser, PASSWORD};
use crate::place::{Place, tables};
use crate::program::{Ports, Program, refused};
use crate::running::until;

const CREATE: &str = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";

/// Runs a command of the program on a data folder and returns its output.
fn command(data: &Path, arguments: &[&str]) -> String {
    Place::folder(data.to_owned()).command(arguments)
}

/// People who make one driver after the other.
struct Writers {
    made: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Writers {
    /// Makes the first account, imports a file, which makes an object and secrets that sign links to it, and
    /// begins to write.
    async fn begin(program: &Program) -> Self {
        let mut browser = Browser::new(&program.base);
        browser.create_admin("admin", PASSWORD).await;
        browser.sign_in("admin", PASSWORD).await;
        browser.import("import.csv", crate::browser::fixture("deliveries-1000.csv")).await;
        let (stop, made) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let tasks = (0..3).map(|writer| {
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
        });
        let tasks = tasks.collect();
        Self { made, stop, tasks }
    }

    /// Waits until some more drivers are made. Returns how many there are at least.
    async fn some_more(&self) -> usize {
        let before = self.made.load(Ordering::SeqCst);
        until("drivers are made", || async { self.made.load(Ordering::SeqCst) > before + 10 }).await;
        self.made.load(Ordering::SeqCst)
    }

    async fn end(self) {
        self.stop.store(true, Ordering::SeqCst);
        for task in self.tasks {
            task.await.unwrap();
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Starts the program in a restored place, in which everything of the moment of the backup must be.
///
/// A driver is a row in the drivers database and, through an event, an account in the auth database. If the
/// databases were copied one after the other, a restored program would have accounts without drivers, or
/// drivers who never get an account.
async fn work_on(restored: &Place, least: usize) {
    let drivers = restored.names("drivers", "username", "driver", 'w').await;
    assert!(drivers.len() >= least, "what was acknowledged before the backup is in it");
    let accounts = || restored.names("auth", "username", "users", 'w');
    let ahead: Vec<_> = accounts().await.difference(&drivers).cloned().collect();
    assert!(ahead.is_empty(), "accounts of drivers that are not there: {ahead:?}");
    let again = restored.start().await;
    until("every driver of the backup has an account", || async { accounts().await == drivers }).await;
    let mut browser = Browser::new(&again.base);
    browser.sign_in("admin", PASSWORD).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_restores_row_for_row_and_its_services_agree() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::folder(dir.path().join("data"));
    let program = place.start().await;
    let writers = Writers::begin(&program).await;
    let mut least = Vec::new();
    for round in 0..2 {
        least.push(writers.some_more().await);
        let to = dir.path().join(format!("backup-{round}"));
        let said = place.command(&["backup", "--to", text(&to)]);
        assert!(said.contains("6 databases with"), "{said}");
    }
    writers.end().await;
    program.kill();

    for (round, least) in least.into_iter().enumerate() {
        let from = dir.path().join(format!("backup-{round}"));
        let restored = Place::folder(dir.path().join(format!("restored-{round}")));
        assert!(restored.command(&["restore", "--check", "--from", text(&from)]).contains("is whole"));
        restored.command(&["restore", "--from", text(&from)]);
        for row in SERVICES {
            let copy = from.join("databases").join(format!("{}.db", row.name));
            let copied = tables(&format!("sqlite://{}?mode=ro", copy.display())).await;
            assert_eq!(restored.tables(row.name).await, copied, "{}", row.name);
        }
        let over = ["restore", "--from", text(&from)];
        assert!(refused_with(&restored.data, &over).contains("is not empty"));
        work_on(&restored, least).await;
    }
}

/// On Postgres a backup can't be read without a restore. So compare what was restored with where it comes from, which
/// nobody changes any more. The tests of `store` back up Postgres under load.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_postgres_and_a_bucket_restores_rows_and_objects() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::on_servers(&dir.path().join("place")).await;
    let program = place.start().await;
    let writers = Writers::begin(&program).await;
    let least = writers.some_more().await;
    writers.end().await;
    program.kill();
    let backup = dir.path().join("backup");
    let said = place.command(&["backup", "--to", text(&backup)]);
    assert!(said.contains("6 databases with"), "{said}");

    let restored = Place::on_servers(&dir.path().join("restored")).await;
    restored.command(&["restore", "--from", text(&backup)]);
    assert!(!place.objects().is_empty(), "the imported file is an object");
    assert_eq!(restored.objects(), place.objects());
    for row in SERVICES {
        assert_eq!(restored.tables(row.name).await, place.tables(row.name).await, "{}", row.name);
    }
    work_on(&restored, least).await;
    restored.end().await;
    place.end().await;
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
