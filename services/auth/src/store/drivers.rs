//! Accounts of drivers, as their drivers change.

use chrono::{DateTime, Utc};
use kit::clock::Clock;
use kit::{Error, Kind, Result, Role};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use ::store::consume::Revision;
use ::store::filter::fold;
use ::store::{Db, Tx, db};

use super::sessions::end_all;
use super::users::{New, insert};
use super::{Account, passwords, save};
use crate::audit::{self, Action, Actor, Changes};
use crate::domain::{Status, Username};
use crate::drivers::DriverChange;
use crate::entity::secret::PasswordHash;
use crate::entity::user::{self, Column, Entity};

fn taken(change: &DriverChange) -> Error {
    // Without the name: it is in the event, and this goes to the log.
    Error::already_exists(
        "USERNAME_TAKEN",
        format!(
            "The username of driver {} belongs to another account. Give the driver another one.",
            change.driver_id
        ),
    )
}

/// Applies driver changes to accounts; returns how many. One whose username belongs to another account is left
/// out.
pub async fn follow(db: &Db, clock: &Clock, changes: &[DriverChange]) -> Result<usize> {
    let mut followed = 0;
    let tx = db.begin().await?;
    for change in changes {
        match apply(&tx, clock.now(), change).await {
            Ok(()) => followed += 1,
            Err(error) if error.kind == Kind::AlreadyExists => tracing::warn!("{}", error.message),
            Err(error) => return Err(error),
        }
    }
    tx.commit().await?;
    Ok(followed)
}

/// Applies a driver's change to their account, unless the account knows a newer one.
pub async fn apply(tx: &Tx, now: DateTime<Utc>, change: &DriverChange) -> Result<()> {
    let actor = Actor::new(change.actor.as_str(), "");
    let found = Entity::find()
        .filter(Column::DriverIdKey.eq(fold(&change.driver_id)))
        .lock_exclusive()
        .one(&**tx)
        .await
        .map_err(db)?;
    match found {
        None => create(tx, now, &actor, change).await,
        Some(user) if known(&user) >= change.revision => Ok(()),
        Some(user) => update(tx, now, &actor, user, change).await,
    }
}

async fn create(tx: &Tx, now: DateTime<Utc>, actor: &Actor, change: &DriverChange) -> Result<()> {
    let new = New {
        username: change.username.clone(),
        display_name: &change.name,
        email: "",
        hash: PasswordHash::none(),
        roles: vec![Role::Driver],
        driver: Some((&change.driver_id, change.revision)),
        by: &actor.name,
    };
    let mut account: Account = new.account(now);
    account.user.status = Status::of(!change.blocked, !account.user.password_hash.is_none());
    if !insert(tx, &account).await? {
        return Err(taken(change));
    }
    let user = &account.user;
    let changes = Changes::default()
        .made("driverId", change.driver_id.as_str())
        .made("username", user.username.as_str())
        .made("displayName", user.display_name.as_str())
        .made("status", user.status.as_str());
    audit::on_account(tx, now, actor, Action::DriverCreated, user, changes).await
}

async fn update(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    mut user: user::Model,
    change: &DriverChange,
) -> Result<()> {
    let mut username = change.username.clone();
    if user.username_key != username.key && is_taken(tx, &username.key).await? {
        if !change.blocked {
            return Err(taken(change));
        }
        // A name that cannot be had must not keep a driver from being blocked.
        tracing::warn!(driver.id = %change.driver_id, "a blocked driver keeps the username: the new one is taken");
        username = Username { shown: user.username.clone(), key: user.username_key.clone() };
    }
    let before = user.status;
    let after = Status::of(!change.blocked, !user.password_hash.is_none());
    let changes = Changes::default()
        .field("username", user.username.as_str(), username.shown.as_str())
        .field("displayName", user.display_name.as_str(), change.name.as_str())
        .field("status", before.as_str(), after.as_str());
    if changes.are_none() {
        // The account stays as it is, and ignores older changes from now on.
        return note_revision(tx, &user, change.revision).await;
    }
    user.username_look = username.look();
    user.username = username.shown;
    user.username_key = username.key;
    user.display_name = change.name.clone();
    user.display_name_key = fold(&change.name);
    user.status = after;
    user.driver_version = change.revision.version;
    user.driver_sequence = change.revision.sequence;
    save(tx, now, actor, &mut user).await?;
    let action = if before == after {
        Action::DriverUpdated
    } else if change.blocked {
        end_all(tx, user.id, None).await?;
        passwords::drop_link(tx, user.id).await?;
        Action::DriverBlocked
    } else {
        Action::DriverUnblocked
    };
    audit::on_account(tx, now, actor, action, &user, changes).await
}

async fn is_taken(tx: &Tx, key: &str) -> Result<bool> {
    let found = Entity::find().filter(Column::UsernameKey.eq(key)).one(&**tx).await.map_err(db)?;
    Ok(found.is_some())
}

fn known(user: &user::Model) -> Revision {
    Revision { version: user.driver_version, sequence: user.driver_sequence }
}

async fn note_revision(tx: &Tx, user: &user::Model, revision: Revision) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::DriverVersion, Expr::value(revision.version))
        .col_expr(Column::DriverSequence, Expr::value(revision.sequence))
        .filter(Column::Id.eq(user.id))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}
