//! Column types whose content stays out of every `Debug`, and so out of logs and panics.

use std::fmt;

use sea_orm::DeriveValueType;

/// A password as argon2id in PHC form.
#[derive(Clone, PartialEq, Eq, DeriveValueType)]
pub struct PasswordHash(pub String);

impl PasswordHash {
    /// Of an account that has no password yet: no password is this one.
    pub fn none() -> Self {
        Self(String::new())
    }

    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes nobody should read in a log: a digest of a secret, a private key, a salt.
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
