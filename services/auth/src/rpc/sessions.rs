//! Signing in and out, tokens, and the sessions behind them.

use chrono::Duration;
use kit::clock::new_id;
use kit::principal::Caller;
use kit::{Error, Kind, Principal, Result, Role};
use proto::auth::v1 as wire;
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;

use super::{Service, account_id, ended};
use crate::audit::Actor;
use crate::domain::{ADDRESS_CHARS, Limits, Status, Username, note};
use crate::entity::secret::Hidden;
use crate::entity::session;
use crate::store::users::Kind as AccountKind;
use crate::store::{self, Account, sessions};
use crate::throttle::Attempt;
use crate::{random, tokens};

const USER_AGENT_CHARS: usize = 200;

impl Service {
    pub(super) async fn sign_in(&self, asked: wire::LoginRequest) -> Result<wire::LoginResponse> {
        let wanted = AccountKind::from(asked.kind());
        let wire::LoginRequest { username, password, address, user_agent, kind: _ } = asked;
        let password = SecretString::from(password);
        let (account, attempt) = self.check_password(wanted, &username, password, &address).await?;
        let secret = random::secret()?;
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
        if !sessions::begin(&self.context.db, &self.throttle, &attempt, &account, session).await? {
            return Err(sign_in_failed());
        }
        tracing::info!(user.id = %account.user.id, session.id = %id, "signed in");
        Ok(wire::LoginResponse {
            session_secret: secret.expose_secret().to_owned(),
            user: Some(account.into()),
            expires_at: Some(proto::timestamp(expires_at)),
        })
    }

    /// Returns the account with this name and password. An unknown name, a wrong password, an account of the
    /// other kind, and an account that is disabled or has no password yet take the same path, so that neither
    /// the response nor its time differs.
    async fn check_password(
        &self,
        wanted: AccountKind,
        username: &str,
        password: SecretString,
        address: &str,
    ) -> Result<(Account, Attempt)> {
        let wrong = [
            ("username", username.trim().is_empty(), "Username is required"),
            ("password", password.expose_secret().is_empty(), "Password is required"),
        ];
        if wrong.iter().any(|(_, blank, _)| *blank) {
            let error = Error::invalid("INVALID_FIELDS", "Both username and password are required");
            let blank = wrong.into_iter().filter(|(_, blank, _)| *blank);
            return Err(blank.fold(error, |error, (field, _, text)| error.field(field, text)));
        }
        let mut attempt = self.throttle.look(username, address).await?;
        let place = self.passwords.place()?;
        self.throttle.count(&mut attempt).await?;
        // Skip the query for a name that no account can have: some of these names would make the query fail.
        let found = match Username::known(username) {
            Ok(name) => store::account_by_name(self.context.db.read(), &name.key).await?,
            Err(_) => None,
        };
        let stored = found.as_ref().map(|account| &account.user.password_hash);
        let right = self.passwords.verify(place, password, stored.filter(|hash| !hash.is_none())).await?;
        match found {
            Some(account) if right && account.user.status == Status::Active && wanted.has(&account.user) => {
                Ok((account, attempt))
            }
            Some(account) => {
                tracing::warn!(user.id = %account.user.id, "sign-in refused");
                self.refusals.add(&account.user, address, self.context.clock.now());
                Err(sign_in_failed())
            }
            None => {
                // Log without the name, because people type passwords into the wrong field.
                tracing::warn!("sign-in refused: unknown name");
                Err(sign_in_failed())
            }
        }
    }

    pub(super) async fn sign_out(&self, asked: wire::LogoutRequest) -> Result<wire::LogoutResponse> {
        let secret = SecretString::from(asked.session_secret);
        sessions::end_by_secret(&self.context.db, random::hash(&secret)).await?;
        Ok(wire::LogoutResponse {})
    }

    pub(super) async fn mint_token(
        &self,
        asked: wire::IssueTokenRequest,
    ) -> Result<wire::IssueTokenResponse> {
        let wire::IssueTokenRequest { session_secret, in_background } = asked;
        let secret = SecretString::from(session_secret);
        let found = sessions::by_secret(self.context.db.read(), random::hash(&secret)).await?;
        let (session, account) = self.alive(found).await?;
        let now = self.context.clock.now();
        // Only issuing a token counts as use of the session: every active client does it once per lifetime of
        // a token. CheckSession does not count, nor does a token for work in the background, because an open
        // page with its socket would keep a session alive forever.
        let is_due = now - session.last_used_at >= self.context.limits().note_every();
        if is_due
            && !in_background
            && let Err(error) = sessions::note_use(&self.context.db, session.id, now).await
        {
            // While the disk is full, people who are signed in can still read. Their sessions may expire early.
            if !error.is_transient() {
                return Err(error);
            }
            error.log();
        }
        let ttl = Duration::seconds(self.context.config.token_seconds);
        let minted = tokens::mint(&self.context.db, now, ttl, &session, &account).await?;
        Ok(wire::IssueTokenResponse {
            token: minted.token,
            expires_at: Some(proto::timestamp(minted.expires_at)),
        })
    }

    pub(super) async fn signing_keys(&self) -> Result<wire::ListSigningKeysResponse> {
        let keys = tokens::published(&self.context.db, self.context.clock.now()).await?;
        let keys = keys.into_iter().map(|key| wire::SigningKey { id: key.id, public_key: key.public_key });
        Ok(wire::ListSigningKeysResponse { keys: keys.collect() })
    }

    pub(super) async fn check(&self, caller: &Principal) -> Result<wire::CheckSessionResponse> {
        let Principal::User { id, roles, session, .. } = caller else {
            return Err(Error::forbidden("PEOPLE_ONLY"));
        };
        let (session, account) = self.alive_by_id(session).await?;
        if session.user_id.to_string() != *id {
            return Err(session_over());
        }
        let mut said: Vec<Role> = roles.clone();
        said.sort_unstable();
        if said != account.roles {
            return Err(Error::unauthenticated("ROLES_CHANGED"));
        }
        Ok(wire::CheckSessionResponse { user: Some(account.into()) })
    }

    /// Like [`Self::check`], for the gateway once the session's token has expired. The gateway compares
    /// account and roles itself.
    pub(super) async fn check_by_id(&self, session: &str) -> Result<wire::CheckSessionResponse> {
        let (_, account) = self.alive_by_id(session).await?;
        Ok(wire::CheckSessionResponse { user: Some(account.into()) })
    }

    pub(super) async fn own_sessions(&self, caller: &Caller) -> Result<wire::ListSessionsResponse> {
        let id = Actor::from(caller).id.ok_or_else(session_over)?;
        self.live_sessions(caller, id).await
    }

    pub(super) async fn sessions_of(
        &self,
        caller: &Caller,
        user_id: &str,
    ) -> Result<wire::ListSessionsResponse> {
        let id = account_id(user_id)?;
        store::account_by_id(self.context.db.read(), id).await?.ok_or_else(store::user_not_found)?;
        self.live_sessions(caller, id).await
    }

    async fn live_sessions(&self, caller: &Caller, user_id: Uuid) -> Result<wire::ListSessionsResponse> {
        let (now, limits) = (self.context.clock.now(), self.context.limits());
        let rows = sessions::of_user(self.context.db.read(), user_id, now, limits).await?;
        let current = session_of(caller);
        let shown = rows.into_iter().map(|row| {
            let is_current = Some(row.id) == current;
            wire::Session { is_current, ..row.into() }
        });
        Ok(wire::ListSessionsResponse { sessions: shown.collect() })
    }

    pub(super) async fn end_one_session(
        &self,
        caller: &Caller,
        asked: &wire::EndSessionRequest,
    ) -> Result<wire::EndedSessions> {
        let any = caller.principal.require(Role::ADMINS).is_ok();
        let id = Uuid::parse_str(&asked.session_id).map_err(|_| sessions::not_found())?;
        let now = self.context.clock.now();
        sessions::end_one(&self.context.db, now, &caller.into(), id, any).await?;
        Ok(ended(vec![id]))
    }

    pub(super) async fn end_own_other_sessions(&self, caller: &Caller) -> Result<wire::EndedSessions> {
        let own = Actor::from(caller).id.ok_or_else(store::user_not_found)?;
        Ok(ended(sessions::end_others(&self.context.db, own, session_of(caller)).await?))
    }

    pub(super) async fn end_sessions_of(
        &self,
        caller: &Caller,
        user_id: &str,
    ) -> Result<wire::EndedSessions> {
        let id = account_id(user_id)?;
        let now = self.context.clock.now();
        Ok(ended(sessions::end_of_user(&self.context.db, now, &caller.into(), id).await?))
    }

    /// Returns the session with the current state of its account, unless the session has ended or the account
    /// may not sign in. The two reads need no transaction: anything that ended the session before this call
    /// is visible to one of them.
    async fn alive(&self, found: Option<session::Model>) -> Result<(session::Model, Account)> {
        let limits: Limits = self.context.limits();
        let now = self.context.clock.now();
        let session = found
            .map(|session| sessions::limited(session, limits))
            .filter(|session| !limits.is_over(now, session.last_used_at, session.expires_at))
            .ok_or_else(session_over)?;
        let account = store::account_by_id(self.context.db.read(), session.user_id)
            .await?
            .filter(|account| account.user.status == Status::Active)
            .ok_or_else(session_over)?;
        Ok((session, account))
    }

    async fn alive_by_id(&self, id: &str) -> Result<(session::Model, Account)> {
        let found = match Uuid::parse_str(id) {
            Ok(id) => sessions::by_id(self.context.db.read(), id).await?,
            Err(_) => None,
        };
        self.alive(found).await
    }
}

/// Returns the id of the caller's session.
pub(super) fn session_of(caller: &Caller) -> Option<Uuid> {
    match &caller.principal {
        Principal::User { session, .. } => Uuid::parse_str(session).ok(),
        Principal::Service { .. } => None,
    }
}

fn sign_in_failed() -> Error {
    Error::new(Kind::Unauthenticated, "SIGN_IN_FAILED", "Incorrect username or password")
}

pub(super) fn session_over() -> Error {
    Error::unauthenticated("SESSION_OVER")
}
