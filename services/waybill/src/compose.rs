//! From a configuration and a target to running services, in one straight line.
//!
//! A service is in this process or behind an address; nothing below the `Transport` of each can
//! tell which.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kit::background;
use kit::bus::Bus;
use kit::clock::Clock;
use kit::config::{Config, SetupToken, Target};
use kit::lifecycle::Lifecycle;
use kit::principal::{KeySource, ServiceIdentity, Verifier};
use kit::rpc::Transport;
use kit::{Error, Result};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::{GetSetupStateRequest, ListSigningKeysRequest};
use secrecy::ExposeSecret;
use store::Db;
use store::outbox::Relay;
use store::settings::{Follow, Settings};

use crate::plumbing::{blob, bus, cache};
use crate::serve::{self, Listeners};

/// A running process.
pub struct Node {
    pub lifecycle: Lifecycle,
    pub http: Option<SocketAddr>,
    pub grpc: Option<SocketAddr>,
    pub ops: Option<SocketAddr>,
    pub ingest: Option<SocketAddr>,
    /// The token that making the first account wants, when it wants one.
    pub setup_token: Option<String>,
    /// Whether the first account is still to be made, as far as this process knows.
    pub admin_needed: bool,
    databases: Vec<Db>,
}

impl Node {
    /// Stops everything in order and closes the databases. Returns whether all went well.
    pub async fn stop(self) -> bool {
        let clean = self.lifecycle.shutdown().await;
        self.close().await;
        clean
    }

    /// Serves until a signal, then stops. Returns whether all went well.
    pub async fn run(self) -> bool {
        let clean = self.lifecycle.run().await;
        self.close().await;
        clean
    }

    async fn close(&self) {
        for db in &self.databases {
            db.close().await;
        }
    }
}

/// Starts what the target names.
pub async fn start(mut config: Config, target: Target, listeners: Listeners, clock: Clock) -> Result<Node> {
    kit::install_crypto();
    if target == Target::All {
        config.generate_secrets().map_err(Error::internal)?;
    }
    let life = Lifecycle::new();
    let mut databases = Vec::new();
    // Relays begin when everybody who follows an event is registered: one that nobody waits for is done.
    let mut emitting = Vec::new();
    let timeout = Duration::from_secs(config.grpc.timeout_seconds);
    let bus = bus(&config, target).await?;

    // Auth comes first: everybody else verifies with its keys.
    let remote = |target: Target| Transport::connect(config.peers.of(target), timeout);
    let mut setup_token = None;
    let mut admin_needed = false;
    let (auth, verifier) = if target.runs(Target::Auth) {
        let db = open::<auth::Migrator>(&config, target, auth::NAME, &life).await?;
        databases.push(db.clone());
        let context = auth::Context {
            db,
            clock: clock.clone(),
            config: config.auth.clone(),
            setup_token_needed: setup_token_needed(&config, target),
            mailing: auth::Mailing::new(&config, target)?,
        };
        let db = context.db.clone();
        let started = auth::service(context).await?;
        setup_token = started.setup_token;
        let verifier = verifier(started.keys, &config, &clock);
        let routes = kit::rpc::mount(started.routes, verifier.clone(), timeout);
        let stop = life.working();
        life.spawn_worker("auth tasks", started.tasks.run(stop));
        let consumers = bus.register(started.consumers).await?;
        life.spawn_worker("auth consumers", consumers.run(life.working()));
        emitting.push(db);
        let transport = Transport::InProcess(routes);
        admin_needed = is_admin_needed(&transport).await?;
        (transport, verifier)
    } else {
        let transport = remote(Target::Auth)?;
        let keys = Arc::new(RemoteKeys(transport.clone()));
        (transport, verifier(keys, &config, &clock))
    };

    let settings = if target.runs(Target::Settings) {
        let db = open::<settings::Migrator>(&config, target, settings::NAME, &life).await?;
        databases.push(db.clone());
        let context = settings::Context {
            db: db.clone(),
            clock: clock.clone(),
            blob: blob(&config, &clock)?,
            public_url: config.http.public_url.trim_end_matches('/').to_owned(),
            defaults: settings::Defaults {
                organization: config.organization.clone(),
                deliveries: config.deliveries.clone(),
                drivers: config.drivers.clone(),
                imports: config.imports.clone(),
            },
        };
        let routes = settings::service(context.clone()).await?;
        life.spawn_worker("settings chores", settings::run(context, life.working()));
        emitting.push(db);
        Transport::InProcess(kit::rpc::mount(routes, verifier.clone(), timeout))
    } else {
        remote(Target::Settings)?
    };

    // Who obeys settings keeps copies, and learns what was set before it was there.
    let follow = |following: Follow, service: &'static str| {
        let identity = ServiceIdentity::new(service, config.auth.service_secret.clone(), clock.clone());
        life.spawn_worker("settings", following.run(settings.clone(), identity, life.working()));
    };

    let drivers = if target.runs(Target::Drivers) {
        let db = open::<drivers::Migrator>(&config, target, drivers::NAME, &life).await?;
        databases.push(db.clone());
        let settings = Settings::open(&db).await?;
        let context = drivers::Context {
            db: db.clone(),
            clock: clock.clone(),
            config: config.drivers.clone(),
            settings,
        };
        follow(drivers::follow_settings(&context), drivers::NAME);
        let started = drivers::service(context).await?;
        life.spawn_worker("drivers tasks", background::run(started.tasks.run(life.working())));
        let consumers = bus.register(started.consumers).await?;
        life.spawn_worker("drivers consumers", consumers.run(life.working()));
        emitting.push(db);
        Transport::InProcess(kit::rpc::mount(started.routes, verifier.clone(), timeout))
    } else {
        remote(Target::Drivers)?
    };

    if [Target::Deliveries, Target::Settings, Target::Upload].into_iter().any(|it| target.runs(it)) {
        let blob = blob(&config, &clock)?;
        life.readiness.depend("objects", move || {
            let blob = blob.clone();
            async move { blob.ready().await }
        });
    }
    let deliveries = if target.runs(Target::Deliveries) {
        let db = open::<deliveries::Migrator>(&config, target, deliveries::NAME, &life).await?;
        databases.push(db.clone());
        let context = deliveries::Context {
            db: db.clone(),
            clock: clock.clone(),
            config: config.deliveries.clone(),
            organization: config.organization.clone(),
            settings: Settings::open(&db).await?,
            blob: blob(&config, &clock)?,
            public_url: config.http.base(),
            seal: deliveries::Seal::new(config.auth.service_secret.expose_secret()),
        };
        follow(deliveries::follow_settings(&context), deliveries::NAME);
        let routes = deliveries::service(context.clone()).await?;
        let consumers = bus.register(deliveries::consumers(&context)).await?;
        life.spawn_worker("deliveries consumers", consumers.run(life.working()));
        life.spawn_worker("deliveries chores", deliveries::run(context, life.working()));
        emitting.push(db);
        Transport::InProcess(kit::rpc::mount(routes, verifier.clone(), timeout))
    } else {
        remote(Target::Deliveries)?
    };

    let upload = if target.runs(Target::Upload) {
        let db = open::<upload::Migrator>(&config, target, upload::NAME, &life).await?;
        databases.push(db.clone());
        let secret = config.auth.service_secret.clone();
        let context = upload::Context {
            db: db.clone(),
            clock: clock.clone(),
            blob: blob(&config, &clock)?,
            deliveries: deliveries.clone(),
            identity: ServiceIdentity::new(upload::NAME, secret, clock.clone()),
            imports: config.imports.clone(),
            zone: config.organization.zone(),
            settings: Settings::open(&db).await?,
            work: Arc::default(),
        };
        let following = upload::follow_settings(&context);
        let consumers = bus.register(vec![following.consumer()]).await?;
        life.spawn_worker("upload consumers", consumers.run(life.working()));
        follow(following, upload::NAME);
        let stop = life.working();
        life.spawn_worker("imports", upload::run(context.clone(), stop));
        emitting.push(db);
        Transport::InProcess(kit::rpc::mount(upload::service(context), verifier.clone(), timeout))
    } else {
        remote(Target::Upload)?
    };
    for db in emitting {
        relay(&life, db, &bus, &clock);
    }

    if target != Target::Gateway {
        let probe = bus.clone();
        life.readiness.depend("bus", move || {
            let bus = probe.clone();
            async move { bus.ready().await }
        });
    }
    let mut ingest = None;
    let http = match listeners.http {
        Some(listener) if target.runs(Target::Gateway) => {
            let cache = cache(&config)?;
            let probe = cache.clone();
            life.readiness.depend("cache", move || {
                let cache = probe.clone();
                async move { cache.ready().await }
            });
            if target == Target::Gateway {
                let peer = auth.clone();
                life.readiness.depend("auth", move || {
                    let peer = peer.clone();
                    async move { is_admin_needed(&peer).await.map(|_| ()) }
                });
            }
            let notices = gateway::Notices::default();
            life.spawn_worker("notices", notices.clone().run(bus, life.working()));
            let context = gateway::Context {
                auth: auth.clone(),
                deliveries: deliveries.clone(),
                drivers: drivers.clone(),
                settings: settings.clone(),
                upload: upload.clone(),
                identity: ServiceIdentity::new(
                    gateway::NAME,
                    config.auth.service_secret.clone(),
                    clock.clone(),
                ),
                verifier,
                cache,
                blob: blob(&config, &clock)?,
                config: config.clone(),
                clock,
                notices,
                stop: life.accepting(),
            };
            if let Some(listener) = listeners.ingest {
                ingest = Some(serve::ingest(&life, listener, &context)?);
            }
            Some(serve::http(&life, listener, gateway::router(context))?)
        }
        _ => None,
    };
    let grpc = match (listeners.grpc, target) {
        (Some(listener), Target::Auth) => Some(serve::grpc(&life, listener, &auth)?),
        (Some(listener), Target::Deliveries) => Some(serve::grpc(&life, listener, &deliveries)?),
        (Some(listener), Target::Drivers) => Some(serve::grpc(&life, listener, &drivers)?),
        (Some(listener), Target::Settings) => Some(serve::grpc(&life, listener, &settings)?),
        (Some(listener), Target::Upload) => Some(serve::grpc(&life, listener, &upload)?),
        _ => None,
    };
    life.readiness.probe().await;
    let stop = life.working();
    life.spawn_worker("readiness", life.readiness.clone().run(stop));
    let ops = match listeners.ops {
        Some(listener) => Some(serve::ops(&life, listener)?),
        None => None,
    };
    Ok(Node { lifecycle: life, http, grpc, ops, ingest, setup_token, admin_needed, databases })
}

/// Brings the databases of a target up to date.
pub async fn migrate(config: &Config, target: Target) -> Result<()> {
    for service in Target::EACH.into_iter().filter(|service| target.runs(*service)) {
        let address = config.database.address(&config.data, service.as_str());
        if service == Target::Gateway {
            continue;
        }
        let db = Db::connect(&address, &config.database).await?;
        match service {
            Target::Auth => store::migrate::up::<auth::Migrator>(&db).await?,
            Target::Deliveries => store::migrate::up::<deliveries::Migrator>(&db).await?,
            Target::Drivers => store::migrate::up::<drivers::Migrator>(&db).await?,
            Target::Settings => store::migrate::up::<settings::Migrator>(&db).await?,
            Target::Upload => store::migrate::up::<upload::Migrator>(&db).await?,
            Target::All | Target::Gateway => {}
        }
        db.close().await;
        tracing::info!(service = service.as_str(), "the database is up to date");
    }
    Ok(())
}

/// Opens a service's database. In one process it is brought up to date; a service alone refuses
/// to run on an older one, because its neighbours may still be using it.
pub async fn open<M: sea_orm_migration::MigratorTrait>(
    config: &Config,
    target: Target,
    service: &'static str,
    life: &Lifecycle,
) -> Result<Db> {
    let address = config.database.address(&config.data, service);
    let db = Db::connect(&address, &config.database).await?;
    if target == Target::All {
        store::migrate::up::<M>(&db).await?;
    } else {
        store::migrate::require_current::<M>(&db, service).await?;
    }
    let probe = db.clone();
    life.readiness.depend(format!("database of {service}"), move || {
        let db = probe.clone();
        async move { db.ping().await }
    });
    Ok(db)
}

fn verifier(keys: Arc<dyn KeySource>, config: &Config, clock: &Clock) -> Verifier {
    Verifier::new(keys, config.auth.service_secret.clone(), clock.clone())
}

fn relay(life: &Lifecycle, db: Db, bus: &Bus, clock: &Clock) {
    let relay = Relay::new(db, bus.clone(), clock.clone());
    let stop = life.working();
    life.spawn_worker("outbox relay", relay.run(stop));
}

/// Whoever can reach only this machine's loopback is at the machine; anyone else must show the
/// token that was printed there.
fn setup_token_needed(config: &Config, target: Target) -> bool {
    match config.auth.setup_token {
        SetupToken::Yes => true,
        SetupToken::No => false,
        SetupToken::Auto => {
            let host = config.http.host.as_str();
            let loopback = host == "localhost"
                || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
            target != Target::All || !loopback
        }
    }
}

async fn is_admin_needed(auth: &Transport) -> Result<bool> {
    let mut client = AuthServiceClient::new(auth.anonymous());
    Ok(client.get_setup_state(GetSetupStateRequest {}).await?.into_inner().admin_needed)
}

/// The keys of an auth service elsewhere.
struct RemoteKeys(Transport);

#[async_trait]
impl KeySource for RemoteKeys {
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
        let mut client = AuthServiceClient::new(self.0.anonymous());
        let answer = client.list_signing_keys(ListSigningKeysRequest {}).await?.into_inner();
        Ok(answer.keys.into_iter().map(|key| (key.id, key.public_key)).collect())
    }
}
