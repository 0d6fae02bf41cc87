//! What the process gives the gateway.

use kit::blob::Blob;
use kit::cache::Cache;
use kit::clock::Clock;
use kit::config::Config;
use kit::principal::{ServiceIdentity, Verifier};
use kit::rpc::Transport;
use tokio_util::sync::CancellationToken;

use crate::notices::Notices;

/// What the process gives the gateway.
#[derive(Clone)]
pub struct Context {
    pub auth: Transport,
    pub deliveries: Transport,
    pub drivers: Transport,
    pub settings: Transport,
    pub upload: Transport,
    pub analytics: Transport,
    /// For calls that no person stands behind: devices.
    pub identity: ServiceIdentity,
    pub verifier: Verifier,
    pub cache: Cache,
    pub blob: Blob,
    pub config: Config,
    pub clock: Clock,
    /// What changes while screens are open.
    pub notices: Notices,
    /// From when on nothing new is begun and open WebSockets end.
    pub stop: CancellationToken,
}
