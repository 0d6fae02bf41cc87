//! What a client makes, once: told again, it is the same.

use kit::{Error, Result};
use prost::Message;
use ring::digest::{SHA256, digest};
use uuid::Uuid;

/// A creation as the client calls it, and what it says, in short.
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

    /// An edited form under an old id would be lost without a word.
    pub fn require_same(&self, fingerprint: &[u8]) -> Result<()> {
        if self.fingerprint == fingerprint {
            return Ok(());
        }
        let text = format!("The creation {} was told with other content already", self.id);
        Err(Error::invalid("CREATION_ID_REUSED", text.clone()).field("creationId", text))
    }
}
