//! The real program as child processes: a single process, or one per service on Postgres, NATS, Redis and S3.
//! Processes that die are restarted.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kit::config::Target;
use kit::testing::{S3Server, free_port};
use sea_orm::ConnectionTrait;
use waybill::target::{Row, SERVICES};

use crate::network::Network;
use crate::running::{is_ready, program};
use crate::secrets;

/// Time limit for starting a process.
const PATIENCE: Duration = Duration::from_secs(60);

/// One process of the product.
struct Part {
    target: &'static str,
    variables: Vec<(String, String)>,
    ops_port: u16,
    errors: PathBuf,
    child: Option<Arc<Mutex<Child>>>,
    /// Whether the test killed the process, instead of a kill point.
    is_killed: Arc<AtomicBool>,
}

pub struct Product {
    pub base: String,
    /// The address that devices send to.
    pub ingest: String,
    /// The first token of the product's subjects on the broker.
    pub namespace: String,
    parts: Vec<Part>,
    /// Points at which a process will still be killed, in the format of `FAILPOINTS`.
    armed: BTreeSet<String>,
    /// Points at which a process was killed, in order.
    pub killed_at: Vec<String>,
    databases: Vec<String>,
    _s3: Option<S3Server>,
    _dir: tempfile::TempDir,
}

impl Product {
    /// Prepares one process with everything, on SQLite. It does not run before `revive`.
    pub fn in_one() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (http, ops, ingest) = (free_port(), free_port(), free_port());
        let variables = vec![
            ("WAYBILL__DATA".to_owned(), text(&dir.path().join("data"))),
            ("WAYBILL__HTTP__PORT".to_owned(), http.to_string()),
            ("WAYBILL__OPS__PORT".to_owned(), ops.to_string()),
            ("WAYBILL__INGEST__PORT".to_owned(), ingest.to_string()),
        ];
        let errors = dir.path().join("errors");
        let part =
            Part { target: "all", variables, ops_port: ops, errors, child: None, is_killed: Arc::default() };
        Self::of(vec![part], http, ingest, dir)
    }

    fn of(parts: Vec<Part>, http: u16, ingest: u16, dir: tempfile::TempDir) -> Self {
        kit::install_crypto();
        let at = |port: u16| format!("http://127.0.0.1:{port}");
        Self {
            base: at(http),
            ingest: at(ingest),
            namespace: "waybill".to_owned(),
            parts,
            armed: BTreeSet::new(),
            killed_at: Vec::new(),
            databases: Vec::new(),
            _s3: None,
            _dir: dir,
        }
    }

    /// Prepares one process for each service. None runs before `revive`. The databases are migrated and
    /// empty.
    pub async fn apart() -> Self {
        Self::over(None, &server("WAYBILL_TEST_NATS_URL", "nats://127.0.0.1:4222")).await
    }

    /// Prepares one process for each service on its own broker, which can be killed, too.
    pub async fn apart_on(broker: &str) -> Self {
        Self::over(None, broker).await
    }

    /// Prepares one process for each service in a network that can be broken.
    pub async fn over_a_network() -> (Self, Network) {
        let mut network = Network::default();
        let broker = server("WAYBILL_TEST_NATS_URL", "nats://127.0.0.1:4222");
        (Self::over(Some(&mut network), &broker).await, network)
    }

    async fn over(mut network: Option<&mut Network>, broker: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let s3 = kit::testing::s3_server(&dir.path().join("s3")).await.unwrap();
        let unique = kit::clock::new_id().simple().to_string();
        let shared = [
            ("BUS__NAMESPACE", format!("k{unique}")),
            // The server reserves as much for every product.
            ("BUS__INTAKE_MAX_BYTES", (64u64 << 20).to_string()),
            ("BLOB__KIND", "s3".to_owned()),
            ("BLOB__PUBLIC_ENDPOINT", s3.endpoint.clone()),
            ("BLOB__REGION", s3.region.clone()),
            ("BLOB__BUCKET", s3.bucket.clone()),
            ("BLOB__ACCESS_KEY", s3.access_key.clone()),
            ("BLOB__SECRET_KEY", s3.secret_key.clone()),
            ("BLOB__LINK_KEY", format!("links-of-this-test-{unique}")),
            ("AUTH__SERVICE_SECRET", format!("secret-of-this-test-{unique}")),
            // All processes listen on loopback addresses, so nobody else can create the first account.
            ("AUTH__SETUP_TOKEN", "no".to_owned()),
        ]
        .map(|(key, value)| (key.to_owned(), value));
        shared
            .iter()
            .filter(|(key, _)| key.ends_with("_KEY") || key.ends_with("_SECRET"))
            .for_each(|(_, it)| secrets::note(it));
        // The gateway starts last.
        let targets = SERVICES.iter().map(Row::target).chain([Target::Gateway]).map(Target::as_str);
        let targets: Vec<(&str, u16)> = targets.map(|target| (target, free_port())).collect();
        let (http, ingest) = (free_port(), free_port());
        let admin = sea_orm::Database::connect(store::testing::postgres_url()).await.unwrap();
        let (mut parts, mut databases) = (Vec::new(), Vec::new());
        for (target, port) in targets.iter().copied() {
            let ops_port = free_port();
            let name = format!("k{unique}_{target}");
            let mut variables = [
                ("DATA", text(&dir.path().join(target))),
                ("GRPC__PORT", port.to_string()),
                ("OPS__PORT", ops_port.to_string()),
                ("HTTP__PORT", http.to_string()),
                ("INGEST__PORT", ingest.to_string()),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .to_vec();
            let others = [
                ("DATABASE__URL", store::testing::database_at(&name)),
                ("BUS__URL", broker.to_owned()),
                ("CACHE__URL", server("WAYBILL_TEST_REDIS_URL", "redis://127.0.0.1:6379")),
                ("BLOB__ENDPOINT", s3.endpoint.clone()),
            ];
            let peers = SERVICES.iter().zip(&targets).map(|(row, (_, port))| {
                (format!("PEERS__{}", row.name.to_uppercase()), format!("http://127.0.0.1:{port}"))
            });
            for (key, url) in others.map(|(key, url)| (key.to_owned(), url)).into_iter().chain(peers) {
                let url = match &mut network {
                    Some(network) => network.through(target, &key, &url).await,
                    None => url,
                };
                variables.push((key, url));
            }
            let all = shared.iter().cloned().chain(variables);
            let variables = all.map(|(key, value)| (format!("WAYBILL__{key}"), value)).collect();
            let errors = dir.path().join(format!("{target}.errors"));
            let part = Part { target, variables, ops_port, errors, child: None, is_killed: Arc::default() };
            if target != "gateway" {
                admin.execute_unprepared(&format!("CREATE DATABASE {name}")).await.unwrap();
                databases.push(name);
                assert!(part.command(&["migrate", "--target", target]).status().unwrap().success());
            }
            parts.push(part);
        }
        admin.close().await.unwrap();
        let namespace = format!("k{unique}");
        Self { _s3: Some(s3), databases, namespace, ..Self::of(parts, http, ingest, dir) }
    }

    /// Sets a variable of every process. It takes effect at the next start.
    pub fn set(&mut self, key: &str, value: &str) {
        for part in &mut self.parts {
            part.variables.push((format!("WAYBILL__{key}"), value.to_owned()));
        }
    }

    /// Arms kill points: from the next start on, a process is killed when it first reaches one of them.
    pub fn arm(&mut self, points: impl IntoIterator<Item = String>) {
        self.armed = points.into_iter().collect();
    }

    /// Returns the points that were never reached.
    pub fn unreached(&self) -> &BTreeSet<String> {
        &self.armed
    }

    /// Starts all processes that do not run, and waits until everything is ready. Returns whether a process
    /// had to be started.
    pub async fn revive(&mut self) -> bool {
        let mut started = false;
        let until = Instant::now() + PATIENCE;
        loop {
            let mut ready = true;
            for at in 0..self.parts.len() {
                if self.is_dead(at) {
                    started = true;
                    let points: Vec<String> = self.armed.iter().map(|it| format!("{it}=return")).collect();
                    self.parts[at].start(&points.join(";"));
                }
                ready &= is_ready(self.parts[at].ops_port).await;
            }
            if ready {
                return started;
            }
            assert!(Instant::now() < until, "not ready: {}", self.errors());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns whether the gateway is ready.
    pub async fn is_gateway_ready(&self) -> bool {
        let gateway = self.parts.iter().find(|part| part.target == "gateway").unwrap();
        is_ready(gateway.ops_port).await
    }

    /// Returns whether a process does not run. Fails if the process ended without being killed.
    fn is_dead(&mut self, at: usize) -> bool {
        let part = &mut self.parts[at];
        let Some(child) = &part.child else { return true };
        let Some(status) = child.lock().unwrap().try_wait().unwrap() else { return false };
        let errors = part.log();
        secrets::none_in(&errors);
        assert_eq!(status.signal(), Some(9), "{} ended by itself: {status}\n{errors}", part.target);
        part.child = None;
        match errors.lines().rev().find_map(|line| line.strip_prefix("killed at ")) {
            Some(point) => {
                // Several processes may have reached the same point before one of them died there.
                self.armed.remove(point);
                eprintln!("killed at {point}");
                self.killed_at.push(point.to_owned());
            }
            None => assert!(
                part.is_killed.load(Ordering::Relaxed),
                "{} was killed nowhere\n{errors}",
                part.target
            ),
        }
        true
    }

    /// Kills every process, without giving any a chance to stop gracefully.
    pub fn kill(&mut self) {
        for part in &self.parts {
            part.kill();
        }
    }

    /// Kills the process of one target.
    pub fn kill_one(&self, target: &str) {
        let part = self.parts.iter().find(|part| part.target == target);
        part.unwrap_or_else(|| panic!("no process of {target}")).kill();
    }

    /// Returns the address of a target's database.
    pub fn database(&self, target: &str) -> String {
        let name = self.databases.iter().find(|name| name.ends_with(&format!("_{target}"))).unwrap();
        store::testing::database_at(name)
    }

    /// Returns the number of processes.
    pub fn size(&self) -> usize {
        self.parts.len()
    }

    /// Kills a process after a while, from a separate thread.
    pub fn kill_after(&self, at: usize, wait: Duration) -> std::thread::JoinHandle<()> {
        let Part { child, is_killed, .. } = &self.parts[at];
        let (child, is_killed) = (child.clone(), is_killed.clone());
        std::thread::spawn(move || {
            std::thread::sleep(wait);
            kill(child.as_ref(), &is_killed);
        })
    }

    /// Returns the standard error output of all processes, for messages.
    pub fn errors(&self) -> String {
        let read = |part: &Part| {
            let text = part.log();
            let lines: Vec<&str> = text.lines().rev().take(12).collect();
            format!("--- {}\n{}\n", part.target, lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
        };
        self.parts.iter().map(read).collect()
    }

    /// Stops everything and removes the product's data from shared servers. No process may have logged a secret.
    pub async fn end(mut self) {
        self.kill();
        self.parts.iter().for_each(|part| secrets::none_in(&part.log()));
        for name in std::mem::take(&mut self.databases) {
            store::testing::drop_postgres(&name).await;
        }
    }
}

impl Part {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(arguments);
        command.envs(self.variables.iter().cloned());
        // Many days pass within a few minutes, and each has a sign-in with a wrong password. So allow many
        // per address.
        command.env("WAYBILL__AUTH__ADDRESS_ATTEMPTS", "1000000");
        command
    }

    fn start(&mut self, points: &str) {
        let errors = std::fs::File::create(&self.errors).unwrap();
        let mut command = self.command(&["serve", "--target", self.target]);
        let child = command.env("FAILPOINTS", points).stderr(errors).spawn().unwrap();
        self.child = Some(Arc::new(Mutex::new(child)));
        self.is_killed = Arc::default();
    }

    fn kill(&self) {
        kill(self.child.as_ref(), &self.is_killed);
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.errors).unwrap_or_default()
    }
}

fn kill(child: Option<&Arc<Mutex<Child>>>, is_killed: &AtomicBool) {
    let Some(mut child) = child.map(|it| it.lock().unwrap()) else { return };
    is_killed.store(true, Ordering::Relaxed);
    // The process may have ended already.
    let _ = child.kill();
    let _ = child.wait();
}

impl Drop for Part {
    fn drop(&mut self) {
        self.kill();
    }
}

fn server(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
