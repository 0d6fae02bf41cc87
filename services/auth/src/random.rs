//! Random secrets and their digests.
//!
//! A secret of 256 random bits needs no slow hash: it cannot be guessed. For passwords see `password`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kit::Result;
pub use kit::random::bytes;
use ring::digest::{SHA256, digest};
use secrecy::{ExposeSecret, SecretString};

/// Encodes bytes as text that is safe in cookies, addresses and terminals.
pub fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub fn from_text(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// Creates a secret of 256 bits, for a session or a reset link.
pub fn secret() -> Result<SecretString> {
    Ok(text(&bytes::<32>()?).into())
}

/// Returns the digest that is stored instead of the secret.
pub fn hash(secret: &SecretString) -> Vec<u8> {
    digest(&SHA256, secret.expose_secret().as_bytes()).as_ref().to_vec()
}
