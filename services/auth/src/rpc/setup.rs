//! The first account, and accounts that people create for themselves.

use kit::config::SignUp;
use kit::{Error, Kind, Result};
use proto::auth::v1 as wire;

use super::Service;
use crate::domain::NewAccount;
use crate::password::Passwords;
use crate::store::{self, Account, users};
use crate::{Context, setup_token};

impl Service {
    pub(super) async fn setup_state(&self) -> Result<wire::SetupState> {
        let admin_needed = store::setup(self.context.db.read()).await?.done_at.is_none();
        let setup_token_needed = admin_needed && self.context.setup_token_needed;
        Ok(wire::SetupState { admin_needed, setup_token_needed })
    }

    pub(super) async fn make_first_admin(&self, asked: wire::CreateAdminRequest) -> Result<wire::User> {
        let row = store::setup(self.context.db.read()).await?;
        if row.done_at.is_some() {
            return Err(users::admin_exists());
        }
        // Check the setup token first, so that nothing is revealed without it. The token is too long to
        // guess.
        let secret = &self.context.config.service_secret;
        if self.context.setup_token_needed && !setup_token::is_right(secret, &row, &asked.setup_token) {
            tracing::warn!("the first account was refused: wrong setup token");
            let text = "The setup token is wrong. Waybill prints it when it starts.";
            return Err(Error::new(Kind::Forbidden, "SETUP_TOKEN_WRONG", text).field("setupToken", text));
        }
        let address = asked.address.clone();
        Ok(first_admin(&self.context, &self.passwords, &address, asked.try_into()?).await?.into())
    }

    pub(super) fn sign_up_policy(&self) -> Result<wire::GetSignUpPolicyResponse> {
        let policy = match self.context.config.sign_up {
            SignUp::Off => wire::SignUpPolicy::Off,
            SignUp::Pending => wire::SignUpPolicy::Pending,
        };
        let mail_off = !self.context.mailing.has_server();
        Ok(wire::GetSignUpPolicyResponse { policy: policy.into(), mail_off })
    }

    /// Creates the caller's own account. A taken name costs the same hash and the same commit as a free one.
    pub(super) async fn make_own_account(&self, asked: wire::SignUpRequest) -> Result<wire::SignUpResponse> {
        if self.context.config.sign_up == SignUp::Off {
            return Err(Error::invalid("SIGN_UP_OFF", "Signup flow is not enabled"));
        }
        let address = asked.address.clone();
        let new = NewAccount::try_from(asked)?;
        // Check the limit before hashing, so that one address can't keep all sign-ins waiting. The transaction
        // below checks it again and counts.
        self.throttle.look_at_sign_up(&address).await?;
        let hash = self.passwords.hash(new.password.clone()).await?;
        let tx = self.context.db.begin().await?;
        self.throttle.may_sign_up(&tx, &address).await?;
        let made = users::sign_up(&tx, self.context.clock.now(), &address, new, hash).await?;
        tx.commit().await?;
        tracing::info!(made, "somebody signed up");
        Ok(wire::SignUpResponse {})
    }
}

/// Creates the first account from a validated request.
pub async fn first_admin(
    context: &Context,
    passwords: &Passwords,
    address: &str,
    new: NewAccount,
) -> Result<Account> {
    let hash = passwords.hash(new.password.clone()).await?;
    let account = users::add_first_admin(&context.db, context.clock.now(), address, new, hash).await?;
    tracing::info!(user.id = %account.user.id, "first account made");
    Ok(account)
}
