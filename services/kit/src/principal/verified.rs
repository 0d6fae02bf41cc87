//! Access tokens whose signature was verified, so that a process verifies each token once.
//!
//! Only the result of the signature check is cached. Whether the key is still valid and whether the token has
//! expired is checked on every use.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use ring::digest::{SHA256, digest};

use super::token::AccessClaims;

/// Maximum number of tokens; beyond it the least used tokens are dropped and verified again.
const TOKENS: u64 = 10_000;
/// How long the claims of a token are kept: at least the lifetime of a token, which is five minutes.
const KEPT: Duration = Duration::from_secs(600);

/// The claims of a token, and the key that signed it.
pub struct Token {
    pub key_id: String,
    pub public_key: Vec<u8>,
    pub claims: AccessClaims,
}

/// Maps a token's digest to its claims. The tokens themselves are secrets and are not kept.
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
