//! A service that emits events, a service that keeps a copy of them, and the servers between them, which
//! tests can stop.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use kit::bus::{Bus, NatsBus, NatsConfig, Retry};
use kit::clock::Clock;
use kit::principal::{KeySource, ServiceIdentity, Verifier};
use kit::rpc::Transport;
use proto::events::envelope::Payload;
use proto::events::{DELIVERIES_SETTINGS, SettingChanged};
use sea_orm::{EntityTrait, PaginatorTrait, QueryOrder};
use sea_orm_migration::prelude::*;
use store::outbox::{self, NewEvent};
use store::published::Published;
use store::reconcile::Reconcile;
use store::relay::Relay;
use store::settings::{Follow, Settings, setting_copy};
use store::testing::{Backend, TestDb};
use store::{Db, inbox, outbox::outbox_event};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

const SECRET: &str = "a-secret-of-this-test-and-no-other";
const WANTED: &[&str] = &["s0", "s1", "s2", "s3", "s4"];

struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = store::migrate::migrations();
        all.extend(store::settings::migrations());
        all
    }
}

struct NoKeys;

#[async_trait::async_trait]
impl KeySource for NoKeys {
    async fn keys(&self) -> kit::Result<std::collections::HashMap<String, Vec<u8>>> {
        Ok(Default::default())
    }
}

/// Short delays, so that five attempts end long before a test does.
fn retry() -> Retry {
    Retry {
        attempts: 5,
        first_delay: Duration::from_millis(50),
        max_delay: Duration::from_millis(500),
        timeout: Duration::from_secs(5),
    }
}

pub struct Plant {
    settings: usize,
    version: u64,
    source: TestDb,
    consumer: TestDb,
    /// Address of the proxy to the consumer's database.
    proxy: SocketAddr,
    proxying: Option<JoinSet<()>>,
    nats: Nats,
    relay: Option<(CancellationToken, JoinHandle<()>)>,
    consuming: Option<(CancellationToken, JoinSet<()>)>,
}

impl Plant {
    pub async fn new(settings: usize) -> Self {
        let source = TestDb::migrated::<Migrator>(Backend::Postgres).await;
        let consumer = TestDb::migrated::<Migrator>(Backend::Postgres).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = listener.local_addr().unwrap();
        Self {
            settings,
            version: 0,
            source,
            consumer,
            proxy,
            proxying: Some(forward(listener)),
            nats: Nats::start(),
            relay: None,
            consuming: None,
        }
    }

    pub async fn start(&mut self) {
        let (stop, bus) = (CancellationToken::new(), self.bus().await);
        let running = Relay::new(self.source.db.clone(), bus).run(stop.clone());
        self.relay = Some((stop, tokio::spawn(async move { running.await.unwrap() })));
        self.start_consumer().await;
    }

    pub async fn start_consumer(&mut self) {
        let (bus, stop) = (self.bus().await, CancellationToken::new());
        let address = self.consumer.url.replacen(&server(&self.consumer.url), &self.proxy.to_string(), 1);
        let db = Db::connect(&address, &store::testing::config()).await.unwrap();
        let clock = Clock::system();
        let follow = Follow {
            db: db.clone(),
            clock: clock.clone(),
            settings: Settings::open(&db).await.unwrap(),
            subscription: DELIVERIES_SETTINGS,
            wanted: WANTED,
        };
        let reconcile = Reconcile {
            db,
            bus: bus.clone(),
            consumer: follow.consumer(),
            source: self.answering(),
            identity: ServiceIdentity::new("deliveries", SECRET.to_owned().into(), clock),
            retry: retry(),
        };
        let registered = bus.register(vec![follow.consumer()]).await.unwrap();
        let mut tasks = JoinSet::new();
        let (one, two) = (stop.clone(), stop.clone());
        tasks.spawn(async move { registered.run(one).await.unwrap() });
        tasks.spawn(async move { reconcile.run(two).await.unwrap() });
        self.consuming = Some((stop, tasks));
    }

    pub async fn stop_consumer(&mut self) {
        let (stop, tasks) = self.consuming.take().unwrap();
        stop.cancel();
        tasks.join_all().await;
    }

    /// Changes every setting.
    pub async fn change(&mut self) {
        self.version += 1;
        for id in &WANTED[..self.settings] {
            let tx = self.source.db.begin().await.unwrap();
            let payload =
                SettingChanged { id: (*id).into(), r#type: "number".into(), value: self.version.to_string() };
            let event = NewEvent {
                service: "settings",
                actor: "maria",
                aggregate_id: id,
                aggregate_version: self.version,
                occurred_at: Clock::system().now(),
                payload: Payload::SettingChanged(payload),
            };
            outbox::add(&tx, event).await.unwrap();
            tx.commit().await.unwrap();
        }
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the version of each setting in the consumer's copy.
    pub async fn copy(&self) -> Vec<u64> {
        let rows = setting_copy::Entity::find().order_by_asc(setting_copy::Column::Id);
        let rows = rows.all(self.consumer.db.read()).await.unwrap();
        rows.into_iter().map(|row| row.version.unsigned_abs()).collect()
    }

    pub async fn handled(&self) -> u64 {
        inbox::inbox_event::Entity::find().count(self.consumer.db.read()).await.unwrap()
    }

    pub async fn emitted(&self) -> u64 {
        outbox_event::Entity::find().count(self.source.db.read()).await.unwrap()
    }

    pub async fn given_up(&self) -> u64 {
        store::dead_letters::count(&self.consumer.db).await.unwrap()
    }

    pub async fn is_published(&self) -> bool {
        outbox::waiting(&self.source.db).await.unwrap() == 0
    }

    /// Kills the server, deletes its store and starts another one.
    pub async fn lose_the_store(&mut self) {
        self.nats.lose_the_store();
    }

    pub fn stop_broker(&mut self) {
        self.nats.end();
    }

    /// Starts the broker again, with what it had stored.
    pub fn start_broker(&mut self) {
        self.nats.begin();
    }

    pub fn cut_database(&mut self) {
        drop(self.proxying.take());
    }

    pub async fn mend_database(&mut self) {
        let listener = loop {
            match TcpListener::bind(self.proxy).await {
                Ok(listener) => break listener,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        self.proxying = Some(forward(listener));
    }

    pub async fn stop(mut self) {
        self.stop_consumer().await;
        let (stop, relay) = self.relay.take().unwrap();
        stop.cancel();
        relay.await.unwrap();
        self.source.close().await;
        self.consumer.close().await;
    }

    async fn bus(&self) -> Bus {
        let mut config = NatsConfig::new(self.nats.url());
        config.retry = retry();
        config.ack_wait = Duration::from_secs(2);
        let bus = loop {
            match NatsBus::connect(config.clone()).await {
                Ok(bus) => break Bus::Nats(bus),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        };
        until("JetStream answers", || async { bus.ensure_streams(&["settings"]).await.is_ok() }).await;
        bus
    }

    /// Serves the source's events, for services of this deployment only.
    fn answering(&self) -> Transport {
        let clock = Clock::system();
        let verifier = Verifier::new(Arc::new(NoKeys), SECRET.to_owned().into(), clock);
        let routes = Routes::new(Published::service(&self.source.db, "settings"));
        Transport::InProcess(kit::rpc::mount(routes, verifier, Duration::from_secs(10)))
    }
}

/// Returns host and port of a database's address.
fn server(url: &str) -> String {
    let host = url.rsplit('@').next().unwrap();
    host.trim_start_matches("postgres://").split('/').next().unwrap().to_owned()
}

fn forward(listener: TcpListener) -> JoinSet<()> {
    let target = server(&store::testing::postgres_url());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut from, _)) = listener.accept().await {
            let mut to = TcpStream::connect(&target).await.unwrap();
            connections.spawn(async move {
                let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
            });
        }
    });
    tasks
}

/// A server with a store that can be deleted.
struct Nats {
    port: u16,
    folder: tempfile::TempDir,
    child: Child,
}

impl Nats {
    fn start() -> Self {
        let port = kit::testing::free_port();
        let folder = tempfile::tempdir().unwrap();
        let child = run(port, folder.path());
        Self { port, folder, child }
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn lose_the_store(&mut self) {
        self.end();
        self.folder = tempfile::tempdir().unwrap();
        self.begin();
    }

    fn begin(&mut self) {
        self.child = run(self.port, self.folder.path());
    }

    fn end(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(port: u16, store: &std::path::Path) -> Child {
    let program = std::env::var("WAYBILL_TEST_NATS_SERVER").unwrap_or_else(|_| "nats-server".to_owned());
    Command::new(program)
        .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--jetstream", "--store_dir"])
        .arg(store)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nats-server is installed, as for all tests with services")
}

/// Waits for a condition, so that tests need no fixed waits.
pub async fn until<F, Fut>(what: &str, mut condition: F)
where
    F: FnMut() -> Fut,
    Fut: Future<Output = bool>,
{
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(90), waiting)
        .await
        .unwrap_or_else(|_| panic!("waited in vain until {what}"));
}
