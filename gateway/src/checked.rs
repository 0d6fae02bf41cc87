//! Auth's recent answers about sessions, shared by all gateways.
//!
//! Access to the cache must not give anybody access to the product. So an answer is signed with the
//! deployment's secret, together with its session and its expiry. An answer that was forged, copied from
//! another session or kept too long is ignored, and auth is asked.

use std::time::Duration;

use chrono::TimeDelta;
use kit::Result;
use kit::cache::{Cache, CacheKey};
use kit::clock::Clock;
use ring::hmac;
use serde::{Deserialize, Serialize};

use crate::session::SignedIn;

/// How long a "yes" of auth is valid, counted from when auth was asked.
pub const CHECKED_FOR: Duration = Duration::from_secs(1);
const PURPOSE: &[u8] = b"waybill checked session\0";

pub struct Checked {
    cache: Cache,
    key: hmac::Key,
    clock: Clock,
}

/// An answer as it is cached.
#[derive(Serialize, Deserialize)]
struct Kept {
    user: SignedIn,
    /// Expiry in milliseconds of Unix time.
    until: i64,
    seal: String,
}

impl Checked {
    pub fn new(cache: Cache, secret: &str, clock: Clock) -> Self {
        Self { cache, key: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), clock }
    }

    pub async fn get(&self, session: &str) -> Result<Option<SignedIn>> {
        let Some(kept) = self.cache.get::<Kept>(&key(session)).await? else { return Ok(None) };
        let Kept { user, until, seal } = kept;
        let now = self.clock.now().timestamp_millis();
        let longest = i64::try_from(CHECKED_FOR.as_millis()).unwrap_or(i64::MAX);
        // Ignore entries that expire too late: their signer's clock was ahead.
        let counts = now < until && until <= now.saturating_add(longest);
        let seal = hex::decode(seal).unwrap_or_default();
        let signed =
            content(session, until, &user).is_some_and(|it| hmac::verify(&self.key, &it, &seal).is_ok());
        Ok((counts && signed).then_some(user))
    }

    pub async fn put(&self, session: &str, user: &SignedIn, left: Duration) -> Result<()> {
        let until = (self.clock.now() + TimeDelta::from_std(left).unwrap_or_default()).timestamp_millis();
        let Some(content) = content(session, until, user) else { return Ok(()) };
        let seal = hex::encode(hmac::sign(&self.key, &content));
        self.cache.set(&key(session), &Kept { user: user.clone(), until, seal }, left).await
    }

    pub async fn forget(&self, session: &str) -> Result<()> {
        self.cache.delete(&key(session)).await
    }
}

fn key(session: &str) -> CacheKey {
    CacheKey::new("session", session)
}

/// Returns the content that is signed. It is JSON, so that different answers never give the same bytes.
fn content(session: &str, until: i64, user: &SignedIn) -> Option<Vec<u8>> {
    let said = serde_json::to_vec(&(session, until, user)).ok()?;
    Some([PURPOSE, &said].concat())
}
