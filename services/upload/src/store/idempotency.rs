//! Repeated requests: requests under one key count as one.

use chrono::{DateTime, Duration, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;
use sea_orm::sea_query::OnConflict;
use uuid::Uuid;

use crate::entity::idempotency_key::{ActiveModel, Column, Entity, Model};
use crate::entity::upload_log;
use ::store::clearing::Doubts;
use ::store::{Db, Tx, db};

/// How long a response is kept.
const KEPT: Duration = Duration::days(7);
/// Maximum characters of a key.
const LONGEST: usize = 200;

/// A key, and the request that it belongs to.
#[derive(Debug, Clone)]
pub struct Key {
    user_id: String,
    action: &'static str,
    key: String,
    fingerprint: String,
}

impl Key {
    /// Returns the key of a request, if it has one. `asked` must contain everything that decides what the
    /// request does.
    pub fn of(user_id: &str, action: &'static str, key: &str, asked: &[&str]) -> Result<Option<Self>> {
        if key.is_empty() {
            return Ok(None);
        }
        if key.len() > LONGEST || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let text =
                format!("Idempotency-Key must be 1 to {LONGEST} printable ASCII characters without spaces");
            return Err(Error::invalid("IDEMPOTENCY_KEY_INVALID", text));
        }
        // Include the lengths, so that two different lists of parts never give the same text.
        let text: String = asked.iter().map(|part| format!("{}:{part}", part.len())).collect();
        let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        let (user_id, key) = (user_id.to_owned(), key.to_owned());
        Ok(Some(Self { user_id, action, key, fingerprint: hex::encode(digest) }))
    }

    fn id(&self) -> (String, String, String) {
        (self.user_id.clone(), self.action.to_owned(), self.key.clone())
    }

    fn require_same(&self, kept: &Model) -> Result<()> {
        if kept.fingerprint == self.fingerprint {
            return Ok(());
        }
        Err(Error::invalid(
            "IDEMPOTENCY_KEY_REUSED",
            "This Idempotency-Key was already used for another request. Send a new key.",
        ))
    }

    /// Returns the earlier response to the same request.
    pub async fn answered(&self, db_: &Db) -> Result<Option<upload_log::Model>> {
        let Some(kept) = Entity::find_by_id(self.id()).one(db_.read()).await.map_err(db)? else {
            return Ok(None);
        };
        self.require_same(&kept)?;
        upload_log::Entity::find_by_id(kept.upload_log_id).one(db_.read()).await.map_err(db)
    }
}

/// Stores the response to a request. Fails when another request used this key first.
pub(super) async fn keep(tx: &Tx, key: &Key, log: Uuid, now: DateTime<Utc>) -> Result<()> {
    let row = ActiveModel {
        user_id: Set(key.user_id.clone()),
        action: Set(key.action.to_owned()),
        key: Set(key.key.clone()),
        fingerprint: Set(key.fingerprint.clone()),
        upload_log_id: Set(log),
        created_at: Set(now),
    };
    let once = OnConflict::columns([Column::UserId, Column::Action, Column::Key]).do_nothing().to_owned();
    Entity::insert(row).on_conflict(once).exec_without_returning(&**tx).await.map_err(db)?;
    check(tx, key).await
}

/// Fails when another request used this key first.
pub(super) async fn check(tx: &Tx, key: &Key) -> Result<()> {
    let kept = Entity::find_by_id(key.id()).one(&**tx).await.map_err(db)?;
    kept.map_or(Ok(()), |kept| key.require_same(&kept))
}

/// Deletes old keys, unless there are implausibly many. Returns how many keys were deleted.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    doubts.delete_old::<Entity>(db_, Column::CreatedAt, now - KEPT).await
}
