//! The service as its callers see it: mounted, through a client, on both databases.

mod first_account;
mod keys;
mod schema;
mod sessions;
mod sign_in;

use chrono::{DateTime, Duration};
use kit::clock::Clock;
use kit::config::SetupToken;
use kit::principal::Verifier;
use kit::rpc::{Client, Transport, mount};
use kit::{Error, Principal};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::{
    CheckSessionRequest, CreateAdminRequest, IssueTokenRequest, LoginRequest, LogoutRequest, User,
};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::entity::{user, user_role};
use crate::password::Passwords;
use crate::{Context, Started, Tasks, assemble};
use ::store::Db;

pub const NAME: &str = "Maria";
pub const PASSWORD: &str = "blue truck at seven";

pub struct World {
    pub context: Context,
    pub transport: Transport,
    pub verifier: Verifier,
    pub passwords: Passwords,
    pub setup_token: Option<String>,
    pub tasks: Tasks,
}

pub fn context(db: Db) -> Context {
    Context {
        db,
        clock: Clock::fixed(DateTime::from_timestamp(1_800_000_000, 0).unwrap()),
        config: kit::config::Auth {
            service_secret: "service secret for tests, long enough".to_owned().into(),
            service_secret_file: String::new(),
            session_idle_seconds: 7200,
            session_absolute_seconds: 43200,
            token_seconds: 300,
            setup_token: SetupToken::Auto,
            hash_workers: 2,
            hash_queue: 50,
        },
        setup_token_needed: false,
    }
}

impl World {
    pub async fn start(context: Context) -> Self {
        let passwords =
            Passwords::quick(context.config.hash_workers, context.config.hash_queue).await.unwrap();
        let Started { routes, setup_token, keys, tasks } =
            assemble(context.clone(), passwords.clone()).await.unwrap();
        let verifier = Verifier::new(keys, context.config.service_secret.clone(), context.clock.clone());
        let routes = mount(routes, verifier.clone(), std::time::Duration::from_secs(10));
        Self { context, transport: Transport::InProcess(routes), verifier, passwords, setup_token, tasks }
    }

    /// A service with one account.
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
        };
        Ok(self.client().create_admin(request).await?.into_inner())
    }

    /// Signs in; the secret of the session.
    pub async fn login(&self, username: &str, password: &str) -> Result<String, Error> {
        let request = LoginRequest {
            username: username.into(),
            password: password.into(),
            address: "203.0.113.7".into(),
            user_agent: "x".repeat(1000),
        };
        Ok(self.client().login(request).await?.into_inner().session_secret)
    }

    pub async fn logout(&self, secret: &str) {
        self.client().logout(LogoutRequest { session_secret: secret.into() }).await.unwrap();
    }

    pub async fn token(&self, secret: &str) -> Result<String, Error> {
        let request = IssueTokenRequest { session_secret: secret.into() };
        Ok(self.client().issue_token(request).await?.into_inner().token)
    }

    pub async fn check(&self, token: &str) -> Result<User, Error> {
        let mut client = AuthServiceClient::new(self.transport.with_token(token.into()));
        Ok(client.check_session(CheckSessionRequest {}).await?.into_inner().user.unwrap())
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

/// The reason of a refusal.
pub fn reason<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
    answer.unwrap_err().reason
}
