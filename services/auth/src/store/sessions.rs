//! Starts, uses, lists and ends sessions.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::auth::v1 as wire;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use ::store::clearing::Doubts;
use ::store::{Db, Tx, db};

use super::{Account, account_by_id, lock, user_not_found};
use crate::audit::{self, Action, Actor, Changes};
use crate::domain::{Limits, Status};
use crate::entity::secret::Hidden;
use crate::entity::{session, user};
use crate::throttle::{Attempt, Throttle};

/// At most this many live sessions of an account are listed: the most recently used ones.
const LISTED: u64 = 100;

/// Begins a session for an account whose password was just verified. Returns false if the account was
/// disabled or its password changed in the meantime, because the session would outlive that change.
pub async fn begin(
    db_: &Db,
    throttle: &Throttle,
    attempt: &Attempt,
    account: &Account,
    session: session::Model,
) -> Result<bool> {
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
    throttle.right(&tx, attempt, account.user.id).await?;
    kit::fail_point("auth.session.created");
    tx.commit().await?;
    Ok(true)
}

pub async fn by_secret<C: ConnectionTrait>(connection: &C, hash: Vec<u8>) -> Result<Option<session::Model>> {
    let found = session::Entity::find().filter(session::Column::SecretHash.eq(Hidden(hash)));
    found.one(connection).await.map_err(db)
}

pub async fn by_id<C: ConnectionTrait>(connection: &C, id: Uuid) -> Result<Option<session::Model>> {
    session::Entity::find_by_id(id).one(connection).await.map_err(db)
}

/// Returns the session with its end by these limits, which may be lower than when it began.
pub fn limited(session: session::Model, limits: Limits) -> session::Model {
    session::Model { expires_at: limits.ends(session.created_at, session.expires_at), ..session }
}

/// Returns the live sessions of an account, most recently used first.
pub async fn of_user<C: ConnectionTrait>(
    connection: &C,
    user_id: Uuid,
    now: DateTime<Utc>,
    limits: Limits,
) -> Result<Vec<session::Model>> {
    let live = session::Entity::find()
        .filter(session::Column::UserId.eq(user_id))
        .filter(session::Column::ExpiresAt.gt(now))
        .filter(session::Column::CreatedAt.gt(now - limits.absolute))
        .filter(session::Column::LastUsedAt.gt(now - limits.idle))
        .order_by_desc(session::Column::LastUsedAt)
        .order_by_desc(session::Column::Id)
        .limit(LISTED)
        .all(connection)
        .await
        .map_err(db)?;
    Ok(live.into_iter().map(|session| limited(session, limits)).collect())
}

/// Records that the session is in use. A session that ended in the meantime stays ended.
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
pub async fn end_by_secret(db_: &Db, hash: Vec<u8>) -> Result<()> {
    let tx = db_.begin().await?;
    session::Entity::delete_many()
        .filter(session::Column::SecretHash.eq(Hidden(hash)))
        .exec(&*tx)
        .await
        .map_err(db)?;
    kit::fail_point("auth.session.ended");
    tx.commit().await
}

pub fn not_found() -> Error {
    Error::not_found("SESSION_NOT_FOUND", "There is no such session. It may have ended already.")
}

/// Ends one session: the caller's own or, with `any`, also somebody else's, which is audited.
pub async fn end_one(db_: &Db, now: DateTime<Utc>, actor: &Actor, id: Uuid, any: bool) -> Result<()> {
    let tx = db_.begin().await?;
    let session = by_id(&*tx, id).await?.ok_or_else(not_found)?;
    let own = Some(session.user_id) == actor.id;
    if !own && !any {
        return Err(not_found());
    }
    let gone = session::Entity::delete_by_id(id).exec(&*tx).await.map_err(db)?;
    if gone.rows_affected != 1 {
        return Err(not_found());
    }
    if !own {
        let account = account_by_id(&*tx, session.user_id).await?.ok_or_else(user_not_found)?;
        audit::on_session(&tx, now, actor, Action::SessionEnded, id, &account.user).await?;
    }
    tx.commit().await
}

/// Ends every session of an account for an admin, with an audit entry if there was one.
pub async fn end_of_user(db_: &Db, now: DateTime<Utc>, actor: &Actor, user_id: Uuid) -> Result<Vec<Uuid>> {
    let tx = db_.begin().await?;
    let account = lock(&tx, user_id).await?.ok_or_else(user_not_found)?;
    let ended = end_all(&tx, user_id, None).await?;
    if ended.is_empty() {
        return Ok(ended);
    }
    let changes = Changes::default().made("sessions", ended.len());
    audit::on_account(&tx, now, actor, Action::UserSessionsEnded, &account.user, changes).await?;
    tx.commit().await?;
    Ok(ended)
}

/// Ends every session of the caller's account except one. Not audited, because it is the person's own
/// account.
pub async fn end_others(db_: &Db, user_id: Uuid, keep: Option<Uuid>) -> Result<Vec<Uuid>> {
    let tx = db_.begin().await?;
    let ended = end_all(&tx, user_id, keep).await?;
    kit::fail_point("auth.session.others_ended");
    tx.commit().await?;
    Ok(ended)
}

/// Ends the sessions of a locked account, except the one to keep. Returns the ids of the ended ones.
pub(super) async fn end_all(tx: &Tx, user_id: Uuid, keep: Option<Uuid>) -> Result<Vec<Uuid>> {
    let mut sessions = session::Entity::delete_many().filter(session::Column::UserId.eq(user_id));
    if let Some(keep) = keep {
        sessions = sessions.filter(session::Column::Id.ne(keep));
    }
    let ended = sessions.exec_with_returning(&**tx).await.map_err(db)?;
    Ok(ended.into_iter().map(|session| session.id).collect())
}

/// Deletes expired sessions; returns how many.
pub async fn clear(db_: &Db, now: DateTime<Utc>, limits: Limits, doubts: &Doubts) -> Result<u64> {
    let over = Condition::any()
        .add(session::Column::ExpiresAt.lte(now))
        .add(session::Column::CreatedAt.lte(now - limits.absolute))
        .add(session::Column::LastUsedAt.lte(now - limits.idle));
    if !doubts.allow_rows::<session::Entity>(db_, "sessions", over.clone()).await? {
        return Ok(0);
    }
    let tx = db_.begin().await?;
    let gone = session::Entity::delete_many().filter(over).exec(&*tx).await.map_err(db)?;
    tx.commit().await?;
    Ok(gone.rows_affected)
}

impl From<session::Model> for wire::Session {
    fn from(row: session::Model) -> Self {
        let session::Model {
            id,
            secret_hash: _,
            user_id: _,
            created_at,
            last_used_at,
            expires_at,
            address,
            user_agent,
        } = row;
        wire::Session {
            id: id.to_string(),
            created_at: Some(proto::timestamp(created_at)),
            last_used_at: Some(proto::timestamp(last_used_at)),
            expires_at: Some(proto::timestamp(expires_at)),
            address,
            user_agent,
            // Set by `rpc`, because the row does not reveal whose request this is.
            is_current: false,
        }
    }
}
