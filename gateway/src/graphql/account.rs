//! The caller's own account, and what is available without one.
//!
//! `redwood`, `adminNeeded`, `signUpPolicy`, `sendsMail` and `createAdmin` work without signing in. Creating
//! the first account does not sign the user in, because only `/auth` sets cookies.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use kit::Kind;
use proto::auth::v1 as contract;
use serde_json::Value;

use super::clients;
use super::current_user::current_user;
use super::error::Failure;
use super::page;
use super::value::{DateTime, known, set_time};
use super::viewer::viewer;
use crate::session::forget;

#[derive(Default)]
pub struct AccountQuery;

#[Object]
impl AccountQuery {
    async fn redwood(&self) -> Redwood {
        Redwood
    }

    /// Whether the first account still has to be created, and whether that requires the setup token that the
    /// server printed at start. Works without signing in.
    async fn admin_needed(&self, ctx: &Context<'_>) -> Result<AdminNeeded, Failure> {
        let mut auth = viewer(ctx)?.app.auth_client();
        let state = auth.get_setup_state(contract::GetSetupStateRequest {}).await?.into_inner();
        let contract::SetupState { admin_needed, setup_token_needed } = state;
        Ok(AdminNeeded { needed: admin_needed, setup_token_needed })
    }

    /// Whether people without an account may create one. Works without signing in.
    async fn sign_up_policy(&self, ctx: &Context<'_>) -> Result<SignUpPolicy, Failure> {
        let mut auth = viewer(ctx)?.app.auth_client();
        let answer = auth.get_sign_up_policy(contract::GetSignUpPolicyRequest {}).await?.into_inner();
        known::<contract::SignUpPolicy, _>(answer.policy)
    }

    /// Whether reset links are sent by mail. Works without signing in, and reveals nothing about accounts.
    async fn sends_mail(&self, ctx: &Context<'_>) -> Result<bool, Failure> {
        let mut auth = viewer(ctx)?.app.auth_client();
        let answer = auth.get_sign_up_policy(contract::GetSignUpPolicyRequest {}).await?.into_inner();
        Ok(!answer.mail_off)
    }

    #[graphql(complexity = "page::times(10, child_complexity)")]
    async fn my_sessions(&self, ctx: &Context<'_>) -> Result<Vec<Session>, Failure> {
        let found = clients::auth(ctx)?.list_own_sessions(contract::ListOwnSessionsRequest {}).await?;
        Ok(found.into_inner().sessions.into_iter().map(Session).collect())
    }
}

/// The network address of a request, for the audit log.
pub struct Address(pub String);

#[derive(Default)]
pub struct AccountMutation;

#[Object]
impl AccountMutation {
    /// Creates the first account, an administrator. Works only while no account exists.
    async fn create_admin(&self, ctx: &Context<'_>, input: CreateAdminInput) -> Result<CreatedUser, Failure> {
        let mut auth = viewer(ctx)?.app.auth_client();
        let CreateAdminInput { username, email, password, setup_token } = input;
        let setup_token = setup_token.unwrap_or_default();
        let address = ctx.data_opt::<Address>().map(|it| it.0.clone()).unwrap_or_default();
        let ask = contract::CreateAdminRequest { username, email, password, setup_token, address };
        Ok(auth.create_admin(ask).await?.into_inner().into())
    }

    /// Changes the caller's password and ends their other sessions.
    async fn change_own_password(
        &self,
        ctx: &Context<'_>,
        input: ChangeOwnPasswordInput,
    ) -> Result<EndedSessions, Failure> {
        let ChangeOwnPasswordInput { current_password, new_password } = input;
        let ask = contract::ChangeOwnPasswordRequest { current_password, new_password };
        let ended = clients::auth(ctx)?.change_own_password(ask).await?.into_inner();
        ended_sessions(ctx, &ended.session_ids).await
    }

    /// Ends all sessions of the caller except the current one.
    async fn end_other_sessions(&self, ctx: &Context<'_>) -> Result<EndedSessions, Failure> {
        let ended =
            clients::auth(ctx)?.end_other_sessions(contract::EndOtherSessionsRequest {}).await?.into_inner();
        ended_sessions(ctx, &ended.session_ids).await
    }

    async fn end_session(&self, ctx: &Context<'_>, input: EndSessionInput) -> Result<EndedSessions, Failure> {
        let ask = contract::EndSessionRequest { session_id: input.id };
        let ended = clients::auth(ctx)?.end_session(ask).await?.into_inner();
        ended_sessions(ctx, &ended.session_ids).await
    }
}

pub struct Redwood;

#[Object]
impl Redwood {
    /// The signed-in user. Null if nobody is signed in, which is not an error.
    async fn current_user(&self, ctx: &Context<'_>) -> Result<Option<Value>, Failure> {
        let viewer = viewer(ctx)?;
        match viewer.session() {
            Ok(session) => Ok(Some(current_user(&viewer.app, session).await)),
            Err(error) if error.kind == Kind::Unauthenticated => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }
}

#[derive(SimpleObject)]
pub struct AdminNeeded {
    needed: bool,
    setup_token_needed: bool,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum SignUpPolicy {
    Off,
    Pending,
}

proto::same_enum!(contract::SignUpPolicy => SignUpPolicy { Off => Off, Pending => Pending });

pub struct Session(pub contract::Session);

#[Object]
impl Session {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn last_used_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.last_used_at)
    }
    async fn expires_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.expires_at)
    }
    async fn address(&self) -> &str {
        &self.0.address
    }
    async fn user_agent(&self) -> &str {
        &self.0.user_agent
    }
    async fn is_current(&self) -> bool {
        self.0.is_current
    }
}

#[derive(SimpleObject)]
pub struct EndedSessions {
    count: usize,
}

/// Removes ended sessions from the cache, and only then responds.
pub async fn ended_sessions(ctx: &Context<'_>, ids: &[String]) -> Result<EndedSessions, Failure> {
    forget(&viewer(ctx)?.app, ids).await;
    Ok(EndedSessions { count: ids.len() })
}

#[derive(InputObject)]
pub struct CreateAdminInput {
    username: String,
    email: String,
    password: String,
    setup_token: Option<String>,
}

#[derive(InputObject)]
pub struct ChangeOwnPasswordInput {
    current_password: String,
    new_password: String,
}

#[derive(InputObject)]
pub struct EndSessionInput {
    id: String,
}

#[derive(SimpleObject)]
pub struct CreatedUser {
    id: String,
    username: String,
    email: String,
    roles: Vec<String>,
}

impl From<contract::User> for CreatedUser {
    fn from(user: contract::User) -> Self {
        // Leave out the other fields, which are the same for every new account.
        let contract::User { id, username, email, roles, .. } = user;
        Self { id, username, email, roles }
    }
}
