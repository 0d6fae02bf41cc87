//! The secret that the services of one deployment share.
//!
//! While it is being replaced there are two, one per line: the first signs and seals, and both are
//! accepted. `docs/secrets.md` lists the steps of a replacement.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// One secret, or two during a replacement. Its `Debug` output is redacted.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct ServiceSecret(pub(crate) SecretString);

impl ServiceSecret {
    /// Returns the secret that signs and seals.
    pub fn first(&self) -> &str {
        self.all().next().unwrap_or_default()
    }

    /// Returns the accepted secrets, starting with the first.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.0.expose_secret().lines().map(str::trim).filter(|line| !line.is_empty())
    }
}

impl From<String> for ServiceSecret {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for ServiceSecret {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
