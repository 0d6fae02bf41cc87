//! Backs up a running program while it is being written to, and restores the backup elsewhere.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use store::Db;
use store::testing::config;
use waybill::target::SERVICES;

use crate::browser::{Browser, PASSWORD};
use crate::place::{Place, Tables, tables};
use crate::program::{Ports, Program, limited, refused};
use crate::running::until;

const CREATE: &str = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";

/// Runs a command of the program on a data folder and returns its output.
fn command(data: &Path, arguments: &[&str]) -> String {
    Place::folder(data.to_owned()).command(arguments)
}

/// Number of backups to restore; `just restores` sets a larger one.
fn rounds(share: usize) -> usize {
    std::env::var("WAYBILL_RESTORES").ok().and_then(|text| text.parse().ok()).unwrap_or(share)
}

/// People who make one driver after the other. The drivers of each are numbered without gaps.
struct Writers {
    browser: Browser,
    made: [Arc<AtomicUsize>; 3],
    stop: Arc<AtomicBool>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Writers {
    /// Makes the first account and imports a file, which makes an object and secrets that sign links to it.
    async fn of(program: &Program) -> Self {
        let browser = program.admin().await;
        browser.import("import.csv", crate::browser::fixture("deliveries-1000.csv")).await;
        Self { browser, made: Default::default(), stop: Arc::default(), tasks: Vec::new() }
    }

    /// Makes drivers until `pause`. Returns how many there are at least, as soon as some more were made.
    async fn write(&mut self) -> usize {
        self.browser.sign_in("admin", PASSWORD).await;
        self.stop.store(false, Ordering::SeqCst);
        for (writer, made) in self.made.iter().cloned().enumerate() {
            let (browser, stop) = (self.browser.clone(), self.stop.clone());
            self.tasks.push(tokio::spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    let name = format!("w{writer}-{}", made.load(Ordering::SeqCst));
                    let input = json!({ "driverId": name.to_uppercase(), "name": name, "username": name });
                    browser.data(CREATE, json!({ "input": input })).await;
                    made.fetch_add(1, Ordering::SeqCst);
                    // So that a hundred rounds leave thousands of drivers and not a hundred thousand.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }));
        }
        let made = || self.made.iter().map(|it| it.load(Ordering::SeqCst)).sum::<usize>();
        let before = made();
        until("drivers are made", || async { made() > before + 10 }).await;
        made()
    }

    async fn pause(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        for task in self.tasks.drain(..) {
            task.await.unwrap();
        }
    }
}

/// Asserts that the drivers are what there was at one moment: of each writer the first ones, and at least the
/// number that was acknowledged before.
fn are_of_one_moment(drivers: &BTreeSet<String>, least: usize) {
    assert!(drivers.len() >= least, "what was acknowledged before the backup is in it");
    let first = |writer: usize, count: usize| (0..count).map(move |number| format!("w{writer}-{number}"));
    let of = |writer: usize| drivers.iter().filter(|it| it.starts_with(&format!("w{writer}-"))).count();
    let expected: BTreeSet<String> = (0..3).flat_map(|writer| first(writer, of(writer))).collect();
    assert_eq!(*drivers, expected, "no driver is missing before a later one");
}

/// Removes the only row that a restore adds: how many numbers of messages it skips.
fn without_skipped(mut tables: Tables) -> Tables {
    if let Some(numbers) = tables.get_mut("event_sequence") {
        numbers.retain(|row| !row.contains("skipped"));
    }
    tables
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
    are_of_one_moment(&drivers, least);
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
    let mut writers = Writers::of(&program).await;
    for round in 0..rounds(2) {
        let from = dir.path().join(format!("backup-{round}"));
        let restored = Place::folder(dir.path().join(format!("restored-{round}")));
        let least = writers.write().await;
        let said = place.command(&["backup", "--to", text(&from)]);
        assert!(said.contains("6 databases with"), "{said}");
        writers.pause().await;

        assert!(restored.command(&["restore", "--check", "--from", text(&from)]).contains("is whole"));
        restored.command(&["restore", "--from", text(&from)]);
        for row in SERVICES {
            let copy = from.join("databases").join(format!("{}.db", row.name));
            let copied = tables(&format!("sqlite://{}?mode=ro", copy.display())).await;
            assert_eq!(without_skipped(restored.tables(row.name).await), copied, "{}", row.name);
        }
        let over = ["restore", "--from", text(&from)];
        assert!(refused_with(&restored.data, &over).contains("is not empty"));
        work_on(&restored, least).await;
        std::fs::remove_dir_all(from).unwrap();
        std::fs::remove_dir_all(&restored.data).unwrap();
    }
    program.kill();
}

/// On Postgres a backup can't be read without a restore. So the last backup is of what nobody changes any more,
/// and what was restored is compared with that. The tests of `store` compare backups that Postgres made under
/// load.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_postgres_and_a_bucket_restores_rows_and_objects() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::on_servers(&dir.path().join("place")).await;
    let program = place.start().await;
    let mut writers = Writers::of(&program).await;
    let last = rounds(1) - 1;
    for round in 0..last {
        let least = writers.write().await;
        let restored = restored_on_servers(&place, &dir.path().join(round.to_string())).await;
        writers.pause().await;
        work_on(&restored, least).await;
        restored.end().await;
    }
    let least = writers.write().await;
    writers.pause().await;
    until("every event is published", || async {
        // A restore releases events that a program was publishing.
        futures::future::join_all(SERVICES.iter().map(|row| place.waiting(row.name)))
            .await
            .iter()
            .all(|it| *it == 0)
    })
    .await;
    program.kill();
    let restored = restored_on_servers(&place, &dir.path().join("last")).await;
    assert!(!place.objects().is_empty(), "the imported file is an object");
    assert_eq!(restored.objects(), place.objects());
    for row in SERVICES {
        let found = without_skipped(restored.tables(row.name).await);
        assert_eq!(found, place.tables(row.name).await, "{}", row.name);
    }
    work_on(&restored, least).await;
    restored.end().await;
    place.end().await;
}

/// Backs a place up into this folder, and restores the backup to databases and a bucket of its own.
async fn restored_on_servers(place: &Place, folder: &Path) -> Place {
    let backup = folder.join("backup");
    std::fs::create_dir_all(folder).unwrap();
    let said = place.command(&["backup", "--to", text(&backup)]);
    assert!(said.contains("6 databases with"), "{said}");
    let restored = Place::on_servers(folder).await;
    restored.command(&["restore", "--from", text(&backup)]);
    std::fs::remove_dir_all(backup).unwrap();
    restored
}

/// The copied databases may refer to these objects.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_has_the_objects_that_arrive_before_the_databases_are_copied() {
    let dir = tempfile::tempdir().unwrap();
    let (place, to) = (Place::folder(dir.path().join("data")), dir.path().join("backup"));
    let program = place.start().await;
    let browser = program.admin().await;
    browser.put_file("early.csv", b"early".to_vec()).await;
    let early = to.join("objects").join(place.objects().into_keys().next().unwrap());
    // The backup waits for the end of this transaction before it copies the first database.
    let auth = format!("sqlite://{}", place.data.join("auth.db").display());
    let auth = Db::connect(&auth, &config()).await.unwrap();
    let held = auth.begin().await.unwrap();
    let mut backup = Ports::free().command(&place.data);
    let mut backup = backup.args(["backup", "--to", text(&to)]).stdout(Stdio::null()).spawn().unwrap();
    until("the first object is copied", || async { early.exists() }).await;
    browser.put_file("late.csv", b"late".to_vec()).await;
    held.commit().await.unwrap();
    auth.close().await;
    assert!(backup.wait().unwrap().success());
    assert_eq!(Place::folder(to).objects(), place.objects());
    program.kill();
}

/// Receivers have messages from after the backup, and ignore those with lower numbers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_raises_the_numbers_of_messages_to_other_systems() {
    let dir = tempfile::tempdir().unwrap();
    let mut place = Place::folder(dir.path().join("data"));
    place.command(&["migrate"]);
    for skipped in [1_000_000_000_u64, 2_000_000_000] {
        let backup = dir.path().join(format!("backup-{skipped}"));
        place.command(&["backup", "--to", text(&backup)]);
        place = Place::folder(dir.path().join(format!("restored-{skipped}")));
        place.command(&["restore", "--from", text(&backup)]);
        let numbers = place.tables("deliveries").await.remove("event_sequence");
        assert_eq!(numbers, Some(vec![format!("'skipped','send',{skipped}")]));
        let numbers = place.tables("settings").await.remove("event_sequence");
        assert_eq!(numbers, Some(Vec::new()), "events have other rules");
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
    let manifest = to.join("manifest.json");
    std::fs::remove_file(&manifest).unwrap();
    assert!(refused_with(&other, &check).contains("was not finished"));
    std::fs::create_dir(&manifest).unwrap();
    let said = refused_with(&other, &check);
    assert!(said.contains(text(&manifest)) && !said.contains("no backup"), "{said}");
}

/// Makes a backup of empty databases, for tests of what a restore does.
fn small_backup(dir: &Path) -> std::path::PathBuf {
    let (data, to) = (dir.join("data"), dir.join("backup"));
    command(&data, &["migrate"]);
    command(&data, &["backup", "--to", text(&to)]);
    to
}

#[test]
fn nothing_starts_on_a_part_of_a_backup() {
    let dir = tempfile::tempdir().unwrap();
    let (to, part) = (small_backup(dir.path()), dir.path().join("part"));
    let restore = ["restore", "--from", text(&to)];
    let mut interrupted = Ports::free().command(&part);
    interrupted.args(restore);
    refused(limited(&interrupted, 8));
    assert!(part.join("auth.db").exists());
    for arguments in [&["serve"][..], &["migrate"], &["audit-check"], &restore] {
        let said = refused_with(&part, arguments);
        assert!(said.contains(&format!("The restore of {} into {}", text(&to), text(&part))), "{said}");
        assert!(said.contains("empty the folder"), "{said}");
    }
    let doctor = Ports::free().command(&part).arg("doctor").output().unwrap();
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert!(!doctor.status.success() && said.contains("has not finished"), "{said}");
    std::fs::remove_dir_all(&part).unwrap();
    command(&part, &restore);
    assert!(!part.join("restore.unfinished").exists());
    command(&part, &["migrate"]);
}

/// A log that a crash left would be applied to the restored file.
#[test]
fn a_restore_into_a_folder_with_any_file_of_a_database_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let to = small_backup(dir.path());
    for name in ["upload.db", "auth.db-wal", "analytics.db-shm"] {
        let folder = dir.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(name), "as it was").unwrap();
        let said = refused_with(&folder, &["restore", "--from", text(&to)]);
        assert!(said.contains(&format!("it has {name}")) && said.contains("nothing was changed"), "{said}");
        let found = std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name());
        let found: BTreeSet<_> = found.filter(|it| it != "waybill.lock").collect();
        assert_eq!(found, BTreeSet::from([name.into()]));
        assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), "as it was");
    }
}

/// With databases on a server, the folder has nothing else that shows that it is in use.
#[test]
fn a_restore_into_a_folder_with_other_secrets_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let secret = |folder: &str, text: &str| {
        let secrets = dir.path().join(folder).join("secrets");
        std::fs::create_dir_all(&secrets).unwrap();
        std::fs::write(secrets.join("link_key"), text).unwrap();
    };
    secret("data", "of the backup");
    let (to, other) = (small_backup(dir.path()), dir.path().join("other"));
    secret("other", "as it was");
    let said = refused_with(&other, &["restore", "--from", text(&to)]);
    assert!(said.contains("link_key is there already, with other content"), "{said}");
    assert_eq!(std::fs::read_to_string(other.join("secrets/link_key")).unwrap(), "as it was");
    let found = std::fs::read_dir(&other).unwrap().map(|it| it.unwrap().file_name());
    let found: BTreeSet<_> = found.filter(|it| it != "waybill.lock").collect();
    assert_eq!(found, BTreeSet::from(["secrets".into()]));
}

#[test]
fn a_read_only_backup_restores_files_that_can_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (to, restored) = (small_backup(dir.path()), dir.path().join("restored"));
    let file = |folder: &Path, service: &str| folder.join(format!("{service}.db"));
    for row in SERVICES {
        let read_only = std::fs::Permissions::from_mode(0o444);
        std::fs::set_permissions(file(&to.join("databases"), row.name), read_only).unwrap();
    }
    command(&restored, &["restore", "--from", text(&to)]);
    for row in SERVICES {
        let mode = std::fs::metadata(file(&restored, row.name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", row.name);
    }
}

#[test]
fn a_folder_without_data_is_named_and_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (wrong, to) = (dir.path().join("wrong"), dir.path().join("backup"));
    for arguments in [&["backup", "--to", text(&to)][..], &["audit-check"], &["rebuild"]] {
        let said = refused_with(&wrong, arguments);
        assert!(said.contains(&format!("There is no Waybill data in {}", text(&wrong))), "{said}");
        assert!(!wrong.exists() && !to.exists(), "{arguments:?}");
    }
    // What a seed makes is complete, before any start.
    command(&wrong, &["seed", "--deliveries", "100"]);
    command(&wrong, &["backup", "--to", text(&to)]);
}

/// Root, who may run the tests, can read every folder. So these paths fail for everybody: one is below a file, and one is a
/// link to itself.
#[test]
fn what_cannot_be_read_is_not_reported_as_missing() {
    let dir = tempfile::tempdir().unwrap();
    let (file, link) = (dir.path().join("file"), dir.path().join("link"));
    std::fs::write(&file, "").unwrap();
    std::fs::create_dir(&link).unwrap();
    std::os::unix::fs::symlink(link.join("auth.db"), link.join("auth.db")).unwrap();
    let to = dir.path().join("backup");
    for data in [file.join("data"), link] {
        let said = refused_with(&data, &["backup", "--to", text(&to)]);
        let named = format!("cannot read and write {}", data.join("auth.db").display());
        assert!(said.contains(&named), "{said}");
        let doctor = Ports::free().command(&data).arg("doctor").output().unwrap();
        let said = String::from_utf8(doctor.stdout).unwrap();
        assert!(!doctor.status.success() && said.contains(&named), "{said}");
        assert!(!said.contains("database of auth: not there yet"), "{said}");
    }
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
    assert!(!damaged.status.success() && said.contains("WRONG  database of auth: damaged"), "{said}");
    assert!(!said.lines().any(|line| line.ends_with("Something went wrong")), "{said}");
}
