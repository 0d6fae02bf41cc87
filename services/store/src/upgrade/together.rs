//! Upgrades all databases of an installation, and leaves a way back to all of them as of one time.
//!
//! On SQLite, an upgrade copies each database that it changes. Services know of each other's records, so going
//! back takes the databases that it does not change as well: they are copied before the first change.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use kit::{Error, Result};

use super::{Migrations, PATIENCE, WaitFor, Waiting, copy};
use crate::Db;

/// Ending of the note beside the first database that says which upgrade is under way. When it was interrupted, the
/// next start must not copy again: databases that are upgraded already would replace the copies to go back to.
const NOTE: &str = ".upgrade-under-way";

/// Upgrades these databases, in this order. On SQLite, waits for another process that upgrades databases in the folder
/// of the first one.
///
/// # Errors
///
/// Those of [`up`](super::up). If any database is too new, none is changed.
pub async fn up_together(databases: &[(Migrations, &Db)]) -> Result<()> {
    let first = databases.first().and_then(|(_, db)| db.url().strip_prefix("sqlite://")).map(Path::new);
    // The transaction of an upgrade protects only its own database: without this lock, each of two processes would copy
    // the unchanged databases, and delete the copies that the other one made.
    let _lock = match first {
        Some(file) => Some(lock(copy::folder_of(file), PATIENCE).await?),
        None => None,
    };
    let note = first.map(|file| copy::beside(file, NOTE));
    copy_unchanged(databases, note.as_deref()).await?;
    for (migrations, db) in databases {
        migrations.up(db).await?;
    }
    match note {
        Some(note) => removed(&note),
        None => Ok(()),
    }
}

/// Locks a folder until the returned file is closed. Locks the folder itself, so that no file is left behind.
async fn lock(folder: &Path, patience: Duration) -> Result<File> {
    let file = File::open(folder).map_err(failed(folder))?;
    let mut waiting = Waiting::new(WaitFor::Upgrade, patience);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => waiting.pause().await?,
            Err(TryLockError::Error(error)) => return Err(failed(folder)(error)),
        }
    }
}

/// Copies the databases that an upgrade of the others will not change, and writes the note. Copies nothing on Postgres,
/// which has no note.
async fn copy_unchanged(databases: &[(Migrations, &Db)], note: Option<&Path>) -> Result<()> {
    let (mut is_upgrade, mut unchanged) = (false, Vec::new());
    let (mut newest, mut current) = (Vec::new(), Vec::new());
    for (migrations, db) in databases {
        let found = migrations.found(db).await?;
        let is_current = found.is_current()?;
        is_upgrade |= !is_current && !found.is_empty;
        if is_current {
            unchanged.push(db);
        }
        newest.extend(migrations.newest());
        current.push(if is_current { "current" } else { "pending" });
    }
    let Some(note) = note else { return Ok(()) };
    let (upgrade, state) = (newest.join(" "), current.join(" "));
    // In the state of the note, either nothing was upgraded, or somebody went back to the copies and may have worked
    // since: then copy again.
    let noted = fs::read_to_string(note).unwrap_or_default();
    let is_under_way = noted.split_once('\n').is_some_and(|(of, from)| of == upgrade && from != state);
    if is_upgrade && !is_under_way {
        for db in unchanged {
            copy::before_upgrade(db).await?;
        }
        written(note, &format!("{upgrade}\n{state}"))?;
    }
    Ok(())
}

fn written(note: &Path, text: &str) -> Result<()> {
    fs::write(note, text).and_then(|()| File::open(note)?.sync_all()).map_err(failed(note))
}

fn removed(note: &Path) -> Result<()> {
    match fs::remove_file(note) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(note)(error)),
        _ => Ok(()),
    }
}

fn failed(note: &Path) -> impl Fn(io::Error) -> Error {
    let note = note.to_owned();
    move |error| Error::internal(format!("{}: {error:#}", note.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_for_another_upgrade_does_not_wait_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let held = lock(dir.path(), Duration::ZERO).await.unwrap();
        let error = lock(dir.path(), Duration::from_millis(300)).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::Unavailable, "UPGRADE_UNDER_WAY"));
        drop(held);
        lock(dir.path(), Duration::ZERO).await.unwrap();
    }
}
