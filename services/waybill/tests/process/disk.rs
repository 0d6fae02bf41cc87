//! The disk fills up under the running product, and later has room again.

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::browser::{Browser, PASSWORD};
use crate::place::Place;
use crate::program::{Ports, Program, limited, refused};
use crate::running::until;

const CREATE: &str = "mutation M($input: CreateSourceInput!) { createSource(input: $input) { id version } }";
const UPDATE: &str = "mutation M($input: UpdateSourceInput!) { updateSource(input: $input) { id } }";

/// Limits the size to which any file of the process may grow.
fn limit(program: &Program, bytes: Option<u64>) {
    let pid = Pid::from_child(&program.child);
    let now = prlimit(Some(pid), Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    assert_eq!(now.maximum, None, "the machine that runs this test has a limit of its own");
}

fn named(name: &str) -> Value {
    json!({ "input": { "name": name } })
}

async fn names(browser: &Browser) -> Vec<String> {
    let query = "query Q($page: PageOptions) { sources(page: $page) { name } }";
    let sources = browser.data(query, json!({ "page": { "limit": 100 } })).await;
    let names = sources["sources"].as_array().unwrap().iter();
    // The source "Default" exists from the beginning.
    names.map(|it| it["name"].as_str().unwrap().to_owned()).filter(|name| name != "Default").collect()
}

/// A failed commit must not leave its transaction open. Otherwise everything after the next refused edit
/// would be reported as saved, but nobody could see it, and it would be lost when the process ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_saved_after_the_disk_was_full_outlives_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let program = Program::start(&data).await;
    let mut browser = program.admin().await;
    let before = browser.data(CREATE, named("before")).await["createSource"]["id"].clone();

    limit(&program, Some(0));
    for name in ["no room", "no room either"] {
        let refusal = browser.refused(CREATE, named(name)).await;
        assert_eq!(refusal, ("STORAGE_FULL".to_owned(), "STORAGE_FULL".to_owned()));
    }
    // Signing in writes a session. It does not use GraphQL, so its error has its own status.
    let login = json!({ "method": "login", "username": "admin", "password": PASSWORD });
    let (status, answer) = browser.stranger().auth(login).await;
    assert_eq!(status.as_u16(), 507, "{answer}");
    assert_eq!(names(&browser).await, ["before"], "reading goes on");
    limit(&program, None);

    // If a transaction had been left open, this refused edit would keep it open for everything after it.
    let stale = json!({ "input": { "id": before, "name": "x", "isActive": true, "version": 99 } });
    let (code, _) = browser.refused(UPDATE, stale).await;
    assert_eq!(code, "FAILED_PRECONDITION");
    let mut expected = vec!["before".to_owned()];
    for number in 0..10 {
        let name = format!("later {number}");
        browser.data(CREATE, named(&name)).await;
        expected.push(name);
    }
    program.kill();
    let program = Program::start(&data).await;
    browser.base = program.base.clone();
    let mut kept = names(&browser).await;
    kept.sort();
    assert_eq!(kept, expected);
}

#[test]
fn a_start_and_a_restore_on_a_full_disk_name_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let text = refused(limited(&Ports::free().command(&dir.path().join("new")), 0));
    assert!(text.contains(&path("new")) && text.contains("disk is full"), "{text}");

    let place = Place::folder(dir.path().join("data"));
    place.command(&["migrate"]);
    place.command(&["backup", "--to", &path("backup")]);
    let mut restore = Ports::free().command(&dir.path().join("restored"));
    restore.args(["restore", "--from", path("backup").as_str()]);
    let text = refused(limited(&restore, 8));
    assert!(text.contains(&path("restored/auth.db")) && text.contains("disk is full"), "{text}");

    // A clean stop removes the files beside each database, so the next start needs room for them.
    let text = refused(limited(&Ports::free().command(&place.data), 8));
    assert!(
        text.contains(&path("data/")) && text.contains(".db cannot be written: the disk is full"),
        "{text}"
    );
}

/// Returns whether the audit log has that somebody created the source. An event takes the entry there.
async fn is_in_audit_log(browser: &Browser, source: &str) -> bool {
    let query = "query Q($page: PageOptions) { auditEntries(page: $page) { action entityName } }";
    let log = browser.data(query, json!({ "page": { "limit": 100 } })).await;
    let entry = json!({ "action": "source.created", "entityName": source });
    log["auditEntries"].as_array().unwrap().contains(&entry)
}

/// A start that ended for lack of room would take away reading, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_program_starts_on_a_full_disk_and_goes_on_once_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let program = Program::start(&data).await;
    let mut browser = program.admin().await;
    browser.data(CREATE, named("before")).await;
    program.kill();

    // Enough for the shared memory of each database (`-shm`), which each start creates, and not for its log.
    let ports = Ports::free();
    let mut program = Program::start_quietly(&ports, limited(&ports.command(&data), 64)).await;
    browser.base = program.base.clone();
    for name in ["no room", "no room either"] {
        let refusal = browser.refused(CREATE, named(name)).await;
        assert_eq!(refusal, ("STORAGE_FULL".to_owned(), "STORAGE_FULL".to_owned()));
        assert_eq!(names(&browser).await, ["before"], "reading goes on");
    }
    assert!(program.child.try_wait().unwrap().is_none(), "the program ended");

    limit(&program, None);
    browser.data(CREATE, named("after")).await;
    until("events are published again", || is_in_audit_log(&browser, "after")).await;
}

/// A part of a backup would keep the disk full, and nobody could save anything or sign in until somebody removes it.
#[test]
fn a_backup_that_fills_the_disk_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::folder(dir.path().join("data"));
    place.command(&["migrate"]);
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    for (name, left) in [("new", None), ("empty", Some(0))] {
        let folder = dir.path().join(name);
        let mut backup = Ports::free().command(&place.data);
        backup.args(["backup", "--to", folder.to_str().unwrap()]);
        // Enough for opening a database, not for a copy of it.
        let text = refused(limited(&backup, 128));
        let said = format!("Nothing of this backup is left in {}", folder.display());
        assert!(text.contains("disk is full") && text.contains(&said), "{text}");
        assert_eq!(std::fs::read_dir(&folder).ok().map(Iterator::count), left, "{name}");
    }
}
