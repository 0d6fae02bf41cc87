//! Queries of accounts, sessions and the first set-up.
//!
//! Reads that must not mix two states are one query; check and act is one conditional statement
//! inside a transaction.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result, Role};
use proto::auth::v1 as wire;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, Select};
use uuid::Uuid;

use ::store::{Db, db};

use crate::domain::{Limits, NewAccount, Status};
use crate::entity::secret::{Hidden, PasswordHash};
use crate::entity::{session, setup, user, user_role};

/// What records say of who made the first account.
const SYSTEM: &str = "system:auth";

/// An account with its roles.
#[derive(Debug, Clone)]
pub struct Account {
    pub user: user::Model,
    pub roles: Vec<Role>,
}

async fn account<C: ConnectionTrait>(connection: &C, found: Select<user::Entity>) -> Result<Option<Account>> {
    let rows = found.find_with_related(user_role::Entity).all(connection).await.map_err(db)?;
    Ok(rows.into_iter().next().map(|(user, roles)| {
        let mut roles: Vec<Role> = roles.iter().filter_map(known_role).collect();
        roles.sort_unstable();
        Account { user, roles }
    }))
}

/// A role this program does not know, of a newer one, gives no rights here.
fn known_role(row: &user_role::Model) -> Option<Role> {
    row.role.parse().inspect_err(|_| tracing::warn!(user.id = %row.user_id, "unknown role {}", row.role)).ok()
}

pub async fn account_by_name<C: ConnectionTrait>(connection: &C, key: &str) -> Result<Option<Account>> {
    account(connection, user::Entity::find().filter(user::Column::UsernameKey.eq(key))).await
}

pub async fn account_by_id<C: ConnectionTrait>(connection: &C, id: Uuid) -> Result<Option<Account>> {
    account(connection, user::Entity::find_by_id(id)).await
}

/// The one row about the first set-up.
pub async fn setup<C: ConnectionTrait>(connection: &C) -> Result<setup::Model> {
    let row = setup::Entity::find_by_id(setup::ROW).one(connection).await.map_err(db)?;
    row.ok_or_else(|| Error::internal("the row of setup is missing"))
}

pub fn admin_exists() -> Error {
    Error::precondition("ADMIN_EXISTS", "An account exists already. Sign in instead.")
}

/// Makes the first account, an admin. Of several calls at once exactly one makes it.
pub async fn add_first_admin(
    db_: &Db,
    now: DateTime<Utc>,
    new: NewAccount,
    hash: PasswordHash,
) -> Result<Account> {
    let NewAccount { username, email, password: _ } = new;
    let tx = db_.begin().await?;
    let first = setup::Entity::update_many()
        .col_expr(setup::Column::DoneAt, Expr::value(Some(now)))
        .filter(setup::Column::Id.eq(setup::ROW))
        .filter(setup::Column::DoneAt.is_null())
        .exec(&*tx)
        .await
        .map_err(db)?;
    if first.rows_affected != 1 {
        return Err(admin_exists());
    }
    let user = user::Model {
        id: new_id(),
        username: username.shown,
        username_key: username.key,
        email,
        password_hash: hash,
        status: Status::Active,
        created_at: now,
        created_by: SYSTEM.to_owned(),
        updated_at: now,
        updated_by: SYSTEM.to_owned(),
        version: 1,
        last_login_at: None,
    };
    user::Entity::insert(user::ActiveModel::from(user.clone()))
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    let role = user_role::ActiveModel { user_id: Set(user.id), role: Set(Role::Admin.as_str().to_owned()) };
    user_role::Entity::insert(role).exec_without_returning(&*tx).await.map_err(db)?;
    tx.commit().await?;
    Ok(Account { user, roles: vec![Role::Admin] })
}

/// Begins a session for the account whose password was just found right. False when meanwhile
/// the account was disabled or its password changed: the session would outlive that change.
pub async fn begin_session(db_: &Db, account: &Account, session: session::Model) -> Result<bool> {
    let tx = db_.begin().await?;
    let still = user::Entity::update_many()
        .col_expr(user::Column::LastLoginAt, Expr::value(Some(session.created_at)))
        .filter(user::Column::Id.eq(account.user.id))
        .filter(user::Column::Status.eq(Status::Active))
        .filter(user::Column::PasswordHash.eq(account.user.password_hash.clone()))
        .exec(&*tx)
        .await
        .map_err(db)?;
    if still.rows_affected != 1 {
        return Ok(false);
    }
    session::Entity::insert(session::ActiveModel::from(session))
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await?;
    Ok(true)
}

pub async fn session_by_secret<C: ConnectionTrait>(
    connection: &C,
    hash: Vec<u8>,
) -> Result<Option<session::Model>> {
    let found = session::Entity::find().filter(session::Column::SecretHash.eq(Hidden(hash)));
    found.one(connection).await.map_err(db)
}

pub async fn session_by_id<C: ConnectionTrait>(connection: &C, id: Uuid) -> Result<Option<session::Model>> {
    session::Entity::find_by_id(id).one(connection).await.map_err(db)
}

/// Writes down that the session is in use. A session that ended meanwhile stays ended.
pub async fn note_use(db_: &Db, id: Uuid, now: DateTime<Utc>) -> Result<()> {
    let tx = db_.begin().await?;
    session::Entity::update_many()
        .col_expr(session::Column::LastUsedAt, Expr::value(now))
        .filter(session::Column::Id.eq(id))
        .filter(session::Column::LastUsedAt.lt(now))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// Ends the session of this secret, if there is one.
pub async fn end_session(db_: &Db, hash: Vec<u8>) -> Result<()> {
    let tx = db_.begin().await?;
    session::Entity::delete_many()
        .filter(session::Column::SecretHash.eq(Hidden(hash)))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// Deletes sessions that are over; returns how many.
pub async fn clear_sessions(db_: &Db, now: DateTime<Utc>, limits: Limits) -> Result<u64> {
    let tx = db_.begin().await?;
    let gone = session::Entity::delete_many()
        .filter(
            Condition::any()
                .add(session::Column::ExpiresAt.lte(now))
                .add(session::Column::LastUsedAt.lte(now - limits.idle)),
        )
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await?;
    Ok(gone.rows_affected)
}

impl From<Account> for wire::User {
    fn from(account: Account) -> Self {
        let Account { user, roles } = account;
        // Named one by one: a new column is left out on purpose or not at all.
        let user::Model {
            id,
            username,
            username_key: _,
            email,
            password_hash: _,
            status: _,
            created_at,
            created_by: _,
            updated_at: _,
            updated_by: _,
            version: _,
            last_login_at: _,
        } = user;
        wire::User {
            id: id.to_string(),
            username,
            email,
            roles: roles.into_iter().map(|role| role.as_str().to_owned()).collect(),
            created_at: Some(proto::timestamp(created_at)),
        }
    }
}
