//! Access tokens whose signature was found good, so that one process checks each of them once.
//!
//! Only the signature is remembered. Whether the key still counts and whether the token is in its time is
//! asked on every use.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use ring::digest::{SHA256, digest};

use super::token::AccessClaims;

/// Tokens of so many sessions; beyond, the least used ones are checked again.
const TOKENS: u64 = 10_000;
/// No shorter than an access token lives, five minutes.
const KEPT: Duration = Duration::from_secs(600);

/// A token with the key that signed it.
pub struct Token {
    pub key_id: String,
    pub public_key: Vec<u8>,
    pub claims: AccessClaims,
}

/// Digest of a token to what it says. The tokens themselves are not kept: they are secrets.
#[derive(Clone)]
pub struct Verified(Cache<[u8; 32], Arc<Token>>);

impl Default for Verified {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(TOKENS).time_to_live(KEPT).build())
    }
}

impl Verified {
    pub fn get(&self, token: &str) -> Option<Arc<Token>> {
        self.0.get(&name(token))
    }

    pub fn put(&self, token: &str, verified: Token) -> Arc<Token> {
        let verified = Arc::new(verified);
        self.0.insert(name(token), verified.clone());
        verified
    }
}

fn name(token: &str) -> [u8; 32] {
    let mut name = [0; 32];
    name.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    name
}
