//! Marks databases whose restore has begun and not finished, so that no process starts on a part of a backup.
//!
//! The mark is a file beside SQLite databases, and an empty schema in a Postgres database. Neither counts as content of
//! the database.

use std::path::{Path, PathBuf};
use std::{fs, io};

use kit::config::{Database as DatabaseConfig, private_dir, sqlite_file};
use kit::folder::{self, sync, write_private};
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::cannot;
use super::postgres::owner;
use crate::connect::no_access;
use crate::connect::pooler::{ask, unavailable};
use crate::{Db, db};

const FILE: &str = "restore.unfinished";
const CREATE: &str = "CREATE SCHEMA IF NOT EXISTS restore_unfinished";
const DROP: &str = "DROP SCHEMA IF EXISTS restore_unfinished";
const IS_MARKED: &str =
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'restore_unfinished')::text";

/// Marks the database at this address, before anything is restored. `backup` is for the message of later starts. Returns
/// once the mark survives a power failure.
pub async fn begin(backup: &Path, url: &str, config: &DatabaseConfig) -> Result<()> {
    let Some(file) = sqlite_file(url) else { return as_owner(url, config, CREATE).await };
    let mark = mark(&file);
    let folder = folder::of(&file);
    private_dir(folder).map_err(|error| cannot(folder, &error))?;
    let text = format!("{}\n", backup.display());
    let written = write_private(&mark, text.as_bytes()).and_then(|()| sync(folder));
    written.map_err(|error| cannot(&mark, &error))
}

/// Removes the mark, once all databases and files are restored.
pub async fn end(url: &str, config: &DatabaseConfig) -> Result<()> {
    let Some(file) = sqlite_file(url) else { return as_owner(url, config, DROP).await };
    let mark = mark(&file);
    let removed = match fs::remove_file(&mark) {
        // Databases in one folder have one mark.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| sync(folder::of(&file))),
    };
    removed.map_err(|error| cannot(&mark, &error))
}

/// Refuses a SQLite database, which need not exist yet, while a restore into its folder is unfinished.
///
/// # Errors
///
/// `RESTORE_UNFINISHED`; `DATABASE_UNAVAILABLE` if this process may not read the folder.
pub fn require_restored(file: &Path) -> Result<()> {
    let mark = mark(file);
    if !mark.try_exists().map_err(|error| no_access(file, &error))? {
        return Ok(());
    }
    let backup = fs::read_to_string(&mark).unwrap_or_default();
    let folder = folder::of(file).display();
    Err(unfinished(&format!("The restore of {} into {folder}", backup.trim()), "empty the folder"))
}

impl Db {
    /// Connects like [`Db::connect`], unless a restore into the database is unfinished.
    ///
    /// # Errors
    ///
    /// `RESTORE_UNFINISHED`, and those of [`Db::connect`].
    pub async fn connect_restored(url: &str, config: &DatabaseConfig) -> Result<Self> {
        if let Some(file) = sqlite_file(url) {
            // A part of a file may be impossible to open, so look first.
            require_restored(&file)?;
            return Self::connect(url, config).await;
        }
        let db_ = Self::connect(url, config).await?;
        let error = match is_marked(&db_).await {
            Ok(false) => return Ok(db_),
            Ok(true) => unfinished(
                "A restore into this installation's databases",
                "drop the databases, create them again",
            ),
            Err(error) => error,
        };
        db_.close().await;
        Err(error)
    }
}

async fn is_marked(db_: &Db) -> Result<bool> {
    let mut connection = db_.writer.get_postgres_connection_pool().acquire().await.map_err(unavailable)?;
    let answer = ask(&mut connection, IS_MARKED).await.map_err(unavailable)?;
    Ok(answer == "true")
}

/// Runs a statement in a Postgres database as the role that owns it, which the restoring account is a member of.
async fn as_owner(url: &str, config: &DatabaseConfig, sql: &'static str) -> Result<()> {
    let db_ = Db::connect(url, config).await?;
    let done = async {
        let role = owner(&db_).await?;
        let become_owner = "SELECT set_config('role', $1, true)";
        let become_owner = Statement::from_sql_and_values(DbBackend::Postgres, become_owner, [role.into()]);
        let tx = db_.begin().await?;
        tx.execute_raw(become_owner).await.map_err(db)?;
        tx.execute_raw(Statement::from_string(DbBackend::Postgres, sql)).await.map_err(db)?;
        tx.commit().await
    };
    let done = done.await;
    db_.close().await;
    done
}

fn mark(file: &Path) -> PathBuf {
    folder::of(file).join(FILE)
}

fn unfinished(what: &str, cure: &str) -> Error {
    Error::precondition(
        "RESTORE_UNFINISHED",
        format!(
            "{what} has not finished. If it is still running, wait for it. Otherwise {cure}, and restore again."
        ),
    )
}
