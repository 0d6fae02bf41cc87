//! Makes creations idempotent, by an id that the client chooses.

use kit::{Error, Result};
use prost::Message;
use ring::digest::{SHA256, digest};
use uuid::Uuid;

/// The client's id of a creation, and a fingerprint of its content.
#[derive(Debug, Clone)]
pub struct Creation {
    pub id: Uuid,
    pub fingerprint: Vec<u8>,
}

impl Creation {
    pub fn new(id: &str, content: &impl Message) -> Result<Self> {
        let id = id.trim().parse();
        let id = id.map_err(|_| Error::invalid_field("creationId", "Creation id must be a UUID"))?;
        Ok(Self { id, fingerprint: digest(&SHA256, &content.encode_to_vec()).as_ref().to_vec() })
    }

    /// Refuses other content under the same id: treating it as a retry would silently lose that content.
    pub fn require_same(&self, fingerprint: &[u8]) -> Result<()> {
        if self.fingerprint == fingerprint {
            return Ok(());
        }
        let text = format!("The creation {} was already sent with other content", self.id);
        Err(Error::invalid("CREATION_ID_REUSED", text.clone()).field("creationId", text))
    }
}
