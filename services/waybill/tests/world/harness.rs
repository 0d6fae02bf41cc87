//! The product as a test runs it. `World::all` is one node with every target; `World::split` is a node for
//! each target, with real gRPC between them. Every scenario must behave the same in both.

use std::net::SocketAddr;
use std::path::Path;

use kit::clock::Clock;
use kit::config::{BlobKind, Config, Flags, Target};
use kit::testing::{Authority, S3Server};
use proto::events::envelope::Payload;
use store::testing::template;
use tokio::net::TcpListener;
use waybill::compose::{self, Node};
use waybill::database;
use waybill::serve::Listeners;
use waybill::target::{Row, SERVICES, load, service};

pub use crate::browser::PASSWORD;
pub use crate::running::until;

use crate::browser::Browser;
use crate::mailbox::Mailbox;

/// The product's public address, as links in mails show it.
pub const PUBLIC_URL: &str = "http://waybill.example";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    All,
    Split,
}

/// The settings of a world, which a scenario may change.
pub struct Settings {
    pub config: Config,
    pub clock: Clock,
    mailbox: Mailbox,
    certificates: Option<tempfile::TempDir>,
}

impl Settings {
    fn new(config: Config) -> Self {
        Self { config, clock: Clock::system(), mailbox: Mailbox::default(), certificates: None }
    }

    /// Encrypts the calls between separate services, with a certificate of this authority.
    pub fn encrypt_calls(&mut self, authority: &Authority) {
        let folder = tempfile::tempdir().unwrap();
        authority.equip(&mut self.config.grpc, folder.path());
        self.certificates = Some(folder);
    }

    /// Turns on mail, which then arrives in the world's mailbox.
    pub fn send_mail(&mut self) {
        self.send_mail_from_here();
        self.config.http.public_url = PUBLIC_URL.to_owned();
    }

    /// Turns on mail like `send_mail`, but leaves `public_url` as it is, so that links lead to the world's own
    /// address.
    pub fn send_mail_from_here(&mut self) {
        let (mailbox, url) = Mailbox::open();
        self.mailbox = mailbox;
        self.config.mail.smtp_url = url.into();
    }

    /// Stops the clock until the scenario moves it.
    pub fn hold_time(&mut self) {
        self.clock = Clock::fixed(self.clock.now());
    }
}

pub struct World {
    pub shape: Shape,
    pub clock: Clock,
    pub config: Config,
    pub base: String,
    /// The address for devices.
    pub ingest: String,
    /// The gRPC address of each service that runs as a separate node.
    pub services: Vec<(&'static str, SocketAddr)>,
    pub nodes: Vec<Node>,
    /// Receives the world's mails, if the world sends any.
    pub mailbox: Mailbox,
    databases: Vec<String>,
    _s3: Option<S3Server>,
    _dir: tempfile::TempDir,
    _certificates: Option<tempfile::TempDir>,
}

fn defaults() -> Config {
    kit::install_crypto();
    load(&Flags::default(), Target::All).expect("the defaults are right").config
}

/// Creates a service's tables in the database at this URL.
async fn migrate(config: &Config, row: &Row, url: String) {
    let mut config = config.clone();
    config.database.url = url.into();
    database::migrate(&config, row.target()).await.unwrap();
}

async fn free() -> TcpListener {
    kit::connections::bind("http", "127.0.0.1", 0).await.expect("a free port")
}

pub fn nats_url() -> String {
    std::env::var("WAYBILL_TEST_NATS_URL").unwrap_or_else(|_| "nats://127.0.0.1:4222".into())
}

fn redis_url() -> String {
    std::env::var("WAYBILL_TEST_REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".into())
}

impl World {
    pub async fn start(shape: Shape) -> Self {
        Self::with(shape, |_| {}).await
    }

    pub async fn all() -> Self {
        Self::start(Shape::All).await
    }

    pub async fn split() -> Self {
        Self::start(Shape::Split).await
    }

    /// Starts a world whose settings differ from the defaults.
    pub async fn with(shape: Shape, change: impl FnOnce(&mut Settings)) -> Self {
        crate::secrets::listen();
        match shape {
            Shape::All => Self::in_one(change).await,
            Shape::Split => Self::apart(change).await,
        }
    }

    async fn in_one(change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut settings = Settings::new(defaults());
        settings.config.data = dir.path().join("data");
        // Some worlds have a proxy or a public address, and would require the setup token.
        settings.config.auth.setup_token = kit::config::SetupToken::No;
        change(&mut settings);
        let Settings { config, clock, mailbox, certificates } = settings;
        kit::config::private_dir(&config.data).unwrap();
        for row in SERVICES {
            let url = row.database(&config);
            let path = url.strip_prefix("sqlite://").unwrap();
            template::sqlite(row.name, Path::new(path), |url| migrate(&config, row, url)).await;
        }
        let listeners = Listeners {
            http: Some(free().await),
            grpc: None,
            ops: Some(free().await),
            ingest: Some(free().await),
        };
        let node = compose::start(config.clone(), Target::All, listeners, clock.clone()).await.unwrap();
        Self {
            shape: Shape::All,
            clock,
            config,
            base: format!("http://{}", node.http.unwrap()),
            ingest: format!("http://{}", node.ingest.unwrap()),
            services: Vec::new(),
            nodes: vec![node],
            mailbox,
            databases: Vec::new(),
            _s3: None,
            _dir: dir,
            _certificates: certificates,
        }
    }

    async fn apart(change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let s3 = kit::testing::s3_server(&dir.path().join("s3")).await.unwrap();
        let unique = kit::clock::new_id().simple().to_string();
        let mut config = defaults();
        config.data = dir.path().join("data");
        config.auth.service_secret = format!("secret-of-this-test-{unique}").into();
        // All parts listen on loopback addresses, so nobody else can create the first account.
        config.auth.setup_token = kit::config::SetupToken::No;
        // There is no load balancer that has to notice the end.
        config.ops.stop_delay_seconds = 0;
        config.bus.url = nats_url().into();
        config.bus.namespace = format!("t{unique}");
        // The server reserves as much for every world.
        config.bus.intake_max_bytes = 64 << 20;
        config.cache.url = redis_url().into();
        config.blob.kind = BlobKind::S3;
        config.blob.endpoint = s3.endpoint.clone();
        config.blob.region = s3.region.clone();
        config.blob.bucket = s3.bucket.clone();
        config.blob.access_key = s3.access_key.clone().into();
        config.blob.secret_key = s3.secret_key.clone().into();
        let mut settings = Settings::new(config);
        change(&mut settings);
        let Settings { mut config, clock, mailbox, certificates } = settings;
        let scheme = if config.grpc.is_encrypted() { "https" } else { "http" };

        let mut sockets = Vec::new();
        for row in SERVICES {
            let listener = free().await;
            let address = listener.local_addr().unwrap();
            config.peers.each.insert(row.name.to_owned(), format!("{scheme}://{address}"));
            sockets.push((row, address, listener));
        }

        let (mut nodes, mut databases, mut services) = (Vec::new(), Vec::new(), Vec::new());
        for (row, address, listener) in sockets {
            let (url, name) = template::postgres(row.name, |url| migrate(&config, row, url)).await;
            databases.push(name);
            let mut config = config.clone();
            config.database.url = url.into();
            let listeners =
                Listeners { http: None, grpc: Some(listener), ops: Some(free().await), ingest: None };
            nodes.push(compose::start(config, row.target(), listeners, clock.clone()).await.unwrap());
            services.push((row.name, address));
        }
        let listeners = Listeners {
            http: Some(free().await),
            grpc: None,
            ops: Some(free().await),
            ingest: Some(free().await),
        };
        let gateway =
            compose::start(config.clone(), Target::Gateway, listeners, clock.clone()).await.unwrap();
        let base = format!("http://{}", gateway.http.unwrap());
        let ingest = format!("http://{}", gateway.ingest.unwrap());
        nodes.push(gateway);
        Self {
            shape: Shape::Split,
            clock,
            config,
            base,
            ingest,
            services,
            nodes,
            mailbox,
            databases,
            _s3: Some(s3),
            _dir: dir,
            _certificates: certificates,
        }
    }

    /// Starts a second gateway for the same services and returns its address.
    pub async fn second_gateway(&mut self) -> String {
        let listeners = Listeners { http: Some(free().await), grpc: None, ops: None, ingest: None };
        let node = compose::start(self.config.clone(), Target::Gateway, listeners, self.clock.clone());
        let node = node.await.unwrap();
        let base = format!("http://{}", node.http.unwrap());
        self.nodes.push(node);
        base
    }

    /// Returns a signed-out browser.
    pub fn browser(&self) -> Browser {
        Browser::new(&self.base)
    }

    /// Returns a browser in which the first admin is signed in. Creates the admin's account.
    pub async fn admin(&self) -> Browser {
        let mut browser = self.browser();
        browser.create_admin("admin", PASSWORD).await;
        browser.sign_in("admin", PASSWORD).await;
        browser
    }

    /// Returns a separate service's address.
    pub fn address(&self, name: &str) -> SocketAddr {
        self.services.iter().find(|(it, _)| *it == name).unwrap().1
    }

    /// Opens a service's database, so that a test can inspect its content.
    pub async fn database(&self, name: &str) -> store::Db {
        let url = match self.shape {
            Shape::All => service(name).unwrap().database(&self.config),
            Shape::Split => {
                let at = self.services.iter().position(|(it, _)| *it == name).unwrap();
                store::testing::database_at(&self.databases[at])
            }
        };
        store::Db::connect(&url, &self.config.database).await.unwrap()
    }

    /// Publishes an event in the name of `service`, even if there is no such service. Uses the outbox of the
    /// deliveries service.
    pub async fn publish(&self, service: &str, id: &str, version: u64, payload: Payload) {
        let db = self.database(deliveries::NAME).await;
        let tx = db.begin().await.unwrap();
        let event = store::outbox::NewEvent {
            service,
            actor: "system:test",
            aggregate_id: id,
            aggregate_version: version,
            occurred_at: self.clock.now(),
            payload,
        };
        store::outbox::add(&tx, event).await.unwrap();
        tx.commit().await.unwrap();
        db.close().await;
    }

    /// Waits until every committed event has been published.
    pub async fn settle(&self) {
        for row in SERVICES {
            let db = self.database(row.name).await;
            until("events leave the outbox", || async { store::outbox::waiting(&db).await.unwrap() == 0 })
                .await;
            db.close().await;
        }
    }

    /// Stops everything and removes the world's data from shared servers.
    pub async fn stop(self) {
        let Self { nodes, databases, config, shape, _s3, _dir, _certificates, .. } = self;
        for node in nodes.into_iter().rev() {
            assert!(node.stop().await, "a node did not stop cleanly");
        }
        for name in databases {
            store::testing::drop_postgres(&name).await;
        }
        if shape == Shape::Split {
            remove_streams(&config.bus.namespace).await;
        }
        crate::secrets::none_was_logged();
    }
}

async fn remove_streams(namespace: &str) {
    use futures::TryStreamExt;
    let client = async_nats::connect(nats_url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let names: Vec<String> = context.stream_names().try_collect().await.unwrap();
    for name in names.into_iter().filter(|name| name.to_lowercase().contains(namespace)) {
        context.delete_stream(name).await.unwrap();
    }
}

/// Defines one scenario as two tests, `<name>::all` and `<name>::split`. An optional argument in between
/// changes the settings of its world.
#[macro_export]
macro_rules! in_both_shapes {
    ($name:ident, $body:expr) => {
        $crate::in_both_shapes!($name, |_: &mut $crate::harness::Settings| {}, $body);
    };
    ($name:ident, $change:expr, $body:expr) => {
        mod $name {
            use super::*;

            async fn run(shape: $crate::harness::Shape) {
                let world = $crate::harness::World::with(shape, $change).await;
                let body = $body;
                let world: $crate::harness::World = body(world).await;
                world.stop().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn all() {
                run($crate::harness::Shape::All).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn split() {
                run($crate::harness::Shape::Split).await;
            }
        }
    };
}
