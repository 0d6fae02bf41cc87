//! Who is calling: roles, tokens and the check at the head of each handler.
//!
//! Two kinds of token, told apart by their header type and never by a choice of the caller:
//! people carry an access token signed by auth (Ed25519, key by id from auth alone), background
//! work of a service carries a service token (HMAC under the deployment's service secret, one
//! minute). Both name this deployment's audience.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::{Error, Result};

const AUDIENCE: &str = "waybill";
const ACCESS: &str = "at+jwt";
const SERVICE: &str = "svc+jwt";
const SERVICE_TOKEN_TTL: i64 = 60;
/// Clocks of two machines may differ by this much.
const LEEWAY: i64 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Admin,
    TransportPlanner,
    Dispatcher,
    Viewer,
    Driver,
}

impl Role {
    pub const ALL: [Role; 5] =
        [Role::Admin, Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver];
    /// Everyone who may read the main pages.
    pub const STAFF: &[Role] = &[Role::Admin, Role::TransportPlanner, Role::Dispatcher, Role::Viewer];
    /// Everyone who may change deliveries.
    pub const EDITORS: &[Role] = &[Role::Admin, Role::TransportPlanner, Role::Dispatcher];
    /// Those who manage accounts and settings.
    pub const ADMINS: &[Role] = &[Role::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Admin => "admin",
            Role::TransportPlanner => "transport_planner",
            Role::Dispatcher => "dispatcher",
            Role::Viewer => "viewer",
            Role::Driver => "driver",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Role::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| Error::invalid("ROLE_UNKNOWN", format!("there is no role named {text}")))
    }
}

/// The caller of an RPC, as its token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    User {
        id: String,
        username: String,
        roles: Vec<Role>,
        session: String,
        /// Whom a driver's account belongs to.
        driver_id: Option<String>,
    },
    Service {
        name: String,
    },
}

impl Principal {
    /// What records say of who did it: the username, or `system:<service>`.
    pub fn actor(&self) -> String {
        match self {
            Principal::User { username, .. } => username.clone(),
            Principal::Service { name } => format!("system:{name}"),
        }
    }

    /// Passes a person who holds any of the roles.
    pub fn require(&self, any: &[Role]) -> Result<&Self> {
        match self {
            Principal::User { roles, .. } if roles.iter().any(|role| any.contains(role)) => Ok(self),
            _ => Err(Error::forbidden("ROLE_MISSING")),
        }
    }

    /// Passes a driver, and tells which one.
    pub fn driver(&self) -> Result<&str> {
        match self {
            Principal::User { roles, driver_id: Some(id), .. } if roles.contains(&Role::Driver) => Ok(id),
            _ => Err(Error::forbidden("DRIVERS_ONLY")),
        }
    }

    /// Passes only background work of the named service.
    pub fn require_service(&self, service: &str) -> Result<&Self> {
        match self {
            Principal::Service { name } if name == service => Ok(self),
            _ => Err(Error::forbidden("SERVICE_ONLY")),
        }
    }
}

/// The caller of a request: who, and the token to pass on.
#[derive(Clone)]
pub struct Caller {
    pub principal: Principal,
    pub token: Arc<str>,
    /// Where the person is, as the gateway saw it: for records, never for decisions.
    pub address: String,
}

impl Caller {
    /// Passes a person who holds any of the roles.
    pub fn require(&self, any: &[Role]) -> Result<&Self> {
        self.principal.require(any)?;
        Ok(self)
    }
}

/// The caller of a gRPC request, or UNAUTHENTICATED when it carried no good token.
pub fn caller<T>(request: &tonic::Request<T>) -> Result<&Caller> {
    request.extensions().get::<Caller>().ok_or_else(|| Error::unauthenticated("TOKEN_MISSING"))
}

/// The principal of a gRPC request, or UNAUTHENTICATED when it carried no good token.
pub fn principal<T>(request: &tonic::Request<T>) -> Result<&Principal> {
    Ok(&caller(request)?.principal)
}

#[derive(Debug, Serialize, Deserialize)]
pub struct AccessClaims {
    pub sub: String,
    pub name: String,
    pub roles: Vec<Role>,
    pub sid: String,
    /// The driver whose account this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    pub aud: String,
    pub iat: i64,
    pub exp: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct ServiceClaims {
    sub: String,
    aud: String,
    iat: i64,
    exp: i64,
}

/// Signs an access token with the auth service's key.
#[allow(clippy::too_many_arguments)] // each is one claim
pub fn sign_access(
    key_id: &str,
    pkcs8: &[u8],
    sub: &str,
    name: &str,
    roles: Vec<Role>,
    driver: Option<&str>,
    sid: &str,
    issued: i64,
    expires: i64,
) -> Result<String> {
    crate::jws::install();
    let header = Header {
        typ: Some(ACCESS.to_owned()),
        kid: Some(key_id.to_owned()),
        ..Header::new(Algorithm::EdDSA)
    };
    let claims = AccessClaims {
        sub: sub.to_owned(),
        name: name.to_owned(),
        roles,
        sid: sid.to_owned(),
        driver: driver.map(str::to_owned),
        aud: AUDIENCE.to_owned(),
        iat: issued,
        exp: expires,
    };
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(pkcs8)).map_err(Error::internal)
}

/// Where the public keys of access tokens come from: the auth service, here or over the wire.
#[async_trait]
pub trait KeySource: Send + Sync {
    /// Key id to Ed25519 public key, 32 bytes each.
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>>;
}

/// Verifies tokens. Cheap to clone.
#[derive(Clone)]
pub struct Verifier {
    source: Arc<dyn KeySource>,
    known: Arc<RwLock<HashMap<String, Vec<u8>>>>,
    fetching: Arc<tokio::sync::Mutex<Option<chrono::DateTime<chrono::Utc>>>>,
    service_secret: SecretString,
    clock: Clock,
}

impl Verifier {
    pub fn new(source: Arc<dyn KeySource>, service_secret: SecretString, clock: Clock) -> Self {
        crate::jws::install();
        Self { source, known: Arc::default(), fetching: Arc::default(), service_secret, clock }
    }

    /// Who the token speaks for. UNAUTHENTICATED for anything that is not wholly right.
    pub async fn verify(&self, token: &str) -> Result<Principal> {
        let header = jsonwebtoken::decode_header(token).map_err(refused)?;
        match (header.typ.as_deref(), header.alg, header.kid) {
            (Some(ACCESS), Algorithm::EdDSA, Some(kid)) => {
                let key = self.key(&kid).await?;
                let claims: AccessClaims = self.decode(token, &key, Algorithm::EdDSA)?;
                self.in_time(claims.iat, claims.exp)?;
                Ok(Principal::User {
                    id: claims.sub,
                    username: claims.name,
                    roles: claims.roles,
                    session: claims.sid,
                    driver_id: claims.driver,
                })
            }
            (Some(SERVICE), Algorithm::HS256, None) => {
                let key = DecodingKey::from_secret(self.service_secret.expose_secret().as_bytes());
                let claims: ServiceClaims = self.decode(token, &key, Algorithm::HS256)?;
                self.in_time(claims.iat, claims.exp)?;
                let name = claims
                    .sub
                    .strip_prefix("system:")
                    .ok_or_else(|| Error::unauthenticated("TOKEN_INVALID"))?;
                Ok(Principal::Service { name: name.to_owned() })
            }
            _ => Err(Error::unauthenticated("TOKEN_INVALID")),
        }
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

    async fn key(&self, id: &str) -> Result<DecodingKey> {
        if let Some(key) = self.known(id) {
            return Ok(key);
        }
        // Keys rotate: an unknown id means asking once more, but at most every five seconds,
        // or made-up ids would turn into load on auth.
        let mut last = self.fetching.lock().await;
        if let Some(key) = self.known(id) {
            return Ok(key);
        }
        let now = self.clock.now();
        let lately = last.is_some_and(|at| now - at < chrono::Duration::seconds(5));
        if !lately || self.known.read().is_ok_and(|known| known.is_empty()) {
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
            *last = Some(now);
        }
        self.known(id).ok_or_else(|| Error::unauthenticated("TOKEN_INVALID"))
    }

    fn known(&self, id: &str) -> Option<DecodingKey> {
        self.known.read().ok()?.get(id).map(|bytes| DecodingKey::from_ed_der(bytes))
    }
}

fn refused(error: jsonwebtoken::errors::Error) -> Error {
    Error::unauthenticated("TOKEN_INVALID").with_source(error)
}

/// Mints the tokens that background work of one service carries.
#[derive(Clone)]
pub struct ServiceIdentity {
    name: &'static str,
    secret: SecretString,
    clock: Clock,
}

impl ServiceIdentity {
    pub fn new(name: &'static str, secret: SecretString, clock: Clock) -> Self {
        crate::jws::install();
        Self { name, secret, clock }
    }

    /// A token good for one minute.
    pub fn token(&self) -> Result<String> {
        let now = self.clock.now().timestamp();
        let claims = ServiceClaims {
            sub: format!("system:{}", self.name),
            aud: AUDIENCE.to_owned(),
            iat: now,
            exp: now + SERVICE_TOKEN_TTL,
        };
        let header = Header { typ: Some(SERVICE.to_owned()), ..Header::new(Algorithm::HS256) };
        let key = EncodingKey::from_secret(self.secret.expose_secret().as_bytes());
        jsonwebtoken::encode(&header, &claims, &key).map_err(Error::internal)
    }
}

#[cfg(test)]
#[path = "principal_tests.rs"]
mod tests;
