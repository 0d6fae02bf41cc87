//! An upgrade on Postgres: one process at a time, on one connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement, sqlx};
use sea_orm_migration::prelude::*;

use super::{Found, WaitFor, Waiting};
use crate::connect::{keepalive, no_delay};
use crate::error::is_lock_timeout;
use crate::{Db, db};

/// The advisory lock of upgrades: "waybill" as a number.
const LOCK: i64 = 0x0077_6179_6269_6c6c;
/// How long a migration waits for a lock. Whoever wants to use the table meanwhile has to wait behind it.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '2s'";
/// An index that is built concurrently waits for every older transaction, and nobody waits for it.
const NO_LOCK_TIMEOUT: &str = "SET lock_timeout = 0";

/// Upgrades under a lock: without it, two processes that start together on an empty database would both
/// create the same table, and one would fail.
pub async fn up<M: MigratorTrait>(db_: &Db, patience: Duration) -> Result<()> {
    let connection = connect(db_).await?;
    let done = locked::<M>(&connection, patience).await;
    let closed = connection.close().await.map_err(db);
    done.and(closed)
}

async fn locked<M: MigratorTrait>(connection: &DatabaseConnection, patience: Duration) -> Result<()> {
    take_lock(connection, patience).await?;
    let mut waiting: Option<Waiting> = None;
    loop {
        // Another process may have upgraded in the meantime.
        let found = Found::read::<M, _>(connection).await?;
        if found.is_current()? {
            return Ok(());
        }
        let (count, limit) = next::<M>(&found.pending);
        connection.execute_unprepared(limit).await.map_err(db)?;
        match M::up(connection, Some(count)).await {
            Ok(()) => waiting = None,
            // The migration was rolled back as a whole, and can be tried again. Those before it stay.
            Err(error) if limit == LOCK_TIMEOUT && is_lock_timeout(&error) => {
                let left = Found::read::<M, _>(connection).await?.pending.len();
                // Another migration than before: do not count the time that others waited or took.
                if left < found.pending.len() {
                    waiting = None;
                }
                waiting.get_or_insert_with(|| Waiting::new(WaitFor::Tables, patience)).pause().await?;
            }
            Err(error) => return Err(db(error)),
        }
    }
}

/// Returns how many of the pending migrations can run next under the same limit for locks, and this limit.
fn next<M: MigratorTrait>(pending: &[String]) -> (u32, &'static str) {
    let all = M::migrations();
    let pending = all.iter().filter(|it| pending.iter().any(|name| name == it.name()));
    let mut kinds = pending.map(|it| it.use_transaction() != Some(false)).peekable();
    let limit = if kinds.peek() == Some(&false) { NO_LOCK_TIMEOUT } else { LOCK_TIMEOUT };
    let count = kinds.take_while(|it| *it == (limit == LOCK_TIMEOUT)).count();
    (count.try_into().unwrap_or(u32::MAX), limit)
}

/// Opens a pool with a single connection that it never replaces: the lock belongs to the connection that
/// takes it, so that connection must do the work. It has no statement timeout, unlike those of services,
/// because indexing a large table takes long.
async fn connect(db_: &Db) -> Result<DatabaseConnection> {
    let mut options = sea_orm::ConnectOptions::new(db_.url());
    let port = keepalive::port_of(db_.url());
    options
        .max_connections(1)
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>)
        .acquire_timeout(Duration::from_secs(5))
        .sqlx_logging(false)
        .map_sqlx_postgres_pool_opts(move |it| {
            let is_taken = Arc::new(AtomicBool::new(false));
            it.after_connect(move |connection, _| {
                no_delay::set();
                let second = is_taken.swap(true, Ordering::SeqCst);
                Box::pin(async move {
                    if second { Err(lost()) } else { keepalive::set_at_both_ends(port, connection).await }
                })
            })
        });
    no_delay::connecting(sea_orm::Database::connect(options)).await.map_err(|error| {
        Error::unavailable("DATABASE_UNAVAILABLE", "The database cannot be reached").with_source(error)
    })
}

fn lost() -> sqlx::Error {
    sqlx::Error::Protocol("the connection broke during an upgrade, and the lock went with it".to_owned())
}

/// Takes the lock by polling: a statement that waits for the lock would be a transaction that the holder's
/// `CREATE INDEX CONCURRENTLY` waits for in turn.
async fn take_lock(connection: &DatabaseConnection, patience: Duration) -> Result<()> {
    let mut waiting = Waiting::new(WaitFor::Upgrade, patience);
    loop {
        let ask = Statement::from_sql_and_values(
            DbBackend::Postgres,
            "SELECT pg_try_advisory_lock($1) AS mine",
            [LOCK.into()],
        );
        let row = connection.query_one_raw(ask).await.map_err(db)?;
        if row.is_some_and(|row| row.try_get("", "mine").unwrap_or(false)) {
            return Ok(());
        }
        waiting.pause().await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, create_postgres, drop_postgres};

    /// Otherwise the lock of an upgrade whose machine vanished would be held for two hours.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_server_finds_out_soon_that_an_upgrade_is_gone() {
        let (url, name) = create_postgres().await;
        let db = Db::connect(&url, &config()).await.unwrap();
        let connection = connect(&db).await.unwrap();
        let idle = Statement::from_string(DbBackend::Postgres, "SHOW tcp_keepalives_idle");
        let row = connection.query_one_raw(idle).await.unwrap().unwrap();
        assert_eq!(row.try_get_by_index::<String>(0).unwrap(), "5");
        connection.close().await.unwrap();
        db.close().await;
        drop_postgres(&name).await;
    }
}
