//! Connections: one writer and several readers on SQLite, one pool on Postgres.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kit::config::Database as DatabaseConfig;
use kit::{Error, Result};
use sea_orm::sqlx::{self, Connection};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbBackend};
use tokio::sync::Notify;

use crate::no_delay;

const READERS: u32 = 4;
const ACQUIRE: Duration = Duration::from_secs(5);

/// The database of one service. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    pub(crate) writer: DatabaseConnection,
    reader: DatabaseConnection,
    /// Woken after a commit that added events.
    pub(crate) outbox_added: Arc<Notify>,
    url: Arc<str>,
}

impl Db {
    /// Opens `sqlite://path` (made when missing) or `postgres://…`.
    pub async fn connect(url: &str, config: &DatabaseConfig) -> Result<Self> {
        let (writer, reader) = if let Some(path) = url.strip_prefix("sqlite://") {
            if let Some(folder) = Path::new(path).parent() {
                kit::config::private_dir(folder).map_err(Error::internal)?;
            }
            // One writer: SQLite has one writer at a time anyway, and waiting for a connection
            // is fair where waiting for the file's lock is not.
            (open(sqlite(url, false)).await?, open(sqlite(url, true)).await?)
        } else {
            let pool = open(postgres(url, config)).await?;
            (pool.clone(), pool)
        };
        Ok(Self { writer, reader, outbox_added: Arc::default(), url: url.into() })
    }

    /// For SELECTs outside a transaction. On SQLite it refuses to write.
    pub fn read(&self) -> &DatabaseConnection {
        &self.reader
    }

    pub fn backend(&self) -> DbBackend {
        self.writer.get_database_backend()
    }

    pub fn is_postgres(&self) -> bool {
        self.backend() == DbBackend::Postgres
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        self.reader.ping().await.map_err(crate::db)
    }

    pub async fn close(&self) {
        for connection in [&self.reader, &self.writer] {
            if let Err(error) = connection.close_by_ref().await {
                tracing::warn!("closing the database: {error}");
            }
        }
    }
}

async fn open(options: ConnectOptions) -> Result<DatabaseConnection> {
    no_delay::connecting(Database::connect(options)).await.map_err(|error| {
        Error::unavailable("DATABASE_UNAVAILABLE", "The database cannot be reached").with_source(error)
    })
}

fn quiet(options: &mut ConnectOptions) {
    options.sqlx_logging(false).acquire_timeout(ACQUIRE);
}

/// Whether a connection that comes back to the pool may be lent again: not while sqlx counts a transaction.
///
/// A COMMIT or ROLLBACK that fails, as on a full disk, leaves that count above zero although SQLite has ended
/// the transaction. Later writes on such a connection would only set savepoints, and the first one that
/// is rolled back would leave a transaction open that nobody commits: everything after it would be answered
/// as saved and lost with the process.
async fn is_reusable<C: Connection>(connection: &mut C) -> Result<bool, sqlx::Error> {
    // A rollback by a drop is only queued; this waits for it.
    connection.ping().await?;
    let clean = !connection.is_in_transaction();
    if !clean {
        tracing::warn!("a connection with a broken transaction is closed; another one takes its place");
    }
    Ok(clean)
}

fn sqlite(url: &str, read_only: bool) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    quiet(&mut options);
    options
        .max_connections(if read_only { READERS } else { 1 })
        .min_connections(1)
        // Connections to a file do not go stale.
        .test_before_acquire(false)
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>)
        .map_sqlx_sqlite_opts(move |it| {
            it.create_if_missing(true)
                .busy_timeout(Duration::from_secs(5))
                .foreign_keys(true)
                .pragma("journal_mode", "WAL")
                // A commit must survive power loss too: NORMAL would lose the last ones.
                .pragma("synchronous", "FULL")
                .pragma("temp_store", "MEMORY")
                .pragma("cache_size", "-16384")
                .pragma("mmap_size", "268435456")
                .pragma("wal_autocheckpoint", "4000")
                .pragma("query_only", if read_only { "ON" } else { "OFF" })
                .optimize_on_close(!read_only, None)
        })
        .map_sqlx_sqlite_pool_opts(|it| it.after_release(|connection, _| Box::pin(is_reusable(connection))));
    options
}

fn postgres(url: &str, config: &DatabaseConfig) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    quiet(&mut options);
    options
        .max_connections(config.max_connections)
        .min_connections(1)
        .set_application_name("waybill")
        .map_sqlx_postgres_pool_opts(|it| {
            it.after_connect(|_, _| {
                no_delay::set();
                Box::pin(std::future::ready(Ok(())))
            })
            .after_release(|connection, _| Box::pin(is_reusable(connection)))
        })
        .statement_timeout(Duration::from_secs(config.statement_timeout_seconds));
    options
}
