//! The copy of a SQLite file that is made before an upgrade, to go back to.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use kit::clock::Clock;
use kit::service::Task;
use kit::{Error, Result, folder};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend, Statement};

use crate::clearing::{self, Doubts};
use crate::connect::{beside, files};
use crate::{Db, db};

/// Number of copies kept beside the file.
const KEPT: usize = 2;
/// How long a copy is kept: it still has what was deleted from the database since.
const KEEP: TimeDelta = TimeDelta::days(30);
/// A copy is usually at most this much older when it is deleted; more, if the process was off for long.
const USUAL: TimeDelta = TimeDelta::days(7);
const CLEAR_EVERY: Duration = Duration::from_secs(3_600);
/// The part of a copy's name between the file's name and the time. Names of copies sort by age; see [`next_time`].
const MARK: &str = ".before-upgrade-";
/// Format of the time in a copy's name.
const TIME: &str = "%Y%m%dT%H%M%S%6fZ";
/// Ending of a file that is being written.
pub(super) const UNFINISHED: &str = ".unfinished";
/// Ending of the note beside the first database, which exists while an upgrade is under way or was interrupted.
pub(super) const NOTE: &str = ".upgrade-under-way";

/// Copies the last committed state of the database to a file beside `file`, atomically, and removes all but the newest
/// copies and the `spared` ones. `time` comes from [`next_time`]. Returns the name of the copy.
pub async fn before_upgrade(db_: &Db, file: &Path, time: DateTime<Utc>, spared: &[String]) -> Result<String> {
    let copy = beside(file, &format!("{MARK}{}", time.format(TIME)));
    let unfinished = beside(file, UNFINISHED);
    let failed = |error: std::io::Error| {
        Error::internal(format!("cannot copy {} before the upgrade: {error:#}", file.display()))
    };
    // A file with this name is incomplete: an earlier attempt left it.
    if let Err(error) = fs::remove_file(&unfinished)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(failed(error));
    }
    vacuum_into(db_, &unfinished).await?;
    put(&unfinished, &copy).map_err(failed)?;
    tracing::info!(copy = %copy.display(), "the database was copied before the upgrade");
    forget_old(file, spared).map_err(failed)?;
    Ok(copy.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

/// Returns the time for the names of new copies of these files: now, or just after their newest copy if that is later.
/// Named by the clock alone, a new copy would be deleted as the oldest if the clock is behind, or was ahead when the
/// earlier copies were made.
pub(super) fn next_time<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<DateTime<Utc>> {
    let mut time = Clock::system().now();
    for file in files {
        if let Some((newest, _)) = dated(file).map_err(Error::internal)?.last() {
            time = time.max(*newest + TimeDelta::microseconds(1));
        }
    }
    Ok(time)
}

/// Moves a written file to its place in the same folder, atomically and durably.
pub(super) fn put(unfinished: &Path, file: &Path) -> std::io::Result<()> {
    fs::File::open(unfinished)?.sync_all()?;
    fs::rename(unfinished, file)?;
    folder::sync(folder::of(file))
}

/// Returns when the database's file was last changed. First moves what was committed from the write-ahead log into the
/// file, so that only later commits change the file, and closing the database does not.
pub(super) async fn changed_at(db_: &Db, file: &Path) -> Result<DateTime<Utc>> {
    db_.writer.execute_unprepared("PRAGMA wal_checkpoint(PASSIVE)").await.map_err(db)?;
    let modified = fs::metadata(file).and_then(|it| it.modified()).map_err(Error::internal)?;
    Ok(modified.into())
}

/// Returns the size of the database in bytes, including its write-ahead log.
pub(super) fn size(file: &Path) -> u64 {
    let [database, log, _] = files(file);
    [database, log].iter().filter_map(|it| fs::metadata(it).ok()).map(|it| it.len()).sum()
}

/// Copies the database into a file, on its own connection: SQLite cannot copy inside a transaction, and a backup has a
/// transaction open on the writer's connection.
pub(crate) async fn vacuum_into(db_: &Db, to: &Path) -> Result<()> {
    let mut options = ConnectOptions::new(db_.url());
    options.max_connections(1).sqlx_logging(false);
    let connection = Database::connect(options).await.map_err(db)?;
    let vacuum =
        Statement::from_sql_and_values(DbBackend::Sqlite, "VACUUM INTO ?", [to.display().to_string().into()]);
    let done = connection.execute_raw(vacuum).await.map_err(db);
    connection.close().await.map_err(db)?;
    done.map(|_| ())
}

/// Returns the copies of a file, oldest first.
pub(crate) fn copies(file: &Path) -> std::io::Result<Vec<PathBuf>> {
    Ok(dated(file)?.into_iter().map(|(_, copy)| copy).collect())
}

/// Returns the copies of a file with the times in their names, oldest first. A copy that somebody renamed isn't one of
/// them, so it is neither counted nor deleted.
fn dated(file: &Path) -> std::io::Result<Vec<(DateTime<Utc>, PathBuf)>> {
    let Some(name) = file.file_name() else { return Ok(Vec::new()) };
    let prefix = format!("{}{MARK}", name.to_string_lossy());
    let mut copies = Vec::new();
    for entry in fs::read_dir(folder::of(file))? {
        let entry = entry?;
        let name = entry.file_name();
        let time =
            name.to_string_lossy().strip_prefix(&prefix).map(|it| NaiveDateTime::parse_from_str(it, TIME));
        if let Some(Ok(time)) = time {
            copies.push((time.and_utc(), entry.path()));
        }
    }
    copies.sort();
    Ok(copies)
}

fn forget_old(file: &Path, spared: &[String]) -> std::io::Result<()> {
    let copies = copies(file)?;
    for old in &copies[..copies.len().saturating_sub(KEPT)] {
        let is_spared = old.file_name().is_some_and(|name| spared.iter().any(|it| name == it.as_str()));
        if !is_spared {
            fs::remove_file(old)?;
        }
    }
    Ok(())
}

/// Returns a task that deletes old copies of a database; `None` for a database on a server, which has none.
pub fn clear_copies(db_: &Db, clock: &Clock) -> Option<Task> {
    let file = db_.file()?.to_owned();
    Some(clearing::task("copies from upgrades", CLEAR_EVERY, db_, clock, move |db_, now, doubts| {
        let file = file.clone();
        async move { clear(&db_, &file, now, &doubts).await }
    }))
}

/// Deletes the copies of a file that are too old; returns how many. Deletes none while an upgrade is unfinished, because
/// its copies are the way back, and none while `doubts` suspects that the clock is far ahead.
async fn clear(db_: &Db, file: &Path, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    let failed = |error: std::io::Error| {
        Error::internal(format!("cannot delete old copies of {}: {error:#}", file.display()))
    };
    if is_upgrade_unfinished(folder::of(file)).map_err(failed)? {
        return Ok(0);
    }
    let before = now - KEEP;
    let mut old = Vec::new();
    for (named, copy) in dated(file).map_err(failed)? {
        // The name may have a later time than that of the copy; see `next_time`.
        let written = fs::metadata(&copy).and_then(|it| it.modified()).map_err(failed)?;
        let made = named.min(written.into());
        if made < before {
            old.push((made, copy));
        }
    }
    let plausible = old.iter().all(|(made, _)| before - *made <= USUAL);
    if !doubts.allow(db_, "copies from before upgrades", plausible, &format!("{} copies", old.len())).await? {
        return Ok(0);
    }
    for (_, copy) in &old {
        fs::remove_file(copy).map_err(failed)?;
        tracing::info!(copy = %copy.display(), "a copy from before an upgrade was deleted");
    }
    Ok(old.len() as u64)
}

fn is_upgrade_unfinished(folder: &Path) -> std::io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if entry?.file_name().to_string_lossy().ends_with(NOTE) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use sea_orm_migration::{MigrationTrait, MigratorTrait};

    use super::*;
    use crate::testing::{Backend, TestDb};

    struct Tables;

    impl MigratorTrait for Tables {
        fn migrations() -> Vec<Box<dyn MigrationTrait>> {
            crate::migrate::migrations()
        }
    }

    #[test]
    fn the_newest_two_copies_of_a_file_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("auth.db");
        let name = |day: u32| format!("{MARK}2026110{day}T080000000000Z");
        let mine: Vec<_> = (1..=5).map(|day| beside(&file, &name(day))).collect();
        let others = beside(&dir.path().join("auth.db2"), &name(1));
        let renamed = beside(&file, &format!("{MARK}to-keep"));
        for path in mine.iter().chain([&file, &others, &renamed]) {
            fs::write(path, "x").unwrap();
        }
        let spared = [format!("auth.db{}", name(2))];
        forget_old(&file, &spared).unwrap();
        assert_eq!(copies(&file).unwrap(), [&mine[1], &mine[3], &mine[4]].map(PathBuf::clone));
        forget_old(&file, &[]).unwrap();
        assert_eq!(copies(&file).unwrap(), mine[3..]);
        assert!(file.exists() && others.exists() && renamed.exists());
    }

    #[test]
    fn a_new_copy_is_named_as_the_newest_whatever_the_clock_says() {
        let dir = tempfile::tempdir().unwrap();
        let files = ["auth.db", "drivers.db"].map(|name| dir.path().join(name));
        let next = || next_time(files.iter().map(PathBuf::as_path)).unwrap();
        let (before, first) = (Clock::system().now(), next());
        assert!(before <= first && first <= Clock::system().now());
        fs::write(beside(&files[1], &format!("{MARK}29990101T000000000000Z")), "x").unwrap();
        assert_eq!(next().format(TIME).to_string(), "29990101T000000000001Z");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn copies_are_deleted_after_a_month_unless_an_upgrade_or_the_clock_is_in_doubt() {
        let test = TestDb::migrated::<Tables>(Backend::Sqlite).await;
        let file = test.db.file().unwrap();
        let now = Clock::system().now();
        let copy = |days: i64| beside(file, &format!("{MARK}{}", (now - TimeDelta::days(days)).format(TIME)));
        let (old, recent) = (copy(31), copy(3));
        for path in [&old, &recent] {
            fs::write(path, "x").unwrap();
        }
        let doubts = Doubts::default();
        let clear = async |ahead: TimeDelta| clear(&test.db, file, now + ahead, &doubts).await.unwrap();
        let note = beside(&file.with_file_name("auth.db"), NOTE);
        fs::write(&note, "[]").unwrap();
        assert_eq!(clear(TimeDelta::zero()).await, 0, "they are the way back");
        fs::remove_file(&note).unwrap();
        assert_eq!(clear(TimeDelta::days(300)).await, 0, "the clock is ahead");
        assert_eq!(copies(file).unwrap(), [old, recent.clone()]);
        assert_eq!(clear(TimeDelta::zero()).await, 1);
        assert_eq!(copies(file).unwrap(), [recent]);

        // Named after a copy from when the clock was ahead.
        let named_later = copy(-300);
        fs::write(&named_later, "x").unwrap();
        let written = now - TimeDelta::days(32);
        fs::File::options().write(true).open(&named_later).unwrap().set_modified(written.into()).unwrap();
        assert_eq!(clear(TimeDelta::zero()).await, 1);
        assert!(!named_later.exists());
        test.close().await;
    }
}
