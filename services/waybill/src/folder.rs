//! The lock of the data folder, which belongs to one running product. A second product would take over the
//! leases of the first one and delete its unfinished uploads, as if the first one had crashed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use kit::config::{BlobKind, Config, Target, absolute, private_dir, sqlite_file};
use kit::{Error, Result};

const NAME: &str = "waybill.lock";

/// A lock on the folder, held until it is dropped or the process ends in any way.
#[derive(Debug)]
pub struct DataFolder {
    _lock: Option<File>,
}

impl DataFolder {
    /// Locks the folder for this process, if the process stores data there. A single process locks it
    /// exclusively; separate services may share it, for objects.
    ///
    /// # Errors
    ///
    /// `DATA_FOLDER_IN_USE` when another process has locked the folder, `DATA_FOLDER_UNUSABLE` when it cannot
    /// be written, `STORAGE_FULL` when its disk is full, `DISK_UNSUITABLE` when its disk has no file locks,
    /// `RESTORE_UNFINISHED` when it has a part of a backup. All name the path.
    pub fn claim(config: &Config, target: Target) -> Result<Self> {
        let keeps_objects = config.blob.kind == BlobKind::Auto && target.keeps_objects();
        let database = database_file(config).filter(|_| target != Target::Gateway);
        if !keeps_objects && database.is_none() {
            return Ok(Self { _lock: None });
        }
        let folder = &config.data;
        private_dir(folder).map_err(|error| unusable(folder, &error))?;
        let path = folder.join(NAME);
        let mut options = OpenOptions::new();
        let mut lock = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|error| unusable(folder, &error))?;
        let taken = if target == Target::All { lock.try_lock() } else { lock.try_lock_shared() };
        match taken {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(folder, &path)),
            Err(TryLockError::Error(error)) => {
                return Err(kit::disk::unsuitable(folder, &error).unwrap_or_else(|| unusable(folder, &error)));
            }
        }
        if target == Target::All {
            // The process id is for the message above, and for people who look into the file.
            let written = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
            written.map_err(|error| unusable(folder, &error))?;
        }
        if let Some(file) = database {
            store::backup::require_restored(&file)?;
        }
        Ok(Self { _lock: Some(lock) })
    }
}

/// Returns the SQLite file of auth if the databases are in the data folder.
pub fn database_file(config: &Config) -> Option<PathBuf> {
    let file = sqlite_file(&config.database.address(&config.data, auth::NAME))?;
    absolute(&file).starts_with(absolute(&config.data)).then_some(file)
}

fn in_use(folder: &Path, lock: &Path) -> Error {
    let process = std::fs::read_to_string(lock).unwrap_or_default();
    let process = match process.trim() {
        "" => String::new(),
        id => format!(" (process {id})"),
    };
    Error::precondition(
        "DATA_FOLDER_IN_USE",
        format!(
            "Another Waybill{process} is running with the data folder {}. Stop it first, or give this one a folder of \
             its own: --data, or WAYBILL__DATA.",
            folder.display()
        ),
    )
}

/// Returns the error for a data folder that cannot be written.
fn unusable(folder: &Path, error: &std::io::Error) -> Error {
    kit::disk::full(folder, error).unwrap_or_else(|| {
        Error::precondition(
            "DATA_FOLDER_UNUSABLE",
            format!(
                "The data folder {} cannot be used: {error}. Make it writable for the user who runs Waybill, or give \
                 another one: --data, or WAYBILL__DATA.",
                folder.display()
            ),
        )
    })
}
