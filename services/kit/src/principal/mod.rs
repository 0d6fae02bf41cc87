//! Who is calling: roles, tokens and the check at the start of each handler.
//!
//! There are two kinds of token, distinguished by their header type, which the caller cannot choose freely.
//! People carry an access token signed by auth (Ed25519, with keys that auth alone publishes); background
//! work of a service carries a service token (HMAC under the deployment's service secret, valid for one
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
    /// Roles that may read the main pages.
    pub const STAFF: &[Role] = &[Role::Admin, Role::TransportPlanner, Role::Dispatcher, Role::Viewer];
    /// Roles that may change deliveries.
    pub const EDITORS: &[Role] = &[Role::Admin, Role::TransportPlanner, Role::Dispatcher];
    /// Roles that manage accounts and settings.
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

/// The caller of an RPC, as the token in the request says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    User {
        id: String,
        username: String,
        roles: Vec<Role>,
        session: String,
        /// The driver that the account belongs to.
        driver_id: Option<String>,
    },
    Service {
        name: String,
    },
}

impl Principal {
    /// Returns the actor for records: the username, or `system:<service>`.
    pub fn actor(&self) -> String {
        match self {
            Principal::User { username, .. } => username.clone(),
            Principal::Service { name } => format!("system:{name}"),
        }
    }

    /// Returns an id that does not change when the account is renamed.
    pub fn id(&self) -> String {
        match self {
            Principal::User { id, .. } => id.clone(),
            Principal::Service { .. } => self.actor(),
        }
    }

    /// Requires a person who has at least one of the roles.
    pub fn require(&self, any: &[Role]) -> Result<&Self> {
        match self {
            Principal::User { roles, .. } if roles.iter().any(|role| any.contains(role)) => Ok(self),
            _ => Err(Error::forbidden("ROLE_MISSING")),
        }
    }

    /// Requires a person of the office, also one who has no role yet.
    pub fn require_office(&self) -> Result<&Self> {
        match self {
            Principal::User { roles, driver_id: None, .. } if !roles.contains(&Role::Driver) => Ok(self),
            _ => Err(Error::forbidden("ROLE_MISSING")),
        }
    }

    /// Requires a driver; returns the driver's id.
    pub fn driver(&self) -> Result<&str> {
        match self {
            Principal::User { roles, driver_id: Some(id), .. } if roles.contains(&Role::Driver) => Ok(id),
            _ => Err(Error::forbidden("DRIVERS_ONLY")),
        }
    }

    /// Requires background work of the named service.
    pub fn require_service(&self, service: &str) -> Result<&Self> {
        self.require_any_service(&[service])
    }

    /// Requires background work of one of these services.
    pub fn require_any_service(&self, services: &[&str]) -> Result<&Self> {
        match self {
            Principal::Service { name } if services.contains(&name.as_str()) => Ok(self),
            _ => Err(Error::forbidden("SERVICE_ONLY")),
        }
    }
}

/// The caller of a request: the principal, and the token to pass on.
#[derive(Clone)]
pub struct Caller {
    pub principal: Principal,
    pub token: Arc<str>,
    /// The person's address as the gateway saw it: for records, never for decisions.
    pub address: String,
}

impl Caller {
    /// Requires a person who has at least one of the roles.
    pub fn require(&self, any: &[Role]) -> Result<&Self> {
        self.principal.require(any)?;
        Ok(self)
    }
}

/// Returns the caller of a gRPC request; UNAUTHENTICATED without a valid token.
pub fn caller<T>(request: &tonic::Request<T>) -> Result<&Caller> {
    request.extensions().get::<Caller>().ok_or_else(|| Error::unauthenticated("TOKEN_MISSING"))
}

/// Returns the principal of a gRPC request; UNAUTHENTICATED without a valid token.
pub fn principal<T>(request: &tonic::Request<T>) -> Result<&Principal> {
    Ok(&caller(request)?.principal)
}
