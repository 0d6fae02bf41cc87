//! Clients of the services that own the data.

use std::time::Duration;

use kit::principal::ServiceIdentity;
use kit::rpc::{Client, Transport};
use kit::{Error, Result};
use proto::deliveries::v1::snapshot_service_client::SnapshotServiceClient as DeliveriesClient;
use proto::drivers::v1::snapshot_service_client::SnapshotServiceClient as DriversClient;
use tonic::Streaming;

use crate::Context;

/// Maximum size of a message. A delivery may have a variance for each of its lines.
const MAX_MESSAGE: usize = 64 << 20;
/// A service that sends nothing for this long counts as down.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct Source {
    deliveries: Transport,
    drivers: Transport,
    identity: ServiceIdentity,
}

impl Source {
    pub fn of(context: &Context) -> Self {
        let Context { deliveries, drivers, identity, .. } = context.clone();
        Self { deliveries, drivers, identity }
    }

    pub fn deliveries(&self) -> Result<DeliveriesClient<Client>> {
        let client = DeliveriesClient::new(self.deliveries.with_token(self.identity.token()?.into()));
        Ok(client.max_decoding_message_size(MAX_MESSAGE))
    }

    pub fn drivers(&self) -> Result<DriversClient<Client>> {
        Ok(DriversClient::new(self.drivers.with_token(self.identity.token()?.into())))
    }
}

/// Returns the next message of a stream; `None` after the last one.
pub async fn next<T>(stream: &mut Streaming<T>) -> Result<Option<T>> {
    let silent = || {
        Error::unavailable(
            "SNAPSHOT_STALLED",
            "A service stopped sending its data. The rebuild will try again.",
        )
    };
    let message = tokio::time::timeout(PATIENCE, stream.message()).await.map_err(|_| silent())?;
    Ok(message?)
}
