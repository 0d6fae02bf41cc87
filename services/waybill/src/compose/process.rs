//! A service before it starts, and what a starting service receives.

use std::sync::Arc;

use futures::FutureExt;
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
use tokio::sync::SetOnce;

use super::shared::Shared;
use super::transports::Transports;
use crate::plumbing;

/// The static properties of a service.
pub struct Row {
    pub name: &'static str,
    /// Services that this service calls. They come before it in the table. Includes `settings` if the service
    /// uses any setting, except for auth, which starts before it.
    pub calls: &'static [&'static str],
    /// Whether the service stores files.
    pub keeps_objects: bool,
    /// Whether the service serves `EventsService`, which consumers ask for events that the broker has lost.
    pub answers_for_events: bool,
    pub migrations: Migrations,
    /// Returns the copies of other services' data that the service keeps. They must match the registry of
    /// events.
    pub copies: fn() -> Vec<Copy>,
    /// Creates the service and its context.
    pub start: fn(Process) -> BoxFuture<'static, Result<Service>>,
}

impl Row {
    pub fn target(&self) -> Target {
        Target::Service(Part { name: self.name, keeps_objects: self.keeps_objects })
    }

    /// Returns the address of the service's database.
    pub fn database(&self, config: &Config) -> String {
        config.database.address(&config.data, self.name)
    }
}

/// What a starting service creates its context from.
pub struct Process {
    pub config: Config,
    pub target: Target,
    pub clock: Clock,
    /// The service's database, whose schema matches the program.
    pub db: Db,
    row: &'static Row,
    transports: Transports,
    settings: SettingsPeer,
}

/// The transport to the settings service, once that has started. It may start after a service that asks it.
pub(super) type SettingsPeer = Arc<SetOnce<Transport>>;

impl Process {
    pub(super) fn new(
        shared: &Shared,
        row: &'static Row,
        db: Db,
        transports: Transports,
        settings: SettingsPeer,
    ) -> Self {
        let Shared { config, target, clock, .. } = shared;
        Self { config: config.clone(), target: *target, clock: clock.clone(), db, row, transports, settings }
    }

    /// Returns the storage of files.
    pub fn blob(&self) -> Result<Blob> {
        if !self.row.keeps_objects {
            return Err(Error::internal(format!(
                "{} keeps files, and its row does not say so",
                self.row.name
            )));
        }
        plumbing::blob(&self.config, &self.clock)
    }

    /// Returns the identity with which the service calls others.
    pub fn identity(&self) -> ServiceIdentity {
        ServiceIdentity::new(self.row.name, self.config.auth.service_secret.clone(), self.clock.clone())
    }

    /// Returns the transport to another service, which must be in `calls`.
    pub fn peer(&self, service: &str) -> Result<Transport> {
        if !self.row.calls.contains(&service) {
            return Err(Error::internal(format!(
                "{} calls {service}, and its row does not say so",
                self.row.name
            )));
        }
        self.transports.of(service).cloned()
    }

    /// Loads the service's copies of runtime settings.
    pub async fn settings(&self) -> Result<Settings> {
        let peer = self.settings.clone();
        let service = async move { peer.wait().await.clone() }.boxed().shared();
        Ok(Settings::open(&self.db).await?.from_service(service, self.identity()))
    }
}
