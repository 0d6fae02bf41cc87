//! SQLite: `VACUUM INTO`, which writes the state that one read transaction sees.

use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::config::{absolute, private_dir, sqlite_url};
use kit::{Error, Kind, Result, folder};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};

use super::{Copied, Rows, cannot, count, damaged, not_empty};
use crate::connect::{files, unusable};
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
        // SQLite would read a relative path that begins with `file:` as an address.
        let (db_, to) = (db_.clone(), absolute(&folder.join(&file)));
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
    let mut released = Ok(());
    for tx in held {
        released = released.and(tx.rollback().await);
    }
    let mut written = Vec::new();
    for (service, file, to, task) in copying {
        // Wait for all of them, also after an error: the caller removes a failed backup, and they would go on writing.
        written.push((service, file, to, task.await));
    }
    released?;
    let mut copied = Vec::new();
    for (service, file, to, done) in written {
        done.map_err(Error::internal)??;
        fs::File::open(&to).and_then(|file| file.sync_all()).map_err(|error| cannot(&to, &error))?;
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
    let mut options = ConnectOptions::new(format!("{}?mode=ro", sqlite_url(file)));
    options.max_connections(1).sqlx_logging(false);
    Database::connect(options).await.map_err(|error| unusable(file, &error))
}

/// Fails if any file of the database exists. A log that a crash left would be applied to the restored file, and
/// destroy it.
pub(super) fn require_empty(file: &Path) -> Result<()> {
    let Some(found) = files(file).into_iter().find(|it| it.symlink_metadata().is_ok()) else { return Ok(()) };
    let name = found.file_name().unwrap_or_default().display();
    Err(not_empty(&format!("The folder {} is not empty, it has {name}", folder::of(file).display())))
}

pub(super) async fn restore(from: &Path, to: &Path) -> Result<Rows> {
    require_empty(to)?;
    let folder = folder::of(to);
    private_dir(folder).map_err(|error| cannot(folder, &error))?;
    let (source, target) = (from.to_owned(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || copy_private(&source, &target)).await;
    copied.map_err(Error::internal)??;
    look(to).await
}

/// Copies a file to a new one that only its owner may read and write. A backup may be read-only.
fn copy_private(from: &Path, to: &Path) -> Result<()> {
    let mut source = fs::File::open(from).map_err(|error| cannot(from, &error))?;
    let mut copy = || {
        let mut target = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
        io::copy(&mut source, &mut target)?;
        target.sync_all()
    };
    copy().map_err(|error| cannot(to, &error))
}
