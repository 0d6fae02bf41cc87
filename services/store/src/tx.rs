//! The only place that begins a transaction.
//!
//! On SQLite it is an immediate one: a late upgrade from reading to writing would fail under
//! load instead of waiting. Dropping a `Tx` without committing rolls it back.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::Result;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseTransaction, DbBackend, IsolationLevel, SqliteTransactionMode,
    Statement, TransactionOptions, TransactionTrait,
};
use tokio::sync::Notify;

use crate::error::commit;
use crate::{Db, Reading, db};

/// An open write transaction; use it wherever a connection is asked for.
pub struct Tx {
    inner: DatabaseTransaction,
    outbox_added: Arc<Notify>,
    jobs_added: Arc<Notify>,
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

    /// Begins a transaction that only reads, for lists of large tables. What takes longer than its use allows
    /// is stopped. On Postgres a statement of it is planned for its very values, and never as a scan of a whole
    /// table unless it is for a report, whose statements all see one moment.
    #[allow(clippy::disallowed_methods)]
    pub async fn begin_read(&self, reading: Reading) -> Result<DatabaseTransaction> {
        let mut options = TransactionOptions::default();
        let is_report = matches!(reading, Reading::Report);
        if self.is_postgres() {
            options.access_mode = Some(AccessMode::ReadOnly);
            options.isolation_level = is_report.then_some(IsolationLevel::RepeatableRead);
        }
        let tx = self.read_within(reading).begin_with_options(options).await.map_err(db)?;
        if self.is_postgres() {
            let patience = reading.patience().as_millis().to_string();
            let scans = if is_report { "on" } else { "off" };
            let values = [patience.into(), scans.into()];
            let settings = Statement::from_sql_and_values(DbBackend::Postgres, SETTINGS, values);
            tx.execute_raw(settings).await.map_err(db)?;
        }
        Ok(tx)
    }
}

/// For this transaction alone.
const SETTINGS: &str = "SELECT set_config('statement_timeout', $1, true), set_config('enable_seqscan', $2, true), \
     set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)";

impl Db {
    /// Begins a transaction that sees one moment for as long as it is open.
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
    /// Changes nothing, and has said so to the database when it returns.
    pub(crate) async fn rollback(self) -> Result<()> {
        self.inner.rollback().await.map_err(db)
    }

    /// Makes everything durable. Wakes the relay when there are events, and workers when there are jobs.
    ///
    /// # Errors
    ///
    /// `COMMIT_UNKNOWN` when the connection broke meanwhile: the database may have committed. Any other
    /// error means that nothing was changed.
    pub async fn commit(self) -> Result<()> {
        self.inner.commit().await.map_err(commit)?;
        kit::fail_point("store.transaction.committed");
        if self.events.load(Ordering::Relaxed) {
            self.outbox_added.notify_one();
        }
        if self.jobs.load(Ordering::Relaxed) {
            self.jobs_added.notify_one();
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
