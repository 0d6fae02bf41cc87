//! Ends the announcement of an endpoint's pause once the pause has ended.

use ::store::Tx;
use ::store::consume::Meta;
use kit::{Error, Result};
use proto::events::EndpointResumed;
use uuid::Uuid;

use crate::entity::endpoint_pause::Model;
use crate::store::{By, announcements, endpoint_pauses};

/// Actor in the audit log: the person who resumed the endpoint did not edit the announcement.
const SYSTEM: &str = "system:settings";

pub async fn apply(tx: &Tx, resumed: EndpointResumed, meta: &Meta) -> Result<()> {
    let endpoint = Uuid::parse_str(&resumed.id).map_err(Error::internal)?;
    let paused_at = resumed.paused_at.and_then(proto::instant);
    let paused_at = paused_at.ok_or_else(|| Error::internal("no time of the pause"))?;
    let known = endpoint_pauses::lock(tx, endpoint).await?;
    if known.as_ref().is_some_and(|it| it.paused_at > paused_at) {
        return Ok(());
    }
    if let Some(announcement) = known.as_ref().and_then(|it| it.announcement_id) {
        announcements::end(tx, announcement, By { actor: SYSTEM, address: "", now: meta.now }).await?;
    }
    let ended = Model { endpoint_id: endpoint, paused_at, announcement_id: None };
    endpoint_pauses::save(tx, known.as_ref(), ended).await
}
