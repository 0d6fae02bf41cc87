//! The signed-in person of a request.

use std::sync::Arc;

use kit::rpc::{Client, Transport};
use kit::{Error, Result, Role};
use proto::auth::v1::User;
use serde::{Deserialize, Serialize};

/// A live session: its account, and the credentials for calling services.
#[derive(Clone)]
pub struct Session {
    pub user: SignedIn,
    /// The session's id: unlike the token, it does not expire before the session does.
    pub(super) id: Arc<str>,
    pub(super) token: Arc<str>,
    /// The browser's address, for the audit log.
    pub(super) address: Arc<str>,
}

impl Session {
    /// Requires one of the roles. Use this only for requests that call no service, because services check
    /// roles themselves.
    pub fn require(&self, any: &[Role]) -> Result<()> {
        let holds = |role: &Role| self.user.roles.iter().any(|held| held == role.as_str());
        if any.iter().any(holds) { Ok(()) } else { Err(Error::forbidden("ROLE_MISSING")) }
    }

    /// Returns a client of a service for this person.
    pub fn client(&self, service: &Transport) -> Client {
        service.with_token(self.token.clone()).from_address(&self.address)
    }
}

/// The account, as described by auth at most a second ago.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    pub id: String,
    pub username: String,
    pub display_name: Option<String>,
    pub email: String,
    pub roles: Vec<String>,
}

impl From<User> for SignedIn {
    fn from(user: User) -> Self {
        // The other fields matter only to those who manage accounts.
        let User { id, username, display_name, email, roles, .. } = user;
        let display_name = Some(display_name).filter(|name| !name.is_empty());
        Self { id, username, display_name, email, roles }
    }
}

/// The identity in a request's bearer header.
pub enum Identity {
    SignedIn(Session),
    /// There is no token, or an invalid one; the reason says which.
    Anonymous(String),
    /// There is a token, but nobody can check it right now.
    Unknown(String),
}

impl Identity {
    pub fn session(&self) -> Result<&Session> {
        match self {
            Self::SignedIn(session) => Ok(session),
            Self::Anonymous(reason) => Err(Error::unauthenticated(reason)),
            Self::Unknown(reason) => {
                Err(Error::unavailable(reason, "Sign-in is not available right now. Try again in a moment."))
            }
        }
    }
}
