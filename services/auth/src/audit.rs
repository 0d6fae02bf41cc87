//! The record of privileged acts: one entry each, in the transaction of the act.
//!
//! Whoever adds an act that changes accounts or sessions of others adds it to [`Action`]. An entry
//! tells what changed, never a secret; the database refuses to change or delete one.

use ::store::filter::fold;
use ::store::{Tx, db};
use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::principal::Caller;
use kit::{Principal, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::domain;
use crate::entity::{audit_entry, user};

const ADDRESS_CHARS: usize = 64;

/// Who acts, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The account, of a person who is signed in.
    pub id: Option<Uuid>,
    /// A username, or `system:<service>`.
    pub name: String,
    /// Empty when nobody came from anywhere.
    pub address: String,
}

impl Actor {
    /// Somebody who is not signed in, or no person at all.
    pub fn new(name: impl Into<String>, address: &str) -> Self {
        Self { id: None, name: name.into(), address: fold(&domain::note(address, ADDRESS_CHARS)) }
    }
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        let id = match &caller.principal {
            Principal::User { id, .. } => Uuid::parse_str(id).ok(),
            Principal::Service { .. } => None,
        };
        Self { id, ..Self::new(caller.principal.actor(), &caller.address) }
    }
}

::store::spelled!(
    /// What was done.
    Action {
        AdminCreated => "admin.created",
        UserCreated => "user.created",
        UserSignedUp => "user.signed_up",
        UserUpdated => "user.updated",
        UserRolesChanged => "user.roles_changed",
        UserStatusChanged => "user.status_changed",
        UserResetLinkCreated => "user.reset_link_created",
        UserPasswordReset => "user.password_reset",
        UserPasswordChanged => "user.password_changed",
        UserSessionsEnded => "user.sessions_ended",
        SessionEnded => "session.ended",
        DriverCreated => "driver_account.created",
        DriverUpdated => "driver_account.updated",
        DriverBlocked => "driver_account.blocked",
        DriverUnblocked => "driver_account.unblocked",
        DriverResetLinkCreated => "driver_account.reset_link_created",
        DriverPinSet => "driver_account.pin_set",
    }
);

::store::spelled!(
    /// What it was done to.
    Entity { User => "user", DriverAccount => "driver_account", Session => "session" }
);

/// The fields that an act changed, as they were and as they are.
#[derive(Debug, Default)]
pub struct Changes {
    before: Map<String, Value>,
    after: Map<String, Value>,
}

impl Changes {
    /// A field; one that stayed the same is left out.
    pub fn field(mut self, name: &str, before: impl Into<Value>, after: impl Into<Value>) -> Self {
        let (before, after) = (before.into(), after.into());
        if before != after {
            self.before.insert(name.to_owned(), before);
            self.after.insert(name.to_owned(), after);
        }
        self
    }

    /// What was not there before.
    pub fn made(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.after.insert(name.to_owned(), value.into());
        self
    }

    pub fn are_none(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

/// Adds the entry of an act on an account.
pub async fn on_account(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    action: Action,
    account: &user::Model,
    changes: Changes,
) -> Result<()> {
    let entity = if account.driver_id.is_some() { Entity::DriverAccount } else { Entity::User };
    add(tx, now, actor, action, (entity, account.id.to_string(), &account.username), changes).await
}

/// Adds the entry of an act on a session of this account.
pub async fn on_session(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    action: Action,
    session: Uuid,
    account: &user::Model,
) -> Result<()> {
    let entity = (Entity::Session, session.to_string(), account.username.as_str());
    add(tx, now, actor, action, entity, Changes::default()).await
}

async fn add(
    tx: &Tx,
    now: DateTime<Utc>,
    actor: &Actor,
    action: Action,
    (entity, entity_id, entity_name): (Entity, String, &str),
    changes: Changes,
) -> Result<()> {
    let text = |fields: Map<String, Value>| match fields.is_empty() {
        true => String::new(),
        false => Value::Object(fields).to_string(),
    };
    let row = audit_entry::ActiveModel {
        id: Set(new_id()),
        at: Set(now),
        actor: Set(actor.name.clone()),
        actor_key: Set(fold(&actor.name)),
        address: Set(actor.address.clone()),
        action: Set(action.as_str().to_owned()),
        entity: Set(entity.as_str().to_owned()),
        entity_id: Set(entity_id),
        entity_name: Set(entity_name.to_owned()),
        entity_name_key: Set(fold(entity_name)),
        before_json: Set(text(changes.before)),
        after_json: Set(text(changes.after)),
        request_id: Set(kit::trace::id().unwrap_or_default()),
    };
    audit_entry::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}
