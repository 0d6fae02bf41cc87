//! Connections: one writer and several readers on SQLite, one pool on Postgres and a connection that checks it.

pub(crate) mod durable;
mod keepalive;
pub(crate) mod no_delay;
pub(crate) mod pooler;
mod postgres;
mod sqlite;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kit::config::{Database as DatabaseConfig, sqlite_file};
use kit::metrics::{self, Gauge};
use kit::{Error, Result};
use rustix::fs::Access;
use rustix::io::Errno;
use sea_orm::sqlx::{self, Connection};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbBackend};
use tokio::sync::{Notify, watch};

use crate::SharedReads;
use sqlite::Use;

const ACQUIRE: Duration = Duration::from_secs(5);
/// How long closing waits for the connection of readiness checks.
const PROBE_CLOSE: Duration = Duration::from_secs(2);

/// The purpose of a read-only transaction, which sets its time limit.
#[derive(Debug, Clone, Copy)]
pub enum Reading {
    /// One page of a list, or a count.
    Page,
    /// One chunk of rows of an export.
    Export,
    /// Sums over many rows, all read as of one moment.
    Report,
}

impl Reading {
    /// Returns the time limit. On Postgres it applies to each statement, of which a page takes up to three;
    /// on SQLite to the whole transaction.
    pub(crate) fn patience(self) -> Duration {
        match self {
            Reading::Page => Duration::from_millis(900),
            Reading::Export => Duration::from_secs(10),
            Reading::Report => Duration::from_secs(5),
        }
    }
}

/// The database of one service. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    pub(crate) writer: DatabaseConnection,
    reader: DatabaseConnection,
    pages: DatabaseConnection,
    exports: DatabaseConnection,
    reports: DatabaseConnection,
    /// For readiness checks. On Postgres a connection of its own, because a pool that is used up does not mean that
    /// the database is away.
    probe: DatabaseConnection,
    /// Notified after a commit that added events.
    pub(crate) outbox_added: Arc<Notify>,
    /// Changed after a commit that added or cancelled jobs. A channel, because several runners wait for it and
    /// none may miss a change while it looks for jobs.
    pub(crate) jobs_added: watch::Sender<()>,
    shared_reads: Arc<SharedReads>,
    url: Arc<str>,
    /// The file on SQLite.
    file: Option<Arc<Path>>,
}

impl Db {
    /// Opens `sqlite://path` (created if missing) or `postgres://…`.
    ///
    /// # Errors
    ///
    /// `DATABASE_UNAVAILABLE`, which names the file on SQLite; `DATABASE_POOLER`.
    pub async fn connect(url: &str, config: &DatabaseConfig) -> Result<Self> {
        let file = sqlite_file(url);
        let [writer, reader, pages, exports, reports, probe] = if let Some(file) = &file {
            if let Some(folder) = file.parent() {
                kit::config::private_dir(folder).map_err(|error| unusable(file, &error))?;
            }
            require_access(file)?;
            let named = |error: Error| match error.source.as_deref() {
                Some(cause) => unusable(file, cause),
                None => error,
            };
            let opened = async |of| open(sqlite::options(url, of)).await.map_err(named);
            let writer = opened(Use::Write).await?;
            let reader = opened(Use::Read).await?;
            let pages = opened(Use::Within(Reading::Page)).await?;
            let exports = opened(Use::Within(Reading::Export)).await?;
            let reports = opened(Use::Within(Reading::Report)).await?;
            [writer, reader.clone(), pages, exports, reports, reader]
        } else {
            let pool = open(postgres::options(url, config)).await?;
            let probe = open(postgres::probe_options(url, config)).await?;
            [pool.clone(), pool.clone(), pool.clone(), pool.clone(), pool, probe]
        };
        Ok(Self {
            writer,
            reader,
            pages,
            exports,
            reports,
            probe,
            outbox_added: Arc::default(),
            jobs_added: watch::Sender::new(()),
            shared_reads: Arc::default(),
            url: url.into(),
            file: file.map(Arc::from),
        })
    }

    /// Returns the connections for SELECTs outside of a transaction. On SQLite they refuse to write.
    pub fn read(&self) -> &DatabaseConnection {
        &self.reader
    }

    pub fn shared_reads(&self) -> &SharedReads {
        &self.shared_reads
    }

    pub(crate) fn read_within(&self, reading: Reading) -> &DatabaseConnection {
        match reading {
            Reading::Page => &self.pages,
            Reading::Export => &self.exports,
            Reading::Report => &self.reports,
        }
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

    /// Returns the file of a SQLite database.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Shows the state of the connections in metrics until the pool is closed.
    pub fn show(&self, service: &str) {
        if self.is_postgres() {
            let pool = self.writer.get_postgres_connection_pool();
            return show_pool(pool.clone(), service, "all");
        }
        let pools = [
            (&self.writer, "writer"),
            (&self.reader, "reader"),
            (&self.pages, "pages"),
            (&self.exports, "exports"),
            (&self.reports, "reports"),
        ];
        for (pool, name) in pools {
            show_pool(pool.get_sqlite_connection_pool().clone(), service, name);
        }
    }

    /// Checks that the database responds, even while the pool is used up.
    pub async fn ping(&self) -> Result<()> {
        self.probe.ping().await.map_err(crate::db)
    }

    pub async fn close(&self) {
        let Self { writer, reader, pages, exports, reports, probe, .. } = self;
        // Its idle link may have died silently, and saying goodbye on that one would wait long.
        let _done_or_not = tokio::time::timeout(PROBE_CLOSE, probe.close_by_ref()).await;
        for connection in [pages, exports, reports, reader, writer] {
            if let Err(error) = connection.close_by_ref().await {
                tracing::warn!("closing the database: {error:#}");
            }
        }
    }
}

fn show_pool<D: sqlx::Database>(pool: sqlx::Pool<D>, service: &str, name: &str) {
    let labels = [("service", service), ("pool", name)];
    let show = |gauge, read: fn(&sqlx::Pool<D>) -> f64| {
        let pool = pool.clone();
        metrics::watch(gauge, &labels, move || (!pool.is_closed()).then(|| read(&pool)));
    };
    show(Gauge::PoolConnections, |pool| f64::from(pool.size()));
    show(Gauge::PoolIdle, |pool| pool.num_idle() as f64);
    show(Gauge::PoolLimit, |pool| f64::from(pool.options().get_max_connections()));
}

/// Returns the files of a SQLite database: itself, its write-ahead log and the memory that processes share.
pub(crate) fn files(file: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| beside(file, ending))
}

/// Appends an ending to the name of a file.
pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Adds the file's name to the error, because SQLite's own message omits it.
pub(crate) fn unusable(file: &Path, cause: &(dyn std::error::Error + 'static)) -> Error {
    let file = file.display();
    Error::unavailable("DATABASE_UNAVAILABLE", format!("The database {file} cannot be opened: {cause}"))
}

/// Fails if this process may not read and write the existing files of a SQLite database and their folder. SQLite would
/// open them read-only and fail at the first write. Opens no file: closing it would release the locks of other
/// connections of this process.
fn require_access(file: &Path) -> Result<()> {
    let files = files(file);
    for path in files.iter().map(PathBuf::as_path).chain(file.parent()) {
        match rustix::fs::access(path, Access::READ_OK | Access::WRITE_OK) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(no_access(path, &std::io::Error::from(error))),
        }
    }
    Ok(())
}

fn no_access(path: &Path, error: &std::io::Error) -> Error {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let owner =
        path.symlink_metadata().map_or("an unknown user".to_owned(), |it| format!("user {}", it.uid()));
    Error::unavailable(
        "DATABASE_UNAVAILABLE",
        format!(
            "Waybill runs as user {user}, who cannot read and write {}: {error}. It belongs to {owner}. Check its owner \
             and permissions.",
            path.display()
        ),
    )
}

async fn open(options: ConnectOptions) -> Result<DatabaseConnection> {
    let until = tokio::time::Instant::now() + ACQUIRE;
    loop {
        match no_delay::connecting(Database::connect(options.clone())).await {
            // This may fail when several processes open a new file at the same time, because SQLite does
            // not wait for the others when it changes the journal mode.
            Err(error)
                if error.to_string().contains("database is locked")
                    && tokio::time::Instant::now() < until =>
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            opened => {
                return opened.map_err(|error| {
                    pooler::refusal(&error).unwrap_or_else(|| {
                        Error::unavailable("DATABASE_UNAVAILABLE", "The database cannot be reached")
                            .with_source(error)
                    })
                });
            }
        }
    }
}

fn quiet(options: &mut ConnectOptions) {
    options.sqlx_logging(false).acquire_timeout(ACQUIRE);
}

/// Returns whether a connection may go back to the pool: only if sqlx counts no open transaction on it.
///
/// When a COMMIT or ROLLBACK fails, for example on a full disk, sqlx keeps its count above zero although
/// SQLite has ended the transaction. Later writes on the connection would only set savepoints, and the first
/// rollback would leave a transaction open that is never committed: everything after it would be reported as
/// saved, and lost with the process.
async fn is_reusable<C: Connection>(connection: &mut C) -> Result<bool, sqlx::Error> {
    if !connection.is_in_transaction() {
        return Ok(true);
    }
    // Dropping a transaction only queues its rollback; a ping waits until it is done.
    connection.ping().await?;
    let clean = !connection.is_in_transaction();
    if !clean {
        tracing::warn!("a connection with a broken transaction is closed; another one takes its place");
    }
    Ok(clean)
}
