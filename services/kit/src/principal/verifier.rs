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

/// Seconds that the clocks of two machines may differ. For the expiry of a person's token there is no such
/// tolerance.
const LEEWAY: i64 = 120;
/// Maximum age of cached keys, because auth may have withdrawn one since.
const KEYS_AGE: Duration = Duration::from_secs(60);
/// Pause before auth is asked again for its first keys.
const ASK_AGAIN: Duration = Duration::from_millis(250);

/// Source of the public keys of access tokens: the auth service, in this process or another one.
#[async_trait]
pub trait KeySource: Send + Sync {
    /// Returns Ed25519 public keys, 32 bytes each, by key id.
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>>;
}

/// When keys were last requested.
#[derive(Default)]
struct Asked {
    /// The last success, by our clock.
    fetched: Option<chrono::DateTime<chrono::Utc>>,
    /// The last attempt, by a monotonic clock.
    tried: Option<Instant>,
    /// When the last attempt failed; `None` after a success.
    failed: Option<Instant>,
}

/// Verifies tokens. Cheap to clone.
#[derive(Clone)]
pub struct Verifier {
    source: Arc<dyn KeySource>,
    known: Arc<RwLock<HashMap<String, Vec<u8>>>>,
    fetching: Arc<tokio::sync::Mutex<Asked>>,
    /// How long keys are used without asking auth again.
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

    /// Fetches the first keys, so that [`recognize`](Self::recognize) works from the first request on.
    ///
    /// Retries while auth is down, for `patience` at most. Returns whether the keys were fetched; if not,
    /// the first token that is verified fetches them.
    pub async fn prepare(&self, patience: Duration) -> bool {
        let fetching = async {
            while let Err(error) = self.fetch().await {
                tracing::debug!("signing keys are asked for again in a moment: {error:#}");
                tokio::time::sleep(ASK_AGAIN).await;
            }
        };
        tokio::time::timeout(patience, fetching).await.is_ok()
    }

    /// Returns the principal of a token; UNAUTHENTICATED unless everything about the token is valid.
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

    /// Returns the person of a token, if the cached keys suffice to verify it. Never calls auth, so that it
    /// may be used before anything else is known about a request.
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

    /// Returns the claims of a service token that was signed with one of the accepted secrets.
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

    /// Verifies the signature of an access token; caches the token if the signature is valid.
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
        // We check times ourselves, against our own clock, which tests can hold still.
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

    /// Returns the public key of this id.
    ///
    /// # Errors
    ///
    /// `TOKEN_INVALID` when there is no such key; an unavailable error while auth is down.
    async fn key(&self, id: &str) -> Result<Vec<u8>> {
        if let Some(key) = self.known(id) {
            return self.confirmed(id, key).await;
        }
        // Keys rotate, so an unknown id means asking auth again, but at most every five seconds: otherwise
        // made-up ids would become load on auth.
        let begun = Instant::now();
        let mut last = self.fetching.lock().await;
        if let Some(key) = self.known(id) {
            return Ok(key);
        }
        // The attempt that this call waited for has failed, so it doesn't wait for another one.
        if last.failed.is_some_and(|at| at >= begun) {
            return Err(away());
        }
        let now = self.clock.now();
        // If the clock was set back, the next request for keys must not be delayed by that.
        let lately = last
            .fetched
            .is_some_and(|at| (chrono::Duration::zero()..chrono::Duration::seconds(5)).contains(&(now - at)));
        if !lately || self.known.read().is_ok_and(|known| known.is_empty()) {
            if let Err(error) = self.fetch().await {
                last.failed = Some(Instant::now());
                return Err(error);
            }
            *last = Asked { fetched: Some(now), tried: Some(Instant::now()), failed: None };
        }
        self.known(id).ok_or_else(|| Error::unauthenticated("TOKEN_INVALID"))
    }

    /// Returns the key, unless auth has withdrawn it. One caller a minute asks auth; the others, and all
    /// callers while auth is down, use the cached key.
    async fn confirmed(&self, id: &str, key: Vec<u8>) -> Result<Vec<u8>> {
        let Ok(mut last) = self.fetching.try_lock() else { return Ok(key) };
        if last.tried.is_some_and(|at| at.elapsed() < self.keys_age) {
            return Ok(key);
        }
        // Set also after a failure: one attempt a minute is enough.
        last.tried = Some(Instant::now());
        if let Err(error) = self.fetch().await {
            last.failed = Some(Instant::now());
            tracing::warn!("signing keys could not be looked up again: {error:#}");
            return Ok(key);
        }
        (last.fetched, last.failed) = (Some(self.clock.now()), None);
        self.known(id).ok_or_else(|| Error::unauthenticated("TOKEN_INVALID"))
    }

    async fn fetch(&self) -> Result<()> {
        let asking = tokio::time::timeout(Duration::from_secs(5), self.source.keys());
        let keys = asking.await.map_err(|_| away())??;
        if let Ok(mut known) = self.known.write() {
            *known = keys;
        }
        Ok(())
    }

    fn known(&self, id: &str) -> Option<Vec<u8>> {
        self.known.read().ok()?.get(id).cloned()
    }
}

fn away() -> Error {
    Error::unavailable("AUTH_UNAVAILABLE", "Sign-in is not available right now. Try again in a moment.")
}

fn refused(error: jsonwebtoken::errors::Error) -> Error {
    Error::unauthenticated("TOKEN_INVALID").with_source(error)
}

#[cfg(test)]
#[path = "verifier_tests.rs"]
mod tests;
