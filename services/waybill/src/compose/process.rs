//! What the program knows of a service before it starts, and what it gives to one that starts.

use futures::future::BoxFuture;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::config::{Config, Part, Target};
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::service::Service;
use kit::{Error, Result};
use store::Db;
use store::copies::Copy;
use store::migrate::Migrations;
use store::settings::Settings;

use super::shared::Shared;
use super::transports::Transports;
use crate::plumbing;

/// What the program knows of a service before it runs.
pub struct Row {
    pub name: &'static str,
    /// Services that it calls; they stand before it. Settings are among them when it obeys some.
    pub calls: &'static [&'static str],
    /// Whether it keeps files.
    pub keeps_objects: bool,
    /// Whether it serves `EventsService`, which its consumers ask for what the broker lost.
    pub answers_for_events: bool,
    pub migrations: Migrations,
    /// What it keeps of other services, as the registry of events says.
    pub copies: fn() -> Vec<Copy>,
    /// Makes its context and the service.
    pub start: fn(Process) -> BoxFuture<'static, Result<Service>>,
}

impl Row {
    pub fn target(&self) -> Target {
        Target::Service(Part { name: self.name, keeps_objects: self.keeps_objects })
    }

    /// Address of its database.
    pub fn database(&self, config: &Config) -> String {
        config.database.address(&config.data, self.name)
    }
}

/// What one service can make its context from.
pub struct Process {
    pub config: Config,
    pub target: Target,
    pub clock: Clock,
    /// The service's database, which fits the program.
    pub db: Db,
    row: &'static Row,
    transports: Transports,
}

impl Process {
    pub(super) fn new(shared: &Shared, row: &'static Row, db: Db, transports: Transports) -> Self {
        let Shared { config, target, clock, .. } = shared;
        Self { config: config.clone(), target: *target, clock: clock.clone(), db, row, transports }
    }

    /// Where files lie.
    pub fn blob(&self) -> Result<Blob> {
        if !self.row.keeps_objects {
            return Err(Error::internal(format!(
                "{} keeps files, and its row does not say so",
                self.row.name
            )));
        }
        plumbing::blob(&self.config, &self.clock)
    }

    /// As whom the service calls others.
    pub fn identity(&self) -> ServiceIdentity {
        ServiceIdentity::new(self.row.name, self.config.auth.service_secret.clone(), self.clock.clone())
    }

    /// Another service. Its row must be named in `calls`.
    pub fn peer(&self, service: &str) -> Result<Transport> {
        if !self.row.calls.contains(&service) {
            return Err(Error::internal(format!(
                "{} calls {service}, and its row does not say so",
                self.row.name
            )));
        }
        self.transports.of(service).cloned()
    }

    /// The service's copies of runtime settings.
    pub async fn settings(&self) -> Result<Settings> {
        let service = self.peer(settings::NAME)?;
        Ok(Settings::open(&self.db).await?.from_service(service, self.identity()))
    }
}
