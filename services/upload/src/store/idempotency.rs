//! Requests that a client may send again: under one key they are one request.

use chrono::{DateTime, Duration, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use crate::entity::idempotency_key::{ActiveModel, Column, Entity, Model};
use crate::entity::upload_log;
use ::store::{Db, Tx, db};

/// How long an answer is kept.
const KEPT: Duration = Duration::days(7);
/// Characters of a key at most.
const LONGEST: usize = 200;

/// A key with what it was sent for.
#[derive(Debug, Clone)]
pub struct Key {
    user_id: String,
    action: &'static str,
    key: String,
    fingerprint: String,
}

impl Key {
    /// The key of a request, if it has one. `asked` is all of the request that decides what happens.
    pub fn of(user_id: &str, action: &'static str, key: &str, asked: &[&str]) -> Result<Option<Self>> {
        if key.is_empty() {
            return Ok(None);
        }
        if key.len() > LONGEST || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let text = format!("Idempotency-Key must be 1 to {LONGEST} printable ASCII characters");
            return Err(Error::invalid("IDEMPOTENCY_KEY_INVALID", text));
        }
        // Lengths keep two lists of parts from having one text.
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

    /// What the same request was answered before.
    pub async fn answered(&self, db_: &Db) -> Result<Option<upload_log::Model>> {
        let Some(kept) = Entity::find_by_id(self.id()).one(db_.read()).await.map_err(db)? else {
            return Ok(None);
        };
        self.require_same(&kept)?;
        upload_log::Entity::find_by_id(kept.upload_log_id).one(db_.read()).await.map_err(db)
    }
}

/// Keeps the answer of a request. Fails when another request with this key came first.
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
    let kept = Entity::find_by_id(key.id()).one(&**tx).await.map_err(db)?;
    kept.map_or(Ok(()), |kept| key.require_same(&kept))
}

/// Forgets answers that are old; returns how many.
pub async fn prune(db_: &Db, now: DateTime<Utc>) -> Result<u64> {
    let tx = db_.begin().await?;
    let old = Entity::delete_many().filter(Column::CreatedAt.lt(now - KEPT));
    let gone = old.exec(&*tx).await.map_err(db)?.rows_affected;
    tx.commit().await?;
    Ok(gone)
}
