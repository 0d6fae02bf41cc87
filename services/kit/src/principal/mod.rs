//! Who is calling: roles, tokens and the check at the head of each handler.
//!
//! Two kinds of token, told apart by their header type and never by a choice of the caller:
//! people carry an access token signed by auth (Ed25519, key by id from auth alone), background
//! work of a service carries a service token (HMAC under the deployment's service secret, one
//! minute). Both name this deployment's audience. `token` signs them, `verifier` checks them.

mod token;
mod verified;
mod verifier;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

pub use token::{AccessClaims, ServiceIdentity, sign_access};
pub use verifier::{KeySource, Verifier};

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

    /// Who it is, also under another name.
    pub fn id(&self) -> String {
        match self {
            Principal::User { id, .. } => id.clone(),
            Principal::Service { .. } => self.actor(),
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
        self.require_any_service(&[service])
    }

    /// Passes only background work of one of these services.
    pub fn require_any_service(&self, services: &[&str]) -> Result<&Self> {
        match self {
            Principal::Service { name } if services.contains(&name.as_str()) => Ok(self),
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
