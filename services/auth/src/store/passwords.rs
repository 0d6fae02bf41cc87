//! Passwords and PINs, and the reset links that set new ones.
//!
//! An account has at most one link, stored as a row. Only the transaction that deletes the token's row may
//! set the password.

use chrono::{DateTime, Duration, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};
use uuid::Uuid;

use ::store::clearing::Doubts;
use ::store::filter::fold;
use ::store::{Db, Tx, db};

use super::sessions::end_all;
use super::{Account, account_by_id, driver_log, lock, one_at_a_time, save, user_not_found};
use crate::audit::{self, Action, Actor, Changes};
use crate::domain::{SecretKind, Status, about};
use crate::entity::reset_token::{ActiveModel, Column, Entity, Model};
use crate::entity::secret::{Hidden, PasswordHash};
use crate::entity::{audit_entry, user};
use crate::throttle::{Attempt, Throttle};

/// How long an expired link is kept, so that it is reported as expired and not as invalid.
const KEPT: Duration = Duration::hours(24);
/// The period of daily limits.
const DAY: Duration = Duration::hours(24);

pub fn link_invalid() -> Error {
    about("resetToken", Error::invalid("RESET_TOKEN_INVALID", "resetToken is invalid"))
}

pub fn link_expired() -> Error {
    about("resetToken", Error::invalid("RESET_TOKEN_EXPIRED", "resetToken is expired"))
}

/// Returns the account of a link, if the link still works.
pub async fn account_of_link<C: ConnectionTrait>(
    connection: &C,
    hash: Vec<u8>,
    now: DateTime<Utc>,
) -> Result<Account> {
    let found = Entity::find().filter(Column::TokenHash.eq(Hidden(hash)));
    let row: Model = found.one(connection).await.map_err(db)?.ok_or_else(link_invalid)?;
    if row.expires_at <= now {
        return Err(link_expired());
    }
    let account = account_by_id(connection, row.user_id).await?;
    account.filter(|account| account.user.status != Status::Disabled).ok_or_else(link_invalid)
}

/// Gives a locked account a link, which replaces the current one.
async fn put_link(
    tx: &Tx,
    user_id: Uuid,
    hash: Vec<u8>,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    let row = ActiveModel {
        user_id: Set(user_id),
        token_hash: Set(Hidden(hash)),
        created_at: Set(now),
        expires_at: Set(expires_at),
    };
    Entity::insert(row)
        .on_conflict(
            OnConflict::column(Column::UserId)
                .update_columns([Column::TokenHash, Column::CreatedAt, Column::ExpiresAt])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

/// Deletes the link of a locked account, if it has one.
pub(super) async fn drop_link(tx: &Tx, user_id: Uuid) -> Result<()> {
    Entity::delete_by_id(user_id).exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// A link that somebody asked for, to be mailed.
pub struct MailedLink {
    pub hash: Vec<u8>,
    pub expires_at: DateTime<Utc>,
    /// Whether the mail is sent to the owner, and not just written to a folder.
    pub reaches_owner: bool,
}

/// Creates a link to be mailed to an account's owner. Creates none and returns false if the account was
/// disabled, its email changed, too many mails were sent lately, or the mail would reach nobody while a link
/// that was handed over still works.
pub async fn link_to_mail(
    db_: &Db,
    throttle: &Throttle,
    now: DateTime<Utc>,
    (account, address): (&Account, &str),
    link: MailedLink,
) -> Result<bool> {
    let id = account.user.id;
    let MailedLink { hash, expires_at, reaches_owner } = link;
    let tx = db_.begin().await?;
    let still = lock(&tx, id)
        .await?
        .filter(|still| still.user.status != Status::Disabled && still.user.email == account.user.email);
    if still.is_none() || (!reaches_owner && has_longer_link(&tx, id, now, expires_at - now).await?) {
        return Ok(false);
    }
    put_link(&tx, id, hash, now, expires_at).await?;
    if !throttle.may_mail(&tx, id, address).await? {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}

/// Returns whether a locked account has a working link that was made for longer than `life`: anybody may ask
/// for a link by mail, and only links that are handed over live that long.
async fn has_longer_link(tx: &Tx, user_id: Uuid, now: DateTime<Utc>, life: Duration) -> Result<bool> {
    let link = Entity::find_by_id(user_id).one(&**tx).await.map_err(db)?;
    Ok(link.is_some_and(|link| link.expires_at > now && link.expires_at - link.created_at > life))
}

/// A link to create for somebody's account.
pub struct NewLink {
    pub hash: Vec<u8>,
    pub expires_at: DateTime<Utc>,
    pub mailed: bool,
    /// How many links the caller may create per day; `None` means any number.
    pub daily: Option<u32>,
}

/// Creates a link for an account, and its audit entry.
pub async fn create_link(
    db_: &Db,
    now: DateTime<Utc>,
    actor: &Actor,
    user_id: Uuid,
    link: NewLink,
) -> Result<Account> {
    let NewLink { hash, expires_at, mailed, daily } = link;
    let tx = db_.begin().await?;
    if let Some(daily) = daily {
        one_at_a_time(&tx).await?;
        has_links_left(&tx, now, actor, daily).await?;
    }
    let account = lock(&tx, user_id).await?.ok_or_else(user_not_found)?;
    if account.user.status == Status::Disabled {
        let text = match account.secret_kind() {
            SecretKind::Password => "This account is disabled. Enable it first.",
            SecretKind::Pin => "This driver is blocked. Unblock the driver first.",
        };
        return Err(Error::precondition("ACCOUNT_DISABLED", text));
    }
    put_link(&tx, user_id, hash, now, expires_at).await?;
    let action = match account.secret_kind() {
        SecretKind::Password => Action::UserResetLinkCreated,
        SecretKind::Pin => Action::DriverAccountResetLinkCreated,
    };
    let changes = Changes::default().made("expiresAt", expires_at.to_rfc3339()).made("mailed", mailed);
    audit::on_account(&tx, now, actor, action, &account.user, changes).await?;
    kit::fail_point("auth.reset_link.created");
    tx.commit().await?;
    if account.secret_kind() == SecretKind::Pin {
        kit::metrics::driver_links(1);
    }
    Ok(account)
}

/// Fails if the caller may not create another link today. Counts the links by their audit entries, which
/// nobody can change.
async fn has_links_left(tx: &Tx, now: DateTime<Utc>, actor: &Actor, daily: u32) -> Result<()> {
    use audit_entry::Column as C;
    let made = audit_entry::Entity::find()
        .filter(C::ActorKey.eq(fold(&actor.name)))
        .filter(C::Action.eq(Action::DriverAccountResetLinkCreated.as_str()))
        .filter(C::At.gt(now - DAY))
        // Later ones were made while the clock was ahead.
        .filter(C::At.lte(now));
    if made.clone().count(&**tx).await.map_err(db)? < u64::from(daily) {
        return Ok(());
    }
    // Another link is allowed once the oldest of the last `daily` links is a day old.
    let oldest: Option<DateTime<Utc>> = made
        .select_only()
        .column(C::At)
        .order_by_desc(C::At)
        .offset(u64::from(daily.saturating_sub(1)))
        .limit(1)
        .into_tuple()
        .one(&**tx)
        .await
        .map_err(db)?;
    let wait = oldest.map_or(DAY, |at| at + DAY - now).to_std().unwrap_or_default();
    let left = match wait.as_secs().div_ceil(3600) {
        0 | 1 => "1 hour".to_owned(),
        hours => format!("{hours} hours"),
    };
    Err(Error::rate_limited(
        "RESET_LINKS_SPENT",
        format!(
            "You've reached the limit of {daily} driver links a day. Ask an administrator, or try again in {left}."
        ),
        wait,
    ))
}

/// Redeems a link: of concurrent calls with one token, exactly one sets its password. Ends every session of
/// the account.
pub async fn redeem(
    db_: &Db,
    throttle: &Throttle,
    now: DateTime<Utc>,
    (account, token): (&Account, Vec<u8>),
    password: PasswordHash,
    address: &str,
) -> Result<(Account, Vec<Uuid>)> {
    let id = account.user.id;
    let tx = db_.begin().await?;
    let mut account = lock(&tx, id).await?.ok_or_else(link_invalid)?;
    let used = Entity::delete_many()
        .filter(Column::UserId.eq(id))
        .filter(Column::TokenHash.eq(Hidden(token)))
        .filter(Column::ExpiresAt.gt(now))
        .exec(&*tx)
        .await
        .map_err(db)?;
    if used.rows_affected != 1 || account.user.status == Status::Disabled {
        return Err(link_invalid());
    }
    let actor = Actor::new(account.user.username.as_str(), address);
    let before = account.user.status;
    account.user.password_hash = password;
    account.user.status = Status::of(true, !account.user.password_hash.is_none());
    let changes = Changes::default().field("status", before.as_str(), account.user.status.as_str());
    save(&tx, now, &actor, &mut account.user).await?;
    let ended = end_all(&tx, id, None).await?;
    throttle.forget(&tx, id, &account.user.username_key).await?;
    let action = match account.secret_kind() {
        SecretKind::Password => Action::UserPasswordReset,
        SecretKind::Pin => Action::DriverAccountPinSet,
    };
    driver_log::pin_set(&tx, now, &actor, &account.user).await?;
    audit::on_account(&tx, now, &actor, action, &account.user, changes).await?;
    kit::fail_point("auth.reset_link.redeemed");
    tx.commit().await?;
    Ok((account, ended))
}

/// A person's change of their own password: the attempt at which the old one was verified, the session to
/// keep, and the new hash.
pub struct OwnChange<'a> {
    pub attempt: &'a Attempt,
    pub session: Option<Uuid>,
    pub password: PasswordHash,
}

/// Changes the password of an account whose old password was just verified. Ends every other session, and
/// deletes the account's link. Returns `None` if somebody else changed the password in the meantime.
pub async fn change_own(
    db_: &Db,
    throttle: &Throttle,
    now: DateTime<Utc>,
    actor: &Actor,
    account: &Account,
    change: OwnChange<'_>,
) -> Result<Option<Vec<Uuid>>> {
    let before: &user::Model = &account.user;
    let tx = db_.begin().await?;
    let Some(mut account) = lock(&tx, before.id).await? else { return Ok(None) };
    if account.user.password_hash != before.password_hash || account.user.status != Status::Active {
        return Ok(None);
    }
    account.user.password_hash = change.password;
    save(&tx, now, actor, &mut account.user).await?;
    let ended = end_all(&tx, before.id, change.session).await?;
    drop_link(&tx, before.id).await?;
    throttle.right(&tx, change.attempt, before.id).await?;
    let action = match account.secret_kind() {
        SecretKind::Password => Action::UserPasswordChanged,
        SecretKind::Pin => Action::DriverAccountPinSet,
    };
    driver_log::pin_set(&tx, now, actor, &account.user).await?;
    audit::on_account(&tx, now, actor, action, &account.user, Changes::default()).await?;
    kit::fail_point("auth.password.changed");
    tx.commit().await?;
    Ok(Some(ended))
}

/// Deletes links that expired long ago.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<()> {
    let over = Condition::all().add(Column::ExpiresAt.lte(now - KEPT));
    if !doubts.allow_rows::<Entity>(db_, "reset links", over.clone()).await? {
        return Ok(());
    }
    let tx = db_.begin().await?;
    Entity::delete_many().filter(over).exec(&*tx).await.map_err(db)?;
    tx.commit().await
}
