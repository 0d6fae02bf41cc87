//! The two kinds of token: their claims and signatures.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::{Deserialize, Serialize};

use super::Role;
use crate::clock::Clock;
use crate::service_secret::ServiceSecret;
use crate::{Error, Result};

pub(super) const AUDIENCE: &str = "waybill";
pub(super) const ACCESS: &str = "at+jwt";
pub(super) const SERVICE: &str = "svc+jwt";
const SERVICE_TOKEN_TTL: i64 = 60;

#[derive(Debug, Serialize, Deserialize)]
pub struct AccessClaims {
    pub sub: String,
    pub name: String,
    pub roles: Vec<Role>,
    pub sid: String,
    /// The driver that the account belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    pub aud: String,
    pub iat: i64,
    pub exp: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ServiceClaims {
    pub(super) sub: String,
    pub(super) aud: String,
    pub(super) iat: i64,
    pub(super) exp: i64,
}

/// Signs an access token with the auth service's key.
#[allow(clippy::too_many_arguments)] // one per claim
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

/// Signs the tokens for background work of one service.
#[derive(Clone)]
pub struct ServiceIdentity {
    name: &'static str,
    secret: ServiceSecret,
    clock: Clock,
}

impl ServiceIdentity {
    pub fn new(name: &'static str, secret: ServiceSecret, clock: Clock) -> Self {
        crate::jws::install();
        Self { name, secret, clock }
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a token that is valid for one minute, plus a margin for clocks that differ.
    pub fn token(&self) -> Result<String> {
        let now = self.clock.now().timestamp();
        let claims = ServiceClaims {
            sub: format!("system:{}", self.name),
            aud: AUDIENCE.to_owned(),
            iat: now,
            exp: now + SERVICE_TOKEN_TTL,
        };
        let header = Header { typ: Some(SERVICE.to_owned()), ..Header::new(Algorithm::HS256) };
        let key = EncodingKey::from_secret(self.secret.first().as_bytes());
        jsonwebtoken::encode(&header, &claims, &key).map_err(Error::internal)
    }
}
