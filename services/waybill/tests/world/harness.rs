//! `World::all` is one node with every target, `World::split` is a node per target with real
//! gRPC between them. A scenario cannot tell which it runs in.

use std::net::SocketAddr;
use std::time::Duration;

use kit::clock::Clock;
use kit::config::{BlobKind, Config, Flags, Target, load};
use kit::testing::S3Server;
use tokio::net::TcpListener;
use waybill::compose::{self, Listeners, Node};

use crate::browser::Browser;

pub const PASSWORD: &str = "tricycle-over-the-bridge";
const WAIT: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    All,
    Split,
}

pub struct World {
    pub shape: Shape,
    pub clock: Clock,
    pub config: Config,
    pub base: String,
    /// gRPC address of each service, when it has one of its own.
    pub services: Vec<(Target, SocketAddr)>,
    pub nodes: Vec<Node>,
    databases: Vec<String>,
    _s3: Option<S3Server>,
    _dir: tempfile::TempDir,
}

fn defaults() -> Config {
    kit::install_crypto();
    load(&Flags::default(), Target::All).expect("the defaults are right").config
}

async fn free() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.expect("a free port")
}

pub fn nats_url() -> String {
    std::env::var("WAYBILL_TEST_NATS_URL").unwrap_or_else(|_| "nats://127.0.0.1:4222".into())
}

fn redis_url() -> String {
    std::env::var("WAYBILL_TEST_REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1:6379".into())
}

impl World {
    pub async fn start(shape: Shape) -> Self {
        match shape {
            Shape::All => Self::all().await,
            Shape::Split => Self::split().await,
        }
    }

    pub async fn all() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut config = defaults();
        config.data = dir.path().join("data");
        let clock = Clock::system();
        let listeners = Listeners { http: Some(free().await), grpc: None, ops: Some(free().await) };
        let node = compose::start(config.clone(), Target::All, listeners, clock.clone()).await.unwrap();
        Self {
            shape: Shape::All,
            clock,
            config,
            base: format!("http://{}", node.http.unwrap()),
            services: Vec::new(),
            nodes: vec![node],
            databases: Vec::new(),
            _s3: None,
            _dir: dir,
        }
    }

    pub async fn split() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let s3 = kit::testing::s3_server(&dir.path().join("s3")).await.unwrap();
        let unique = kit::clock::new_id().simple().to_string();
        let mut config = defaults();
        config.data = dir.path().join("data");
        config.auth.service_secret = format!("secret-of-this-test-{unique}").into();
        // Everybody listens on loopback here, as one machine does.
        config.auth.setup_token = kit::config::SetupToken::No;
        config.bus.url = nats_url().into();
        config.bus.namespace = format!("t{unique}");
        config.cache.url = redis_url().into();
        config.blob.kind = BlobKind::S3;
        config.blob.endpoint = s3.endpoint.clone();
        config.blob.region = s3.region.clone();
        config.blob.bucket = s3.bucket.clone();
        config.blob.access_key = s3.access_key.clone().into();
        config.blob.secret_key = s3.secret_key.clone().into();

        let mut sockets = Vec::new();
        for target in [Target::Auth, Target::Deliveries, Target::Upload] {
            let listener = free().await;
            let address = listener.local_addr().unwrap();
            let peer = match target {
                Target::Auth => &mut config.peers.auth,
                Target::Deliveries => &mut config.peers.deliveries,
                _ => &mut config.peers.upload,
            };
            *peer = format!("http://{address}");
            sockets.push((target, address, listener));
        }

        let clock = Clock::system();
        let (mut nodes, mut databases, mut services) = (Vec::new(), Vec::new(), Vec::new());
        for (target, address, listener) in sockets {
            let (url, name) = store::testing::create_postgres().await;
            databases.push(name);
            let mut config = config.clone();
            config.database.url = url.into();
            compose::migrate(&config, target).await.unwrap();
            let listeners = Listeners { http: None, grpc: Some(listener), ops: Some(free().await) };
            nodes.push(compose::start(config, target, listeners, clock.clone()).await.unwrap());
            services.push((target, address));
        }
        let listeners = Listeners { http: Some(free().await), grpc: None, ops: Some(free().await) };
        let gateway =
            compose::start(config.clone(), Target::Gateway, listeners, clock.clone()).await.unwrap();
        let base = format!("http://{}", gateway.http.unwrap());
        nodes.push(gateway);
        Self {
            shape: Shape::Split,
            clock,
            config,
            base,
            services,
            nodes,
            databases,
            _s3: Some(s3),
            _dir: dir,
        }
    }

    /// A browser nobody has signed in with.
    pub fn browser(&self) -> Browser {
        Browser::new(&self.base)
    }

    /// A browser with the first admin signed in; makes the account.
    pub async fn admin(&self) -> Browser {
        let mut browser = self.browser();
        browser.create_admin("admin", PASSWORD).await;
        browser.sign_in("admin", PASSWORD).await;
        browser
    }

    /// The database of a service, to look at what it holds.
    pub async fn database(&self, target: Target) -> store::Db {
        let url = match self.shape {
            Shape::All => self.config.database.address(&self.config.data, target.as_str()),
            Shape::Split => {
                let at = self.services.iter().position(|(it, _)| *it == target).unwrap();
                let admin = store::testing::postgres_url();
                let slash = admin.rfind('/').unwrap();
                format!("{}/{}", &admin[..slash], self.databases[at])
            }
        };
        store::Db::connect(&url, &self.config.database).await.unwrap()
    }

    /// Waits until every committed event has left.
    pub async fn settle(&self) {
        for target in [Target::Deliveries, Target::Upload] {
            let db = self.database(target).await;
            until("events leave the outbox", || async { store::outbox::waiting(&db).await.unwrap() == 0 })
                .await;
            db.close().await;
        }
    }

    /// Stops everything and removes what it left on shared servers.
    pub async fn stop(self) {
        let Self { nodes, databases, config, shape, _s3, _dir, .. } = self;
        for node in nodes.into_iter().rev() {
            assert!(node.stop().await, "a node did not stop cleanly");
        }
        for name in databases {
            store::testing::drop_postgres(&name).await;
        }
        if shape == Shape::Split {
            remove_streams(&config.bus.namespace).await;
        }
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

/// Waits for a state; a scenario never sleeps for a time.
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
    tokio::time::timeout(WAIT, waiting).await.unwrap_or_else(|_| panic!("waited too long until {what}"));
}

/// Writes one scenario as two tests, `<name>::all` and `<name>::split`.
#[macro_export]
macro_rules! in_both_shapes {
    ($name:ident, $body:expr) => {
        mod $name {
            use super::*;

            async fn run(shape: $crate::harness::Shape) {
                let world = $crate::harness::World::start(shape).await;
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
