//! What a running program holds: its descriptors, threads and memory as `/proc` shows them, work in progress as
//! its metrics show it, and rows and files that must not stay.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

use kit::testing::metric_value_in;
use reqwest::Client;
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};
use waybill::target::SERVICES;

/// Numbers of things, by their name.
pub type Usage = BTreeMap<&'static str, i64>;

/// TCP connections, to clients and to receivers.
pub const CONNECTIONS: &str = "connections";
/// Sockets that listen, and those that are no TCP connections or no longer one.
const SOCKETS: &str = "other sockets";
/// Two for each connection to a database are left out, because pools open their connections one by one.
pub const DATABASE_FILES: &str = "open files of databases";
const FILES: &str = "other open files";
const OTHERS: &str = "pipes and polls";
/// Without those of connections to a database, for the same reason.
pub const THREADS: &str = "threads";
/// In KiB, without mapped files, because the program's own code is loaded bit by bit.
pub const MEMORY: &str = "memory";
pub const GATES: &str = "costly work";
const REFUSED: &str = "refusals for lack of room";
pub const SESSIONS: &str = "sessions";
pub const EVENTS: &str = "events that wait";
pub const UPLOADS: &str = "unfinished uploads";

/// Limits that refuse requests of the rounds only if permits are not given back.
const LIMITS: [&str; 8] = [
    "connections",
    "requests_of_people",
    "requests_of_strangers",
    "transfers",
    "sockets_of_strangers",
    "sockets_of_one_account",
    "sockets_of_one_address",
    "positions",
];

/// Rows that must not stay: their name, table and condition.
const ROWS: [(&str, &str, &str); 5] = [
    (SESSIONS, "session", "true"),
    ("leases", "job", "lease_owner IS NOT NULL"),
    ("unfinished jobs", "job", "finished_at IS NULL"),
    ("attempts in progress", "event_attempts", "is_running"),
    (EVENTS, "outbox", "published_at IS NULL AND refused_at IS NULL"),
];

/// Looks at one program.
pub struct Watch {
    process: PathBuf,
    metrics: String,
    data: PathBuf,
    http: Client,
}

impl Watch {
    pub fn new(process: u32, ops_port: u16, data: PathBuf, http: Client) -> Self {
        let metrics = format!("http://127.0.0.1:{ops_port}/metrics");
        Self { process: format!("/proc/{process}").into(), metrics, data, http }
    }

    /// Returns everything.
    pub async fn all(&self) -> Usage {
        let mut found = self.of_process().await;
        found.extend(self.rows().await);
        let entries = |folder: PathBuf| number(fs::read_dir(folder).unwrap().count());
        found.insert(UPLOADS, entries(self.data.join("objects/.incoming")));
        found.insert("entries of the data folder", entries(self.data.clone()));
        found
    }

    /// Returns what the process itself holds.
    pub async fn of_process(&self) -> Usage {
        // The request for the metrics is a connection, too, so it comes last.
        let mut found = self.descriptors();
        found.insert(MEMORY, self.memory());
        let threads = number(fs::read_dir(self.process.join("task")).unwrap().count());
        let metrics = self.http.get(&self.metrics).send().await.unwrap().text().await.unwrap();
        let value = |name: &str, labels: &[(&str, &str)]| {
            metric_value_in(&metrics, name, labels).unwrap_or_default() as i64
        };
        let pooled = value("waybill_pool_connections", &[]);
        assert!(pooled > 0, "the metrics have no connections to databases: {metrics}");
        found.insert(THREADS, threads - pooled);
        *found.entry(DATABASE_FILES).or_default() -= 2 * pooled;
        let of_gates = ["waybill_gate_running", "waybill_gate_waiting"].map(|name| value(name, &[]));
        found.insert(GATES, of_gates.iter().sum());
        let refused = LIMITS.map(|name| value("waybill_refused_total", &[("limit", name)]));
        found.insert(REFUSED, refused.iter().sum());
        found
    }

    fn descriptors(&self) -> Usage {
        let mut found = Usage::from([CONNECTIONS, SOCKETS, DATABASE_FILES, FILES, OTHERS].map(|it| (it, 0)));
        let folder = fs::read_dir(self.process.join("fd")).unwrap();
        // A descriptor may be closed in the meantime.
        let targets: Vec<_> = folder.filter_map(|it| fs::read_link(it.ok()?.path()).ok()).collect();
        let connections = self.connections();
        for target in targets {
            let target = target.to_string_lossy();
            let inode = target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']'));
            let kind = match inode {
                Some(inode) if connections.contains(inode) => CONNECTIONS,
                Some(_) => SOCKETS,
                None if [".db", ".db-wal", ".db-shm"].iter().any(|it| target.ends_with(it)) => DATABASE_FILES,
                None if target.starts_with('/') => FILES,
                None => OTHERS,
            };
            *found.entry(kind).or_default() += 1;
        }
        found
    }

    /// Returns the inodes of all TCP connections of the machine.
    fn connections(&self) -> HashSet<String> {
        const LISTENING: &str = "0A";
        let mut found = HashSet::new();
        for table in ["net/tcp", "net/tcp6"] {
            // A machine without IPv6 has only one table.
            let table = fs::read_to_string(self.process.join(table)).unwrap_or_default();
            found.extend(table.lines().skip(1).filter_map(|line| {
                let mut fields = line.split_whitespace();
                let (state, inode) = (fields.nth(3)?, fields.nth(5)?);
                (state != LISTENING).then(|| inode.to_owned())
            }));
        }
        found
    }

    fn memory(&self) -> i64 {
        let status = fs::read_to_string(self.process.join("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim_end_matches("kB").trim().parse().unwrap()
    }

    async fn rows(&self) -> Usage {
        let mut found = Usage::new();
        for row in SERVICES {
            let database = self.database(row.name).await;
            for (kind, table, condition) in ROWS {
                let is_there = format!("SELECT count(*) AS n FROM sqlite_schema WHERE name = '{table}'");
                let rows = format!("SELECT count(*) AS n FROM {table} WHERE {condition}");
                if count_in(&database, is_there).await > 0 {
                    *found.entry(kind).or_default() += count_in(&database, rows).await;
                }
            }
            database.close().await.unwrap();
        }
        found
    }

    /// Returns the column `n` of a query, which counts rows of a service.
    pub async fn count(&self, service: &str, query: &str) -> i64 {
        let database = self.database(service).await;
        let found = count_in(&database, query.to_owned()).await;
        database.close().await.unwrap();
        found
    }

    async fn database(&self, service: &str) -> DatabaseConnection {
        let file = self.data.join(format!("{service}.db"));
        let mut options = ConnectOptions::new(format!("sqlite://{}?mode=ro", file.display()));
        options.max_connections(1).sqlx_logging(false);
        Database::connect(options).await.unwrap()
    }
}

async fn count_in(database: &DatabaseConnection, query: String) -> i64 {
    let row = database.query_one_raw(Statement::from_string(DbBackend::Sqlite, query)).await;
    row.unwrap().unwrap().try_get("", "n").unwrap()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap()
}

/// Returns what there is more of than the limits allow.
pub fn excess(now: &Usage, limits: &Usage) -> Vec<String> {
    let over = limits.iter().filter_map(|(kind, limit)| {
        let amount = now.get(kind).copied().unwrap_or_default();
        (amount > *limit).then(|| format!("{kind}: {amount}, but at most {limit} are expected"))
    });
    over.collect()
}
