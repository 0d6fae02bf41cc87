//! Drivers' accounts, kept up to date with changes of the drivers.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use kit::clock::Clock;
use kit::{Error, Kind, Result, Role};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use ::store::consume::Revision;
use ::store::copies::Known;
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

/// The actor recorded for a block that no person requested.
const SYSTEM: &str = "system:auth";

fn taken(change: &DriverChange) -> Error {
    // Leave out the name, because errors are logged. The event contains it.
    Error::already_exists(
        "USERNAME_TAKEN",
        format!(
            "The username of driver {} belongs to another account. Give the driver another one.",
            change.driver_id
        ),
    )
}

/// Applies driver changes to accounts; returns how many. Skips changes whose username belongs to another
/// account.
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

/// Applies the state of drivers as the drivers service reported it for a rebuild. Each driver comes with the
/// revision that the account had before the query. If the account still has that revision, it has not changed
/// since, and the report replaces it, even if the report's revision is lower. Drivers may have exchanged their
/// usernames. Skips drivers whose username belongs to another account; returns how many.
pub async fn keep(
    tx: &Tx,
    now: DateTime<Utc>,
    reported: Vec<(DriverChange, Option<Revision>)>,
) -> Result<usize> {
    let keys = reported.iter().map(|(change, _)| fold(&change.driver_id));
    let users = Entity::find().filter(Column::DriverIdKey.is_in(keys)).lock_exclusive();
    let users = users.all(&**tx).await.map_err(db)?;
    let mut users: HashMap<Option<String>, user::Model> =
        users.into_iter().map(|user| (user.driver_id_key.clone(), user)).collect();
    let due = reported.into_iter().filter_map(|(change, was)| {
        let user = users.remove(&Some(fold(&change.driver_id)));
        let is_newer = |user: &user::Model| known(user) < change.revision || was == Some(known(user));
        user.as_ref().is_none_or(|user| is_newer(user) && !says(user, &change)).then_some((change, user))
    });
    let mut waiting: Vec<Renewal> = due.collect();
    // Each round may free usernames for the next one.
    loop {
        let before = waiting.len();
        waiting = renew_each(tx, now, waiting).await?;
        if waiting.len() == before && !free_one(tx, &waiting).await? {
            break;
        }
    }
    let skipped = waiting.len();
    for (change, user) in waiting {
        match user {
            Some(user) if change.blocked => block(tx, now, user, &change).await?,
            _ => tracing::warn!("{}", taken(&change).message),
        }
    }
    Ok(skipped)
}

/// A driver's new state, and the account as it was; `None` if there was none.
type Renewal = (DriverChange, Option<user::Model>);

/// Applies changes; returns those whose username belongs to another account.
async fn renew_each(tx: &Tx, now: DateTime<Utc>, changes: Vec<Renewal>) -> Result<Vec<Renewal>> {
    let mut waiting = Vec::new();
    for (change, user) in changes {
        match renew(tx, now, user.clone(), &change).await {
            Ok(()) => {}
            Err(error) if error.kind == Kind::AlreadyExists => waiting.push((change, user)),
            Err(error) => return Err(error),
        }
    }
    Ok(waiting)
}

/// Frees a username in a ring of accounts, each of which needs the name of the next. The account that loses it
/// gets its new name in the rounds that follow, in the same transaction. Returns false if there is no ring.
async fn free_one(tx: &Tx, waiting: &[Renewal]) -> Result<bool> {
    let holders = waiting.iter().filter_map(|it| Some((it.1.as_ref()?.username_key.as_str(), it)));
    let holders: HashMap<&str, &Renewal> = holders.collect();
    for start in waiting {
        let mut next = holders.get(start.0.username.key.as_str());
        for _ in waiting {
            let Some((change, Some(user))) = next else { break };
            if change.driver_id == start.0.driver_id {
                // No username has control characters.
                let freed = Expr::value(format!("\u{1f}{}", user.id));
                let update = Entity::update_many().col_expr(Column::UsernameKey, freed);
                update.filter(Column::Id.eq(user.id)).exec(&**tx).await.map_err(db)?;
                return Ok(true);
            }
            next = holders.get(change.username.key.as_str());
        }
    }
    Ok(false)
}

async fn renew(tx: &Tx, now: DateTime<Utc>, user: Option<user::Model>, change: &DriverChange) -> Result<()> {
    let actor = Actor::new(change.actor.as_str(), "");
    match user {
        Some(user) => update(tx, now, &actor, user, change).await,
        None => create(tx, now, &actor, change).await,
    }
}

/// Returns whether the account already reflects this change.
fn says(user: &user::Model, change: &DriverChange) -> bool {
    known(user) == change.revision
        && user.username == change.username.shown
        && user.display_name == change.name
        && user.status == Status::of(!change.blocked, !user.password_hash.is_none())
}

/// Blocks the accounts of drivers that the drivers service does not have, unless the accounts changed in the
/// meantime. Keeps the accounts, because the audit log and sessions refer to them.
pub async fn block_gone(tx: &Tx, now: DateTime<Utc>, gone: &[Known]) -> Result<()> {
    let keys = gone.iter().map(|it| it.key.as_str());
    let users = Entity::find().filter(Column::DriverIdKey.is_in(keys)).lock_exclusive();
    for user in users.all(&**tx).await.map_err(db)? {
        let mut were = gone.iter().filter(|it| Some(&it.key) == user.driver_id_key.as_ref());
        if !were.any(|it| it.revision == known(&user)) {
            continue;
        }
        let change = DriverChange {
            driver_id: user.driver_id.clone().unwrap_or_default(),
            name: user.display_name.clone(),
            username: username(&user),
            blocked: true,
            // Use the lowest revision, so that any later report about this driver is newer.
            revision: Revision::default(),
            actor: SYSTEM.to_owned(),
        };
        if !says(&user, &change) {
            renew(tx, now, Some(user), &change).await?;
        }
    }
    Ok(())
}

/// Returns the accounts of drivers after this key, ordered by key.
pub async fn accounts(db_: &Db, after: &str, limit: usize) -> Result<Vec<Known>> {
    let rows: Vec<(String, i64, i64)> = Entity::find()
        .select_only()
        .columns([Column::DriverIdKey, Column::DriverVersion, Column::DriverSequence])
        .filter(Column::DriverIdKey.gt(after))
        .order_by_asc(Column::DriverIdKey)
        .limit(limit as u64)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let known = |(key, version, sequence)| Known { key, revision: Revision { version, sequence } };
    Ok(rows.into_iter().map(known).collect())
}

/// Applies a driver's change to their account, unless a newer one was applied.
pub async fn apply(tx: &Tx, now: DateTime<Utc>, change: &DriverChange) -> Result<()> {
    let found = Entity::find()
        .filter(Column::DriverIdKey.eq(fold(&change.driver_id)))
        .lock_exclusive()
        .one(&**tx)
        .await
        .map_err(db)?;
    if found.as_ref().is_some_and(|user| known(user) >= change.revision) {
        return Ok(());
    }
    match (renew(tx, now, found.clone(), change).await, found) {
        (Err(error), Some(user)) if change.blocked && error.kind == Kind::AlreadyExists => {
            block(tx, now, user, change).await
        }
        (done, _) => done,
    }
}

/// Blocks a driver whose new username belongs to another account; their account keeps its name. A username
/// that is taken must not prevent a driver from being blocked.
async fn block(tx: &Tx, now: DateTime<Utc>, user: user::Model, change: &DriverChange) -> Result<()> {
    tracing::warn!(driver.id = %change.driver_id, "a blocked driver keeps the username: the new one is taken");
    let change = DriverChange { username: username(&user), ..change.clone() };
    renew(tx, now, Some(user), &change).await
}

fn username(user: &user::Model) -> Username {
    Username { shown: user.username.clone(), key: user.username_key.clone() }
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
    audit::on_account(tx, now, actor, Action::DriverAccountCreated, user, changes).await
}

async fn update(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    mut user: user::Model,
    change: &DriverChange,
) -> Result<()> {
    let username = change.username.clone();
    if user.username_key != username.key && is_taken(tx, &username.key).await? {
        return Err(taken(change));
    }
    let before = user.status;
    let after = Status::of(!change.blocked, !user.password_hash.is_none());
    let changes = Changes::default()
        .field("username", user.username.as_str(), username.shown.as_str())
        .field("displayName", user.display_name.as_str(), change.name.as_str())
        .field("status", before.as_str(), after.as_str());
    if changes.are_none() {
        // The account stays as it is. Store only the revision, so that older changes are ignored from now on.
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
        Action::DriverAccountUpdated
    } else if change.blocked {
        end_all(tx, user.id, None).await?;
        passwords::drop_link(tx, user.id).await?;
        Action::DriverAccountBlocked
    } else {
        Action::DriverAccountUnblocked
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
