//! Information that a NATS server reports about itself, for `waybill doctor`.

use async_nats::jetstream::response::Response;
use serde::Deserialize;

use super::{NatsBus, REQUEST_TIMEOUT, unavailable};
use crate::Result;

/// Information that a server reports about itself.
pub struct About {
    pub version: String,
    /// Whether JetStream is on; without it nothing can be published.
    pub has_streams: bool,
    /// Maximum size of a message, in bytes.
    pub max_payload: usize,
    /// Whether the server is part of a cluster, so that other servers can hold copies of streams.
    pub is_clustered: bool,
    /// The disk space that streams use and its limit, in bytes; `None` if there is no limit, or if the
    /// account may not query it.
    pub storage: Option<(u64, u64)>,
}

/// The fields that we read from a server's account information. The client's own type requires fields that
/// NATS 2.9 does not send.
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
    /// Returns the server's information about itself. Waits for the connection.
    pub async fn about(&self) -> Result<About> {
        let answered = tokio::time::timeout(REQUEST_TIMEOUT, self.0.client.flush()).await;
        answered.map_err(unavailable)?.map_err(unavailable)?;
        let info = self.0.client.server_info();
        // The gateway's account may only watch events, so this request gets no response there.
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
