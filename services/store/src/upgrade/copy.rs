//! The copy of a SQLite file that is made before an upgrade, to go back to.

use std::fs;
use std::path::{Path, PathBuf};

use kit::clock::Clock;
use kit::{Error, Result};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend, Statement};

use crate::{Db, db};

/// Number of copies kept beside the file.
const KEPT: usize = 2;
/// The part of a copy's name between the file's name and the time. Names of copies sort by age.
const MARK: &str = ".before-upgrade-";
const UNFINISHED: &str = ".unfinished";

/// Copies the last committed state of the database, atomically, and removes all but the newest copies.
pub async fn before_upgrade(db_: &Db) -> Result<()> {
    let Some(file) = db_.url().strip_prefix("sqlite://").map(PathBuf::from) else { return Ok(()) };
    require_room(&file)?;
    let time = Clock::system().now().format("%Y%m%dT%H%M%S%6fZ");
    let copy = beside(&file, &format!("{MARK}{time}"));
    let unfinished = beside(&file, UNFINISHED);
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
    fs::File::open(&unfinished).and_then(|copy| copy.sync_all()).map_err(failed)?;
    fs::rename(&unfinished, &copy).map_err(failed)?;
    fs::File::open(folder_of(&file)).and_then(|folder| folder.sync_all()).map_err(failed)?;
    tracing::info!(copy = %copy.display(), "the database was copied before the upgrade");
    forget_old(&file).map_err(failed)
}

/// Copies the database into a file, on its own connection: SQLite cannot copy inside a transaction, and the
/// writer's connection is inside the upgrade's transaction.
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

/// Returns the folder of a file, whose path may be a bare name.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Returns the copies of a file, oldest first.
pub(crate) fn copies(file: &Path) -> std::io::Result<Vec<PathBuf>> {
    let Some(name) = file.file_name() else { return Ok(Vec::new()) };
    let prefix = format!("{}{MARK}", name.to_string_lossy());
    let mut copies = Vec::new();
    for entry in fs::read_dir(folder_of(file))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            copies.push(entry.path());
        }
    }
    copies.sort();
    Ok(copies)
}

fn forget_old(file: &Path) -> std::io::Result<()> {
    let copies = copies(file)?;
    for old in &copies[..copies.len().saturating_sub(KEPT)] {
        fs::remove_file(old)?;
    }
    Ok(())
}

/// Fails unless the disk has room for twice the database: once for the copy, once for what the upgrade
/// writes.
fn require_room(file: &Path) -> Result<()> {
    let size: u64 = ["", "-wal"]
        .iter()
        .filter_map(|ending| fs::metadata(beside(file, ending)).ok())
        .map(|file| file.len())
        .sum();
    let disk =
        rustix::fs::statvfs(folder_of(file)).map_err(|error| Error::internal(std::io::Error::from(error)))?;
    room(file, size, disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn room(file: &Path, size: u64, free: u64) -> Result<()> {
    let needed = size.saturating_mul(2);
    if free >= needed {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    Err(Error::storage_full(
        "STORAGE_FULL",
        format!(
            "Upgrading {} needs {} MiB of free space, for a copy of it and for the upgrade, and there are {} MiB. \
             Nothing was changed; free some space, then start again.",
            file.display(),
            mib(needed),
            mib(free)
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_without_room_is_refused_in_words() {
        let file = Path::new("/srv/waybill/auth.db");
        assert!(room(file, 10 << 20, 20 << 20).is_ok());
        let error = room(file, 10 << 20, (20 << 20) - 1).unwrap_err();
        assert_eq!(error.kind, kit::Kind::StorageFull);
        assert!(error.message.contains("/srv/waybill/auth.db needs 20 MiB"), "{}", error.message);
        let dir = tempfile::tempdir().unwrap();
        assert!(require_room(&dir.path().join("new.db")).is_ok());
    }

    #[test]
    fn the_newest_two_copies_of_a_file_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("auth.db");
        let mine: Vec<_> =
            (1..=4).map(|day| beside(&file, &format!("{MARK}2026110{day}T080000000000Z"))).collect();
        let others = beside(&dir.path().join("auth.db2"), &format!("{MARK}20261101T080000000000Z"));
        for path in mine.iter().chain([&file, &others]) {
            fs::write(path, "x").unwrap();
        }
        forget_old(&file).unwrap();
        assert_eq!(copies(&file).unwrap(), mine[2..]);
        assert!(file.exists() && others.exists());
    }
}
