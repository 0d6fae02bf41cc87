//! The only place that begins a transaction.
//!
//! On SQLite it is an immediate one: a late upgrade from reading to writing would fail under
//! load instead of waiting. Dropping a `Tx` without committing rolls it back.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::Result;
use sea_orm::{DatabaseTransaction, SqliteTransactionMode, TransactionOptions, TransactionTrait};
use tokio::sync::Notify;

use crate::{Db, db};

/// An open write transaction; use it wherever a connection is asked for.
pub struct Tx {
    inner: DatabaseTransaction,
    outbox_added: Arc<Notify>,
    pub(crate) events: AtomicBool,
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
        Ok(Tx { inner, outbox_added: self.outbox_added.clone(), events: AtomicBool::new(false) })
    }
}

impl Tx {
    /// Makes everything durable, events included, and wakes the relay when there are some.
    pub async fn commit(self) -> Result<()> {
        self.inner.commit().await.map_err(db)?;
        if self.events.load(Ordering::Relaxed) {
            self.outbox_added.notify_one();
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
