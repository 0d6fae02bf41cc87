//! Nothing leaks. One process on SQLite serves rounds of everything that takes something and gives it back:
//! sessions, lists, refused changes, uploads, checks of files, exports, downloads, WebSockets, positions and
//! webhooks. Many clients break off in the middle, reset their connection, or vanish. Once a warm-up has filled
//! pools and caches, further rounds must leave as many descriptors, threads, permits and rows behind as there
//! were before, and hardly more memory.
//!
//! The program's limits are low here, so a permit that is not given back soon causes a refusal. Every test run
//! does some rounds; `just soak` continues for two hours, and breaks the network every five seconds. Tasks have
//! no metric: one that never ends is found only by what it holds.

mod office;
mod rough;
mod usage;

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kit::testing::{Fault, Proxy, Towards};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::{Client, StatusCode};
use serde_json::json;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::browser::{Browser, PASSWORD, fixture};
use crate::program::{Ports, Program};
use crate::running::until;
use office::{CLERK, CREATED, DEVICE, DRIVER, Office, PIN};
use usage::{
    CONNECTIONS, DATABASE_FILES, EVENTS, GATES, MEMORY, SESSIONS, THREADS, UPLOADS, Usage, Watch, excess,
};

/// Length of a share in seconds. A third of each run is the warm-up.
const SHARE: u64 = 9;
/// Least number of requests after the warm-up: a leak of 48 KiB in each is more than `WARMING`.
const LEAST: u64 = 2_000;
/// By how much the memory of a program without leaks may grow after the warm-up of a long run, in KiB, if that is
/// more than 3 %: the allocator has not returned all freed memory yet.
const NOISE: i64 = 8 << 10;
/// The same for a share, whose warm-up is too short to fill the caches of databases and of the allocator.
const WARMING: i64 = 96 << 10;
/// How many threads and files of databases the rounds after the warm-up may add. There are more rounds than that.
const FEW: i64 = 4;
/// Time limit for giving back what the last round has left. A WebSocket whose client has vanished is given up
/// after 41 seconds.
const SETTLED: Duration = Duration::from_secs(90);
/// Time limit for a round.
const ROUND: Duration = Duration::from_secs(120);
/// How often a long run breaks the network.
const FAULTS: Duration = Duration::from_secs(5);
/// How often a long run prints what the process holds.
const REPORT: Duration = Duration::from_secs(60);
/// Size of the attachment in bytes: more than fits into the buffers of connections, so that a download breaks
/// off in the middle.
const DOCUMENT: usize = 8 << 20;

/// Short time limits for clients that vanish, and few permits. The rounds never need as many.
const CONFIGURATION: [(&str, &str); 11] = [
    ("HTTP__HEADER_TIMEOUT_SECONDS", "3"),
    ("HTTP__BODY_TIMEOUT_SECONDS", "3"),
    ("HTTP__IDLE_TIMEOUT_SECONDS", "3"),
    ("HTTP__WRITE_TIMEOUT_SECONDS", "5"),
    ("HTTP__MAX_IN_FLIGHT", "400"),
    ("HTTP__MAX_ANONYMOUS_IN_FLIGHT", "80"),
    ("HTTP__MAX_TRANSFERS", "24"),
    // A link of a round that failed because of a fault counts for three hours.
    ("IMPORTS__MAX_OPEN_UPLOADS", "1000"),
    // A sign-in that breaks off counts as a wrong one.
    ("AUTH__ADDRESS_ATTEMPTS", "1000000"),
    ("AUTH__FREE_ATTEMPTS", "20"),
    ("DELIVERIES__PRIVATE_ENDPOINTS", "true"),
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The network between the clients and the program.
struct Network {
    web: Proxy,
    ingest: Proxy,
    /// Rises when a fault begins, and when it ends, so it is odd during a fault.
    changes: AtomicU64,
}

impl Network {
    async fn to(ports: &Ports) -> Self {
        let proxy = async |port: u16| Proxy::start(format!("127.0.0.1:{port}")).await.unwrap();
        let (web, ingest) = (proxy(ports.http).await, proxy(ports.ingest).await);
        Self { web, ingest, changes: AtomicU64::new(0) }
    }

    fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Returns whether there was a fault at any time since.
    fn was_broken(&self, since: u64) -> bool {
        since % 2 == 1 || self.changes() != since
    }

    /// Breaks one of the links from time to time, until `stop`.
    async fn sabotage(&self, random: &mut StdRng, stop: &CancellationToken) {
        while stop.run_until_cancelled(sleep(FAULTS)).await.is_some() {
            let fault = match random.random_range(0..6) {
                0 => Fault::Cut,
                1 => Fault::Reset,
                2 => Fault::Stall,
                3 => Fault::Delay(Duration::from_millis(200)),
                4 => Fault::Rate(20_000),
                _ => Fault::CutAfter(random.random_range(0..5_000)),
            };
            let proxy = if random.random_range(0..4) == 0 { &self.ingest } else { &self.web };
            self.changes.fetch_add(1, Ordering::SeqCst);
            match random.random_range(0..3) {
                0 => proxy.set_towards(Towards::Client, fault),
                1 => proxy.set_towards(Towards::Server, fault),
                _ => proxy.set(fault),
            }
            sleep(Duration::from_millis(random.random_range(200..4_000))).await;
            proxy.heal();
            self.changes.fetch_add(1, Ordering::SeqCst);
        }
    }
}

struct Soak {
    admin: Browser,
    /// The accounts that the rounds sign in with.
    accounts: [String; 2],
    office: Office,
    network: Network,
    watch: Watch,
    random: StdRng,
    is_long: bool,
    rounds: u64,
    // Ends before its folder is removed.
    _program: Program,
    _dir: tempfile::TempDir,
}

impl Soak {
    async fn start(seed: u64, is_long: bool) -> Self {
        // The connections of clients that vanished stay open here.
        kit::connections::raise_descriptors();
        let dir = tempfile::tempdir().unwrap();
        let (ports, data) = (Ports::free(), dir.path().join("data"));
        let mut command = ports.command(&data);
        command.envs(CONFIGURATION.map(|(key, value)| (format!("WAYBILL__{key}"), value)));
        // Each client that breaks off is a warning.
        command.env("WAYBILL__TELEMETRY__LOG", "error").stdout(Stdio::null());
        let program = Program::spawn(&ports, command).await;
        // No connection is kept, so that those that are left when everybody has gone are leaks.
        let http = Client::builder().pool_max_idle_per_host(0).timeout(rough::PATIENCE).build().unwrap();
        let mut admin = Browser { http: http.clone(), ..Browser::new(&program.base) };
        admin.create_admin("admin", PASSWORD).await;
        admin.sign_in("admin", PASSWORD).await;
        let imported = admin.import("import.csv", fixture("deliveries-1000.csv")).await;
        assert_eq!(imported.status, "imported", "{imported:?}");
        let clerk = admin.make_user(CLERK, &["admin"], PASSWORD).await;
        let driver = make_driver(&admin).await;
        let document = add_document(&admin).await;
        let endpoint = add_endpoint(&admin).await;
        let network = Network::to(&ports).await;
        let itself = SocketAddr::from(([127, 0, 0, 1], ports.http));
        let addresses = [network.web.address(), network.ingest.address(), itself];
        Self {
            admin,
            accounts: [clerk, driver],
            office: Office::new(addresses, document, endpoint, http.clone()),
            network,
            watch: Watch::new(program.child.id(), ports.ops, data, http),
            random: StdRng::seed_from_u64(seed),
            is_long,
            rounds: 0,
            _program: program,
            _dir: dir,
        }
    }

    /// Does rounds for this time, and until there were enough requests. Returns the most of everything that the
    /// process held after a round.
    async fn run(&mut self, time: Duration, least: u64) -> Usage {
        let Self { office, network, watch, random, rounds, is_long, .. } = self;
        let (office, network, watch, is_long) = (&*office, &*network, &*watch, *is_long);
        let stop = CancellationToken::new();
        let working = async {
            let (begun, before) = (Instant::now(), office.progress.sent());
            let (mut most, mut reported) = (Usage::new(), Instant::now());
            while begun.elapsed() < time || office.progress.sent() < before + least {
                let changes = network.changes();
                let done = timeout(ROUND, office.round(*rounds)).await;
                let done = done.unwrap_or_else(|_| Err(format!("not within {ROUND:?}")));
                if let Err(failure) = done {
                    assert!(network.was_broken(changes), "round {rounds}: {failure}");
                }
                *rounds += 1;
                let now = watch.of_process().await;
                if is_long && reported.elapsed() > REPORT {
                    reported = Instant::now();
                    eprintln!("round {rounds}, {} requests: {now:?}", office.progress.sent());
                }
                for (kind, amount) in now {
                    most.entry(kind).and_modify(|most| *most = amount.max(*most)).or_insert(amount);
                }
            }
            stop.cancel();
            most
        };
        let breaking = async {
            if is_long {
                network.sabotage(random, &stop).await;
            }
        };
        let (most, ()) = tokio::join!(working, breaking);
        most
    }

    /// Waits until nothing exceeds the limits. Returns what there is then, or after the time limit.
    async fn settled(&mut self, limits: &Usage) -> Usage {
        // Rounds that failed because of a fault leave sessions, which would last for hours.
        self.admin.token = Some(self.admin.fetch_token().await);
        let end = "mutation M($input: EndUserSessionsInput!) { endUserSessions(input: $input) { count } }";
        for account in &self.accounts {
            self.admin.data(end, json!({ "input": { "userId": account } })).await;
        }
        let begun = Instant::now();
        loop {
            let now = self.watch.all().await;
            if excess(&now, limits).is_empty() || begun.elapsed() > SETTLED {
                return now;
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Asserts that every delivery is there whose creation was confirmed, and no other one.
    async fn assert_created(&self) {
        let query = format!("SELECT count(*) AS n FROM delivery WHERE id LIKE '{CREATED}%'");
        let found = u64::try_from(self.watch.count("deliveries", &query).await).unwrap();
        let (least, most) = self.office.progress.created();
        assert!((least..=most).contains(&found), "{found} deliveries, {least} to {most} were created");
    }
}

/// Makes a driver with a device and a PIN. Returns the id of the account.
async fn make_driver(admin: &Browser) -> String {
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let input = json!({ "driverId": "D-1", "name": "Nestor", "username": DRIVER });
    admin.data(create, json!({ "input": input })).await;
    let pair = "mutation M($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }";
    admin.data(pair, json!({ "input": { "uniqueId": DEVICE, "driverId": "D-1" } })).await;
    let accounts = "query Q($page: PageOptions) { driverAccounts(page: $page) { id } }";
    let page = json!({ "where": [{ "key": "driverId", "operator": "equals", "values": ["D-1"] }] });
    let find =
        async || admin.data(accounts, json!({ "page": page })).await["driverAccounts"][0]["id"].clone();
    until("the driver has an account", || async { find().await.is_string() }).await;
    let id = find().await.as_str().unwrap().to_owned();
    let token = admin.reset_link(&id).await;
    assert_eq!(admin.stranger().redeem(&token, PIN).await.0, StatusCode::OK);
    id
}

/// Adds a large attachment to a delivery. Returns its URL.
async fn add_document(admin: &Browser) -> String {
    let first = "query { deliveries(page: { limit: 1 }) { id } }";
    let id = admin.data(first, json!({})).await["deliveries"][0]["id"].clone();
    let request =
        "mutation M($input: RequestAttachmentLinkInput!) { requestAttachmentLink(input: $input) { url } }";
    let input = json!({ "deliveryId": id, "filename": "manual.pdf" });
    let answer = admin.data(request, json!({ "input": input })).await;
    let link = answer["requestAttachmentLink"]["url"].as_str().unwrap();
    let bytes = [b"%PDF-1.7\n".as_slice(), &b" ".repeat(DOCUMENT), b"\n%%EOF\n"].concat();
    let put = admin.http.put(admin.url(link)).body(bytes).send().await.unwrap();
    assert_eq!(put.status(), StatusCode::OK);
    let add = "mutation M($input: AddAttachmentInput!) { addAttachment(input: $input) { url } }";
    let input = json!({ "deliveryId": id, "url": link.split('?').next(), "kind": "document" });
    let answer = admin.data(add, json!({ "input": input })).await;
    answer["addAttachment"]["url"].as_str().unwrap().to_owned()
}

/// Adds an endpoint for new deliveries, whose receiver hangs up. Returns its id.
async fn add_endpoint(admin: &Browser) -> String {
    let save =
        "mutation M($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id } }";
    let input = json!({
        "name": "ERP", "url": rough::receiver().await, "methods": ["create"], "sourceIds": [], "isActive": true,
    });
    let answer = admin.data(save, json!({ "input": input })).await;
    answer["saveOutboundEndpoint"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_grows_while_clients_come_break_off_and_vanish() {
    let seconds = number("WAYBILL_SOAK_SECONDS", SHARE);
    let seed = number("WAYBILL_SOAK_SEED", 20_261_201);
    let time = Duration::from_secs(seconds);
    let mut soak = Soak::start(seed, seconds > 60).await;
    let most = soak.run(time / 3, 0).await;
    // The administrator has the only session that is left.
    let none = [CONNECTIONS, GATES, EVENTS, UPLOADS].map(|kind| (kind, 0));
    let idle: Usage = none.into_iter().chain([(SESSIONS, 1)]).collect();
    let before = soak.settled(&idle).await;
    let left = excess(&before, &idle);
    assert!(left.is_empty(), "after a warm-up of {} rounds, seed {seed}: {left:#?}\n{before:?}", soak.rounds);

    let (rounds, sent) = (soak.rounds, soak.office.progress.sent());
    soak.run(time - time / 3, LEAST).await;
    let mut limits = before.clone();
    // Threads of the runtime end only when they were idle for a while, and a file of a database may stay open
    // until a connection uses it again. What leaks in each round is more than a few.
    for kind in [THREADS, DATABASE_FILES] {
        limits.insert(kind, most[kind].max(before[kind]) + FEW);
    }
    assert!(soak.rounds - rounds > u64::try_from(FEW).unwrap(), "too few rounds to see a leak");
    let noise = if seconds > 60 { NOISE } else { WARMING };
    limits.insert(MEMORY, before[MEMORY] + noise.max(before[MEMORY] * 3 / 100));
    let after = soak.settled(&limits).await;
    let (rounds, sent) = (soak.rounds - rounds, soak.office.progress.sent() - sent);
    let grown = after[MEMORY] - before[MEMORY];
    let context = format!(
        "{rounds} rounds, {sent} requests, seed {seed}; memory grew by {grown} KiB, {} bytes for each request\n\
         before: {before:?}\nafter: {after:?}",
        grown * 1024 / i64::try_from(sent).unwrap()
    );
    let left = excess(&after, &limits);
    assert!(left.is_empty(), "{left:#?}\n{context}");
    soak.assert_created().await;
    eprintln!("{context}");
}
