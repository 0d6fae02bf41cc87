//! Begins transactions; no other module does.
//!
//! On SQLite write transactions are immediate: under load a transaction that first reads and later writes
//! would fail instead of waiting. Dropping a `Tx` without committing rolls it back.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kit::Result;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseTransaction, DbBackend, IsolationLevel, SqliteTransactionMode,
    Statement, TransactionOptions, TransactionTrait,
};
use tokio::sync::{Notify, watch};

use crate::error::commit;
use crate::{Db, Reading, db};

/// An open write transaction; use it wherever a connection is expected.
pub struct Tx {
    inner: DatabaseTransaction,
    outbox_added: Arc<Notify>,
    jobs_added: watch::Sender<()>,
    pub(crate) events: AtomicBool,
    pub(crate) jobs: AtomicBool,
}

impl Db {
    /// Begins a write transaction.
    #[allow(clippy::disallowed_methods)]
    pub async fn begin(&self) -> Result<Tx> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let inner = self.writer.begin_with_options(options).await.map_err(db)?;
        Ok(Tx {
            inner,
            outbox_added: self.outbox_added.clone(),
            jobs_added: self.jobs_added.clone(),
            events: AtomicBool::new(false),
            jobs: AtomicBool::new(false),
        })
    }

    /// Begins a read-only transaction, for lists of large tables. The database stops a transaction that
    /// exceeds the time limit of its purpose. On Postgres statements are planned for their actual values and
    /// never as a scan of a whole table. Reports may scan tables, and all their statements see the data as of
    /// one moment.
    #[allow(clippy::disallowed_methods)]
    pub async fn begin_read(&self, reading: Reading) -> Result<DatabaseTransaction> {
        let tx = self.read_within(reading).begin_with_options(TransactionOptions::default()).await;
        let tx = tx.map_err(db)?;
        if self.is_postgres() {
            tx.execute_unprepared(&settings(reading)).await.map_err(db)?;
        }
        Ok(tx)
    }
}

/// Returns the statements that apply `reading` to a transaction on Postgres. They are sent as one text, because
/// each message costs about as much as reading a row.
fn settings(reading: Reading) -> String {
    let patience = reading.patience().as_millis();
    let (isolation, scans) = match reading {
        Reading::Report => (" ISOLATION LEVEL REPEATABLE READ,", "on"),
        Reading::Page | Reading::Export => ("", "off"),
    };
    format!(
        "SET TRANSACTION{isolation} READ ONLY; SET LOCAL statement_timeout = {patience}; \
         SET LOCAL enable_seqscan = {scans}; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off"
    )
}

/// Limits each following statement of a read-only transaction to `each`, if that is shorter than the limit of
/// the transaction's purpose. Does nothing on SQLite, where statements share the transaction's limit anyway.
pub async fn limit_statements(read: &DatabaseTransaction, reading: Reading, each: Duration) -> Result<()> {
    if read.get_database_backend() != DbBackend::Postgres || each >= reading.patience() {
        return Ok(());
    }
    // At least 1, because Postgres takes a timeout of 0 as no limit.
    let patience = each.as_millis().max(1).to_string();
    let setting = "SELECT set_config('statement_timeout', $1, true)";
    let setting = Statement::from_sql_and_values(DbBackend::Postgres, setting, [patience.into()]);
    read.execute_raw(setting).await.map_err(db)?;
    Ok(())
}

impl Db {
    /// Begins a read-only transaction on Postgres whose statements all see the data as of one moment. It has
    /// no time limit.
    #[allow(clippy::disallowed_methods)]
    pub(crate) async fn begin_snapshot(&self) -> Result<DatabaseTransaction> {
        let options = TransactionOptions {
            access_mode: Some(AccessMode::ReadOnly),
            isolation_level: Some(IsolationLevel::RepeatableRead),
            ..TransactionOptions::default()
        };
        let tx = self.writer.begin_with_options(options).await.map_err(db)?;
        let patient = Statement::from_string(
            DbBackend::Postgres,
            "SELECT set_config('statement_timeout', '0', true), \
             set_config('idle_in_transaction_session_timeout', '0', true)",
        );
        tx.execute_raw(patient).await.map_err(db)?;
        Ok(tx)
    }
}

impl Tx {
    /// Rolls back; returns once the database has confirmed it.
    pub(crate) async fn rollback(self) -> Result<()> {
        self.inner.rollback().await.map_err(db)
    }

    /// Makes Postgres plan each following statement of this transaction for its values, and look for their keys in an
    /// index. Without it, a connection keeps a plan that was made while a table was nearly empty. And in a table that
    /// has grown since its statistics were taken, or never had any, Postgres expects so many rows for each key that it
    /// reads the whole table. Use it where [`crate::bulk::among`] asks for many keys of a growing table.
    pub async fn plan_for_keys(&self) -> Result<()> {
        if self.get_database_backend() == DbBackend::Postgres {
            let settings = "SELECT set_config('plan_cache_mode', 'force_custom_plan', true), \
                 set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)";
            self.execute_raw(Statement::from_string(DbBackend::Postgres, settings)).await.map_err(db)?;
        }
        Ok(())
    }

    /// Commits. Wakes the relay if there are events, and all runners of jobs if there are jobs.
    ///
    /// # Errors
    ///
    /// `COMMIT_UNKNOWN` when the connection broke during the commit: the database may have committed. Every
    /// other error means that nothing was changed.
    pub async fn commit(self) -> Result<()> {
        self.inner.commit().await.map_err(commit)?;
        kit::fail_point("store.transaction.committed");
        if self.events.load(Ordering::Relaxed) {
            self.outbox_added.notify_one();
        }
        if self.jobs.load(Ordering::Relaxed) {
            self.jobs_added.send_replace(());
        }
        Ok(())
    }
}

impl Deref for Tx {
    type Target = DatabaseTransaction;
    fn deref(&self) -> &DatabaseTransaction {
        &self.inner
    }
}
