//! What auth said of a session a moment ago, shared by all gateways.
//!
//! Whoever can write to the cache must not become somebody by it. So an answer is signed under the secret
//! of the deployment, for its session and for the moment until which it counts: one that was made up, moved
//! from another session or kept beyond its time is no answer, and auth is asked.

use std::time::Duration;

use chrono::TimeDelta;
use kit::Result;
use kit::cache::{Cache, CacheKey};
use kit::clock::Clock;
use ring::hmac;
use serde::{Deserialize, Serialize};

use crate::session::SignedIn;

/// How long a yes of auth counts, from when it was asked.
pub const CHECKED_FOR: Duration = Duration::from_secs(1);
const PURPOSE: &[u8] = b"waybill checked session\0";

pub struct Checked {
    cache: Cache,
    key: hmac::Key,
    clock: Clock,
}

/// As it lies in the cache.
#[derive(Serialize, Deserialize)]
struct Kept {
    user: SignedIn,
    /// Milliseconds of Unix time.
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
        // One that counts for longer was signed by a clock that is ahead of ours.
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

/// What is signed; as JSON, so that no two answers are one text.
fn content(session: &str, until: i64, user: &SignedIn) -> Option<Vec<u8>> {
    let said = serde_json::to_vec(&(session, until, user)).ok()?;
    Some([PURPOSE, &said].concat())
}
