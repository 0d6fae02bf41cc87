//! Tests that call the service through a client, on both databases.

mod accesses;
mod audit;
mod chain;
mod clocks;
mod copies;
mod driver_links;
mod drivers;
mod first_account;
mod floods;
mod keys;
mod links;
mod logs;
mod names;
mod own_account;
mod report_mails;
mod schema;
mod sessions;
mod sign_in;
mod sign_up;
mod throttling;
mod users;

use std::path::PathBuf;

use chrono::{DateTime, Duration};
use futures::FutureExt;
use kit::clock::Clock;
use kit::config::SetupToken;
use kit::principal::{ServiceIdentity, Verifier};
use kit::rpc::{Client, Transport, mount};
use kit::service::Service;
use kit::{Error, Principal};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::{
    AccountKind, ChangedUser, CheckSessionRequest, CreateAdminRequest, CreateResetLinkRequest,
    CreateUserRequest, EndedSessions, GetUserRequest, IssueTokenRequest, LoginRequest, LogoutRequest,
    RequestPasswordResetRequest, ResetLink, ResetPasswordRequest, UpdateUserRolesRequest,
    UpdateUserStatusRequest, User, UserStatus, ValidateResetTokenRequest,
};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use secrecy::ExposeSecret;
use tokio_util::sync::CancellationToken;

use crate::drivers::DriverChange;
use crate::entity::{audit_entry, user, user_role};
use crate::mail::{Mailing, Postman};
use crate::password::Passwords;
use crate::refusals::Reporter;
use crate::resets::Worker;
use crate::throttle::Throttle;
use crate::{Assembled, Context, assemble, routes};
use ::store::Db;
use ::store::clearing::Doubts;
use ::store::settings::Settings;

pub const NAME: &str = "Maria";
pub const PASSWORD: &str = "blue truck at seven";
/// The address from which everybody calls unless a test says otherwise.
pub const HOME: &str = "203.0.113.7";

pub struct World {
    pub context: Context,
    pub transport: Transport,
    pub verifier: Verifier,
    pub passwords: Passwords,
    pub throttle: Throttle,
    pub setup_token: Option<String>,
    /// The workers that run after responses; tests run them explicitly.
    workers: tokio::sync::Mutex<(Worker, Reporter, Postman)>,
}

/// A signed-in person.
pub struct Person<'a> {
    world: &'a World,
    pub id: String,
    pub secret: String,
}

impl Person<'_> {
    /// Returns a client with a fresh token, calling from [`HOME`].
    pub async fn client(&self) -> AuthServiceClient<Client> {
        self.client_at(HOME).await
    }

    pub async fn client_at(&self, address: &str) -> AuthServiceClient<Client> {
        let token = self.world.token(&self.secret).await.unwrap();
        AuthServiceClient::new(self.world.transport.with_token(token.into()).from_address(address))
    }

    pub async fn create(&self, username: &str, roles: &[&str]) -> Result<User, Error> {
        let request = CreateUserRequest {
            username: username.into(),
            display_name: format!("{username} of the office"),
            email: format!("{}@example.com", username.to_lowercase().replace([' ', '.'], "")),
            roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        };
        Ok(self.client().await.create_user(request).await?.into_inner())
    }

    pub async fn get(&self, id: &str) -> User {
        let request = GetUserRequest { id: id.into() };
        self.client().await.get_user(request).await.unwrap().into_inner()
    }

    pub async fn set_roles(&self, user: &User, roles: &[&str]) -> Result<ChangedUser, Error> {
        let request = UpdateUserRolesRequest {
            id: user.id.clone(),
            version: user.version,
            roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        };
        Ok(self.client().await.update_user_roles(request).await?.into_inner())
    }

    pub async fn set_status(&self, user: &User, status: UserStatus) -> Result<ChangedUser, Error> {
        let request =
            UpdateUserStatusRequest { id: user.id.clone(), version: user.version, status: status.into() };
        Ok(self.client().await.update_user_status(request).await?.into_inner())
    }

    pub async fn link(&self, user_id: &str) -> Result<ResetLink, Error> {
        let request = CreateResetLinkRequest { user_id: user_id.into() };
        Ok(self.client().await.create_reset_link(request).await?.into_inner())
    }
}

pub fn context(db: Db) -> Context {
    let clock = Clock::fixed(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
    let secret = "service secret for tests, long enough";
    let identity = ServiceIdentity::new(crate::NAME, secret.to_owned().into(), clock.clone());
    // There is no settings service here.
    let none = std::future::pending::<Transport>().boxed().shared();
    Context {
        db,
        clock,
        settings: Settings::default().from_service(none, identity),
        config: kit::config::Auth {
            service_secret: secret.to_owned().into(),
            service_secret_file: String::new(),
            session_idle_seconds: 7200,
            session_absolute_seconds: 43200,
            token_seconds: 300,
            setup_token: SetupToken::Auto,
            hash_workers: 2,
            hash_queue: 50,
            sign_up: kit::config::SignUp::Off,
            reset_token_seconds: 600,
            reset_link_seconds: 86_400,
            free_attempts: 5,
            max_wait_seconds: 1200,
            address_attempts: 50,
            driver_resets_per_day: 20,
        },
        setup_token_needed: false,
        mailing: Mailing::nowhere(),
    }
}

impl World {
    pub async fn start(context: Context) -> Self {
        let passwords =
            Passwords::quick(context.config.hash_workers, context.config.hash_queue).await.unwrap();
        Self::with_passwords(context, passwords).await
    }

    pub async fn with_passwords(context: Context, passwords: Passwords) -> Self {
        let Assembled { handlers, setup_token, keys, worker, reporter, postman } =
            assemble(context.clone(), passwords.clone()).await.unwrap();
        let setup_token = setup_token.map(|it| it.expose_secret().to_owned());
        let workers = tokio::sync::Mutex::new((worker, reporter, postman));
        let verifier = Verifier::new(keys, context.config.service_secret.clone(), context.clock.clone());
        let routes = mount(routes(handlers), verifier.clone(), std::time::Duration::from_secs(10));
        let throttle = Throttle::new(context.db.clone(), context.clock.clone(), &context.config);
        let transport = Transport::InProcess(routes);
        Self { context, transport, verifier, passwords, throttle, setup_token, workers }
    }

    /// Starts a service with one account.
    pub async fn with_admin(db: Db) -> Self {
        let world = Self::start(context(db)).await;
        world.create_admin(NAME, PASSWORD, "").await.unwrap();
        world
    }

    pub fn client(&self) -> AuthServiceClient<Client> {
        AuthServiceClient::new(self.transport.anonymous())
    }

    pub async fn create_admin(
        &self,
        username: &str,
        password: &str,
        setup_token: &str,
    ) -> Result<User, Error> {
        let request = CreateAdminRequest {
            username: username.into(),
            email: "maria@example.com".into(),
            password: password.into(),
            setup_token: setup_token.into(),
            address: "198.51.100.7".into(),
        };
        Ok(self.client().create_admin(request).await?.into_inner())
    }

    /// Signs in as an office user; returns the session's secret.
    pub async fn login(&self, username: &str, password: &str) -> Result<String, Error> {
        self.login_as(AccountKind::Office, username, password, HOME).await
    }

    /// Signs in as a driver; returns the session's secret.
    pub async fn driver_login(&self, username: &str, pin: &str) -> Result<String, Error> {
        self.login_as(AccountKind::Driver, username, pin, HOME).await
    }

    pub async fn login_from(&self, username: &str, password: &str, address: &str) -> Result<String, Error> {
        self.login_as(AccountKind::Unspecified, username, password, address).await
    }

    async fn login_as(
        &self,
        kind: AccountKind,
        username: &str,
        password: &str,
        address: &str,
    ) -> Result<String, Error> {
        let request = LoginRequest {
            username: username.into(),
            password: password.into(),
            address: address.into(),
            user_agent: "x".repeat(1000),
            kind: kind.into(),
        };
        Ok(self.client().login(request).await?.into_inner().session_secret)
    }

    /// Signs in and returns the person.
    pub async fn sign_in(&self, username: &str) -> Person<'_> {
        let secret = self.login(username, PASSWORD).await.unwrap();
        let user = self.check(&self.token(&secret).await.unwrap()).await.unwrap();
        Person { world: self, id: user.id, secret }
    }

    /// Creates an office account as the admin does, with the standard password.
    pub async fn make(&self, username: &str, roles: &[&str]) -> User {
        let admin = self.sign_in(NAME).await;
        let user = admin.create(username, roles).await.unwrap();
        let link = admin.link(&user.id).await.unwrap();
        self.redeem(&link.reset_token, PASSWORD).await.unwrap();
        admin.get(&user.id).await
    }

    /// Applies a change of a driver; returns the account's id.
    pub async fn driver(&self, driver_id: &str, username: &str, status: &str, version: i64) -> String {
        let driver = proto::events::DriverChanged {
            driver_id: driver_id.into(),
            name: format!("{username} who drives"),
            username: username.into(),
            status: status.into(),
        };
        let revision = ::store::consume::Revision { version, sequence: 0 };
        let change = DriverChange::parse(driver, revision, "planner").unwrap();
        assert_eq!(
            crate::store::drivers::follow(&self.context.db, &self.context.clock, &[change]).await.unwrap(),
            1
        );
        let found = user::Entity::find().filter(user::Column::DriverId.eq(driver_id));
        found.one(self.context.db.read()).await.unwrap().unwrap().id.to_string()
    }

    pub async fn forgot(&self, username: &str, address: &str) {
        let request = RequestPasswordResetRequest { username: username.into(), address: address.into() };
        self.client().request_password_reset(request).await.unwrap();
        self.work().await;
    }

    /// Runs the work that is done after responses.
    pub async fn work(&self) {
        let mut workers = self.workers.lock().await;
        let (worker, reporter, postman) = &mut *workers;
        worker.answer_all().await;
        reporter.publish_all().await;
        postman.carry_all().await;
    }

    pub async fn kind_of_link(&self, token: &str) -> Result<i32, Error> {
        let request = ValidateResetTokenRequest { reset_token: token.into() };
        Ok(self.client().validate_reset_token(request).await?.into_inner().kind)
    }

    pub async fn redeem(&self, token: &str, password: &str) -> Result<EndedSessions, Error> {
        let request = ResetPasswordRequest {
            reset_token: token.into(),
            password: password.into(),
            address: HOME.into(),
        };
        Ok(self.client().reset_password(request).await?.into_inner())
    }

    /// Returns the audit log, oldest first.
    pub async fn audit(&self) -> Vec<audit_entry::Model> {
        let all = audit_entry::Entity::find().order_by_asc(audit_entry::Column::Number);
        all.all(self.context.db.read()).await.unwrap()
    }

    pub async fn chores(&self) {
        crate::chores(&self.context, &Doubts::default()).await.unwrap();
    }

    pub async fn chores_if(&self, due: bool) {
        if due {
            self.chores().await;
        }
    }

    pub async fn logout(&self, secret: &str) {
        self.client().logout(LogoutRequest { session_secret: secret.into() }).await.unwrap();
    }

    pub async fn token(&self, secret: &str) -> Result<String, Error> {
        self.token_of(secret, false).await
    }

    /// Returns a token as a page gets it that nobody uses.
    pub async fn background_token(&self, secret: &str) -> Result<String, Error> {
        self.token_of(secret, true).await
    }

    async fn token_of(&self, secret: &str, in_background: bool) -> Result<String, Error> {
        let request = IssueTokenRequest { session_secret: secret.into(), in_background };
        Ok(self.client().issue_token(request).await?.into_inner().token)
    }

    pub async fn check(&self, token: &str) -> Result<User, Error> {
        let mut client = AuthServiceClient::new(self.transport.with_token(token.into()));
        Ok(client.check_session(CheckSessionRequest::default()).await?.into_inner().user.unwrap())
    }

    pub async fn who(&self, token: &str) -> Result<Principal, Error> {
        self.verifier.verify(token).await
    }

    pub fn advance(&self, by: Duration) {
        self.context.clock.advance(by);
    }

    pub async fn disable(&self) {
        let tx = self.context.db.begin().await.unwrap();
        user::Entity::update_many()
            .col_expr(user::Column::Status, Expr::value(crate::domain::Status::Disabled))
            .exec(&*tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }

    pub async fn change_role(&self, from: &str, to: &str) {
        let tx = self.context.db.begin().await.unwrap();
        user_role::Entity::update_many()
            .col_expr(user_role::Column::Role, Expr::value(to))
            .filter(user_role::Column::Role.eq(from))
            .exec(&*tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }
}

/// Runs the tasks of a service until `stop`.
pub async fn run_tasks(service: Service, stop: CancellationToken) {
    let running = service.tasks.into_iter().map(|task| task.run(stop.clone()));
    for ended in futures::future::join_all(running).await {
        ended.unwrap();
    }
}

/// Returns the reason code of a refused request.
pub fn reason<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
    answer.unwrap_err().reason
}

/// A folder that mails are written to.
pub struct Mails(tempfile::TempDir);

impl Mails {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().join("mail")
    }

    /// Returns the mails, oldest first.
    pub fn all(&self) -> Vec<String> {
        let Ok(folder) = std::fs::read_dir(self.path()) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|it| it == "eml"));
        paths.sort_unstable();
        paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }
}

/// Waits until the condition holds.
pub async fn until(mut reached: impl FnMut() -> bool) {
    let waiting = async {
        while !reached() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), waiting).await.expect("the state is reached");
}

/// Returns the token in a mail.
pub fn token_in(mail: &str) -> String {
    let link = mail.lines().find(|line| line.starts_with("https://waybill.example/reset-password?")).unwrap();
    link.split_once("resetToken=").unwrap().1.trim().to_owned()
}
