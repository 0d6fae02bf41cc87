//! The secret that the services of one deployment share.
//!
//! While it is replaced there are two, each on a line of its own: the first signs and seals, and what either of them
//! signed or sealed is accepted. `docs/secrets.md` says in which steps a deployment goes from one to the other.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

/// One secret, or two while one takes the other's place. Prints nothing of either.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct ServiceSecret(pub(crate) SecretString);

impl ServiceSecret {
    /// The one that signs and seals.
    pub fn first(&self) -> &str {
        self.all().next().unwrap_or_default()
    }

    /// Those that are accepted, the first one first.
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
