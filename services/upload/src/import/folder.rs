//! Folders for the files that imports read. A process that is killed leaves its folders, with whole files of deliveries;
//! the next one removes them.
//!
//! A folder is locked as long as it is used, and the system releases the lock when the process dies. So an unlocked
//! folder is a leftover.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The beginning of the names of folders, in the system's folder for temporary files.
const PREFIX: &str = "waybill-import-";

/// A folder for one file. Dropping it removes both.
pub(super) struct Folder {
    // Must be dropped before the lock: an unlocked folder counts as a leftover.
    dir: TempDir,
    _lock: File,
}

impl Folder {
    pub fn new() -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    fn new_in(parent: &Path) -> io::Result<Self> {
        loop {
            let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            // A process that is starting may take the folder for a leftover before it is locked.
            let lock = match File::open(dir.path()) {
                Ok(lock) => lock,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let is_ours = match lock.try_lock() {
                Err(TryLockError::WouldBlock) => false,
                // On a disk without locks, nobody takes the folder for a leftover.
                Ok(()) | Err(TryLockError::Error(_)) => dir.path().exists(),
            };
            if is_ours {
                return Ok(Self { dir, _lock: lock });
            }
        }
    }

    /// Returns the path of the file.
    pub fn file(&self) -> PathBuf {
        self.dir.path().join("upload")
    }
}

/// Removes the folders of processes that were killed.
pub(super) fn remove_leftovers() {
    match remove_leftovers_in(&std::env::temp_dir()) {
        Ok(0) => {}
        Ok(folders) => tracing::info!(folders, "files of interrupted imports were removed"),
        Err(error) => tracing::warn!("files of interrupted imports can't be removed: {error}"),
    }
}

fn remove_leftovers_in(parent: &Path) -> io::Result<u32> {
    let mut removed = 0;
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        // Everybody can write to this folder, and opening a pipe would block.
        let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
        if !(is_folder && entry.file_name().to_string_lossy().starts_with(PREFIX)) {
            continue;
        }
        // Folders of other users can't be opened.
        let Ok(folder) = File::open(entry.path()) else { continue };
        // Keep the lock until the folder is removed: `Folder::new_in` checks for the lock.
        if folder.try_lock().is_ok() {
            fs::remove_dir_all(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_killed_processes_are_removed_and_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let used = Folder::new_in(parent.path()).unwrap();
        fs::write(used.file(), "x").unwrap();
        let others = parent.path().join("others");
        let left = parent.path().join(format!("{PREFIX}left"));
        for folder in [&others, &left] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("upload"), "x").unwrap();
        }
        assert_eq!(remove_leftovers_in(parent.path()).unwrap(), 1);
        assert!(used.file().exists() && others.exists() && !left.exists());
        drop(used);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}
