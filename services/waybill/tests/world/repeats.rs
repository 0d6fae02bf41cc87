//! An import that many ask for again and again, over connections that are cut after the request was sent: there is one
//! upload log, and everybody gets the same answer. `just long` repeats each request a thousand times.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use kit::testing::{Fault, Proxy, Towards, long};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{World, until};
use crate::imports::csv;
use crate::in_both_shapes;

const SENDERS: usize = 16;
/// How often a request is repeated in a short run, and in the further rounds of a long run.
const SHORT: usize = 48;
/// How often two requests with the same key are repeated.
const RIVALS: usize = 32;
/// What else a request with the same key could ask for.
const OTHERS: [(&str, &str); 6] = [
    ("filename", "another.csv"),
    ("mode", "create_only"),
    ("dryRun", "true"),
    ("chooseColumns", "true"),
    ("sourceId", "another"),
    ("url", "/objects/imports/another.csv"),
];
const COMMIT: &str = "mutation M($input: CommitUploadInput!) \
                      { commitUpload(input: $input) { id filename sizeBytes dryRun } }";

type Answer = (StatusCode, String);

/// A request that is sent again, the same each time.
#[derive(Clone)]
struct Request {
    path: &'static str,
    query: Vec<(&'static str, String)>,
    key: Option<String>,
    body: Value,
}

impl Request {
    fn import(url: &str, filename: &str, key: &str) -> Self {
        let query =
            vec![("url", url.to_owned()), ("filename", filename.to_owned()), ("sourceId", String::new())];
        Self { path: "/upload-deliveries", query, key: Some(key.to_owned()), body: json!({}) }
    }

    fn commit(id: &str) -> Self {
        let body = json!({ "query": COMMIT, "variables": { "input": { "id": id } } });
        Self { path: "/graphql", query: Vec::new(), key: None, body }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.query.retain(|(other, _)| *other != name);
        self.query.push((name, value.to_owned()));
        self
    }

    /// Returns the answer, if all of it arrives.
    async fn send(&self, browser: &Browser) -> Option<Answer> {
        let mut request = browser.http.post(browser.url(self.path)).headers(browser.bearer());
        if let Some(key) = &self.key {
            request = request.header("idempotency-key", key);
        }
        let answer = request.query(&self.query).json(&self.body).send().await.ok()?;
        let status = answer.status();
        Some((status, answer.text().await.ok()?))
    }
}

/// A person with a bad connection.
struct Sender {
    browser: Browser,
    proxy: Proxy,
    random: StdRng,
}

impl Sender {
    async fn open(admin: &Browser, http: &Client, seed: u64) -> Self {
        let proxy = Proxy::start(admin.base.trim_start_matches("http://")).await.unwrap();
        let browser = Browser { base: proxy.url("http"), http: http.clone(), ..admin.clone() };
        Self { browser, proxy, random: StdRng::seed_from_u64(seed) }
    }

    /// Sends a request. The connection may be cut once the request was sent: when the answer begins, within the answer,
    /// or at any moment before.
    async fn send(&mut self, request: &Request) -> Option<Answer> {
        let passes = match self.random.random_range(0..4) {
            0 => return request.send(&self.browser).await,
            1 => return self.send_and_hang_up(request).await,
            2 => 0,
            _ => self.random.random_range(1..1_000),
        };
        self.proxy.set_towards(Towards::Client, Fault::CutAfter(passes));
        let answer = request.send(&self.browser).await;
        self.proxy.heal();
        answer
    }

    async fn send_and_hang_up(&mut self, request: &Request) -> Option<Answer> {
        let wait = Duration::from_millis(self.random.random_range(0..15));
        let before = self.proxy.passed(Towards::Server);
        let hang_up = async {
            while self.proxy.passed(Towards::Server) == before {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            tokio::time::sleep(wait).await;
            self.proxy.set(Fault::Cut);
        };
        let mut sending = pin!(request.send(&self.browser));
        let answer = tokio::select! {
            answer = &mut sending => answer,
            () = hang_up => sending.await,
        };
        self.proxy.heal();
        answer
    }
}

/// Returns a client that opens a connection for each request, so that a cut ends one request.
fn client() -> Client {
    Client::builder().pool_max_idle_per_host(0).timeout(Duration::from_secs(60)).build().unwrap()
}

/// Has sixteen people send these requests so many times in all, over bad connections, and then each of them once over a
/// good one. Returns the different answers to each request.
async fn repeat(admin: &Browser, http: &Client, requests: &[Request], times: usize) -> Vec<BTreeSet<Answer>> {
    let mut senders = Vec::new();
    for seed in 0..SENDERS as u64 {
        senders.push(Sender::open(admin, http, seed).await);
    }
    let (sent, lost) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let sending = senders.iter_mut().enumerate().map(|(at, sender)| {
        let (sent, lost, request) = (&sent, &lost, &requests[at % requests.len()]);
        async move {
            let mut answers = BTreeSet::new();
            while sent.fetch_add(1, Ordering::Relaxed) < times {
                match sender.send(request).await {
                    Some(answer) => {
                        answers.insert(answer);
                    }
                    None => {
                        lost.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
            answers.insert(request.send(&sender.browser).await.expect("an answer over a good connection"));
            answers
        }
    });
    let each = join_all(sending).await;
    assert!(lost.into_inner() > 0, "every answer arrived");
    let mut all = vec![BTreeSet::new(); requests.len()];
    for (at, answers) in each.into_iter().enumerate() {
        all[at % requests.len()].extend(answers);
    }
    all
}

/// Returns the answer that everybody got.
fn only(answers: &BTreeSet<Answer>, expected: StatusCode) -> Value {
    assert_eq!(answers.len(), 1, "{answers:?}");
    let (status, text) = answers.first().unwrap();
    assert_eq!(*status, expected, "{text}");
    serde_json::from_str(text).unwrap()
}

/// Uploads a file of one delivery. Returns its address and name.
async fn put(admin: &Browser, name: &str) -> (String, String) {
    let line = format!("DR-{name},S-1,Aling Nena Store,2026-11-20 08:00,1,RICE-25,10");
    let filename = format!("{name}.csv");
    (admin.put_file(&filename, csv(&[&line])).await, filename)
}

/// Waits until an import ends. It must have imported its file once, under one upload log.
async fn require_one(admin: &Browser, id: &Value, filename: &str) {
    let ended = admin.ended(id.as_str().unwrap()).await;
    assert_eq!((ended.status.as_str(), ended.total, ended.created), ("imported", 1, 1), "{ended:?}");
    assert_eq!(logs(admin, filename).await, 1, "{filename}");
}

async fn logs(admin: &Browser, filename: &str) -> u64 {
    let filter = json!([{ "key": "filename", "operator": "equals", "values": [filename] }]);
    let query = "query Q($where: [Filter!]) { uploadLogsCount(where: $where) { total } }";
    admin.data(query, json!({ "where": filter })).await["uploadLogsCount"]["total"].as_u64().unwrap()
}

/// Returns how many starts of an import the audit log has.
async fn starts(admin: &Browser, filename: &str) -> usize {
    let filter = json!([{ "key": "entityName", "operator": "equals", "values": [filename] }]);
    let query = "query Q($page: PageOptions) { auditEntries(page: $page) { action } }";
    let entries = admin.data(query, json!({ "page": { "where": filter, "limit": 100 } })).await;
    let entries = entries["auditEntries"].as_array().unwrap().iter();
    entries.filter(|it| it["action"] == "import.started").count()
}

async fn require_one_start_each(world: &World, admin: &Browser, filenames: &[String]) {
    world.settle().await;
    for filename in filenames {
        until("the audit log has the start", || async { starts(admin, filename).await > 0 }).await;
        assert_eq!(starts(admin, filename).await, 1, "{filename}");
    }
}

/// Imports a file by a request that is repeated. Returns the file's name.
async fn import(admin: &Browser, http: &Client, round: usize, times: usize) -> String {
    let (url, filename) = put(admin, &format!("repeated-{round}")).await;
    let request = Request::import(&url, &filename, &format!("import-{round}"));
    let answers = repeat(admin, http, std::slice::from_ref(&request), times).await;
    let id = only(&answers[0], StatusCode::OK)["uploadLog"].clone();
    require_one(admin, &id, &filename).await;

    let others = OTHERS.map(|(name, value)| {
        let other = request.clone().with(name, value);
        async move { other.send(admin).await.unwrap() }
    });
    for (status, text) in join_all(others).await {
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{text}");
    }
    let again = request.send(admin).await;
    assert_eq!(again.as_ref(), answers[0].first(), "after the import has ended");
    filename
}

/// Has two requests sent with one key at the same time, each with the address and the name of its file. Whichever is
/// first is carried out, and the other is always refused. Returns the name of the imported file.
async fn import_rivals(admin: &Browser, http: &Client, key: &str, files: [(String, String); 2]) -> String {
    let requests = files.each_ref().map(|(url, filename)| Request::import(url, filename, key));
    let answers = repeat(admin, http, &requests, RIVALS).await;
    let is_first = answers[0].iter().all(|(status, _)| *status == StatusCode::OK);
    let (won, lost) = if is_first { (0, 1) } else { (1, 0) };
    let id = only(&answers[won], StatusCode::OK)["uploadLog"].clone();
    assert_eq!(only(&answers[lost], StatusCode::UNPROCESSABLE_ENTITY)["ok"], json!(false));
    let [winner, loser] = [won, lost].map(|at| files[at].1.clone());
    require_one(admin, &id, &winner).await;
    assert_eq!(logs(admin, &loser).await, 0, "{loser}");
    winner
}

/// Has two files sent with one key, and one file under two names. Returns the names under which they were imported.
async fn import_with_one_key(admin: &Browser, http: &Client, round: usize) -> [String; 2] {
    let files = [put(admin, &format!("one-{round}")).await, put(admin, &format!("other-{round}")).await];
    let file = import_rivals(admin, http, &format!("files-{round}"), files).await;
    let (url, filename) = put(admin, &format!("name-{round}")).await;
    let names = [(url.clone(), filename), (url, format!("other-name-{round}.csv"))];
    [file, import_rivals(admin, http, &format!("names-{round}"), names).await]
}

/// Imports a checked file by a mutation that is repeated. Returns the file's name.
async fn commit(admin: &Browser, http: &Client, round: usize, times: usize) -> String {
    let (url, filename) = put(admin, &format!("checked-{round}")).await;
    let check = Request::import(&url, &filename, &format!("check-{round}")).with("dryRun", "true");
    let (status, text) = check.send(admin).await.unwrap();
    assert_eq!(status, StatusCode::OK, "{text}");
    let checked: Value = serde_json::from_str(&text).unwrap();
    let id = checked["uploadLog"].as_str().unwrap();
    until("the file is checked", || async { admin.log(id).await.status == "validated" }).await;
    let answers = repeat(admin, http, &[Request::commit(id)], times).await;
    let answer = only(&answers[0], StatusCode::OK);
    assert_eq!(answer["data"]["commitUpload"]["id"], id, "{answer}");
    require_one(admin, &checked["uploadLog"], &filename).await;
    filename
}

/// Returns how often each round repeats its request.
fn rounds() -> Vec<usize> {
    if long() { [vec![1_000], vec![SHORT; 9]].concat() } else { vec![SHORT] }
}

in_both_shapes!(an_import_that_many_repeat_over_cut_connections_is_one, |world: World| async move {
    let mut admin = world.admin().await;
    let (http, mut filenames) = (client(), Vec::new());
    for (round, times) in rounds().into_iter().enumerate() {
        // A token may expire while the test runs, so fetch a new one.
        admin.token = Some(admin.fetch_token().await);
        filenames.push(import(&admin, &http, round, times).await);
        filenames.extend(import_with_one_key(&admin, &http, round).await);
    }
    require_one_start_each(&world, &admin, &filenames).await;
    world
});

in_both_shapes!(a_checked_file_that_many_import_at_once_is_imported_once, |world: World| async move {
    let mut admin = world.admin().await;
    let (http, mut filenames) = (client(), Vec::new());
    for (round, times) in rounds().into_iter().enumerate() {
        admin.token = Some(admin.fetch_token().await);
        filenames.push(commit(&admin, &http, round, times).await);
    }
    require_one_start_each(&world, &admin, &filenames).await;
    world
});
