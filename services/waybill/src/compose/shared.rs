//! State shared by all parts of a process.

use std::time::Duration;

use kit::bus::Bus;
use kit::clock::Clock;
use kit::config::{Config, Target};
use kit::lifecycle::Lifecycle;
use kit::tls::Tls;

pub(super) struct Shared {
    pub config: Config,
    pub target: Target,
    pub clock: Clock,
    pub life: Lifecycle,
    pub bus: Bus,
    /// The certificate for calls between services, if they are encrypted.
    pub tls: Option<Tls>,
}

impl Shared {
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.config.grpc.timeout_seconds)
    }
}
