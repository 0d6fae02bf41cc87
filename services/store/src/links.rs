//! Upload links: the number of open ones per person, and the cleanup of files that nothing refers to.
//!
//! A service stores a row for each link, in its own table that implements [`Links`]. The row is written
//! before the object and stays until the object is gone, so [`sweep`] finds everything that a killed
//! process left. Ages are measured by the database's clock, so a jump of a process's clock deletes nothing.
//! [`clearing`] covers jumps of the database's clock, which on SQLite is the machine's. docs/adr/0035 has
//! the reasons.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use kit::blob::{self, Blob, Key};
use kit::clock::Clock;
use kit::{Error, Result};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect, Statement,
};

use crate::clearing::{self, Doubts};
use crate::{Db, Tx, db, one_at_a_time};

/// Time within which an uploaded file must be used; its link expires much earlier.
pub const KEPT: TimeDelta = TimeDelta::hours(3);
/// Age at which files are swept. Requests that found the link before it was [`KEPT`] old have finished by
/// then.
const SWEPT: TimeDelta = TimeDelta::minutes(200);
/// Time limit for one answer of the storage within a transaction on SQLite.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// Rows per sweep. Must exceed the number of old rows that are kept.
const AT_ONCE: u64 = 500;
/// Up to this many unused files are always deleted: so many are left over when the program stops for a night. With a
/// wrong clock, people upload them again.
const FEW: u64 = 20;

/// A table of links.
pub trait Links: EntityTrait {
    const OBJECT_KEY: Self::Column;
    const REQUESTED_BY: Self::Column;
    const CREATED_AT: Self::Column;

    /// Selects links whose file is not used yet. The number of these is limited per person.
    fn unused() -> Condition;

    /// Selects links whose file a sweep may delete.
    fn sweepable() -> Condition {
        Condition::all()
    }
}

/// Stores a link for a person; `row` makes its row for the database's current time.
///
/// # Errors
///
/// `TOO_MANY_UPLOADS` while `most` links or files of this person are unused.
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
    // Concurrent requests of one person would not see each other's links, and exceed the limit.
    one_at_a_time(&tx, &format!("links of {by}")).await?;
    let now = now(&*tx).await?;
    let open: Vec<DateTime<Utc>> = L::find()
        .select_only()
        .column(L::CREATED_AT)
        .filter(L::REQUESTED_BY.eq(by))
        .filter(L::CREATED_AT.gt(now - KEPT))
        // Later ones were made by a clock that has been set back since, and would count for as long as it was ahead.
        .filter(L::CREATED_AT.lte(now))
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
        "You have {open} unfinished uploads. Finish those, or try again in {minutes} \
         minute{}.",
        if minutes == 1 { "" } else { "s" }
    );
    Error::rate_limited("TOO_MANY_UPLOADS", text, left.to_std().unwrap_or_default())
}

/// Which parts of an old link are still needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    pub link: bool,
    pub object: bool,
}

/// Finds references to the files of one table of links.
#[async_trait]
pub trait Referrer: Send + Sync {
    /// Returns which parts of the link are needed. Runs in the transaction that locks the link's row. Code
    /// that uses a file must also lock that row and check that it exists.
    async fn needed(&self, tx: &Tx, object_key: &str) -> Result<Needed>;
}

/// Deletes files that were not used in time, and their links; returns the number of deleted links. The
/// deletion of a row commits after its object is gone. If the process is killed in between, the next sweep
/// repeats both.
///
/// Checks only with unused files whether the deletion is plausible, and deletes the others anyway: they have been copied
/// elsewhere, or can't be used any more.
pub async fn sweep<L: Links>(db_: &Db, blob: &Blob, referrer: &impl Referrer, doubts: &Doubts) -> Result<u64>
where
    L::Model: Send + Sync,
{
    let before = clearing::now(db_, &Clock::system()).await? - SWEPT;
    let all = doubts.allow_old_or_few::<L>(db_, L::CREATED_AT, L::unused(), before, FEW).await?;
    let used = (!all).then(|| L::unused().not());
    let old: Vec<String> = L::find()
        .select_only()
        .column(L::OBJECT_KEY)
        .filter(L::CREATED_AT.lt(before))
        .filter(Condition::all().add(L::sweepable()).add_option(used))
        .order_by_asc(L::CREATED_AT)
        .limit(AT_ONCE)
        .into_tuple()
        .all(db_.read())
        .await
        .map_err(db)?;
    let mut gone = 0;
    for object_key in old {
        gone += u64::from(remove::<L>(db_, blob, referrer, &object_key, before).await?);
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
        in_time(&tx, blob.delete(&Key::parse(object_key)?)).await?;
    }
    if needed.link {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}

/// Asks the storage within a transaction. SQLite has no other writer meanwhile, so there the call fails if it
/// takes too long; the next sweep tries again.
pub async fn in_time<T>(tx: &Tx, call: impl Future<Output = Result<T>>) -> Result<T> {
    if tx.get_database_backend() == DbBackend::Postgres { call.await } else { soon(call).await }
}

async fn soon<T>(call: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(ANSWER_WITHIN, call).await.unwrap_or_else(|_| Err(blob::unavailable()))
}

/// Returns the database's current time.
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

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use kit::blob::{S3Blob, S3Config};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_bucket_that_never_responds_does_not_hold_up_the_transaction() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let config = S3Config {
            endpoint: Some(format!("http://{}", silent.local_addr().unwrap())),
            public_endpoint: None,
            region: "us-east-1".to_owned(),
            bucket: "waybill".to_owned(),
            access_key: "a-key".to_owned(),
            secret_key: "a-secret".to_owned().into(),
        };
        let blob = Blob::S3(S3Blob::new(&config).unwrap());
        let begun = Instant::now();
        let error = soon(blob.delete(&Key::parse("uploads/a").unwrap())).await.unwrap_err();
        assert_eq!(error.reason, "OBJECTS_UNAVAILABLE", "{error:?}");
        assert!(begun.elapsed() < ANSWER_WITHIN * 2, "{:?}", begun.elapsed());
    }
}
