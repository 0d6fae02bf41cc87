//! What a server says about itself, for `waybill doctor`.

use async_nats::jetstream::response::Response;
use serde::Deserialize;

use super::{NatsBus, REQUEST_TIMEOUT, unavailable};
use crate::Result;

/// What a server says about itself.
pub struct About {
    pub version: String,
    /// Whether JetStream is on; without it nothing can be published.
    pub has_streams: bool,
    /// The largest message that it takes, in bytes.
    pub max_payload: usize,
    /// Whether other servers can hold copies of streams.
    pub is_clustered: bool,
    /// What streams have on its disks and may have, in bytes; `None` without a limit, or for an account that may
    /// not ask.
    pub storage: Option<(u64, u64)>,
}

/// What is read of a server's description of an account: the client's own type wants what NATS 2.9 does not say.
#[derive(Deserialize)]
struct AccountInfo {
    storage: u64,
    limits: AccountLimits,
}

#[derive(Deserialize)]
struct AccountLimits {
    /// In bytes; negative without a limit.
    max_storage: i64,
}

impl NatsBus {
    /// Returns what the server says about itself, once connected.
    pub async fn about(&self) -> Result<About> {
        let answered = tokio::time::timeout(REQUEST_TIMEOUT, self.0.client.flush()).await;
        answered.map_err(unavailable)?.map_err(unavailable)?;
        let info = self.0.client.server_info();
        // The gateway's account only watches: it is not answered.
        let asked = self.0.context.request::<_, _, Response<AccountInfo>>("INFO", &());
        let asked = tokio::time::timeout(REQUEST_TIMEOUT, asked).await;
        let storage = match asked {
            Ok(Ok(Response::Ok(account))) => {
                u64::try_from(account.limits.max_storage).ok().map(|limit| (account.storage, limit))
            }
            _ => None,
        };
        Ok(About {
            version: info.version,
            has_streams: info.jetstream,
            max_payload: info.max_payload,
            is_clustered: info.cluster.is_some(),
            storage,
        })
    }
}
