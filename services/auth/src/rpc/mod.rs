//! The handlers of `auth.proto`; those of `report_mail.proto` are in `report_mail`. Each begins with its access
//! rule, and then calls a method in the file named after its subject.
//!
//! Secrets arrive as plain text in types that would print them, so requests are destructured immediately and
//! never logged.

mod audit;
mod drivers;
mod passwords;
pub mod report_mail;
mod sessions;
mod setup;
mod users;

use async_trait::async_trait;
use kit::principal::{Caller, Role, caller, principal};
use kit::{Error, Principal, Result};
use proto::auth::v1 as wire;
use proto::auth::v1::auth_service_server::AuthService;
use proto::common::v1::{Count, CountRequest};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::Context;
use crate::mail::Post;
use crate::password::Passwords;
use crate::refusals::Refusals;
use crate::resets::Resets;
use crate::store::user_not_found;
use crate::throttle::Throttle;

pub use setup::first_admin;

pub struct Service {
    pub context: Context,
    pub passwords: Passwords,
    pub throttle: Throttle,
    pub post: Post,
    pub resets: Resets,
    pub refusals: Refusals,
}

/// The service that may ask about a session without a token of it.
const GATEWAY: &str = "gateway";

type Answer<T> = Result<Response<T>, Status>;

fn answer<T>(done: Result<T>) -> Answer<T> {
    Ok(Response::new(done?))
}

/// Returns the caller, who must be a person: background work has no account.
fn person<T>(request: &Request<T>) -> Result<Caller> {
    let caller = caller(request)?;
    match &caller.principal {
        Principal::User { .. } => Ok(caller.clone()),
        Principal::Service { .. } => Err(Error::forbidden("PEOPLE_ONLY")),
    }
}

/// Returns the caller, who must be an office user: drivers use other methods.
fn colleague<T>(request: &Request<T>) -> Result<Caller> {
    let caller = person(request)?;
    match &caller.principal {
        Principal::User { roles, driver_id: None, .. } if !roles.contains(&Role::Driver) => Ok(caller),
        _ => Err(Error::forbidden("ROLE_MISSING")),
    }
}

/// Parses an account id; a malformed one is reported as not found.
fn account_id(text: &str) -> Result<Uuid> {
    Uuid::parse_str(text).map_err(|_| user_not_found())
}

fn ended(sessions: Vec<Uuid>) -> wire::EndedSessions {
    wire::EndedSessions { session_ids: texts(sessions) }
}

fn texts(ids: Vec<Uuid>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

#[async_trait]
impl AuthService for Service {
    async fn get_setup_state(&self, _: Request<wire::GetSetupStateRequest>) -> Answer<wire::SetupState> {
        // Public: the page that creates the first account is shown before anyone can sign in.
        answer(self.setup_state().await)
    }

    async fn create_admin(&self, request: Request<wire::CreateAdminRequest>) -> Answer<wire::User> {
        // Public: nobody has an account yet. If strangers can reach the server first, the setup token is
        // required.
        answer(self.make_first_admin(request.into_inner()).await)
    }

    async fn login(&self, request: Request<wire::LoginRequest>) -> Answer<wire::LoginResponse> {
        // Public: a person who signs in has no token yet.
        answer(self.sign_in(request.into_inner()).await)
    }

    async fn logout(&self, request: Request<wire::LogoutRequest>) -> Answer<wire::LogoutResponse> {
        // Public: the session secret is the credential.
        answer(self.sign_out(request.into_inner()).await)
    }

    async fn issue_token(
        &self,
        request: Request<wire::IssueTokenRequest>,
    ) -> Answer<wire::IssueTokenResponse> {
        // Public: the session secret is the credential.
        answer(self.mint_token(request.into_inner()).await)
    }

    async fn list_signing_keys(
        &self,
        _: Request<wire::ListSigningKeysRequest>,
    ) -> Answer<wire::ListSigningKeysResponse> {
        // Public: the keys are needed to verify the first token, and public keys are not secret.
        answer(self.signing_keys().await)
    }

    async fn check_session(
        &self,
        request: Request<wire::CheckSessionRequest>,
    ) -> Answer<wire::CheckSessionResponse> {
        if principal(&request)?.require_service(GATEWAY).is_ok() {
            return answer(self.check_by_id(&request.into_inner().session_id).await);
        }
        let caller = person(&request)?;
        answer(self.check(&caller.principal).await)
    }

    async fn get_sign_up_policy(
        &self,
        _: Request<wire::GetSignUpPolicyRequest>,
    ) -> Answer<wire::GetSignUpPolicyResponse> {
        // Public: the sign-up page shows whether signing up is allowed.
        answer(self.sign_up_policy())
    }

    async fn sign_up(&self, request: Request<wire::SignUpRequest>) -> Answer<wire::SignUpResponse> {
        // Public: a person who signs up has no account yet. The policy decides; new accounts have no roles.
        answer(self.make_own_account(request.into_inner()).await)
    }

    async fn request_password_reset(
        &self,
        request: Request<wire::RequestPasswordResetRequest>,
    ) -> Answer<wire::RequestPasswordResetResponse> {
        // Public: a person who forgot the password cannot sign in.
        answer(self.ask_for_link(&request.into_inner()))
    }

    async fn validate_reset_token(
        &self,
        request: Request<wire::ValidateResetTokenRequest>,
    ) -> Answer<wire::ValidateResetTokenResponse> {
        // Public: the reset token is the credential.
        answer(self.look_at_link(request.into_inner()).await)
    }

    async fn reset_password(
        &self,
        request: Request<wire::ResetPasswordRequest>,
    ) -> Answer<wire::EndedSessions> {
        // Public: the reset token is the credential.
        answer(self.use_link(request.into_inner()).await)
    }

    async fn change_own_password(
        &self,
        request: Request<wire::ChangeOwnPasswordRequest>,
    ) -> Answer<wire::EndedSessions> {
        let caller = colleague(&request)?;
        answer(self.change_password(&caller, request.into_inner()).await)
    }

    async fn list_own_sessions(
        &self,
        request: Request<wire::ListOwnSessionsRequest>,
    ) -> Answer<wire::ListSessionsResponse> {
        let caller = colleague(&request)?;
        answer(self.own_sessions(&caller).await)
    }

    async fn end_session(&self, request: Request<wire::EndSessionRequest>) -> Answer<wire::EndedSessions> {
        let caller = colleague(&request)?;
        answer(self.end_one_session(&caller, &request.into_inner()).await)
    }

    async fn list_users(&self, request: Request<wire::ListUsersRequest>) -> Answer<wire::ListUsersResponse> {
        principal(&request)?.require(Role::ADMINS)?;
        answer(self.users(&request.into_inner().page.unwrap_or_default()).await)
    }

    async fn count_users(&self, request: Request<CountRequest>) -> Answer<Count> {
        principal(&request)?.require(Role::ADMINS)?;
        answer(self.users_count(&request.into_inner().r#where).await)
    }

    async fn get_user(&self, request: Request<wire::GetUserRequest>) -> Answer<wire::User> {
        principal(&request)?.require(Role::ADMINS)?;
        answer(self.user(&request.into_inner().id).await)
    }

    async fn create_user(&self, request: Request<wire::CreateUserRequest>) -> Answer<wire::User> {
        principal(&request)?.require(Role::ADMINS)?;
        let caller = person(&request)?;
        answer(self.make_user(&caller, request.into_inner()).await)
    }

    async fn update_user(&self, request: Request<wire::UpdateUserRequest>) -> Answer<wire::User> {
        principal(&request)?.require(Role::ADMINS)?;
        let caller = person(&request)?;
        answer(self.change_user(&caller, request.into_inner()).await)
    }

    async fn update_user_roles(
        &self,
        request: Request<wire::UpdateUserRolesRequest>,
    ) -> Answer<wire::ChangedUser> {
        principal(&request)?.require(Role::ADMINS)?;
        let caller = person(&request)?;
        answer(self.change_roles(&caller, request.into_inner()).await)
    }

    async fn update_user_status(
        &self,
        request: Request<wire::UpdateUserStatusRequest>,
    ) -> Answer<wire::ChangedUser> {
        principal(&request)?.require(Role::ADMINS)?;
        let caller = person(&request)?;
        answer(self.change_status(&caller, request.into_inner()).await)
    }

    async fn end_other_sessions(
        &self,
        request: Request<wire::EndOtherSessionsRequest>,
    ) -> Answer<wire::EndedSessions> {
        let caller = colleague(&request)?;
        answer(self.end_own_other_sessions(&caller).await)
    }

    async fn list_user_sessions(
        &self,
        request: Request<wire::ListUserSessionsRequest>,
    ) -> Answer<wire::ListSessionsResponse> {
        principal(&request)?.require(Role::ADMINS)?;
        let caller = person(&request)?;
        answer(self.sessions_of(&caller, &request.into_inner().user_id).await)
    }

    async fn end_user_sessions(
        &self,
        request: Request<wire::EndUserSessionsRequest>,
    ) -> Answer<wire::EndedSessions> {
        principal(&request)?.require(Role::ADMINS)?;
        let caller = person(&request)?;
        answer(self.end_sessions_of(&caller, &request.into_inner().user_id).await)
    }

    async fn create_reset_link(
        &self,
        request: Request<wire::CreateResetLinkRequest>,
    ) -> Answer<wire::ResetLink> {
        // Links for office accounts require an admin. That is checked in `make_link`, once the account's kind
        // is known.
        principal(&request)?.require(Role::EDITORS)?;
        let caller = person(&request)?;
        answer(self.make_link(&caller, &request.into_inner().user_id).await)
    }

    async fn list_driver_accounts(
        &self,
        request: Request<wire::ListDriverAccountsRequest>,
    ) -> Answer<wire::ListDriverAccountsResponse> {
        principal(&request)?.require(Role::EDITORS)?;
        answer(self.driver_accounts(&request.into_inner().page.unwrap_or_default()).await)
    }

    async fn count_driver_accounts(&self, request: Request<CountRequest>) -> Answer<Count> {
        principal(&request)?.require(Role::EDITORS)?;
        answer(self.driver_accounts_count(&request.into_inner().r#where).await)
    }

    async fn check_driver_username(
        &self,
        request: Request<wire::CheckDriverUsernameRequest>,
    ) -> Answer<wire::CheckDriverUsernameResponse> {
        principal(&request)?.require(Role::EDITORS)?;
        answer(self.driver_username(&request.into_inner().username).await)
    }

    async fn list_audit_entries(
        &self,
        request: Request<wire::ListAuditEntriesRequest>,
    ) -> Answer<wire::ListAuditEntriesResponse> {
        principal(&request)?.require(Role::ADMINS)?;
        answer(self.audit_entries(&request.into_inner().page.unwrap_or_default()).await)
    }

    async fn count_audit_entries(&self, request: Request<CountRequest>) -> Answer<Count> {
        principal(&request)?.require(Role::ADMINS)?;
        answer(self.audit_entries_count(&request.into_inner().r#where).await)
    }

    async fn record_access(
        &self,
        request: Request<wire::RecordAccessRequest>,
    ) -> Answer<wire::RecordAccessResponse> {
        principal(&request)?.require(Role::STAFF)?;
        let caller = person(&request)?;
        answer(self.access(&caller, request.into_inner()).await)
    }
}
