//! Queries of accounts, sessions, links and the first setup.
//!
//! Values that must be consistent with each other are read by one query. A check and the action that depends
//! on it are one conditional statement, or follow the lock of a row inside a transaction. Rows are locked in
//! this order: `setup`, `users`, `session`, `reset_token`, `throttle`.

pub mod driver_log;
pub mod drivers;
pub mod passwords;
pub mod report_mails;
pub mod sessions;
pub mod users;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use kit::{Error, Result, Role};
use proto::auth::v1 as wire;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select};
use uuid::Uuid;

use ::store::{Tx, db};

use crate::audit::Actor;
use crate::domain::SecretKind;
use crate::entity::{setup, user, user_role};

/// An account with its roles.
#[derive(Debug, Clone)]
pub struct Account {
    pub user: user::Model,
    pub roles: Vec<Role>,
}

impl Account {
    fn new(user: user::Model, roles: Vec<user_role::Model>) -> Self {
        let mut roles: Vec<Role> = roles.iter().filter_map(known_role).collect();
        roles.sort_unstable();
        Self { user, roles }
    }

    pub fn secret_kind(&self) -> SecretKind {
        if self.user.driver_id.is_some() { SecretKind::Pin } else { SecretKind::Password }
    }

    /// Returns the name to address the person by.
    pub fn name(&self) -> &str {
        if self.user.display_name.is_empty() { &self.user.username } else { &self.user.display_name }
    }
}

async fn account<C: ConnectionTrait>(connection: &C, found: Select<user::Entity>) -> Result<Option<Account>> {
    let rows = found.find_with_related(user_role::Entity).all(connection).await.map_err(db)?;
    Ok(rows.into_iter().next().map(|(user, roles)| Account::new(user, roles)))
}

/// Returns the role; `None` if only a newer release has this role, which gives no permissions here.
fn known_role(row: &user_role::Model) -> Option<Role> {
    row.role.parse().inspect_err(|_| tracing::warn!(user.id = %row.user_id, "unknown role {}", row.role)).ok()
}

pub async fn account_by_name<C: ConnectionTrait>(connection: &C, key: &str) -> Result<Option<Account>> {
    account(connection, user::Entity::find().filter(user::Column::UsernameKey.eq(key))).await
}

pub async fn account_by_id<C: ConnectionTrait>(connection: &C, id: Uuid) -> Result<Option<Account>> {
    account(connection, user::Entity::find_by_id(id)).await
}

/// Returns the accounts of these rows, in their order.
pub async fn with_roles<C: ConnectionTrait>(connection: &C, users: Vec<user::Model>) -> Result<Vec<Account>> {
    let ids = users.iter().map(|user| user.id);
    let rows = user_role::Entity::find().filter(user_role::Column::UserId.is_in(ids));
    let mut roles: HashMap<Uuid, Vec<user_role::Model>> = HashMap::new();
    for row in rows.all(connection).await.map_err(db)? {
        roles.entry(row.user_id).or_default().push(row);
    }
    let account = |user: user::Model| {
        let roles = roles.remove(&user.id).unwrap_or_default();
        Account::new(user, roles)
    };
    Ok(users.into_iter().map(account).collect())
}

/// Locks an account until the transaction ends.
async fn lock(tx: &Tx, id: Uuid) -> Result<Option<Account>> {
    // SQLite has no such lock and needs none: it has one write transaction at a time.
    let Some(user) = user::Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)? else {
        return Ok(None);
    };
    Ok(with_roles(&**tx, vec![user]).await?.pop())
}

/// Writes a locked account back, as changed by `actor`.
async fn save(tx: &Tx, now: DateTime<Utc>, actor: &Actor, user: &mut user::Model) -> Result<()> {
    user.updated_at = now;
    user.updated_by = actor.name.clone();
    user.version += 1;
    use sea_orm::ActiveModelTrait;
    let row = user::ActiveModel::from(user.clone()).reset_all();
    user::Entity::update(row).exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// Locks the row that serializes actions which must not happen at the same time: creating the first
/// account, revoking an admin role, using up a daily limit.
async fn one_at_a_time(tx: &Tx) -> Result<()> {
    setup::Entity::find_by_id(setup::ROW).lock_exclusive().one(&**tx).await.map_err(db)?;
    Ok(())
}

/// Returns the single row about the first setup.
pub async fn setup<C: ConnectionTrait>(connection: &C) -> Result<setup::Model> {
    let row = setup::Entity::find_by_id(setup::ROW).one(connection).await.map_err(db)?;
    row.ok_or_else(|| Error::internal("the row of setup is missing"))
}

pub fn user_not_found() -> Error {
    Error::not_found("USER_NOT_FOUND", "There is no such account")
}

impl From<Account> for wire::User {
    fn from(account: Account) -> Self {
        let Account { user, roles } = account;
        // List the fields one by one, so that a new column is never left out by accident.
        let user::Model {
            id,
            username,
            username_key: _,
            username_look: _,
            display_name,
            display_name_key: _,
            email,
            email_key: _,
            password_hash: _,
            status,
            role_list: _,
            driver_id,
            driver_id_key: _,
            driver_version: _,
            driver_sequence: _,
            created_at,
            created_by,
            updated_at,
            updated_by,
            version,
            last_login_at,
        } = user;
        wire::User {
            id: id.to_string(),
            username,
            display_name,
            email,
            roles: roles.into_iter().map(|role| role.as_str().to_owned()).collect(),
            status: wire::UserStatus::from(status).into(),
            driver_id: driver_id.unwrap_or_default(),
            created_at: Some(proto::timestamp(created_at)),
            created_by,
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
            last_login_at: last_login_at.map(proto::timestamp),
        }
    }
}

impl From<user::Model> for wire::DriverAccount {
    fn from(user: user::Model) -> Self {
        // This type has fewer fields than a user: only what the list shows.
        wire::DriverAccount {
            id: user.id.to_string(),
            username: user.username,
            display_name: user.display_name,
            driver_id: user.driver_id.unwrap_or_default(),
            status: wire::UserStatus::from(user.status).into(),
            last_login_at: user.last_login_at.map(proto::timestamp),
        }
    }
}
