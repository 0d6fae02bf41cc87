//! Accounts of the office and of drivers, for those who manage them.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use proto::auth::v1 as contract;

use super::account::{EndedSessions, Session, ended_sessions};
use super::clients;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, given, known, set_time, time};

#[derive(Default)]
pub struct UsersQuery;

#[Object]
impl UsersQuery {
    async fn user(&self, ctx: &Context<'_>, id: String) -> Result<Option<User>, Failure> {
        let answer = clients::auth(ctx)?.get_user(contract::GetUserRequest { id }).await;
        Ok(found(answer)?.map(User))
    }

    /// Accounts of the office.
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn users(&self, ctx: &Context<'_>, page: Option<PageOptions>) -> Result<Vec<User>, Failure> {
        let mut client = clients::auth(ctx)?;
        let ask = contract::ListUsersRequest { page: Some(page::page(page)?) };
        let found = client.list_users(ask).await?.into_inner().users;
        Ok(found.into_iter().map(User).collect())
    }

    async fn users_count(&self, ctx: &Context<'_>, r#where: Option<Vec<Filter>>) -> Result<Count, Failure> {
        let count = clients::auth(ctx)?.count_users(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    /// Accounts of drivers, whose PINs can be reset.
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn driver_accounts(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<DriverAccount>, Failure> {
        let mut client = clients::auth(ctx)?;
        let ask = contract::ListDriverAccountsRequest { page: Some(page::page(page)?) };
        let found = client.list_driver_accounts(ask).await?.into_inner().driver_accounts;
        Ok(found.into_iter().map(DriverAccount).collect())
    }

    async fn driver_accounts_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::auth(ctx)?.count_driver_accounts(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }
}

#[derive(Default)]
pub struct UsersMutation;

#[Object]
impl UsersMutation {
    async fn create_user(&self, ctx: &Context<'_>, input: CreateUserInput) -> Result<User, Failure> {
        let CreateUserInput { username, display_name, email, roles } = input;
        let display_name = display_name.unwrap_or_default();
        let ask = contract::CreateUserRequest { username, display_name, email, roles };
        Ok(User(clients::auth(ctx)?.create_user(ask).await?.into_inner()))
    }

    /// Replaces display name and email; without `displayName` there is none.
    async fn update_user(&self, ctx: &Context<'_>, input: UpdateUserInput) -> Result<User, Failure> {
        let UpdateUserInput { id, version, display_name, email } = input;
        let display_name = display_name.unwrap_or_default();
        let ask = contract::UpdateUserRequest { id, version, display_name, email };
        Ok(User(clients::auth(ctx)?.update_user(ask).await?.into_inner()))
    }

    async fn update_user_roles(
        &self,
        ctx: &Context<'_>,
        input: UpdateUserRolesInput,
    ) -> Result<User, Failure> {
        let UpdateUserRolesInput { id, version, roles } = input;
        let ask = contract::UpdateUserRolesRequest { id, version, roles };
        let answer = clients::auth(ctx)?.update_user_roles(ask).await?.into_inner();
        changed(ctx, answer).await
    }

    async fn update_user_status(
        &self,
        ctx: &Context<'_>,
        input: UpdateUserStatusInput,
    ) -> Result<User, Failure> {
        let UpdateUserStatusInput { id, version, status } = input;
        let status = contract::UserStatus::from(status).into();
        let ask = contract::UpdateUserStatusRequest { id, version, status };
        let answer = clients::auth(ctx)?.update_user_status(ask).await?.into_inner();
        changed(ctx, answer).await
    }

    async fn end_user_sessions(
        &self,
        ctx: &Context<'_>,
        input: EndUserSessionsInput,
    ) -> Result<EndedSessions, Failure> {
        let ask = contract::EndUserSessionsRequest { user_id: input.user_id };
        let ended = clients::auth(ctx)?.end_user_sessions(ask).await?.into_inner();
        ended_sessions(ctx, &ended.session_ids).await
    }

    async fn create_reset_link(
        &self,
        ctx: &Context<'_>,
        input: CreateResetLinkInput,
    ) -> Result<ResetLink, Failure> {
        let ask = contract::CreateResetLinkRequest { user_id: input.user_id };
        let link = clients::auth(ctx)?.create_reset_link(ask).await?.into_inner();
        let contract::ResetLink { reset_token, expires_at, mailed_to, kind, mail_failed } = link;
        Ok(ResetLink {
            path: given(&reset_token).map(|token| format!("/reset-password?resetToken={token}")),
            mailed_to: given(&mailed_to).map(str::to_owned),
            expires_at: set_time(expires_at)?,
            kind: known::<contract::SecretKind, _>(kind)?,
            mail_failed,
        })
    }
}

/// Removes the sessions that a change ended from the cache, then returns the changed account.
async fn changed(ctx: &Context<'_>, answer: contract::ChangedUser) -> Result<User, Failure> {
    let contract::ChangedUser { user, ended_session_ids } = answer;
    ended_sessions(ctx, &ended_session_ids).await?;
    user.map(User).ok_or_else(|| kit::Error::internal("auth changed an account and did not say which").into())
}

pub struct User(contract::User);

#[Object]
impl User {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn username(&self) -> &str {
        &self.0.username
    }
    async fn display_name(&self) -> Option<&str> {
        given(&self.0.display_name)
    }
    async fn email(&self) -> &str {
        &self.0.email
    }
    async fn roles(&self) -> &[String] {
        &self.0.roles
    }
    async fn status(&self) -> Result<UserStatus, Failure> {
        known::<contract::UserStatus, _>(self.0.status)
    }
    /// When the person last signed in; null if never.
    async fn last_login_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.last_login_at)
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    async fn created_by(&self) -> &str {
        &self.0.created_by
    }
    async fn updated_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.updated_at)
    }
    async fn updated_by(&self) -> &str {
        &self.0.updated_by
    }
    async fn version(&self) -> u64 {
        self.0.version
    }
    // Expensive in lists: there is no batch call, so each account costs a separate call.
    #[graphql(complexity = "page::times(100, child_complexity)")]
    async fn sessions(&self, ctx: &Context<'_>) -> Result<Vec<Session>, Failure> {
        let ask = contract::ListUserSessionsRequest { user_id: self.0.id.clone() };
        let found = clients::auth(ctx)?.list_user_sessions(ask).await?.into_inner().sessions;
        Ok(found.into_iter().map(Session).collect())
    }
}

pub struct DriverAccount(contract::DriverAccount);

#[Object]
impl DriverAccount {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn username(&self) -> &str {
        &self.0.username
    }
    async fn display_name(&self) -> Option<&str> {
        given(&self.0.display_name)
    }
    async fn driver_id(&self) -> &str {
        &self.0.driver_id
    }
    async fn status(&self) -> Result<UserStatus, Failure> {
        known::<contract::UserStatus, _>(self.0.status)
    }
    async fn last_login_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.last_login_at)
    }
}

/// A reset link that was either mailed or has to be handed over by the caller.
#[derive(SimpleObject)]
pub struct ResetLink {
    /// Path and query of the link; null when it was mailed.
    path: Option<String>,
    /// Address to which the link was mailed; null if it was not mailed.
    mailed_to: Option<String>,
    expires_at: DateTime,
    /// What the link asks for: password or pin.
    kind: SecretKind,
    /// Whether the mail server could not be reached, or may not be able to send to the address of the account.
    mail_failed: bool,
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum UserStatus {
    Active,
    Disabled,
    Invited,
}

proto::same_enum!(contract::UserStatus => UserStatus {
    Active => Active,
    Disabled => Disabled,
    Invited => Invited,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum SecretKind {
    Password,
    Pin,
}

proto::same_enum!(contract::SecretKind => SecretKind { Password => Password, Pin => Pin });

#[derive(InputObject)]
pub struct CreateUserInput {
    username: String,
    display_name: Option<String>,
    email: String,
    /// Any of admin, transport_planner, dispatcher and viewer.
    roles: Vec<String>,
}

#[derive(InputObject)]
pub struct UpdateUserInput {
    id: String,
    version: u64,
    display_name: Option<String>,
    email: String,
}

#[derive(InputObject)]
pub struct UpdateUserRolesInput {
    id: String,
    version: u64,
    /// Any of admin, transport_planner, dispatcher and viewer.
    roles: Vec<String>,
}

#[derive(InputObject)]
pub struct UpdateUserStatusInput {
    id: String,
    version: u64,
    status: UserStatus,
}

#[derive(InputObject)]
pub struct EndUserSessionsInput {
    user_id: String,
}

#[derive(InputObject)]
pub struct CreateResetLinkInput {
    user_id: String,
}
