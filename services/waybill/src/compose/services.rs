//! The services of a process. They start one after the other; afterwards their events are relayed.

use std::sync::Arc;

use kit::bus::{Consumer, Retry};
use kit::health::Check;
use kit::principal::{KeySource, ServiceIdentity, Verifier};
use kit::rpc::Transport;
use kit::service::Service;
use kit::{Error, Result};
use secrecy::SecretString;
use store::Db;
use store::lag::Lag;
use store::reconcile::Reconcile;
use store::relay::Relay;

use super::process::{Process, SettingsPeer};
use super::shared::Shared;
use super::transports::{RemoteKeys, Transports};
use crate::database;
use crate::target::{self, Row, SERVICES};

/// Running services, and transports to the others.
pub struct Services {
    pub transports: Transports,
    pub setup_token: Option<SecretString>,
    pub databases: Vec<Db>,
    verifier: Option<Verifier>,
    settings: SettingsPeer,
    consumers: Vec<(ServiceIdentity, Db, Consumer)>,
    keepers: Vec<Keeper>,
}

/// A service that may keep copies.
struct Keeper {
    row: &'static Row,
    identity: ServiceIdentity,
    db: Db,
}

impl Services {
    /// Starts the services of the target and, once all of them run, their relays.
    pub(super) async fn start(shared: &Shared) -> Result<Self> {
        let mut this = Self {
            transports: Transports::to_others(shared, SERVICES.iter().map(|row| row.name))?,
            setup_token: None,
            databases: Vec::new(),
            verifier: None,
            settings: SettingsPeer::default(),
            consumers: Vec::new(),
            keepers: Vec::new(),
        };
        if !shared.target.runs(auth::NAME) {
            let keys = RemoteKeys(this.transports.of(auth::NAME)?.clone());
            this.verify_with(shared, Arc::new(keys));
        }
        this.note_settings();
        for (row, db) in database::open(&shared.config, shared.target).await? {
            this.add(shared, row, db).await?;
        }
        // Relays start last, because an event without a registered consumer counts as handled.
        for db in &this.databases {
            let relay = Relay::new(db.clone(), shared.bus.clone());
            shared.life.spawn_worker("outbox relay", relay.run(shared.life.working()));
        }
        if shared.bus.keeps_events() {
            this.reconcile(shared)?;
        }
        this.rebuild_copies(shared)?;
        Ok(this)
    }

    /// Returns the token verifier. It has the keys of auth, which is the first service of the table.
    pub(super) fn verifier(&self) -> Result<&Verifier> {
        self.verifier.as_ref().ok_or_else(|| Error::internal("a service starts before auth"))
    }

    fn verify_with(&mut self, shared: &Shared, keys: Arc<dyn KeySource>) {
        let secret = shared.config.auth.service_secret.clone();
        self.verifier = Some(Verifier::new(keys, secret, shared.clock.clone()));
    }

    async fn add(&mut self, shared: &Shared, row: &'static Row, db: Db) -> Result<()> {
        let life = &shared.life;
        self.databases.push(db.clone());
        db.show(row.name);
        let lag = Lag::new(db.clone(), row.name);
        life.spawn_worker(format!("{} lag", row.name), lag.run(life.working()));
        life.readiness.add(answers(row.name, &db));
        if db.is_postgres() {
            life.readiness.add(is_writable(row.name, &db));
        }
        let process = Process::new(shared, row, db.clone(), self.transports.clone(), self.settings.clone());
        let identity = process.identity();
        self.keepers.push(Keeper { row, identity: identity.clone(), db: db.clone() });
        let service = (row.start)(process).await?;
        let Service { name, routes, consumers, intake, tasks, checks, keys, setup_token } = service;
        if let Some(keys) = keys {
            self.verify_with(shared, keys);
        }
        if setup_token.is_some() {
            self.setup_token = setup_token;
        }
        let mounted = kit::rpc::mount(routes, self.verifier()?.clone(), shared.timeout());
        self.transports.add(row.name, Transport::InProcess(mounted));
        self.note_settings();
        for check in checks {
            life.readiness.add(check);
        }
        if !consumers.is_empty() {
            let registered = shared.bus.register(consumers.clone()).await?;
            life.spawn_worker(format!("{name} consumers"), registered.run(life.working()));
        }
        if let Some(intake) = intake {
            let (bus, stop) = (shared.bus.clone(), life.working());
            let taking = async move { bus.take_in(intake, stop).await };
            life.spawn_worker(format!("{name} intake"), taking);
        }
        for task in tasks.into_iter().chain(store::migrate::clear_copies(&db, &shared.clock)) {
            life.spawn_worker(format!("{name} {}", task.name()), task.run(life.working()));
        }
        self.consumers.extend(consumers.into_iter().map(|it| (identity.clone(), db.clone(), it)));
        Ok(())
    }

    /// Notes the transport to the settings service, if it is known by now.
    fn note_settings(&self) {
        if let Ok(transport) = self.transports.of(settings::NAME) {
            // Fails if it is noted already.
            let _ = self.settings.set(transport.clone());
        }
    }

    /// Starts rebuilds of copies, now that transports to all owners are known.
    fn rebuild_copies(&mut self, shared: &Shared) -> Result<()> {
        for Keeper { row, identity, db } in std::mem::take(&mut self.keepers) {
            let mut copies = Vec::new();
            for copy in (row.copies)() {
                if let Some(owner) = copy.owner() {
                    copies.push((copy, self.transports.of(owner)?.clone()));
                }
            }
            if !copies.is_empty() {
                let jobs = store::copies::jobs(&db, &shared.clock, &identity, copies);
                shared.life.spawn_worker(format!("{} copies", row.name), jobs.run(shared.life.working()));
            }
        }
        Ok(())
    }

    /// Lets each consumer ask the emitting service for events that the broker lost.
    fn reconcile(&mut self, shared: &Shared) -> Result<()> {
        for (identity, db, consumer) in std::mem::take(&mut self.consumers) {
            let row = target::service(consumer.service())?;
            if !row.answers_for_events {
                let name = consumer.name;
                return Err(Error::internal(format!(
                    "{name} follows {}, which does not answer for its events",
                    row.name
                )));
            }
            let reconcile = Reconcile {
                db,
                bus: shared.bus.clone(),
                source: self.transports.of(row.name)?.clone(),
                identity,
                retry: Retry::default(),
                consumer,
            };
            shared.life.spawn_worker("reconciliation", reconcile.run(shared.life.working()));
        }
        Ok(())
    }
}

/// Returns a readiness check: the service's database must respond.
fn answers(service: &str, db: &Db) -> Check {
    let db = db.clone();
    Check::needed(format!("database of {service}"), move || {
        let db = db.clone();
        async move { db.ping().await }
    })
}

/// Returns a check that is only shown: while the server of a database accepts no changes, everything can be read.
fn is_writable(service: &str, db: &Db) -> Check {
    let db = db.clone();
    Check::shown(format!("writable database of {service}"), move || {
        let db = db.clone();
        async move { db.require_writable().await }
    })
}
