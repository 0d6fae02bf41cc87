//! Verifies tokens, with the public keys that auth publishes.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;

use super::Principal;
use super::token::{ACCESS, AUDIENCE, AccessClaims, SERVICE, ServiceClaims};
use super::verified::{Token, Verified};
use crate::clock::Clock;
use crate::service_secret::ServiceSecret;
use crate::{Error, Result};

/// Clocks of two machines may differ by so many seconds. A person's token still ends to the second.
const LEEWAY: i64 = 120;
/// Keys that were published so long ago are asked for again: one may have been withdrawn since.
const KEYS_AGE: Duration = Duration::from_secs(60);
/// Pause before auth is asked again for the first keys.
const ASK_AGAIN: Duration = Duration::from_millis(250);

/// Where the public keys of access tokens come from: the auth service, here or over the wire.
#[async_trait]
pub trait KeySource: Send + Sync {
    /// Key id to Ed25519 public key, 32 bytes each.
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>>;
}

/// When keys were asked for last: by our clock, and by one that cannot be set.
type Asked = (chrono::DateTime<chrono::Utc>, Instant);

/// Verifies tokens. Cheap to clone.
#[derive(Clone)]
pub struct Verifier {
    source: Arc<dyn KeySource>,
    known: Arc<RwLock<HashMap<String, Vec<u8>>>>,
    fetching: Arc<tokio::sync::Mutex<Option<Asked>>>,
    /// How long keys are believed without another look.
    keys_age: Duration,
    verified: Verified,
    service_secret: ServiceSecret,
    clock: Clock,
}

impl Verifier {
    pub fn new(source: Arc<dyn KeySource>, service_secret: ServiceSecret, clock: Clock) -> Self {
        crate::jws::install();
        Self {
            source,
            known: Arc::default(),
            fetching: Arc::default(),
            keys_age: KEYS_AGE,
            verified: Verified::default(),
            service_secret,
            clock,
        }
    }

    /// Fetches the first keys, so that [`recognize`](Self::recognize) knows people from the first request on.
    ///
    /// Asks again while auth is away, for `patience` at most. Returns whether the keys have come; if not, the
    /// first token that is verified asks for them.
    pub async fn prepare(&self, patience: Duration) -> bool {
        let fetching = async {
            while let Err(error) = self.fetch().await {
                tracing::debug!("signing keys are asked for again in a moment: {error:#}");
                tokio::time::sleep(ASK_AGAIN).await;
            }
        };
        tokio::time::timeout(patience, fetching).await.is_ok()
    }

    /// Who the token speaks for. UNAUTHENTICATED for anything that is not wholly right.
    pub async fn verify(&self, token: &str) -> Result<Principal> {
        if let Some(verified) = self.verified.get(token)
            && self.key(&verified.key_id).await? == verified.public_key
        {
            return self.person(&verified.claims);
        }
        let header = jsonwebtoken::decode_header(token).map_err(refused)?;
        match (header.typ.as_deref(), header.alg, header.kid) {
            (Some(ACCESS), Algorithm::EdDSA, Some(kid)) => {
                let key = self.key(&kid).await?;
                self.person(&self.check(token, kid, key)?.claims)
            }
            (Some(SERVICE), Algorithm::HS256, None) => {
                let claims = self.service_claims(token)?;
                self.in_time(claims.iat, claims.exp + LEEWAY)?;
                let name = claims
                    .sub
                    .strip_prefix("system:")
                    .ok_or_else(|| Error::unauthenticated("TOKEN_INVALID"))?;
                Ok(Principal::Service { name: name.to_owned() })
            }
            _ => Err(Error::unauthenticated("TOKEN_INVALID")),
        }
    }

    /// The person a token speaks for, as far as the keys at hand tell: never asks auth, so that it may
    /// be used before anything else is known of a request.
    pub fn recognize(&self, token: &str) -> Option<Principal> {
        if let Some(verified) = self.verified.get(token)
            && self.known(&verified.key_id)? == verified.public_key
        {
            return self.person(&verified.claims).ok();
        }
        let header = jsonwebtoken::decode_header(token).ok()?;
        match (header.typ.as_deref(), header.alg, header.kid) {
            (Some(ACCESS), Algorithm::EdDSA, Some(kid)) => {
                let key = self.known(&kid)?;
                self.person(&self.check(token, kid, key).ok()?.claims).ok()
            }
            _ => None,
        }
    }

    /// What the token of a service says, signed with any of the secrets that are accepted.
    fn service_claims(&self, token: &str) -> Result<ServiceClaims> {
        let mut found = Err(Error::unauthenticated("TOKEN_INVALID"));
        for secret in self.service_secret.all() {
            found = self.decode(token, &DecodingKey::from_secret(secret.as_bytes()), Algorithm::HS256);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// Checks the signature of an access token and remembers a good one.
    fn check(&self, token: &str, key_id: String, public_key: Vec<u8>) -> Result<Arc<Token>> {
        let key = DecodingKey::from_ed_der(&public_key);
        let claims: AccessClaims = self.decode(token, &key, Algorithm::EdDSA)?;
        Ok(self.verified.put(token, Token { key_id, public_key, claims }))
    }

    fn person(&self, claims: &AccessClaims) -> Result<Principal> {
        self.in_time(claims.iat, claims.exp)?;
        Ok(Principal::User {
            id: claims.sub.clone(),
            username: claims.name.clone(),
            roles: claims.roles.clone(),
            session: claims.sid.clone(),
            driver_id: claims.driver.clone(),
        })
    }

    fn decode<T: for<'de> Deserialize<'de>>(
        &self,
        token: &str,
        key: &DecodingKey,
        algorithm: Algorithm,
    ) -> Result<T> {
        let mut rules = Validation::new(algorithm);
        rules.set_audience(&[AUDIENCE]);
        rules.set_required_spec_claims(&["exp", "aud"]);
        // Time is checked against our own clock, which tests can hold still.
        rules.validate_exp = false;
        Ok(jsonwebtoken::decode::<T>(token, key, &rules).map_err(refused)?.claims)
    }

    fn in_time(&self, issued: i64, expires: i64) -> Result<()> {
        let now = self.clock.now().timestamp();
        if now >= expires || issued > now + LEEWAY {
            return Err(Error::unauthenticated("TOKEN_EXPIRED"));
        }
        Ok(())
    }

    /// The public key of this id. Errors: TOKEN_INVALID when there is none, unavailable while auth cannot be asked.
    async fn key(&self, id: &str) -> Result<Vec<u8>> {
        if let Some(key) = self.known(id) {
            return self.confirmed(id, key).await;
        }
        // Keys rotate: an unknown id means asking once more, but at most every five seconds,
        // or made-up ids would turn into load on auth.
        let mut last = self.fetching.lock().await;
        if let Some(key) = self.known(id) {
            return Ok(key);
        }
        let now = self.clock.now();
        // A clock that was set back must not put off the next look.
        let lately = last.is_some_and(|(at, _)| {
            (chrono::Duration::zero()..chrono::Duration::seconds(5)).contains(&(now - at))
        });
        if !lately || self.known.read().is_ok_and(|known| known.is_empty()) {
            self.fetch().await?;
            *last = Some((now, Instant::now()));
        }
        self.known(id).ok_or_else(|| Error::unauthenticated("TOKEN_INVALID"))
    }

    /// The key, unless the list turns out to have lost it. One caller a minute looks; the others, and all
    /// of them while auth is away, go on with what is known.
    async fn confirmed(&self, id: &str, key: Vec<u8>) -> Result<Vec<u8>> {
        let Ok(mut last) = self.fetching.try_lock() else { return Ok(key) };
        if last.is_some_and(|(_, at)| at.elapsed() < self.keys_age) {
            return Ok(key);
        }
        // Also when it fails: one attempt a minute is enough.
        *last = Some((self.clock.now(), Instant::now()));
        if let Err(error) = self.fetch().await {
            tracing::warn!("signing keys could not be looked up again: {error:#}");
            return Ok(key);
        }
        self.known(id).ok_or_else(|| Error::unauthenticated("TOKEN_INVALID"))
    }

    async fn fetch(&self) -> Result<()> {
        let keys =
            tokio::time::timeout(Duration::from_secs(5), self.source.keys()).await.map_err(|_| {
                Error::unavailable(
                    "AUTH_UNAVAILABLE",
                    "Sign-in is not available right now. Try again in a moment.",
                )
            })??;
        if let Ok(mut known) = self.known.write() {
            *known = keys;
        }
        Ok(())
    }

    fn known(&self, id: &str) -> Option<Vec<u8>> {
        self.known.read().ok()?.get(id).cloned()
    }
}

fn refused(error: jsonwebtoken::errors::Error) -> Error {
    Error::unauthenticated("TOKEN_INVALID").with_source(error)
}

#[cfg(test)]
#[path = "verifier_tests.rs"]
mod tests;
