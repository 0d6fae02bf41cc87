//! SQLite: one writer, several readers, and readers with time-limited transactions.

use std::time::{Duration, Instant};

use sea_orm::ConnectOptions;
use sea_orm::sqlx;
use sea_orm::sqlx::sqlite::{SqliteConnection, SqlitePoolOptions};

use super::{Reading, is_reusable, quiet};

/// The purpose of a connection pool.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// One connection for all writes. SQLite has one writer at a time anyway; waiting for the connection is
    /// fair, whereas waiting for the file's lock is not.
    Write,
    Read,
    /// For transactions of [`Reading`]; the pool is opened when the first transaction begins.
    Within(Reading),
}

impl Use {
    fn connections(self) -> u32 {
        match self {
            Use::Write => 1,
            Use::Read | Use::Within(Reading::Page) => 4,
            Use::Within(Reading::Export | Reading::Report) => 2,
        }
    }

    /// Returns the size of a connection's page cache, in KiB with a minus sign. The writer's is smaller: a change by
    /// another connection empties a cache, but nothing empties the writer's, so after an import the writers of all
    /// services keep theirs full. A writer needs room for little more than the pages of one transaction.
    fn cache(self) -> &'static str {
        if matches!(self, Use::Write) { "-4000" } else { "-8000" }
    }

    fn query_only(self) -> &'static str {
        if matches!(self, Use::Write) { "OFF" } else { "ON" }
    }
}

/// Number of SQLite VM instructions between two checks of the clock. That many take well under a millisecond.
const STEPS: i32 = 10_000;

pub(super) fn options(url: &str, of: Use) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    quiet(&mut options);
    let is_within = matches!(of, Use::Within(_));
    options
        .connect_lazy(is_within)
        .max_connections(of.connections())
        .min_connections(u32::from(!is_within))
        // Connections to a file do not go stale, so do not test them before each use.
        .test_before_acquire(false)
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>)
        .map_sqlx_sqlite_opts(move |it| {
            it.create_if_missing(true)
                .busy_timeout(Duration::from_secs(5))
                .foreign_keys(true)
                .pragma("journal_mode", "WAL")
                // Commits must survive a power failure: NORMAL would lose the last ones.
                .pragma("synchronous", "FULL")
                .pragma("temp_store", "MEMORY")
                // A mapping of the file would not be faster, and would count as memory of the process once for each
                // connection.
                .pragma("cache_size", of.cache())
                // In pages of 4 KB. Up to 8 MB of changed pages stay in the cache until the commit, whatever its size:
                // pages that are written before the commit may have to be written again.
                .pragma("cache_spill", "2000")
                .pragma("wal_autocheckpoint", "4000")
                .pragma("query_only", of.query_only())
                .optimize_on_close(matches!(of, Use::Write), None)
        })
        .map_sqlx_sqlite_pool_opts(move |it| {
            let it = it.after_release(|connection, _| Box::pin(is_reusable(connection)));
            match of {
                Use::Within(reading) => within(it, reading.patience()),
                Use::Write | Use::Read => it,
            }
        });
    options
}

/// Gives connections of the pool a new time limit whenever they are acquired, so that the limit starts with
/// the transaction.
fn within(pool: SqlitePoolOptions, patience: Duration) -> SqlitePoolOptions {
    pool.after_connect(move |connection, _| Box::pin(limit(connection, patience))).before_acquire(
        move |connection, _| Box::pin(async move { limit(connection, patience).await.map(|()| true) }),
    )
}

/// Interrupts every statement that runs on the connection after this time.
async fn limit(connection: &mut SqliteConnection, patience: Duration) -> Result<(), sqlx::Error> {
    let end = Instant::now() + patience;
    connection.lock_handle().await?.set_progress_handler(STEPS, move || Instant::now() < end);
    Ok(())
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait, DbErr, QueryResult};

    use super::*;
    use crate::error::is_timeout;
    use crate::testing::{Backend, TestDb};

    /// Counts to the given number in SQL, one step at a time, in a transaction or in a statement of its own.
    async fn count(db: &crate::Db, to: u64, alone: bool) -> Result<Option<QueryResult>, DbErr> {
        let sql = format!(
            "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {to}) \
             SELECT count(*) AS total FROM number"
        );
        let count = sea_orm::Statement::from_string(db.backend(), sql);
        if alone {
            return db.read_within(Reading::Page).query_one_raw(count).await;
        }
        let read = db.begin_read(Reading::Page).await.unwrap();
        let row = read.query_one_raw(count).await?;
        read.commit().await?;
        Ok(row)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_takes_too_long_is_ended_and_its_connection_serves_on() {
        let test = TestDb::open(Backend::Sqlite).await;
        let begun = Instant::now();
        // As many as the pool has connections, so that the check below uses each of them again.
        let all = (0..4).map(|turn| count(&test.db, u64::MAX / 2, turn % 2 == 0));
        let all = futures::future::join_all(all).await;
        for ended in all {
            assert!(is_timeout(&ended.unwrap_err()));
        }
        // The limit of 60 s is generous for a busy machine; without a time limit the query would take years.
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        for turn in 0..4 {
            let row = count(&test.db, 100_000, turn % 2 == 0).await.unwrap().unwrap();
            assert_eq!(row.try_get::<i64>("", "total").unwrap(), 100_000);
        }
        test.close().await;
    }
}
