//! The handlers of `auth.proto`. The first line of each is its access rule.
//!
//! What is secret comes in as plain text of the contract, whose types would print it: requests
//! are taken apart at once and never logged.

use async_trait::async_trait;
use chrono::Duration;
use kit::clock::new_id;
use kit::principal::principal;
use kit::{Error, Kind, Principal, Result};
use proto::auth::v1 as wire;
use proto::auth::v1::auth_service_server::AuthService;
use secrecy::{ExposeSecret, SecretString};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::{Limits, NewAccount, Username, note};
use crate::entity::secret::Hidden;
use crate::entity::session;
use crate::password::Passwords;
use crate::store::{self, Account};
use crate::{Context, domain, random, setup_token, tokens};

const ADDRESS_CHARS: usize = 64;
const USER_AGENT_CHARS: usize = 200;

pub struct Service {
    pub context: Context,
    pub passwords: Passwords,
}

#[async_trait]
impl AuthService for Service {
    async fn get_setup_state(
        &self,
        _: Request<wire::GetSetupStateRequest>,
    ) -> Result<Response<wire::SetupState>, Status> {
        // Public: the page that makes the first account is shown before anyone can sign in.
        let admin_needed = store::setup(self.context.db.read()).await?.done_at.is_none();
        let setup_token_needed = admin_needed && self.context.setup_token_needed;
        Ok(Response::new(wire::SetupState { admin_needed, setup_token_needed }))
    }

    async fn create_admin(
        &self,
        request: Request<wire::CreateAdminRequest>,
    ) -> Result<Response<wire::User>, Status> {
        // Public: nobody has an account yet; where strangers may come first the token is asked for.
        let asked = request.into_inner();
        let row = store::setup(self.context.db.read()).await?;
        if row.done_at.is_some() {
            return Err(store::admin_exists().into());
        }
        // Before any other work: a stranger without it learns nothing and costs nothing.
        let secret = &self.context.config.service_secret;
        if self.context.setup_token_needed && !setup_token::is_right(secret, &row, &asked.setup_token) {
            tracing::warn!("the first account was refused: wrong set-up token");
            let text = "The set-up token is not right. It is printed where Waybill was started.";
            return Err(Error::new(Kind::Forbidden, "SETUP_TOKEN_WRONG", text).into());
        }
        let account = first_admin(&self.context, &self.passwords, asked.try_into()?).await?;
        Ok(Response::new(account.into()))
    }

    async fn login(
        &self,
        request: Request<wire::LoginRequest>,
    ) -> Result<Response<wire::LoginResponse>, Status> {
        // Public: whoever signs in has no token yet.
        let wire::LoginRequest { username, password, address, user_agent } = request.into_inner();
        let password = SecretString::from(password);
        let account = self.check_password(&username, password).await?;
        let secret = random::session_secret()?;
        let now = self.context.clock.now();
        let session = session::Model {
            id: new_id(),
            secret_hash: Hidden(random::hash(&secret)),
            user_id: account.user.id,
            created_at: now,
            last_used_at: now,
            expires_at: now + self.context.limits().absolute,
            address: note(&address, ADDRESS_CHARS),
            user_agent: note(&user_agent, USER_AGENT_CHARS),
        };
        let (id, expires_at) = (session.id, session.expires_at);
        if !store::begin_session(&self.context.db, &account, session).await? {
            return Err(sign_in_failed().into());
        }
        tracing::info!(user.id = %account.user.id, session.id = %id, "signed in");
        Ok(Response::new(wire::LoginResponse {
            session_secret: secret.expose_secret().to_owned(),
            user: Some(account.into()),
            expires_at: Some(proto::timestamp(expires_at)),
        }))
    }

    async fn logout(
        &self,
        request: Request<wire::LogoutRequest>,
    ) -> Result<Response<wire::LogoutResponse>, Status> {
        // Public: the session secret is the credential.
        let secret = SecretString::from(request.into_inner().session_secret);
        store::end_session(&self.context.db, random::hash(&secret)).await?;
        Ok(Response::new(wire::LogoutResponse {}))
    }

    async fn issue_token(
        &self,
        request: Request<wire::IssueTokenRequest>,
    ) -> Result<Response<wire::IssueTokenResponse>, Status> {
        // Public: the session secret is the credential.
        let secret = SecretString::from(request.into_inner().session_secret);
        let found = store::session_by_secret(self.context.db.read(), random::hash(&secret)).await?;
        let (session, account) = self.alive(found).await?;
        let now = self.context.clock.now();
        // Only this counts as use, and every client in use comes here once a token's life. What
        // asks CheckSession all the time, such as an open socket, must not keep a session alive.
        if now - session.last_used_at >= self.context.limits().note_every() {
            store::note_use(&self.context.db, session.id, now).await?;
        }
        let ttl = Duration::seconds(self.context.config.token_seconds);
        let minted = tokens::mint(&self.context.db, now, ttl, &session, &account).await?;
        Ok(Response::new(wire::IssueTokenResponse {
            token: minted.token,
            expires_at: Some(proto::timestamp(minted.expires_at)),
        }))
    }

    async fn list_signing_keys(
        &self,
        _: Request<wire::ListSigningKeysRequest>,
    ) -> Result<Response<wire::ListSigningKeysResponse>, Status> {
        // Public: they are needed to verify the first token, and public keys are no secret.
        let keys = tokens::published(&self.context.db, self.context.clock.now()).await?;
        let keys = keys.into_iter().map(|key| wire::SigningKey { id: key.id, public_key: key.public_key });
        Ok(Response::new(wire::ListSigningKeysResponse { keys: keys.collect() }))
    }

    async fn check_session(
        &self,
        request: Request<wire::CheckSessionRequest>,
    ) -> Result<Response<wire::CheckSessionResponse>, Status> {
        let Principal::User { id, roles, session, .. } = principal(&request)? else {
            return Err(Error::forbidden("PEOPLE_ONLY").into());
        };
        let found = match Uuid::parse_str(session) {
            Ok(session) => store::session_by_id(self.context.db.read(), session).await?,
            Err(_) => None,
        };
        let (session, account) = self.alive(found).await?;
        if session.user_id.to_string() != *id {
            return Err(session_over().into());
        }
        let mut said = roles.clone();
        said.sort_unstable();
        if said != account.roles {
            return Err(Error::unauthenticated("ROLES_CHANGED").into());
        }
        Ok(Response::new(wire::CheckSessionResponse { user: Some(account.into()) }))
    }
}

impl Service {
    /// The account of this name and password. Unknown name, wrong password and disabled account
    /// take the same path, so they differ neither in the answer nor in the time it takes.
    async fn check_password(&self, username: &str, password: SecretString) -> Result<Account> {
        let wrong = [
            ("username", username.trim().is_empty(), "Username is required"),
            ("password", password.expose_secret().is_empty(), "Password is required"),
        ];
        if wrong.iter().any(|(_, blank, _)| *blank) {
            let error = Error::invalid("INVALID_FIELDS", "Both username and password are required");
            let blank = wrong.into_iter().filter(|(_, blank, _)| *blank);
            return Err(blank.fold(error, |error, (field, _, text)| error.field(field, text)));
        }
        // A name that no account can have needs no query, and some of them would break one.
        let found = match Username::parse(username) {
            Ok(name) => store::account_by_name(self.context.db.read(), &name.key).await?,
            Err(_) => None,
        };
        let stored = found.as_ref().map(|account| &account.user.password_hash);
        let right = self.passwords.verify(password, stored).await?;
        match found {
            Some(account) if right && account.user.status == domain::Status::Active => Ok(account),
            Some(account) => {
                tracing::warn!(user.id = %account.user.id, "sign-in refused");
                Err(sign_in_failed())
            }
            None => {
                // Without the name: people type passwords into the wrong field.
                tracing::warn!("sign-in refused: unknown name");
                Err(sign_in_failed())
            }
        }
    }

    /// The session with its account as it is now, unless one of them is over. The two reads need
    /// no transaction: whatever ended before this call is seen by one of them.
    async fn alive(&self, found: Option<session::Model>) -> Result<(session::Model, Account)> {
        let limits: Limits = self.context.limits();
        let now = self.context.clock.now();
        let session = found
            .filter(|session| !limits.is_over(now, session.last_used_at, session.expires_at))
            .ok_or_else(session_over)?;
        let account = store::account_by_id(self.context.db.read(), session.user_id)
            .await?
            .filter(|account| account.user.status == domain::Status::Active)
            .ok_or_else(session_over)?;
        Ok((session, account))
    }
}

/// Makes the first account from a checked request.
pub async fn first_admin(context: &Context, passwords: &Passwords, new: NewAccount) -> Result<Account> {
    let hash = passwords.hash(new.password.clone()).await?;
    let account = store::add_first_admin(&context.db, context.clock.now(), new, hash).await?;
    tracing::info!(user.id = %account.user.id, "first account made");
    Ok(account)
}

fn sign_in_failed() -> Error {
    Error::new(Kind::Unauthenticated, "SIGN_IN_FAILED", "Incorrect username or password")
}

fn session_over() -> Error {
    Error::unauthenticated("SESSION_OVER")
}
