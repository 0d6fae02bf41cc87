//! The dependencies of the gateway.

use kit::blob::Blob;
use kit::cache::Cache;
use kit::clock::Clock;
use kit::config::Config;
use kit::principal::{ServiceIdentity, Verifier};
use kit::rpc::Transport;
use tokio_util::sync::CancellationToken;

use crate::notices::Notices;

/// The dependencies of the gateway.
#[derive(Clone)]
pub struct Context {
    pub auth: Transport,
    pub deliveries: Transport,
    pub drivers: Transport,
    pub settings: Transport,
    pub upload: Transport,
    pub analytics: Transport,
    /// Used for calls that no person makes, such as those for devices.
    pub identity: ServiceIdentity,
    pub verifier: Verifier,
    pub cache: Cache,
    pub blob: Blob,
    pub config: Config,
    pub clock: Clock,
    /// Changes that open screens learn of.
    pub notices: Notices,
    /// When cancelled, nothing new begins and open WebSockets end.
    pub stop: CancellationToken,
}
