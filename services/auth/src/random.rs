//! Secrets from the system's randomness, and their digests.
//!
//! A secret of 256 random bits needs no slow hash: nobody can try them all. Passwords are
//! another matter, see `password`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kit::Result;
pub use kit::random::bytes;
use ring::digest::{SHA256, digest};
use secrecy::{ExposeSecret, SecretString};

/// Bytes as text that is safe in a cookie, an address and on a terminal.
pub fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn from_text(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// A new secret of 256 bits: of a session, of a reset link.
pub fn secret() -> Result<SecretString> {
    Ok(text(&bytes::<32>()?).into())
}

/// What is kept of a secret.
pub fn hash(secret: &SecretString) -> Vec<u8> {
    digest(&SHA256, secret.expose_secret().as_bytes()).as_ref().to_vec()
}
