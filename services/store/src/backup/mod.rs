//! Backups of the databases of all services as of one moment, taken while services write, and their
//! restoration.
//!
//! All as of one moment, because services exchange events: backups taken one after the other could contain
//! the effect of a change in one database and not the change itself in another. So writers of all databases
//! pause for the milliseconds until every backup has its snapshot; then they continue while the backups are
//! written. `waybill backup` handles the other files. Reasons are in docs/adr/0069.

mod postgres;
mod sqlite;
mod unfinished;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use kit::config::{Database as DatabaseConfig, sqlite_file};
use kit::{Error, Result};
use ring::digest::{Context, SHA256};
use sea_orm::sea_query::{Alias, Asterisk, Func, Query};
use sea_orm::{ConnectionTrait, Statement};

use crate::{Db, db};

pub use unfinished::{begin, end, require_restored};

/// Number of rows by table.
pub type Rows = BTreeMap<String, u64>;

/// The backup of one database.
#[derive(Debug, Clone)]
pub struct Copied {
    pub service: String,
    /// Path relative to the backup folder.
    pub file: PathBuf,
    pub rows: Rows,
}

/// Backs up the databases of these services into a folder, all as of one moment. The caller opens the
/// databases for this purpose alone: while writers are paused, waiting requests may take all connections of a
/// running service.
///
/// # Errors
///
/// `DATABASE_BUSY` when writers could not be paused in time, `BACKUP_TOOL_MISSING` when Postgres' own tools
/// are not installed. After an error the folder does not hold a backup.
pub async fn copy(databases: &[(&str, Db)], folder: &Path) -> Result<Vec<Copied>> {
    match databases.first() {
        Some((_, first)) if first.is_postgres() => postgres::copy(databases, folder).await,
        Some(_) => sqlite::copy(databases, folder).await,
        None => Ok(Vec::new()),
    }
}

/// Checks that a backup can be restored into the database of a service. Changes nothing.
///
/// # Errors
///
/// `DATABASE_NOT_EMPTY`, `RESTORE_UNFINISHED`, `BACKUP_TOOL_MISSING`; the errors of a database that is down.
pub async fn require_empty(service: &str, url: &str, config: &DatabaseConfig) -> Result<()> {
    if let Some(file) = sqlite_file(url) {
        require_restored(&file)?;
        return sqlite::require_empty(&file);
    }
    postgres::require_tool().await?;
    let db_ = Db::connect_restored(url, config).await?;
    let checked = postgres::require_empty(service, &db_).await;
    db_.close().await;
    checked
}

/// Creates a service's database from its backup.
///
/// # Errors
///
/// `DATABASE_NOT_EMPTY` when it already exists, `BACKUP_DAMAGED` when the restored data differs from the
/// backup, `STORAGE_FULL` when the disk is full.
pub async fn restore(copied: &Copied, folder: &Path, url: &str, config: &DatabaseConfig) -> Result<()> {
    let file = folder.join(&copied.file);
    let found = match sqlite_file(url) {
        Some(to) => sqlite::restore(&file, &to).await?,
        None => postgres::restore(&copied.service, &file, url, config).await?,
    };
    if found != copied.rows {
        let text = format!("What was restored of {} is not what was copied", copied.service);
        return Err(damaged(text).with_source(format!("{found:?} is not {:?}", copied.rows)));
    }
    Ok(())
}

/// Returns the size of a file and its SHA-256 in hex.
pub fn digest(file: &Path) -> std::io::Result<(u64, String)> {
    let mut file = std::fs::File::open(file)?;
    let mut context = Context::new(&SHA256);
    let (mut size, mut buffer) = (0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((size, hex::encode(context.finish())));
        }
        size += read as u64;
        context.update(&buffer[..read]);
    }
}

/// Counts the rows of each table that the query `listed` returns.
async fn count<C: ConnectionTrait>(connection: &C, listed: &str) -> Result<Rows> {
    let backend = connection.get_database_backend();
    let tables = connection.query_all_raw(Statement::from_string(backend, listed)).await.map_err(db)?;
    let mut rows = Rows::new();
    for table in tables {
        let table: String = table.try_get("", "name").map_err(db)?;
        let total = Query::select()
            .expr_as(Func::count(sea_orm::sea_query::Expr::col(Asterisk)), Alias::new("total"))
            .from(Alias::new(table.as_str()))
            .to_owned();
        let found = connection.query_one_raw(backend.build(&total)).await.map_err(db)?;
        let found = found.ok_or_else(|| Error::internal("a table could not be counted"))?;
        rows.insert(table, found.try_get::<i64>("", "total").map_err(db)?.unsigned_abs());
    }
    Ok(rows)
}

fn damaged(text: impl Into<String>) -> Error {
    Error::precondition("BACKUP_DAMAGED", text)
}

/// `place` says what is not empty, for example a folder, and what it has.
fn not_empty(place: &str) -> Error {
    Error::precondition(
        "DATABASE_NOT_EMPTY",
        format!("{place}. A backup can only be restored into an empty place; nothing was changed."),
    )
}

/// Returns the error for a file or folder of a backup or of a restored place: `STORAGE_FULL` or `BACKUP_IMPOSSIBLE`, with
/// the path.
pub fn cannot(path: &Path, error: &std::io::Error) -> Error {
    kit::disk::full(path, error)
        .unwrap_or_else(|| Error::precondition("BACKUP_IMPOSSIBLE", format!("{}: {error}", path.display())))
}
