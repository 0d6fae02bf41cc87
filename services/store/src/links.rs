//! Links that people upload files by: how many somebody may have, and what becomes of files that
//! nothing refers to.
//!
//! A service keeps a row for each link it gives, in a table of its own that implements [`Links`]. The row
//! goes ahead of the object and stays until the object is gone, so wherever a process dies, [`sweep`]
//! finds what it left. Ages are told by the database's clock: one that jumps in a process deletes nothing.
//! Why it is done so is told in docs/adr/0035.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use kit::blob::{Blob, Key};
use kit::{Error, Result};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect, Statement,
};

use crate::{Db, Tx, db};

/// How long a file may wait for what it was uploaded for. Its link has ended long before.
pub const KEPT: TimeDelta = TimeDelta::hours(3);
/// By then whoever still found the link in time is done with it.
const SWEPT: TimeDelta = TimeDelta::minutes(200);
/// Rows of one round. What is kept in spite of its age has to be fewer.
const AT_ONCE: u64 = 500;

/// A table of links.
pub trait Links: EntityTrait {
    const OBJECT_KEY: Self::Column;
    const REQUESTED_BY: Self::Column;
    const CREATED_AT: Self::Column;

    /// Links whose file was not used yet: of these nobody may have many.
    fn unused() -> Condition;

    /// Links whose file may be swept.
    fn sweepable() -> Condition {
        Condition::all()
    }
}

/// Notes a link that somebody is given; what the row says is decided at the time it is given.
///
/// # Errors
///
/// `TOO_MANY_UPLOADS` while `most` files of theirs, or links for some, are not used.
pub async fn add<L: Links>(
    db_: &Db,
    by: &str,
    most: usize,
    row: impl FnOnce(DateTime<Utc>) -> L::ActiveModel,
) -> Result<()>
where
    L::Model: IntoActiveModel<L::ActiveModel>,
    L::ActiveModel: ActiveModelTrait<Entity = L>,
{
    let tx = db_.begin().await?;
    one_at_a_time(&tx, by).await?;
    let now = now(&*tx).await?;
    let open: Vec<DateTime<Utc>> = L::find()
        .select_only()
        .column(L::CREATED_AT)
        .filter(L::REQUESTED_BY.eq(by))
        .filter(L::CREATED_AT.gt(now - KEPT))
        .filter(L::unused())
        .order_by_asc(L::CREATED_AT)
        .into_tuple()
        .all(&*tx)
        .await
        .map_err(db)?;
    if open.len() >= most {
        return Err(too_many(open.len(), open[open.len() - most] + KEPT - now));
    }
    L::insert(row(now)).exec_without_returning(&*tx).await.map_err(db)?;
    kit::fail_point("store.link.added");
    tx.commit().await
}

fn too_many(open: usize, left: TimeDelta) -> Error {
    let minutes = u64::try_from(left.num_minutes()).unwrap_or(0) + 1;
    let text = format!(
        "You have {open} uploads that were not used for anything yet. Finish those, or try again in {minutes} \
         minute{}.",
        if minutes == 1 { "" } else { "s" }
    );
    Error::rate_limited("TOO_MANY_UPLOADS", text, left.to_std().unwrap_or_default())
}

/// Lets one person's requests wait for each other, so that many at once do not all find room for one
/// more. On SQLite every transaction that writes waits anyway.
async fn one_at_a_time(tx: &Tx, by: &str) -> Result<()> {
    if tx.get_database_backend() != DbBackend::Postgres {
        return Ok(());
    }
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
    let lock = Statement::from_sql_and_values(DbBackend::Postgres, lock, [format!("links of {by}").into()]);
    tx.execute_raw(lock).await.map_err(db)?;
    Ok(())
}

/// What is needed still of an old link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    pub link: bool,
    pub object: bool,
}

/// Who knows what refers to the files of a table of links.
#[async_trait]
pub trait Referrer: Send + Sync {
    /// Is asked in the transaction that holds the row of the link. Whoever makes something of a file
    /// holds that row too, and looks whether it is there.
    async fn needed(&self, tx: &Tx, object_key: &str) -> Result<Needed>;
}

/// Removes files that nobody used in time, with their links; answers how many links went. A row is deleted
/// around the deletion of its object: dying in between leaves it to the next round.
pub async fn sweep<L: Links>(db_: &Db, blob: &Blob, referrer: &impl Referrer) -> Result<usize> {
    let before = now(db_.read()).await? - SWEPT;
    let old: Vec<String> = L::find()
        .select_only()
        .column(L::OBJECT_KEY)
        .filter(L::CREATED_AT.lt(before))
        .filter(L::sweepable())
        .order_by_asc(L::CREATED_AT)
        .limit(AT_ONCE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let mut gone = 0;
    for object_key in old {
        gone += usize::from(remove::<L>(db_, blob, referrer, &object_key, before).await?);
    }
    Ok(gone)
}

async fn remove<L: Links>(
    db_: &Db,
    blob: &Blob,
    referrer: &impl Referrer,
    object_key: &str,
    before: DateTime<Utc>,
) -> Result<bool> {
    let tx = db_.begin().await?;
    let deleted = L::delete_many()
        .filter(L::OBJECT_KEY.eq(object_key))
        .filter(L::CREATED_AT.lt(before))
        .exec(&*tx)
        .await
        .map_err(db)?;
    if deleted.rows_affected == 0 {
        return Ok(false);
    }
    let needed = referrer.needed(&tx, object_key).await?;
    if !needed.object {
        blob.delete(&Key::parse(object_key)?).await?;
    }
    if needed.link {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}

/// What time it is for the database.
pub async fn now(connection: &impl ConnectionTrait) -> Result<DateTime<Utc>> {
    let backend = connection.get_database_backend();
    let ask = match backend {
        DbBackend::Postgres => "SELECT clock_timestamp() AS now",
        _ => "SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now') AS now",
    };
    let row = connection.query_one_raw(Statement::from_string(backend, ask)).await.map_err(db)?;
    let row = row.ok_or_else(|| Error::internal("the database does not tell the time"))?;
    row.try_get("", "now").map_err(db)
}
