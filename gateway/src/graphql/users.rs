//! The caller's own account, and the first account of all.
//!
//! Everything here works without being signed in. Making the first account signs nobody in: the
//! cookie is the matter of `/auth`, and resolvers set none.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use kit::Kind;
use proto::auth::v1 as contract;
use serde_json::{Value, json};

use super::error::Failure;
use super::{Viewer, viewer};
use crate::session::SignedIn;

#[derive(Default)]
pub struct UsersQuery;

#[Object]
impl UsersQuery {
    async fn redwood(&self) -> Redwood {
        Redwood
    }

    /// Whether no account exists yet, and whether making it wants the token printed at start.
    async fn admin_needed(&self, ctx: &Context<'_>) -> Result<AdminNeeded, Failure> {
        let mut auth = viewer(ctx)?.app.auth_client();
        let state = auth.get_setup_state(contract::GetSetupStateRequest {}).await?.into_inner();
        let contract::SetupState { admin_needed, setup_token_needed } = state;
        Ok(AdminNeeded { needed: admin_needed, setup_token_needed })
    }
}

#[derive(Default)]
pub struct UsersMutation;

#[Object]
impl UsersMutation {
    /// Works only while no account exists.
    async fn create_admin(&self, ctx: &Context<'_>, input: CreateAdminInput) -> Result<CreatedUser, Failure> {
        let mut auth = viewer(ctx)?.app.auth_client();
        let CreateAdminInput { username, email, password, setup_token } = input;
        let setup_token = setup_token.unwrap_or_default();
        let ask = contract::CreateAdminRequest { username, email, password, setup_token };
        Ok(auth.create_admin(ask).await?.into_inner().into())
    }
}

pub struct Redwood;

#[Object]
impl Redwood {
    /// Null when nobody is signed in, which is no error.
    async fn current_user(&self, ctx: &Context<'_>) -> Result<Option<Value>, Failure> {
        let viewer = viewer(ctx)?;
        match viewer.session() {
            Ok(session) => Ok(Some(current_user(viewer, &session.user))),
            Err(error) if error.kind == Kind::Unauthenticated => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }
}

fn current_user(viewer: &Viewer, user: &SignedIn) -> Value {
    let SignedIn { id, username, email, roles } = user;
    let organization = &viewer.app.config.organization;
    json!({
        "id": id,
        "username": username,
        "email": email,
        "roles": roles,
        "news": [],
        "organization": { "name": organization.name, "timezone": organization.timezone },
    })
}

#[derive(SimpleObject)]
pub struct AdminNeeded {
    needed: bool,
    setup_token_needed: bool,
}

#[derive(InputObject)]
pub struct CreateAdminInput {
    username: String,
    email: String,
    password: String,
    setup_token: Option<String>,
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
        let contract::User { id, username, email, roles, created_at: _ } = user;
        Self { id, username, email, roles }
    }
}
