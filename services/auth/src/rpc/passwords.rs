//! New passwords and PINs: set by a reset link, or with the old password.

use chrono::Duration;
use kit::principal::Caller;
use kit::{Error, Result, Role};
use proto::auth::v1 as wire;
use secrecy::{ExposeSecret, SecretString};

use super::sessions::{session_of, session_over};
use super::{Service, account_id, ended};
use crate::audit::Actor;
use crate::domain::{SecretKind, Status, about};
use crate::mail::{Letter, Mailing, letters};
use crate::random;
use crate::store::passwords::{self, NewLink, OwnChange};
use crate::store::{self, Account};

/// Time limit for the mail server's answer, well below that of a call.
const MAIL_SERVER_ANSWERS: std::time::Duration = std::time::Duration::from_secs(4);

impl Service {
    /// Queues the name. Nothing here depends on whether an account has it.
    pub(super) fn ask_for_link(
        &self,
        asked: &wire::RequestPasswordResetRequest,
    ) -> Result<wire::RequestPasswordResetResponse> {
        if asked.username.trim().is_empty() {
            return Err(Error::invalid_field("username", "Username is required"));
        }
        self.resets.ask(&asked.username, &asked.address);
        Ok(wire::RequestPasswordResetResponse {})
    }

    pub(super) async fn look_at_link(
        &self,
        asked: wire::ValidateResetTokenRequest,
    ) -> Result<wire::ValidateResetTokenResponse> {
        let (account, _) = self.link(asked.reset_token).await?;
        Ok(wire::ValidateResetTokenResponse { kind: wire::SecretKind::from(account.secret_kind()).into() })
    }

    /// Returns the account of a working link, and the digest of its token.
    async fn link(&self, token: String) -> Result<(Account, Vec<u8>)> {
        let token = SecretString::from(token);
        if token.expose_secret().is_empty() {
            let error = Error::invalid("RESET_TOKEN_REQUIRED", "resetToken is required");
            return Err(about("resetToken", error));
        }
        let hash = random::hash(&token);
        let (db, now) = (self.context.db.read(), self.context.clock.now());
        Ok((passwords::account_of_link(db, hash.clone(), now).await?, hash))
    }

    pub(super) async fn use_link(&self, asked: wire::ResetPasswordRequest) -> Result<wire::EndedSessions> {
        let wire::ResetPasswordRequest { reset_token, password, address } = asked;
        let password = SecretString::from(password);
        // Check the link first, so that nobody without a valid link can cause a hash or learn the password
        // rules.
        let (account, token) = self.link(reset_token).await?;
        account
            .secret_kind()
            .check(password.expose_secret(), &account.user.username_key)
            .map_err(|text| Error::invalid_field("password", text))?;
        let hash = self.passwords.hash(password).await?;
        let (db, now) = (&self.context.db, self.context.clock.now());
        let link = (&account, token);
        let (account, sessions) = passwords::redeem(db, &self.throttle, now, link, hash, &address).await?;
        tracing::info!(user.id = %account.user.id, "a password was set by a link");
        self.tell_of_change(account);
        Ok(ended(sessions))
    }

    pub(super) async fn change_password(
        &self,
        caller: &Caller,
        asked: wire::ChangeOwnPasswordRequest,
    ) -> Result<wire::EndedSessions> {
        let wire::ChangeOwnPasswordRequest { current_password, new_password } = asked;
        let (current, new) = (SecretString::from(current_password), SecretString::from(new_password));
        let actor = Actor::from(caller);
        let db = &self.context.db;
        let found = match actor.id {
            Some(id) => store::account_by_id(db.read(), id).await?,
            None => None,
        };
        let account =
            found.filter(|account| account.user.status == Status::Active).ok_or_else(session_over)?;
        account
            .secret_kind()
            .check(new.expose_secret(), &account.user.username_key)
            .map_err(|text| Error::invalid_field("newPassword", text))?;
        // Count this like a sign-in, because the current password could be a guess.
        let mut attempt = self.throttle.look(&account.user.username_key, &caller.address).await?;
        let place = self.passwords.place()?;
        self.throttle.count(&mut attempt).await?;
        let wrong = || Error::invalid_field("currentPassword", "The current password is incorrect");
        if !self.passwords.verify(place, current, Some(&account.user.password_hash)).await? {
            tracing::warn!(user.id = %account.user.id, "a change of password was refused");
            return Err(wrong());
        }
        let password = self.passwords.hash(new).await?;
        let change = OwnChange { attempt: &attempt, session: session_of(caller), password };
        let now = self.context.clock.now();
        let done = passwords::change_own(db, &self.throttle, now, &actor, &account, change).await?;
        let sessions = done.ok_or_else(wrong)?;
        tracing::info!(user.id = %account.user.id, "a password was changed");
        self.tell_of_change(account);
        Ok(ended(sessions))
    }

    /// Mails the owner that the password was changed.
    fn tell_of_change(&self, account: Account) {
        let mailing = &self.post.mailing;
        if mailing.is_possible() && !account.user.email.is_empty() {
            let text = letters::changed(&mailing.organization(), account.name());
            self.post.send(Letter { to: account.user.email, text });
        }
    }

    /// Creates a link for somebody. The link is mailed if the mail server answers and can send to the address;
    /// otherwise it is shown to the caller.
    pub(super) async fn make_link(&self, caller: &Caller, user_id: &str) -> Result<wire::ResetLink> {
        let id = account_id(user_id)?;
        let (db, now) = (&self.context.db, self.context.clock.now());
        let is_admin = caller.principal.require(Role::ADMINS).is_ok();
        let found = store::account_by_id(db.read(), id).await?;
        // Check the role before reporting that there is no such account: only admins may learn which accounts
        // exist.
        let is_driver = found.as_ref().is_some_and(|account| account.secret_kind() == SecretKind::Pin);
        if !is_admin && !is_driver {
            return Err(Error::forbidden("ROLE_MISSING"));
        }
        let account = found.ok_or_else(store::user_not_found)?;
        let mailing = &self.post.mailing;
        let to_mail = mailing.has_server() && !account.user.email.is_empty();
        // Check both first: nobody would hear of a mail that is given up later.
        let mailed = to_mail
            && Mailing::can_write_to(&account.user.email)
            && mailing.is_reachable(MAIL_SERVER_ANSWERS).await;
        let mail_failed = to_mail && !mailed;
        let place = if mailed { Some(self.post.place()?) } else { None };
        let token = random::secret()?;
        let life = Duration::seconds(self.context.config.reset_link_seconds);
        let link = NewLink {
            hash: random::hash(&token),
            expires_at: now + life,
            mailed,
            daily: (!is_admin).then_some(self.context.config.driver_resets_per_day),
        };
        let expires_at = link.expires_at;
        let account = passwords::create_link(db, now, &caller.into(), id, link).await?;
        tracing::info!(user.id = %id, mailed, "a link for a new password was made");
        let kind = wire::SecretKind::from(account.secret_kind()).into();
        let expires_at = Some(proto::timestamp(expires_at));
        let Some(place) = place else {
            let reset_token = token.expose_secret().to_owned();
            let mailed_to = String::new();
            return Ok(wire::ResetLink { reset_token, expires_at, mailed_to, kind, mail_failed });
        };
        let (organization, name) = (&mailing.organization(), account.name());
        let address = mailing.link(token.expose_secret());
        let text = if account.user.password_hash.is_none() {
            letters::invitation(organization, name, &account.user.username, &address, life)
        } else {
            letters::from_admin(organization, name, &address, life)
        };
        let to = account.user.email;
        place.put(Letter { to: to.clone(), text });
        Ok(wire::ResetLink { reset_token: String::new(), expires_at, mailed_to: to, kind, mail_failed })
    }
}
