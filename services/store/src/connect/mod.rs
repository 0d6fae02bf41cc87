//! Connections: one writer and several readers on SQLite, one pool on Postgres and a connection that checks it.

pub(crate) mod durable;
pub(crate) mod keepalive;
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
use sea_orm::{
    ConnAcquireErr, ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr,
    RuntimeErr, Statement,
};
use tokio::sync::{Notify, watch};

use crate::SharedReads;
use crate::error::{is_disk_suspect, is_full, server_refuses_writes};
use sqlite::Use;

const ACQUIRE: Duration = Duration::from_secs(5);
/// How long opening a SQLite file is tried: a disk that writes something large, or a lock of another program, can
/// hold it up for longer than a request may wait.
const OPENING: Duration = Duration::from_secs(60);
/// With less free space, in bytes, a failure to open a SQLite file counts as a full disk. Opening takes some 32 KiB.
const ROOM: u64 = 1 << 20;
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
    /// `DATABASE_UNAVAILABLE`, which names the file on SQLite; `STORAGE_FULL`; `DATABASE_POOLER`.
    pub async fn connect(url: &str, config: &DatabaseConfig) -> Result<Self> {
        let file = sqlite_file(url);
        let [writer, reader, pages, exports, reports, probe] = if let Some(file) = &file {
            if let Some(folder) = file.parent() {
                kit::config::private_dir(folder).map_err(|error| unusable(file, &error))?;
            }
            require_access(file)?;
            let named = |error: Error| not_opened(file, error, free(file));
            let opened = async |of| open(sqlite::options(url, of), OPENING).await.map_err(named);
            let writer = opened(Use::Write).await?;
            let reader = opened(Use::Read).await?;
            let pages = opened(Use::Within(Reading::Page)).await?;
            let exports = opened(Use::Within(Reading::Export)).await?;
            let reports = opened(Use::Within(Reading::Report)).await?;
            [writer, reader.clone(), pages, exports, reports, reader]
        } else {
            let demotion = postgres::Demotion::default();
            let pool = open(postgres::options(url, config, &demotion), ACQUIRE).await?;
            let probe = open(postgres::probe_options(url, config, &demotion), ACQUIRE).await?;
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

    /// Checks that a Postgres server accepts changes; a standby and a server that was made read-only do not. Does
    /// nothing on SQLite.
    ///
    /// # Errors
    ///
    /// `DATABASE_UNAVAILABLE`, and the errors of a database that is down.
    pub async fn require_writable(&self) -> Result<()> {
        if !self.is_postgres() {
            return Ok(());
        }
        let ask = Statement::from_string(DbBackend::Postgres, postgres::IS_READ_ONLY);
        let row = self.probe.query_one_raw(ask).await.map_err(crate::db)?;
        let row = row.ok_or_else(|| Error::internal("there is no answer"))?;
        let is_read_only = row.try_get_by_index::<String>(0).map_err(crate::db)?;
        if is_read_only == "on" { Err(server_refuses_writes()) } else { Ok(()) }
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

/// Returns whether the file of a SQLite database exists.
///
/// # Errors
///
/// `DATABASE_UNAVAILABLE` if that can't be known, for example because this process may not read the folder.
pub fn is_there(file: &Path) -> Result<bool> {
    file.try_exists().map_err(|error| no_access(file, &error))
}

pub(crate) fn no_access(path: &Path, error: &std::io::Error) -> Error {
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

/// Returns the free space of the disk that has the file, in bytes, if it is known.
fn free(file: &Path) -> Option<u64> {
    kit::disk::free(kit::folder::of(file)).ok()
}

/// Returns the error for a SQLite file that could not be opened. `free` is the space on its disk: without room for the
/// files beside it, SQLite reports many things, such as "disk I/O error".
fn not_opened(file: &Path, error: Error, free: Option<u64>) -> Error {
    let Some(cause) = error.source.as_deref() else { return error };
    let has_no_room = cause.downcast_ref::<DbErr>().is_some_and(|cause| {
        is_full(cause) || (is_disk_suspect(cause) && free.is_some_and(|free| free < ROOM))
    });
    if has_no_room && let Some(full) = kit::disk::full(file, &std::io::ErrorKind::StorageFull.into()) {
        return Error { source: error.source, ..full };
    }
    unusable(file, cause)
}

/// Returns whether opening timed out: the disk or another program is slow.
fn is_slow(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(ConnAcquireErr::Timeout) => true,
        DbErr::Conn(RuntimeErr::SqlxError(cause)) => matches!(**cause, sqlx::Error::PoolTimedOut),
        _ => false,
    }
}

/// Opens a pool. Tries again until `patience` is over if opening took too long; anything else fails at once.
async fn open(options: ConnectOptions, patience: Duration) -> Result<DatabaseConnection> {
    let until = tokio::time::Instant::now() + patience;
    loop {
        match no_delay::connecting(Database::connect(options.clone())).await {
            Err(error) if is_slow(&error) && tokio::time::Instant::now() < until => {
                tracing::warn!("a database takes long to open, and is tried again: {error}");
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::tests::coded;
    use crate::testing::config;

    #[test]
    fn a_full_disk_is_said_to_be_the_cause_when_a_file_cannot_be_opened() {
        let file = Path::new("/srv/waybill/drivers.db");
        let opening = |code: u32, free: Option<u64>| {
            let failed = Error::unavailable("DATABASE_UNAVAILABLE", "The database cannot be reached");
            not_opened(file, failed.with_source(coded(DbErr::Conn, code)), free)
        };
        // SQLITE_IOERR_SHMSIZE is a full disk by itself, SQLITE_CANTOPEN and SQLITE_IOERR_READ only on such a disk.
        for (code, free) in [(4874, None), (14, Some(0)), (266, Some(ROOM - 1))] {
            let error = opening(code, free);
            assert_eq!((error.reason.as_str(), error.source.is_some()), ("STORAGE_FULL", true), "{code}");
            assert!(error.message.starts_with("/srv/waybill/drivers.db"), "{}", error.message);
            assert!(error.message.contains("disk is full"), "{}", error.message);
        }
        // The last one is SQLITE_NOTADB: the file is damaged, whatever room there is.
        for (code, free) in [(14, Some(ROOM)), (14, None), (26, Some(0))] {
            let error = opening(code, free);
            assert_eq!(error.reason, "DATABASE_UNAVAILABLE", "{code}");
            assert!(error.message.contains("/srv/waybill/drivers.db"), "{}", error.message);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_file_that_cannot_be_opened_for_some_seconds_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", dir.path().join("held.db").display());
        let mut alone = ConnectOptions::new(format!("{url}?mode=rwc"));
        alone.max_connections(1);
        let holder = Database::connect(alone).await.unwrap();
        holder.execute_unprepared("BEGIN EXCLUSIVE").await.unwrap();
        let release = async {
            tokio::time::sleep(ACQUIRE + Duration::from_secs(1)).await;
            holder.close_by_ref().await.unwrap();
        };
        let config = config();
        let (opened, ()) = tokio::join!(Db::connect(&url, &config), release);
        opened.unwrap().close().await;
    }
}
