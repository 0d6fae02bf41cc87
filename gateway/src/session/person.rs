//! Who is signed in, as a request carries them along.

use std::sync::Arc;

use kit::rpc::{Client, Transport};
use kit::{Error, Result, Role};
use proto::auth::v1::User;
use serde::{Deserialize, Serialize};

/// A live session: whose it is, and what services are called with for them.
#[derive(Clone)]
pub struct Session {
    pub user: SignedIn,
    pub(super) token: Arc<str>,
    /// Where the browser is, for the records of what was done.
    pub(super) address: Arc<str>,
}

impl Session {
    /// Passes somebody with one of the roles. Only for what no service is asked; otherwise the
    /// service decides.
    pub fn require(&self, any: &[Role]) -> Result<()> {
        let holds = |role: &Role| self.user.roles.iter().any(|held| held == role.as_str());
        if any.iter().any(holds) { Ok(()) } else { Err(Error::forbidden("ROLE_MISSING")) }
    }

    /// A service, called for this person.
    pub fn client(&self, service: &Transport) -> Client {
        service.with_token(self.token.clone()).from_address(&self.address)
    }
}

/// The account as auth described it at most a second ago.
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
        // The rest is for those who manage accounts.
        let User { id, username, display_name, email, roles, .. } = user;
        let display_name = Some(display_name).filter(|name| !name.is_empty());
        Self { id, username, display_name, email, roles }
    }
}

/// What a request's bearer header says.
pub enum Identity {
    SignedIn(Session),
    /// No token, or one that no longer counts; the reason says which.
    Anonymous(String),
    /// There is a token, but nobody who can say what it is worth.
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
