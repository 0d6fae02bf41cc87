//! Whether the disk has room for a backup or a restore, before anything is written.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use futures::TryStreamExt;
use kit::Result;
use kit::blob::Blob;
use kit::config::{BlobKind, Config, absolute, sqlite_file};
use store::backup::cannot;

use super::{DATABASES, OBJECTS, files};
use crate::folder;
use crate::target::Row;

/// Bytes that a backup leaves free on a disk that has data, so that people can go on saving meanwhile and afterwards.
const RESERVE: u64 = 64 << 20;
/// Bytes in which file systems allot space. Most objects are small enough for it to matter.
const BLOCK: u64 = 4096;

/// Fails unless the disk of a backup's folder, which need not exist, has room for the copies of SQLite files and objects.
/// Doesn't count dumps of Postgres: their size is not known before. `free` returns the free bytes on the disk of a folder.
pub async fn for_backup(
    config: &Config,
    rows: &[&'static Row],
    blob: &Blob,
    folder: &Path,
    free: impl Fn(&Path) -> io::Result<u64>,
) -> Result<()> {
    let databases: Vec<PathBuf> = rows.iter().filter_map(|row| sqlite_file(&row.database(config))).collect();
    let objects = blob.list().map_ok(|(_, bytes)| bytes.next_multiple_of(BLOCK));
    let objects = objects.try_fold(0_u64, |sum, bytes| async move { Ok(sum.saturating_add(bytes)) }).await?;
    let mut needed = databases.iter().map(|file| size_of_database(file)).fold(objects, u64::saturating_add);
    let disk = existing(folder);
    let is_beside = |data: &Path| device(&existing(data)).is_some_and(|it| Some(it) == device(&disk));
    let has_objects = config.blob.kind == BlobKind::Auto && is_beside(&config.data);
    if has_objects || databases.iter().any(|file| is_beside(file)) {
        needed = needed.saturating_add(RESERVE);
    }
    let free = free(&disk).map_err(|error| cannot(&disk, &error))?;
    kit::disk::require(&format!("A backup to {}", folder.display()), needed, free)
}

/// Fails unless the disk of the data folder has room for what is restored there.
pub fn for_restore(config: &Config, folder: &Path) -> Result<()> {
    let mut needed = 0;
    if folder::database_file(config).is_some() {
        needed += size(&folder.join(DATABASES))?;
    }
    if config.blob.kind == BlobKind::Auto {
        needed += size(&folder.join(OBJECTS))?;
    }
    if needed == 0 {
        return Ok(());
    }
    let free = kit::disk::free(&config.data).map_err(|error| cannot(&config.data, &error))?;
    kit::disk::require(&format!("Restoring into {}", config.data.display()), needed, free)
}

/// Returns the size of all files in a folder, in bytes.
fn size(folder: &Path) -> Result<u64> {
    let sizes = files(folder)?.into_iter().map(|file| -> Result<u64> {
        let found = fs::metadata(&file).map_err(|error| cannot(&file, &error))?;
        Ok(found.len())
    });
    sizes.sum()
}

/// Returns the size of a SQLite database in bytes, including its write-ahead log.
fn size_of_database(file: &Path) -> u64 {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    [file, Path::new(&log)].into_iter().filter_map(|it| fs::metadata(it).ok()).map(|it| it.len()).sum()
}

/// Returns the folder itself, or the nearest one above it that exists.
fn existing(folder: &Path) -> PathBuf {
    let folder = absolute(folder);
    folder.ancestors().find(|it| it.is_dir()).unwrap_or(&folder).to_owned()
}

/// Returns the number of the disk that has this folder.
fn device(folder: &Path) -> Option<u64> {
    fs::metadata(folder).ok().map(|it| it.dev())
}

#[cfg(test)]
mod tests {
    use kit::clock::Clock;
    use kit::config::{Flags, Target};

    use super::*;
    use crate::backup::make_with;
    use crate::{database, target};

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_backup_without_room_is_refused_before_it_writes_anything() {
        kit::install_crypto();
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let mut config = target::load(&Flags::default(), Target::All).unwrap().config;
        config.data = data.clone();
        kit::config::private_dir(&data).unwrap();
        database::migrate(&config, Target::All).await.unwrap();
        let object = data.join("objects/proof/4b1c");
        fs::create_dir_all(&object).unwrap();
        fs::write(object.join("door.png"), b"a picture").unwrap();
        let databases = target::services(Target::All).map(|row| data.join(format!("{}.db", row.name)));
        let needed = databases.map(|file| size_of_database(&file)).sum::<u64>() + BLOCK + RESERVE;

        let folder = dir.path().join("backups/2026-11-23");
        let backup = |free: u64| {
            let (config, folder) = (&config, &folder);
            async move { make_with(config, &Clock::system(), folder, |_| Ok(free)).await }
        };
        let error = backup(needed - 1).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::StorageFull, "STORAGE_FULL"));
        let named = format!("A backup to {} needs {} MiB", folder.display(), needed.div_ceil(1 << 20));
        assert!(error.message.starts_with(&named), "{}", error.message);
        assert!(!dir.path().join("backups").exists());
        backup(needed).await.unwrap();
        assert!(folder.join("manifest.json").exists() && folder.join("objects/proof/4b1c/door.png").exists());
    }
}
