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
    /// Used for calls that are not made for a person, such as storing positions of devices.
    pub identity: ServiceIdentity,
    pub verifier: Verifier,
    pub cache: Cache,
    pub blob: Blob,
    pub config: Config,
    pub clock: Clock,
    /// Notices of changes, for open screens.
    pub notices: Notices,
    /// When canceled, no new work begins and open WebSockets are closed.
    pub stop: CancellationToken,
}
