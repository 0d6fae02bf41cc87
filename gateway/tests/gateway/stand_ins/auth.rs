//! The stand-in for auth. All its sessions belong to one account, so ending "the sessions of an account" ends
//! all of them except the caller's.

use std::sync::Arc;

use kit::principal::principal;
use kit::{Error, Kind, Principal, Role};
use proto::auth::v1::auth_service_server::AuthService;
use proto::auth::v1::*;
use proto::common::v1::{Count, CountRequest};
use tonic::{Request, Response, Status};

use super::{Answer, Stage, prost_at};

/// A valid reset token for a password. With `-pin` appended, it is valid for a PIN.
pub const RESET_TOKEN: &str = "reset-token-4711";

/// The PIN of the only driver who can sign in.
pub const PIN: &str = "480159";

fn user(role: Role) -> User {
    User {
        id: "u1".into(),
        username: "maria".into(),
        email: "maria@example.com".into(),
        roles: vec![role.to_string()],
        created_at: Some(prost_at(1)),
        display_name: "Maria Clara".into(),
        status: UserStatus::Active.into(),
        last_login_at: Some(prost_at(3)),
        created_by: "system:auth".into(),
        updated_at: Some(prost_at(2)),
        updated_by: "admin".into(),
        version: 7,
        driver_id: if role == Role::Driver { "DRV/1".into() } else { String::new() },
    }
}

fn invited(username: &str) -> User {
    User {
        id: "u2".into(),
        username: username.into(),
        roles: vec![],
        display_name: String::new(),
        status: UserStatus::Invited.into(),
        last_login_at: None,
        ..user(Role::Viewer)
    }
}

fn driver() -> DriverAccount {
    DriverAccount {
        id: "a1".into(),
        username: "driver-7".into(),
        display_name: String::new(),
        driver_id: "7".into(),
        status: UserStatus::Disabled.into(),
        last_login_at: None,
    }
}

fn entry(id: &str) -> AuditEntry {
    AuditEntry {
        id: id.into(),
        at: Some(prost_at(1)),
        actor: "admin".into(),
        address: "203.0.113.9".into(),
        action: "user.roles_changed".into(),
        entity: "user".into(),
        entity_id: "u1".into(),
        entity_name: "maria".into(),
        before_json: r#"{"roles":["viewer"]}"#.into(),
        after_json: r#"{"roles":["admin"]}"#.into(),
        request_id: "r1".into(),
    }
}

fn ended() -> Status {
    Error::unauthenticated("SESSION_ENDED").into()
}

fn bad_link() -> Status {
    Error::invalid("RESET_TOKEN_INVALID", "This link is not valid any more. Ask for a new one.").into()
}

pub struct Auth(pub Arc<Stage>);

impl Auth {
    /// Ends every session except the caller's.
    fn end_others(&self, own: &str) -> Vec<String> {
        self.0.end(|id| id != own)
    }

    /// Returns the account of a session that was asked about.
    fn found(&self, request: &Request<CheckSessionRequest>) -> Answer<CheckSessionResponse> {
        let caller = principal(request)?;
        let session = match caller {
            Principal::User { session, .. } => session,
            Principal::Service { .. } => {
                caller.require_service("gateway")?;
                &request.get_ref().session_id
            }
        };
        let memory = self.0.memory.lock().unwrap();
        let (_, role) = memory.sessions.values().find(|(id, _)| id == session).ok_or_else(ended)?;
        Ok(Response::new(CheckSessionResponse { user: Some(user(*role)) }))
    }

    fn sessions(&self, own: &str) -> Response<ListSessionsResponse> {
        let memory = self.0.memory.lock().unwrap();
        let sessions = memory.sessions.values().map(|(id, _)| Session {
            id: id.clone(),
            created_at: Some(prost_at(1)),
            last_used_at: Some(prost_at(2)),
            expires_at: Some(prost_at(3)),
            address: "192.0.2.7".into(),
            user_agent: "Browser".into(),
            is_current: id == own,
        });
        Response::new(ListSessionsResponse { sessions: sessions.collect() })
    }
}

#[tonic::async_trait]
impl AuthService for Auth {
    async fn get_setup_state(&self, _: Request<GetSetupStateRequest>) -> Answer<SetupState> {
        self.0.enter("setup").await?;
        Ok(Response::new(SetupState { admin_needed: true, setup_token_needed: false }))
    }

    async fn create_admin(&self, request: Request<CreateAdminRequest>) -> Answer<User> {
        self.0.enter("create admin").await?;
        let ask = request.into_inner();
        if ask.password.len() < 8 {
            let text = "Password must have at least 8 characters";
            return Err(Error::invalid_field("password", text)
                .field("email", "Email must be present")
                .into());
        }
        Ok(Response::new(User { username: ask.username, ..user(Role::Admin) }))
    }

    async fn login(&self, request: Request<LoginRequest>) -> Answer<LoginResponse> {
        self.0.enter("login").await?;
        let ask = request.into_inner();
        self.0.memory.lock().unwrap().logins.push(ask.clone());
        let (role, secret) = match ask.kind() {
            AccountKind::Driver => (Role::Driver, PIN),
            AccountKind::Office | AccountKind::Unspecified => (Role::Admin, "correct-horse"),
        };
        if ask.password != secret {
            return Err(
                Error::new(Kind::Unauthenticated, "LOGIN_FAILED", "Wrong username or password").into()
            );
        }
        Ok(Response::new(LoginResponse {
            session_secret: self.0.begin(role),
            user: Some(user(role)),
            expires_at: Some(proto::timestamp(self.0.clock.now() + chrono::Duration::hours(12))),
        }))
    }

    async fn logout(&self, request: Request<LogoutRequest>) -> Answer<LogoutResponse> {
        self.0.enter("logout").await?;
        self.0.memory.lock().unwrap().sessions.remove(&request.into_inner().session_secret);
        Ok(Response::new(LogoutResponse {}))
    }

    async fn issue_token(&self, request: Request<IssueTokenRequest>) -> Answer<IssueTokenResponse> {
        let IssueTokenRequest { session_secret, in_background } = request.into_inner();
        self.0.enter(format!("issue, in background: {in_background}")).await?;
        let token = self.0.token_of(&session_secret).ok_or_else(ended)?;
        let expires_at = Some(proto::timestamp(self.0.clock.now() + chrono::Duration::seconds(300)));
        Ok(Response::new(IssueTokenResponse { token, expires_at }))
    }

    async fn list_signing_keys(&self, _: Request<ListSigningKeysRequest>) -> Answer<ListSigningKeysResponse> {
        Ok(Response::new(ListSigningKeysResponse::default()))
    }

    async fn check_session(&self, request: Request<CheckSessionRequest>) -> Answer<CheckSessionResponse> {
        // Auth answers as of when it was asked: a held answer may be outdated when it arrives.
        let found = self.found(&request);
        self.0.enter("check").await?;
        found
    }

    async fn get_sign_up_policy(
        &self,
        _: Request<GetSignUpPolicyRequest>,
    ) -> Answer<GetSignUpPolicyResponse> {
        self.0.enter("policy").await?;
        let mail_off = !self.0.mail_is_on();
        Ok(Response::new(GetSignUpPolicyResponse { policy: SignUpPolicy::Pending.into(), mail_off }))
    }

    async fn sign_up(&self, request: Request<SignUpRequest>) -> Answer<SignUpResponse> {
        let SignUpRequest { username, email, password, address } = request.into_inner();
        self.0.enter(format!("sign up {username} {email} {password} {address}")).await?;
        Ok(Response::new(SignUpResponse {}))
    }

    async fn request_password_reset(
        &self,
        request: Request<RequestPasswordResetRequest>,
    ) -> Answer<RequestPasswordResetResponse> {
        let RequestPasswordResetRequest { username, address } = request.into_inner();
        self.0.enter(format!("forgot {username} {address}")).await?;
        Ok(Response::new(RequestPasswordResetResponse {}))
    }

    async fn validate_reset_token(
        &self,
        request: Request<ValidateResetTokenRequest>,
    ) -> Answer<ValidateResetTokenResponse> {
        self.0.enter("validate").await?;
        let kind = match request.into_inner().reset_token.strip_prefix(RESET_TOKEN) {
            Some("") => SecretKind::Password,
            Some("-pin") => SecretKind::Pin,
            Some("-strange") => SecretKind::Unspecified,
            _ => return Err(bad_link()),
        };
        Ok(Response::new(ValidateResetTokenResponse { kind: kind.into() }))
    }

    async fn reset_password(&self, request: Request<ResetPasswordRequest>) -> Answer<EndedSessions> {
        let ResetPasswordRequest { reset_token, password, address } = request.into_inner();
        self.0.enter(format!("reset {password} {address}")).await?;
        if reset_token != RESET_TOKEN {
            return Err(bad_link());
        }
        if password.len() < 8 {
            return Err(Error::invalid_field("password", "Password must have 8 to 128 characters").into());
        }
        Ok(Response::new(EndedSessions { session_ids: self.end_others("") }))
    }

    async fn change_own_password(&self, request: Request<ChangeOwnPasswordRequest>) -> Answer<EndedSessions> {
        let own = self.0.holder(Role::STAFF, &request, "change password").await?;
        let ChangeOwnPasswordRequest { current_password, new_password } = request.into_inner();
        if (current_password.as_str(), new_password.as_str()) != ("correct-horse", "battery-staple") {
            return Err(Error::invalid_field("currentPassword", "This is not your password").into());
        }
        Ok(Response::new(EndedSessions { session_ids: self.end_others(&own) }))
    }

    async fn list_own_sessions(
        &self,
        request: Request<ListOwnSessionsRequest>,
    ) -> Answer<ListSessionsResponse> {
        let own = self.0.holder(Role::STAFF, &request, "own sessions").await?;
        Ok(self.sessions(&own))
    }

    async fn end_session(&self, request: Request<EndSessionRequest>) -> Answer<EndedSessions> {
        self.0.holder(Role::STAFF, &request, "end session").await?;
        let ending = request.into_inner().session_id;
        Ok(Response::new(EndedSessions { session_ids: self.0.end(|id| id == ending) }))
    }

    async fn end_other_sessions(&self, request: Request<EndOtherSessionsRequest>) -> Answer<EndedSessions> {
        let own = self.0.holder(Role::STAFF, &request, "end other sessions").await?;
        Ok(Response::new(EndedSessions { session_ids: self.end_others(&own) }))
    }

    async fn list_users(&self, request: Request<ListUsersRequest>) -> Answer<ListUsersResponse> {
        self.0.page_for(Role::ADMINS, &request, &request.get_ref().page).await?;
        Ok(Response::new(ListUsersResponse { users: vec![user(Role::Admin), invited("ana")], more: false }))
    }

    async fn count_users(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.holder(Role::ADMINS, &request, format!("count {:?}", request.get_ref().r#where)).await?;
        Ok(Response::new(Count { total: 2, exact: true }))
    }

    async fn get_user(&self, request: Request<GetUserRequest>) -> Answer<User> {
        self.0.holder(Role::ADMINS, &request, "get user").await?;
        match request.get_ref().id.as_str() {
            "u1" => Ok(Response::new(user(Role::Admin))),
            "u9" => Ok(Response::new(User { status: 99, ..user(Role::Admin) })),
            _ => Err(Error::not_found("USER_NOT_FOUND", "There is no such account.").into()),
        }
    }

    async fn create_user(&self, request: Request<CreateUserRequest>) -> Answer<User> {
        self.0.holder(Role::ADMINS, &request, format!("create user {:?}", request.get_ref())).await?;
        Ok(Response::new(invited(&request.get_ref().username)))
    }

    async fn update_user(&self, request: Request<UpdateUserRequest>) -> Answer<User> {
        self.0.holder(Role::ADMINS, &request, format!("update user {:?}", request.get_ref())).await?;
        Ok(Response::new(User { version: 8, ..user(Role::Admin) }))
    }

    async fn update_user_roles(&self, request: Request<UpdateUserRolesRequest>) -> Answer<ChangedUser> {
        let call = format!("update roles {:?}", request.get_ref());
        let own = self.0.holder(Role::ADMINS, &request, call).await?;
        let user = Some(User { roles: request.into_inner().roles, ..user(Role::Viewer) });
        Ok(Response::new(ChangedUser { user, ended_session_ids: self.end_others(&own) }))
    }

    async fn update_user_status(&self, request: Request<UpdateUserStatusRequest>) -> Answer<ChangedUser> {
        let call = format!("update status {:?}", request.get_ref());
        let own = self.0.holder(Role::ADMINS, &request, call).await?;
        let user = Some(User { status: request.into_inner().status, ..user(Role::Viewer) });
        Ok(Response::new(ChangedUser { user, ended_session_ids: self.end_others(&own) }))
    }

    async fn list_user_sessions(
        &self,
        request: Request<ListUserSessionsRequest>,
    ) -> Answer<ListSessionsResponse> {
        let call = format!("sessions of {}", request.get_ref().user_id);
        let own = self.0.holder(Role::ADMINS, &request, call).await?;
        Ok(self.sessions(&own))
    }

    async fn end_user_sessions(&self, request: Request<EndUserSessionsRequest>) -> Answer<EndedSessions> {
        let call = format!("end sessions of {}", request.get_ref().user_id);
        let own = self.0.holder(Role::ADMINS, &request, call).await?;
        Ok(Response::new(EndedSessions { session_ids: self.end_others(&own) }))
    }

    async fn create_reset_link(&self, request: Request<CreateResetLinkRequest>) -> Answer<ResetLink> {
        self.0.holder(Role::EDITORS, &request, "reset link").await?;
        let shown = ResetLink {
            reset_token: RESET_TOKEN.into(),
            expires_at: Some(prost_at(4)),
            mailed_to: String::new(),
            kind: SecretKind::Pin.into(),
            mail_failed: true,
        };
        Ok(Response::new(match request.get_ref().user_id.as_str() {
            "mailed" => ResetLink {
                reset_token: String::new(),
                mailed_to: "maria@example.com".into(),
                kind: SecretKind::Password.into(),
                mail_failed: false,
                ..shown
            },
            _ => shown,
        }))
    }

    async fn list_driver_accounts(
        &self,
        request: Request<ListDriverAccountsRequest>,
    ) -> Answer<ListDriverAccountsResponse> {
        self.0.page_for(Role::EDITORS, &request, &request.get_ref().page).await?;
        Ok(Response::new(ListDriverAccountsResponse { driver_accounts: vec![driver()], more: false }))
    }

    async fn count_driver_accounts(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.holder(Role::EDITORS, &request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn check_driver_username(
        &self,
        request: Request<CheckDriverUsernameRequest>,
    ) -> Answer<CheckDriverUsernameResponse> {
        self.0.holder(Role::EDITORS, &request, "check username").await?;
        Ok(Response::new(CheckDriverUsernameResponse {}))
    }

    async fn list_audit_entries(
        &self,
        request: Request<ListAuditEntriesRequest>,
    ) -> Answer<ListAuditEntriesResponse> {
        self.0.page_for(Role::ADMINS, &request, &request.get_ref().page).await?;
        let mut first = entry("e1");
        if self.0.strange() {
            first.before_json = "{\"roles\":[\"private-4711\"".into();
        }
        let bare = AuditEntry {
            address: String::new(),
            before_json: String::new(),
            after_json: String::new(),
            request_id: String::new(),
            ..entry("e2")
        };
        Ok(Response::new(ListAuditEntriesResponse { audit_entries: vec![first, bare], more: false }))
    }

    async fn count_audit_entries(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.holder(Role::ADMINS, &request, "count").await?;
        Ok(Response::new(Count { total: 2, exact: true }))
    }

    async fn record_access(&self, request: Request<RecordAccessRequest>) -> Answer<RecordAccessResponse> {
        let RecordAccessRequest { action, entity_id, .. } = request.get_ref();
        self.0.staff(&request, format!("access {action} {entity_id}").trim_end()).await?;
        self.0.keep(&request);
        if let Some(kind) = self.0.log_is_away() {
            return Err(Error::new(kind, "SOME_REASON", "some text").into());
        }
        let is_view = request.get_ref().action.ends_with(".viewed");
        let remember_seconds = if is_view { self.0.views_hold_for() } else { 0 };
        Ok(Response::new(RecordAccessResponse { remember_seconds }))
    }
}
