//! The keys that sign access tokens, replaced every 30 days and published for as long as their tokens can
//! live.
//!
//! Private keys are in auth's own database, so that every replica signs with the same keys and no other
//! secret storage is needed. The price is that whoever reads that database can sign tokens until the key is
//! replaced; CheckSession still refuses such tokens, because they contain no live session.

use std::collections::HashMap;

use ::store::{Db, db};
use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use kit::clock::{Clock, new_id};
use kit::principal::KeySource;
use kit::{Error, Result};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::entity::secret::Hidden;
use crate::entity::{session, setup, signing_key};
use crate::store::Account;

const LIFE: Duration = Duration::days(30);
/// How long a key is published before it signs. Longer than two of the intervals at which verifiers fetch the list, so
/// that a verifier has the key before its first token even if one fetch fails.
const LEAD: Duration = Duration::seconds(150);
/// How long a replaced key is still published. Its last token expires after `LEAD` plus the maximum lifetime
/// of a token, 300 seconds; the remaining time allows for clocks that differ.
const AFTERLIFE: Duration = Duration::hours(1);

/// Ensures that there is a key that is not too old. Many processes may call this at the same time.
pub async fn rotate(db_: &Db, now: DateTime<Utc>) -> Result<()> {
    if newest(db_.read()).await?.is_some_and(|key| now - key.created_at < LIFE)
        && !any_retired(db_, now).await?
    {
        return Ok(());
    }
    let tx = db_.begin().await?;
    // Lock a row, so that the second of two processes sees the key of the first. SQLite has no such lock
    // and needs none: it has one write transaction at a time.
    setup::Entity::find_by_id(setup::ROW).lock_exclusive().one(&*tx).await.map_err(db)?;
    if newest(&*tx).await?.is_none_or(|key| now - key.created_at >= LIFE) {
        signing_key::Entity::update_many()
            .col_expr(signing_key::Column::RetireAt, Expr::value(Some(now + AFTERLIFE)))
            .filter(signing_key::Column::RetireAt.is_null())
            .exec(&*tx)
            .await
            .map_err(db)?;
        let key = generate(now)?;
        signing_key::Entity::insert(key).exec_without_returning(&*tx).await.map_err(db)?;
    }
    signing_key::Entity::delete_many()
        .filter(signing_key::Column::RetireAt.lte(now))
        .exec(&*tx)
        .await
        .map_err(db)?;
    kit::fail_point("auth.key.created");
    tx.commit().await
}

/// Ensures that there is a key, when a process starts. While the database cannot be written, an old key is good enough;
/// [`rotate`] is repeated later.
pub async fn prepare(db_: &Db, now: DateTime<Utc>) -> Result<()> {
    let Err(error) = rotate(db_, now).await else { return Ok(()) };
    if !error.is_transient() || published(db_, now).await?.is_empty() {
        return Err(error);
    }
    tracing::warn!("the signing key waits to be replaced: {error:#}");
    Ok(())
}

async fn any_retired(db_: &Db, now: DateTime<Utc>) -> Result<bool> {
    let retired = signing_key::Entity::find().filter(signing_key::Column::RetireAt.lte(now));
    Ok(retired.one(db_.read()).await.map_err(db)?.is_some())
}

async fn newest<C: ConnectionTrait>(connection: &C) -> Result<Option<signing_key::Model>> {
    signing_key::Entity::find()
        .order_by_desc(signing_key::Column::CreatedAt)
        .order_by_desc(signing_key::Column::Id)
        .one(connection)
        .await
        .map_err(db)
}

fn generate(now: DateTime<Utc>) -> Result<signing_key::ActiveModel> {
    let refused = |_| Error::internal("no signing key can be made");
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(refused)?;
    let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).map_err(Error::internal)?;
    Ok(signing_key::ActiveModel {
        id: Set(new_id().simple().to_string()),
        pkcs8: Set(Hidden(pkcs8.as_ref().to_vec())),
        public_key: Set(pair.public_key().as_ref().to_vec()),
        created_at: Set(now),
        retire_at: Set(None),
    })
}

/// Returns the keys that verify tokens, oldest first.
pub async fn published(db_: &Db, now: DateTime<Utc>) -> Result<Vec<signing_key::Model>> {
    signing_key::Entity::find()
        .filter(
            Condition::any()
                .add(signing_key::Column::RetireAt.is_null())
                .add(signing_key::Column::RetireAt.gt(now)),
        )
        .order_by_asc(signing_key::Column::CreatedAt)
        .order_by_asc(signing_key::Column::Id)
        .all(db_.read())
        .await
        .map_err(db)
}

/// A signed access token and its expiry.
pub struct Minted {
    pub token: String,
    pub expires_at: DateTime<Utc>,
}

/// Signs an access token for this session, valid for `ttl` or until the session must end.
pub async fn mint(
    db_: &Db,
    now: DateTime<Utc>,
    ttl: Duration,
    session: &session::Model,
    account: &Account,
) -> Result<Minted> {
    // Read the keys each time: a replica that cached its key would go on signing with a retired one.
    let keys = published(db_, now).await?;
    // If all keys are new, as after the first start, take the oldest.
    let key = keys
        .iter()
        .rfind(|key| now - key.created_at >= LEAD)
        .or(keys.first())
        .ok_or_else(|| Error::internal("there is no signing key"))?;
    let expires_at = (now + ttl).min(session.expires_at);
    let token = kit::principal::sign_access(
        &key.id,
        &key.pkcs8.0,
        &account.user.id.to_string(),
        &account.user.username,
        account.roles.clone(),
        account.user.driver_id.as_deref(),
        &session.id.to_string(),
        now.timestamp(),
        expires_at.timestamp(),
    )?;
    // A token's expiry has whole seconds only.
    let expires_at = DateTime::from_timestamp(expires_at.timestamp(), 0).unwrap_or(expires_at);
    Ok(Minted { token, expires_at })
}

/// Serves the keys to verifiers in this process.
pub struct LocalKeys {
    pub db: Db,
    pub clock: Clock,
}

#[async_trait]
impl KeySource for LocalKeys {
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
        let keys = published(&self.db, self.clock.now()).await?;
        Ok(keys.into_iter().map(|key| (key.id, key.public_key)).collect())
    }
}
