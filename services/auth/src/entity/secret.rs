//! Column types whose content does not appear in `Debug` output, and so not in logs and panics.

use std::fmt;

use sea_orm::DeriveValueType;

/// The argon2id hash of a password, in PHC format.
#[derive(Clone, PartialEq, Eq, DeriveValueType)]
pub struct PasswordHash(pub String);

impl PasswordHash {
    /// Returns the value for an account without a password; no password matches it.
    pub fn none() -> Self {
        Self(String::new())
    }

    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes that must stay out of logs: a digest of a secret, a private key, a salt.
#[derive(Clone, PartialEq, Eq, DeriveValueType)]
pub struct Hidden(pub Vec<u8>);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}
