//! Flushes to disk that fail, by strace: what is acknowledged is on disk nevertheless.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use kit::clock::Clock;
use kit::testing::long;
use sea_orm::ConnectionTrait;
use serde_json::json;
use store::Db;
use store::testing::config;

use crate::browser::{Browser, PASSWORD};
use crate::program::{Ports, Program, strace, through};

const CREATE: &str = "mutation M($input: CreateSourceInput!) { createSource(input: $input) { id } }";
/// The database of the changes, and its log, which each commit flushes.
const DATABASE: &str = "deliveries.db";
const LOG: &str = "deliveries.db-wal";
const CALLS: [&str; 4] = ["-e", "trace=fsync,fdatasync", "-e", "signal=none"];
/// How many changes follow the first one that is refused.
const AFTER: usize = 5;

/// A change that was sent once, with times in microseconds since 1970.
struct Attempt {
    name: String,
    sent: i64,
    answered: i64,
    /// The reason, if it was refused.
    refusal: Option<String>,
}

impl Attempt {
    async fn make(browser: &Browser, name: String) -> Self {
        let now = || Clock::system().now().timestamp_micros();
        let sent = now();
        let answer = browser.graphql(CREATE, json!({ "input": { "name": name } })).await;
        let answered = now();
        let reason = answer["errors"][0]["extensions"]["reason"].as_str().unwrap_or_default().to_owned();
        let refusal = answer.get("errors").map(|_| reason);
        Self { name, sent, answered, refusal }
    }

    fn is_saved(&self) -> bool {
        self.refusal.is_none()
    }
}

/// A flush of a file, with times in microseconds since 1970.
struct Flush {
    file: String,
    begun: i64,
    ended: i64,
    succeeded: bool,
}

/// Returns the flushes of a trace. strace splits a call when another thread interrupts it.
fn flushes(trace: &str) -> Vec<Flush> {
    let mut open: HashMap<&str, (i64, String)> = HashMap::new();
    let mut flushes = Vec::new();
    for line in trace.lines() {
        let Some((thread, rest)) = line.trim_start().split_once(' ') else { continue };
        let Some((time, call)) = rest.trim_start().split_once(' ') else { continue };
        let named = || call.split_once('<')?.1.split_once('>');
        let begun = match call.starts_with("<... ") {
            true => open.remove(thread),
            false => named().map(|(file, _)| (micros(time), file.to_owned())),
        };
        let Some((begun, file)) = begun else { continue };
        if call.ends_with("<unfinished ...>") {
            open.insert(thread, (begun, file));
        } else {
            flushes.push(Flush { file, begun, ended: micros(time), succeeded: call.ends_with("= 0") });
        }
    }
    flushes
}

/// Parses a time as strace writes it, in seconds with six decimals.
fn micros(time: &str) -> i64 {
    let (seconds, micros) = time.split_once('.').unwrap();
    seconds.parse::<i64>().unwrap() * 1_000_000 + micros.parse::<i64>().unwrap()
}

/// Requires that a flush failed, and that the log was flushed with success between the sending of each saved change and
/// its answer.
fn require_flushed(attempts: &[Attempt], trace: &Path) {
    let flushes = flushes(&std::fs::read_to_string(trace).unwrap());
    let of_log = || flushes.iter().filter(|it| it.file.ends_with(LOG));
    assert!(of_log().any(|it| !it.succeeded), "no flush failed");
    for attempt in attempts.iter().filter(|it| it.is_saved()) {
        let Attempt { name, sent, answered, .. } = attempt;
        let is_flushed = of_log().any(|it| it.succeeded && *sent <= it.begun && it.ended <= *answered);
        assert!(is_flushed, "{name} was acknowledged without a flush of its own");
    }
}

async fn save(browser: &Browser, name: &str) {
    browser.data(CREATE, json!({ "input": { "name": name } })).await;
}

/// Returns the names of all sources that begin with this text.
async fn names(browser: &Browser, begin: &str) -> Vec<String> {
    let filter = json!([{ "key": "name", "operator": "startsWith", "values": [begin] }]);
    let query = "query Q($page: PageOptions) { sources(page: $page) { name } }";
    let mut names = Vec::new();
    loop {
        let page = json!({ "where": filter, "limit": 100, "offset": names.len() });
        let sources = browser.data(query, json!({ "page": page })).await["sources"].clone();
        let found = sources.as_array().unwrap();
        names.extend(found.iter().map(|it| it["name"].as_str().unwrap().to_owned()));
        if found.len() < 100 {
            return names;
        }
    }
}

/// Makes the latest event wait to be published again, as after a kill between publishing and marking it. So the next
/// start has something to write.
async fn leave_an_event(data: &Path) {
    let db = Db::connect(&format!("sqlite://{}/{DATABASE}", data.display()), &config()).await.unwrap();
    let tx = db.begin().await.unwrap();
    let latest = "UPDATE outbox SET published_at = NULL WHERE id = (SELECT max(id) FROM outbox)";
    assert_eq!(tx.execute_unprepared(latest).await.unwrap().rows_affected(), 1);
    tx.commit().await.unwrap();
    db.close().await;
}

/// Sends changes one after the other to a program in which each thread can flush `number - 1` times, until some have
/// followed the first one that is refused. Then kills the program.
///
/// strace counts for each thread. Each connection to a database has its own, and one whose commit failed is replaced:
/// afterwards, changes are saved again until the new connection has flushed as often.
async fn around_a_flush(
    browser: &mut Browser,
    data: &Path,
    mut tracer: Command,
    number: usize,
) -> Vec<Attempt> {
    let inject = format!("inject=fsync,fdatasync:error=EIO:when={number}+");
    tracer.args(["-y", "-ttt", "-e", &inject]).args(CALLS);
    let ports = Ports::free();
    let mut program = Program::start_quietly(&ports, through(tracer, &ports.command(data))).await;
    browser.base = program.base.clone();
    let (mut attempts, mut left): (Vec<Attempt>, _) = (Vec::new(), AFTER);
    while left > 0 {
        // Each change flushes at least once, and so do its events.
        assert!(attempts.len() < 3 * number + 20, "flush {number} was never reached");
        let attempt = Attempt::make(browser, format!("f{number}-{}", attempts.len())).await;
        let was_refused = attempts.iter().any(|it| !it.is_saved());
        left -= usize::from(was_refused);
        attempts.push(attempt);
    }
    let seen = names(browser, &format!("f{number}-")).await;
    for Attempt { name, refusal, .. } in &attempts {
        match refusal {
            None => assert!(seen.contains(name), "{name} was acknowledged and cannot be read"),
            Some(reason) => assert_eq!(reason, "COMMIT_UNKNOWN", "{name}"),
        }
    }
    assert!(program.child.try_wait().unwrap().is_none(), "the program ended");
    program.kill();
    attempts
}

/// Linux reports a failed flush once. A second flush succeeds, although what was written before the first is not on disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_acknowledged_change_has_a_flush_of_its_own_and_outlives_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let (data, trace) = (dir.path().join("data"), dir.path().join("trace"));
    if strace(&trace).is_none() {
        return;
    }
    let program = Program::start(&data).await;
    let mut browser = program.admin().await;
    save(&browser, "before").await;
    program.kill();
    let numbers: Vec<usize> = if long() { (1..=200).collect() } else { vec![1, 4, 30] };
    for number in numbers {
        leave_an_event(&data).await;
        let attempts = around_a_flush(&mut browser, &data, strace(&trace).unwrap(), number).await;
        require_flushed(&attempts, &trace);

        let program = Program::start(&data).await;
        browser.base = program.base.clone();
        // A token may expire while the test runs, and the name of the cookie has the port in it.
        browser.sign_in("admin", PASSWORD).await;
        let kept = names(&browser, &format!("f{number}-")).await;
        let saved = attempts.iter().filter(|it| it.is_saved()).map(|it| &it.name);
        let lost: Vec<&String> = saved.filter(|name| !kept.contains(name)).collect();
        assert!(lost.is_empty(), "flush {number}: {lost:?} were acknowledged and are gone");
        save(&browser, &format!("f{number}-later")).await;
        program.kill();
    }
}

/// While the folder has the name `failing`, every flush of the database and its log fails, whichever thread flushes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_every_flush_fails_nothing_is_acknowledged_and_reading_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    // strace compares paths as the system names them.
    let root = dir.path().canonicalize().unwrap();
    let (data, failing) = (root.join("data"), root.join("failing"));
    let Some(mut tracer) = strace(&root.join("trace")) else { return };
    tracer.args(["-e", "inject=fsync,fdatasync:error=EIO"]).args(CALLS);
    for file in [DATABASE, LOG] {
        tracer.arg("-P").arg(failing.join(file));
    }
    let ports = Ports::free();
    let mut program = Program::start_quietly(&ports, through(tracer, &ports.command(&data))).await;
    let mut browser = program.admin().await;
    let outages = if long() { 200 } else { 3 };
    for outage in 0..outages {
        browser.sign_in("admin", PASSWORD).await;
        let name = |what: &str| format!("o{outage}-{what}");
        save(&browser, &name("before")).await;
        std::fs::rename(&data, &failing).unwrap();
        std::os::unix::fs::symlink(&failing, &data).unwrap();
        for what in ["refused", "refused again"] {
            let attempt = Attempt::make(&browser, name(what)).await;
            assert_eq!(attempt.refusal.as_deref(), Some("COMMIT_UNKNOWN"), "{}", attempt.name);
            assert!(names(&browser, &name("")).await.contains(&name("before")), "reading goes on");
        }
        std::fs::remove_file(&data).unwrap();
        std::fs::rename(&failing, &data).unwrap();
        save(&browser, &name("after")).await;
    }
    assert!(program.child.try_wait().unwrap().is_none(), "the program ended");
    program.kill();

    let program = Program::start(&data).await;
    browser.base = program.base.clone();
    browser.sign_in("admin", PASSWORD).await;
    for outage in 0..outages {
        let kept = names(&browser, &format!("o{outage}-")).await;
        for what in ["before", "after"] {
            assert!(kept.contains(&format!("o{outage}-{what}")), "of outage {outage} are left: {kept:?}");
        }
    }
}
