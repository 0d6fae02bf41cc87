//! Transports from this process to all services, and the public keys of an auth service in another process,
//! to verify tokens.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use kit::principal::KeySource;
use kit::rpc::Transport;
use kit::{Error, Result};
use proto::auth::v1::ListSigningKeysRequest;
use proto::auth::v1::auth_service_client::AuthServiceClient;

use super::shared::Shared;

/// The transports by service name.
#[derive(Clone)]
pub struct Transports(BTreeMap<&'static str, Transport>);

impl Transports {
    /// Creates transports to services in other processes. Services of this process are added as they start.
    pub(super) fn to_others(shared: &Shared, services: impl Iterator<Item = &'static str>) -> Result<Self> {
        let elsewhere = services.filter(|name| !shared.target.runs(name));
        let connected = elsewhere.map(|name| {
            let url = shared.config.peers.of(name);
            let transport = Transport::connect(name, &url, shared.timeout(), shared.tls.as_ref());
            transport.map(|transport| (name, transport))
        });
        Ok(Self(connected.collect::<Result<_>>()?))
    }

    pub(super) fn add(&mut self, service: &'static str, transport: Transport) {
        self.0.insert(service, transport);
    }

    pub(super) fn of(&self, service: &str) -> Result<&Transport> {
        self.0.get(service).ok_or_else(|| Error::internal(format!("{service} has not started yet")))
    }
}

/// The signing keys of an auth service that runs in another process.
pub(super) struct RemoteKeys(pub Transport);

#[async_trait]
impl KeySource for RemoteKeys {
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
        let mut client = AuthServiceClient::new(self.0.anonymous());
        let answer = client.list_signing_keys(ListSigningKeysRequest {}).await?.into_inner();
        Ok(answer.keys.into_iter().map(|key| (key.id, key.public_key)).collect())
    }
}
