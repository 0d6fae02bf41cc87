//! Creates, lists and changes accounts of the office.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result, Role};
use proto::auth::v1 as wire;
use proto::common::v1::{Count, Filter, Page};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, PaginatorTrait, QueryFilter};
use uuid::Uuid;

use ::store::consume::Revision;
use ::store::filter::{Field, condition, fold};
use ::store::page::{order, window};
use ::store::{Db, Tx, db, list};

use super::sessions::end_all;
use super::{Account, lock, one_at_a_time, passwords, save, user_not_found};
use crate::audit::{self, Action, Actor, Changes};
use crate::domain::{NewAccount, NewUser, Profile, Status, Username, about, role_list};
use crate::entity::secret::PasswordHash;
use crate::entity::user::{Column, Entity};
use crate::entity::{setup, user, user_role};
use crate::fields;

/// The actor recorded as creator of the first account.
const SYSTEM: &str = "system:auth";

/// The initial state of an account.
pub(super) struct New<'a> {
    pub username: Username,
    pub display_name: &'a str,
    pub email: &'a str,
    pub hash: PasswordHash,
    pub roles: Vec<Role>,
    /// For a driver's account: the driver's id, and the driver's revision from which the account is created.
    pub driver: Option<(&'a str, Revision)>,
    pub by: &'a str,
}

impl New<'_> {
    pub(super) fn account(self, now: DateTime<Utc>) -> Account {
        let user = user::Model {
            id: new_id(),
            username_look: self.username.look(),
            username: self.username.shown,
            username_key: self.username.key,
            display_name: self.display_name.to_owned(),
            display_name_key: fold(self.display_name),
            email: self.email.to_owned(),
            email_key: fold(self.email),
            status: if self.hash.is_none() { Status::Invited } else { Status::Active },
            password_hash: self.hash,
            role_list: role_list(&self.roles),
            driver_id: self.driver.map(|(id, _)| id.to_owned()),
            driver_id_key: self.driver.map(|(id, _)| fold(id)),
            driver_version: self.driver.map_or(0, |(_, revision)| revision.version),
            driver_sequence: self.driver.map_or(0, |(_, revision)| revision.sequence),
            created_at: now,
            created_by: self.by.to_owned(),
            updated_at: now,
            updated_by: self.by.to_owned(),
            version: 1,
            last_login_at: None,
        };
        Account { user, roles: self.roles }
    }
}

/// Adds an account; returns whether it did. Adds none if the name is taken or, for an office account, easily
/// confused with another one. For drivers, see [`is_of_office`].
pub(super) async fn insert(tx: &Tx, account: &Account) -> Result<bool> {
    if account.user.driver_id.is_none() {
        let alike = Entity::find().filter(Column::UsernameLook.eq(account.user.username_look.as_str()));
        if alike.count(&**tx).await.map_err(db)? > 0 {
            return Ok(false);
        }
    }
    let row = user::ActiveModel::from(account.user.clone());
    let added = Entity::insert(row)
        .on_conflict(OnConflict::column(Column::UsernameKey).do_nothing().to_owned())
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    if added == 1 {
        add_roles(tx, account).await?;
    }
    Ok(added == 1)
}

async fn add_roles(tx: &Tx, account: &Account) -> Result<()> {
    if account.roles.is_empty() {
        return Ok(());
    }
    let rows = account.roles.iter().map(|role| user_role::ActiveModel {
        user_id: Set(account.user.id),
        role: Set(role.as_str().to_owned()),
    });
    user_role::Entity::insert_many(rows).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

pub fn admin_exists() -> Error {
    Error::precondition("ADMIN_EXISTS", "An account already exists. Sign in instead.")
}

pub(super) fn username_taken() -> Error {
    let text = "This username is taken, or looks like one that is. Choose another one";
    about("username", Error::already_exists("USERNAME_TAKEN", text))
}

fn names(roles: &[Role]) -> Vec<&'static str> {
    roles.iter().map(|role| role.as_str()).collect()
}

fn as_made(account: &Account) -> Changes {
    let Account { user, roles } = account;
    Changes::default()
        .made("username", user.username.as_str())
        .made("displayName", user.display_name.as_str())
        .made("email", user.email.as_str())
        .made("roles", names(roles))
        .made("status", user.status.as_str())
}

/// Creates the first account, an admin's. Of concurrent calls, exactly one succeeds.
pub async fn add_first_admin(
    db_: &Db,
    now: DateTime<Utc>,
    address: &str,
    new: NewAccount,
    hash: PasswordHash,
) -> Result<Account> {
    let tx = db_.begin().await?;
    begin_accounts(&tx, now).await?;
    let account = add_by_system(&tx, now, address, (new, Role::Admin, hash)).await?;
    kit::fail_point("auth.user.first_admin_created");
    tx.commit().await?;
    Ok(account)
}

/// Creates the first accounts, with their passwords. All or none.
pub async fn add_first(
    db_: &Db,
    now: DateTime<Utc>,
    address: &str,
    all: Vec<(NewAccount, Role, PasswordHash)>,
) -> Result<()> {
    let tx = db_.begin().await?;
    begin_accounts(&tx, now).await?;
    for new in all {
        add_by_system(&tx, now, address, new).await?;
    }
    tx.commit().await
}

/// Fails if there are accounts already.
async fn begin_accounts(tx: &Tx, now: DateTime<Utc>) -> Result<()> {
    let first = setup::Entity::update_many()
        .col_expr(setup::Column::DoneAt, Expr::value(Some(now)))
        .filter(setup::Column::Id.eq(setup::ROW))
        .filter(setup::Column::DoneAt.is_null())
        .exec(&**tx)
        .await
        .map_err(db)?;
    if first.rows_affected == 1 { Ok(()) } else { Err(admin_exists()) }
}

async fn add_by_system(
    tx: &Tx,
    now: DateTime<Utc>,
    address: &str,
    (new, role, hash): (NewAccount, Role, PasswordHash),
) -> Result<Account> {
    let NewAccount { username, email, password: _ } = new;
    let roles = vec![role];
    let new = New { username, display_name: "", email: &email, hash, roles, driver: None, by: SYSTEM };
    let account = new.account(now);
    // Events create accounts of drivers, so a name may be taken even before the office has its first account.
    if !insert(tx, &account).await? {
        return Err(username_taken());
    }
    let action = if role == Role::Admin { Action::AdminCreated } else { Action::UserCreated };
    let (actor, changes) = (Actor::new(SYSTEM, address), as_made(&account));
    audit::on_account(tx, now, &actor, action, &account.user, changes).await?;
    Ok(account)
}

/// Creates an account that waits for its first password.
pub async fn create(db_: &Db, now: DateTime<Utc>, actor: &Actor, new: NewUser) -> Result<Account> {
    let NewUser { username, display_name, email, roles } = new;
    let (hash, by) = (PasswordHash::none(), actor.name.as_str());
    let new = New { username, display_name: &display_name, email: &email, hash, roles, driver: None, by };
    let account = new.account(now);
    let tx = db_.begin().await?;
    if !insert(&tx, &account).await? {
        return Err(username_taken());
    }
    audit::on_account(&tx, now, actor, Action::UserCreated, &account.user, as_made(&account)).await?;
    kit::fail_point("auth.user.created");
    tx.commit().await?;
    Ok(account)
}

/// Returns whether an office user has this name or one that is easily confused with it. False if a driver has
/// exactly this name, so that drivers can keep their names.
pub async fn is_of_office(db_: &Db, name: &str) -> Result<bool> {
    let key = fold(name);
    let either = Condition::any()
        .add(Column::UsernameKey.eq(key.as_str()))
        .add(Column::UsernameLook.eq(kit::username::look(&key)));
    let alike = Entity::find().filter(either).all(db_.read()).await.map_err(db)?;
    let same = alike.iter().find(|user| user.username_key == key);
    Ok(match same {
        Some(user) => user.driver_id.is_none(),
        None => alike.iter().any(|user| user.driver_id.is_none()),
    })
}

/// Creates the account that somebody signed up for, without roles. Returns whether it did; the person gets
/// the same response either way.
pub async fn sign_up(
    tx: &Tx,
    now: DateTime<Utc>,
    address: &str,
    new: NewAccount,
    hash: PasswordHash,
) -> Result<bool> {
    let NewAccount { username, email, password: _ } = new;
    let by = username.shown.clone();
    let new =
        New { username, display_name: "", email: &email, hash, roles: Vec::new(), driver: None, by: &by };
    let account = new.account(now);
    if !insert(tx, &account).await? {
        return Ok(false);
    }
    let (actor, changes) = (Actor::new(by, address), as_made(&account));
    audit::on_account(tx, now, &actor, Action::UserSignedUp, &account.user, changes).await?;
    Ok(true)
}

/// The kind of an account, which decides in which of the two lists it appears and where it signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Office,
    Driver,
}

impl From<wire::AccountKind> for Kind {
    fn from(kind: wire::AccountKind) -> Self {
        match kind {
            wire::AccountKind::Unspecified | wire::AccountKind::Office => Self::Office,
            wire::AccountKind::Driver => Self::Driver,
        }
    }
}

impl Kind {
    fn fields(self) -> &'static [Field<Column>] {
        match self {
            Self::Office => fields::USERS,
            Self::Driver => fields::DRIVER_ACCOUNTS,
        }
    }

    /// Returns whether the account is of this kind.
    pub fn has(self, user: &user::Model) -> bool {
        user.driver_id.is_some() == (self == Self::Driver)
    }

    fn condition(self, filters: &[Filter]) -> Result<Condition> {
        let among = match self {
            Self::Office => Column::DriverId.is_null(),
            Self::Driver => Column::DriverId.is_not_null(),
        };
        Ok(condition(self.fields(), filters)?.add(among))
    }
}

pub async fn list(db_: &Db, kind: Kind, page: &Page) -> Result<(Vec<user::Model>, bool)> {
    let condition = kind.condition(&page.r#where)?;
    let order = order(kind.fields(), &page.sort, (Column::UsernameKey, Order::Asc), Column::Id)?;
    list::page::<Entity, _>(db_, condition, &order, Column::Id, window(page)?).await
}

pub async fn count(db_: &Db, kind: Kind, filters: &[Filter]) -> Result<Count> {
    list::count::<Entity>(db_, kind.condition(filters)?, Column::Id).await
}

/// Locks an office account. Fails unless it still has the version that the caller read.
async fn lock_version(tx: &Tx, id: Uuid, version: u64) -> Result<Account> {
    let account = lock(tx, id).await?.ok_or_else(user_not_found)?;
    if account.user.driver_id.is_some() {
        return Err(Error::precondition(
            "DRIVER_ACCOUNT",
            "This account belongs to a driver and changes with it. Change the driver instead.",
        ));
    }
    if account.user.version.unsigned_abs() != version {
        return Err(Error::precondition(
            "VERSION_CONFLICT",
            "Someone else changed this account in the meantime. Reload it and try again.",
        ));
    }
    Ok(account)
}

/// Changes the display name and the email of an account. Does nothing if both are the same as before.
pub async fn update(
    db_: &Db,
    now: DateTime<Utc>,
    actor: &Actor,
    id: Uuid,
    version: u64,
    profile: Profile,
) -> Result<Account> {
    let Profile { display_name, email } = profile;
    let tx = db_.begin().await?;
    let mut account = lock_version(&tx, id, version).await?;
    let user = &mut account.user;
    let changes = Changes::default()
        .field("displayName", user.display_name.as_str(), display_name.as_str())
        .field("email", user.email.as_str(), email.as_str());
    if changes.are_none() {
        return Ok(account);
    }
    // A link that was mailed to the previous address must stop working.
    if user.email != email {
        passwords::drop_link(&tx, id).await?;
    }
    user.display_name_key = fold(&display_name);
    user.display_name = display_name;
    user.email_key = fold(&email);
    user.email = email;
    save(&tx, now, actor, user).await?;
    audit::on_account(&tx, now, actor, Action::UserUpdated, user, changes).await?;
    kit::fail_point("auth.user.updated");
    tx.commit().await?;
    Ok(account)
}

/// Changes an account's roles, and ends its sessions.
pub async fn change_roles(
    db_: &Db,
    now: DateTime<Utc>,
    actor: &Actor,
    id: Uuid,
    version: u64,
    roles: Vec<Role>,
) -> Result<(Account, Vec<Uuid>)> {
    let tx = db_.begin().await?;
    one_at_a_time(&tx).await?;
    let mut account = lock_version(&tx, id, version).await?;
    if account.roles == roles {
        return Ok((account, Vec::new()));
    }
    let taken = account.roles.contains(&Role::Admin) && !roles.contains(&Role::Admin);
    if taken && actor.id == Some(id) {
        let error = Error::precondition(
            "OWN_ADMIN_ROLE",
            "You can't remove your own administrator role. Ask another administrator.",
        );
        return Err(about("roles", error));
    }
    let changes = Changes::default().field("roles", names(&account.roles), names(&roles));
    user_role::Entity::delete_many().filter(user_role::Column::UserId.eq(id)).exec(&*tx).await.map_err(db)?;
    account.roles = roles;
    add_roles(&tx, &account).await?;
    account.user.role_list = role_list(&account.roles);
    save(&tx, now, actor, &mut account.user).await?;
    if taken {
        an_admin_is_left(&tx, "roles").await?;
    }
    let ended = end_all(&tx, id, None).await?;
    audit::on_account(&tx, now, actor, Action::UserRolesChanged, &account.user, changes).await?;
    kit::fail_point("auth.user.roles_changed");
    tx.commit().await?;
    Ok((account, ended))
}

/// Disables an account and ends its sessions, or enables it again.
pub async fn change_status(
    db_: &Db,
    now: DateTime<Utc>,
    actor: &Actor,
    id: Uuid,
    version: u64,
    enabled: bool,
) -> Result<(Account, Vec<Uuid>)> {
    let tx = db_.begin().await?;
    one_at_a_time(&tx).await?;
    let mut account = lock_version(&tx, id, version).await?;
    if !enabled && actor.id == Some(id) {
        let error = Error::precondition(
            "OWN_ACCOUNT",
            "You can't disable your own account. Ask another administrator.",
        );
        return Err(about("status", error));
    }
    let before = account.user.status;
    account.user.status = Status::of(enabled, !account.user.password_hash.is_none());
    if account.user.status == before {
        return Ok((account, Vec::new()));
    }
    let changes = Changes::default().field("status", before.as_str(), account.user.status.as_str());
    save(&tx, now, actor, &mut account.user).await?;
    let mut ended = Vec::new();
    if !enabled {
        if account.roles.contains(&Role::Admin) {
            an_admin_is_left(&tx, "status").await?;
        }
        ended = end_all(&tx, id, None).await?;
        passwords::drop_link(&tx, id).await?;
    }
    audit::on_account(&tx, now, actor, Action::UserStatusChanged, &account.user, changes).await?;
    kit::fail_point("auth.user.status_changed");
    tx.commit().await?;
    Ok((account, ended))
}

/// Refuses a change after which nobody could manage accounts.
async fn an_admin_is_left(tx: &Tx, field: &str) -> Result<()> {
    let admins = Entity::find()
        .inner_join(user_role::Entity)
        .filter(user_role::Column::Role.eq(Role::Admin.as_str()))
        .filter(Column::Status.eq(Status::Active))
        .count(&**tx)
        .await
        .map_err(db)?;
    if admins > 0 {
        return Ok(());
    }
    let error = Error::precondition(
        "LAST_ADMIN",
        "This is the last active administrator. Make another account an administrator first.",
    );
    Err(about(field, error))
}
