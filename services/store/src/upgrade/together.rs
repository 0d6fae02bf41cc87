//! Upgrades all databases of an installation, and leaves a way back to all of them as of one time.
//!
//! Services know of each other's records, so going back takes all databases. On SQLite they are all copied before the
//! first one is upgraded, also those that the upgrade does not change.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use chrono::{DateTime, Utc};
use kit::{Error, Result, folder};
use serde::{Deserialize, Serialize};

use super::{Migrations, PATIENCE, WaitFor, Waiting, copy, room};
use crate::Db;
use crate::connect::beside;

/// What the note says about a database. The note is a JSON list of these.
#[derive(Serialize, Deserialize)]
struct Noted {
    /// Whether the upgrade changes the database.
    is_pending: bool,
    /// Set once the upgrade has changed the database. A process that dies in between leaves it unset.
    #[serde(default)]
    is_done: bool,
    /// When the file was last changed: before it was copied, or by the upgrade once `is_done`.
    changed_at: DateTime<Utc>,
    /// The name of the copy; `None` if the database was new.
    copy: Option<String>,
}

/// The note of an upgrade that is under way. When the upgrade was interrupted, the next start keeps the copies of the
/// first one: copies of databases that are upgraded already would replace those to go back to.
struct Note<'a> {
    path: &'a Path,
    /// Each with its file.
    databases: Vec<(&'a Path, Noted)>,
}

/// The state of a database when this process starts to upgrade.
struct State<'a> {
    db: &'a Db,
    is_pending: bool,
    is_new: bool,
}

/// A SQLite database that may have to be copied.
struct Candidate<'a> {
    state: &'a State<'a>,
    file: &'a Path,
    must_copy: bool,
    noted: Noted,
}

/// Upgrades these databases, in this order. On SQLite, waits for another process that upgrades databases in the folder
/// of the first one.
///
/// # Errors
///
/// Those of [`up`](super::up). If any database is too new, or the disk has not enough room for all of them, none is
/// copied or changed.
pub async fn up_together(databases: &[(Migrations, &Db)]) -> Result<()> {
    up_together_with(databases, room::free).await
}

/// Upgrades like [`up_together`]; `free` returns the free bytes on the disk of a folder.
pub(crate) async fn up_together_with(
    databases: &[(Migrations, &Db)],
    free: impl Fn(&Path) -> Result<u64>,
) -> Result<()> {
    let first = databases.first().and_then(|(_, db)| db.file());
    // The transaction of an upgrade protects only its own database: without this lock, each of two processes would copy
    // the databases, and delete the copies that the other one made.
    let _lock = match first {
        Some(file) => Some(lock(folder::of(file), PATIENCE).await?),
        None => None,
    };
    let states = states(databases).await?;
    let path = first.map(|file| beside(file, copy::NOTE));
    let mut note = match &path {
        Some(path) if states.iter().any(|it| it.is_pending && !it.is_new) => {
            Some(copy_all(&states, path, free).await?)
        }
        _ => None,
    };
    for (migrations, db) in databases {
        migrations.up(db).await?;
        if let Some(note) = &mut note {
            note.done(db).await?;
        }
    }
    match &path {
        Some(path) => removed(path),
        None => Ok(()),
    }
}

async fn states<'a>(databases: &[(Migrations, &'a Db)]) -> Result<Vec<State<'a>>> {
    let mut states = Vec::new();
    for &(migrations, db) in databases {
        let found = migrations.found(db).await?;
        states.push(State { db, is_pending: !found.is_current()?, is_new: found.is_empty });
    }
    Ok(states)
}

/// Copies the databases, and writes and returns the note. Keeps the copies of an interrupted attempt, unless somebody
/// worked with the databases since.
async fn copy_all<'a>(
    states: &'a [State<'a>],
    path: &'a Path,
    free: impl Fn(&Path) -> Result<u64>,
) -> Result<Note<'a>> {
    let mut candidates = candidates(states, path).await?;
    require_room(&candidates, free)?;
    // Until the new note is written, these are the copies to go back to.
    let noted: Vec<String> = read(path).into_iter().filter_map(|it| it.copy).collect();
    let time = copy::next_time(candidates.iter().map(|it| it.file))?;
    for candidate in candidates.iter_mut().filter(|it| it.must_copy) {
        if candidate.noted.is_done {
            let file = candidate.file.display();
            tracing::warn!(file = %file, "the copy from before the upgrade is gone; the upgraded database is copied");
        }
        let copied = copy::before_upgrade(candidate.state.db, candidate.file, time, &noted).await?;
        candidate.noted.copy = Some(copied);
    }
    let note = Note { path, databases: candidates.into_iter().map(|it| (it.file, it.noted)).collect() };
    note.write()?;
    Ok(note)
}

/// Returns the databases with what the new note will say about them.
async fn candidates<'a>(states: &'a [State<'a>], note: &Path) -> Result<Vec<Candidate<'a>>> {
    let mut found = Vec::new();
    for state in states {
        let Some(file) = state.db.file() else { continue };
        let changed_at = copy::changed_at(state.db, file).await?;
        let noted = Noted { is_pending: state.is_pending, is_done: false, changed_at, copy: None };
        found.push(Candidate { state, file, must_copy: !state.is_new, noted });
    }
    let before = read(note);
    let is_upgraded = |now: &Noted, before: &Noted| before.is_pending && !now.is_pending;
    // A database that is different without the upgrade: somebody worked with it, or went back to the copy.
    let is_same = |now: &Noted, before: &Noted| {
        now.changed_at == before.changed_at || (is_upgraded(now, before) && !before.is_done)
    };
    let is_resumed = before.len() == found.len()
        && found.iter().zip(&before).all(|(now, before)| is_same(&now.noted, before));
    if is_resumed {
        for (now, before) in found.iter_mut().zip(before) {
            now.noted.is_done = is_upgraded(&now.noted, &before);
            now.noted.is_pending |= before.is_pending;
            let folder = folder::of(now.file);
            now.must_copy = before.copy.as_ref().is_some_and(|name| !folder.join(name).exists());
            now.noted.copy = before.copy;
        }
    }
    Ok(found)
}

impl Candidate<'_> {
    /// Returns how many bytes the copy and the upgrade write. An upgrade writes up to the size of the database to the
    /// write-ahead log.
    fn needs(&self) -> u64 {
        let is_upgrade = self.state.is_pending && !self.state.is_new;
        let times = u64::from(self.must_copy) + u64::from(is_upgrade);
        copy::size(self.file).saturating_mul(times)
    }
}

/// Fails unless there is room for all copies and upgrades: running out of it later would leave some databases upgraded
/// and others not.
fn require_room(candidates: &[Candidate<'_>], free: impl Fn(&Path) -> Result<u64>) -> Result<()> {
    room::require(candidates.iter().map(|it| (it.file, it.needs())), free)
}

impl Note<'_> {
    /// Notes that the upgrade has changed this database, if it changes it.
    async fn done(&mut self, db: &Db) -> Result<()> {
        let found = self.databases.iter_mut().find(|(file, _)| db.file() == Some(*file));
        if let Some((file, noted)) = found
            && noted.is_pending
            && !noted.is_done
        {
            noted.changed_at = copy::changed_at(db, file).await?;
            noted.is_done = true;
            self.write()?;
        }
        Ok(())
    }

    /// Writes the note as a whole or not at all: without it, the next attempt would copy upgraded databases.
    fn write(&self) -> Result<()> {
        let all: Vec<&Noted> = self.databases.iter().map(|(_, noted)| noted).collect();
        let text = serde_json::to_string(&all).map_err(Error::internal)?;
        let unfinished = beside(self.path, copy::UNFINISHED);
        fs::write(&unfinished, text)
            .and_then(|()| copy::put(&unfinished, self.path))
            .map_err(failed(self.path))
    }
}

/// Returns what the note says; nothing if there is none, or if it is from a release that wrote it differently.
fn read(note: &Path) -> Vec<Noted> {
    let text = fs::read_to_string(note).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
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

fn removed(note: &Path) -> Result<()> {
    for file in [note, &beside(note, copy::UNFINISHED)] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(file)(error)),
            _ => {}
        }
    }
    Ok(())
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
