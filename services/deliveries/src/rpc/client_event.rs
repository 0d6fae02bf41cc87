//! Client events, by which a client can repeat a request until it gets a response.

use kit::{Error, Result};
use prost::Message;
use ring::digest::{SHA256, digest};

use crate::tables::client_events::Event;

/// Returns the event with a fingerprint of its content. Callers leave out the version that the client saw,
/// because the client may have seen a newer one when it repeats the request.
pub fn client_event(what: &str, id: &str, content: &impl Message) -> Result<Event> {
    let id = id
        .trim()
        .parse()
        .map_err(|_| Error::invalid_field("clientEventId", "Client event id must be a UUID"))?;
    let mut bytes = what.as_bytes().to_vec();
    bytes.push(0);
    bytes.extend(content.encode_to_vec());
    Ok(Event { id, fingerprint: digest(&SHA256, &bytes).as_ref().to_vec() })
}
