//! SQLite: `VACUUM INTO`, which writes the state that one read transaction sees.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::{Error, Kind, Result};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};

use super::{Copied, Rows, count, damaged, not_empty};
use crate::upgrade::copy::vacuum_into;
use crate::{Db, Tx, db};

const TABLES: &str =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
/// Number of attempts to open a write transaction; a large transaction may block longer than one attempt
/// waits.
const ATTEMPTS: usize = 6;
const LOOK: Duration = Duration::from_millis(1);

pub(super) async fn copy(databases: &[(&str, Db)], folder: &Path) -> Result<Vec<Copied>> {
    let held = hold(databases).await?;
    let mut copying = Vec::new();
    for (service, db_) in databases {
        let file = PathBuf::from(format!("{service}.db"));
        let (db_, to) = (db_.clone(), folder.join(&file));
        let task = tokio::spawn({
            let to = to.clone();
            async move { vacuum_into(&db_, &to).await }
        });
        copying.push(((*service).to_owned(), file, to, task));
    }
    for (_, _, to, task) in &copying {
        // Once the backup file has bytes, the backup's read transaction is open and excludes later commits.
        while !task.is_finished() && !fs::metadata(to).is_ok_and(|file| file.len() > 0) {
            tokio::time::sleep(LOOK).await;
        }
    }
    for tx in held {
        tx.rollback().await?;
    }
    let mut copied = Vec::new();
    for (service, file, to, task) in copying {
        task.await.map_err(Error::internal)??;
        fs::File::open(&to).and_then(|file| file.sync_all()).map_err(Error::internal)?;
        copied.push(Copied { service, file, rows: look(&to).await? });
    }
    Ok(copied)
}

/// Opens a write transaction in each database. While it is open, no other write transaction can be. Cannot
/// deadlock: a service has transactions in its own database only.
async fn hold(databases: &[(&str, Db)]) -> Result<Vec<Tx>> {
    let mut attempt = 1;
    loop {
        let mut held = Vec::new();
        let failed = 'all: {
            for (_, db_) in databases {
                match db_.begin().await {
                    Ok(tx) => held.push(tx),
                    Err(error) => break 'all Some(error),
                }
            }
            None
        };
        match failed {
            None => return Ok(held),
            Some(error) if error.kind == Kind::Unavailable && attempt < ATTEMPTS => attempt += 1,
            Some(error) => return Err(error),
        }
        for tx in held {
            tx.rollback().await?;
        }
    }
}

/// Checks the integrity of a backup and returns its row counts.
async fn look(file: &Path) -> Result<Rows> {
    let connection = open(file).await?;
    let looked = async {
        let check = Statement::from_string(DbBackend::Sqlite, "PRAGMA integrity_check");
        let row = connection.query_one_raw(check).await.map_err(db)?;
        let said: String =
            row.map_or(Ok(String::new()), |row| row.try_get("", "integrity_check")).map_err(db)?;
        if said != "ok" {
            return Err(damaged(format!("{} is damaged: {said}", file.display())));
        }
        count(&connection, TABLES).await
    };
    let rows = looked.await;
    connection.close().await.map_err(db)?;
    rows
}

/// Opens a file read-only.
async fn open(file: &Path) -> Result<DatabaseConnection> {
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode=ro", file.display()));
    options.max_connections(1).sqlx_logging(false);
    Database::connect(options).await.map_err(db)
}

pub(super) async fn restore(from: &Path, to: &Path) -> Result<Rows> {
    if to.exists() {
        return Err(not_empty(&to.display().to_string()));
    }
    if let Some(folder) = to.parent() {
        kit::config::private_dir(folder).map_err(Error::internal)?;
    }
    let copy = |from: PathBuf, to: PathBuf| -> std::io::Result<()> {
        fs::copy(&from, &to)?;
        fs::File::open(&to)?.sync_all()
    };
    let (source, target) = (from.to_owned(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || copy(source, target)).await.map_err(Error::internal)?;
    copied.map_err(Error::internal)?;
    look(to).await
}
