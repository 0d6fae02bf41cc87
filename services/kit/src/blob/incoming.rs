//! Uploads in progress, in the folder of objects: one writer per object across all processes.
//!
//! The file of an upload is named after the object's key, so a second writer finds it. The writer holds a
//! lock on the file, which the system releases when the process dies. So an unlocked file was left by a
//! crash.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use object_store::path::Path as ObjectPath;
use tokio::task::spawn_blocking;

use super::unfinished::RemoveOnDrop;
use super::{Key, exists};
use crate::{Error, Result, folder};

/// Keys cannot start with a dot, so no link reaches this folder.
const FOLDER: &str = ".incoming";

pub struct Incoming(PathBuf);

/// An upload in progress; dropping it removes its file.
pub struct Upload {
    // Must be dropped before `file`: closing the file releases its lock, and an unlocked file counts as a
    // leftover.
    _remove: RemoveOnDrop,
    pub file: tokio::fs::File,
    path: ObjectPath,
}

impl Upload {
    /// Returns the path of the upload's file, relative to the root of all objects.
    pub fn path(&self) -> &ObjectPath {
        &self.path
    }
}

impl Incoming {
    /// Creates the folder if needed, and removes leftovers of a crash.
    pub fn open(root: &Path) -> io::Result<Self> {
        let incoming = root.join(FOLDER);
        folder::create(&incoming, 0o777)?;
        for entry in fs::read_dir(&incoming)? {
            let path = entry?.path();
            match File::open(&path) {
                // Keep the lock until the file is removed: `begin` checks for the lock.
                Ok(file) if file.try_lock().is_ok() => remove(&path)?,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self(incoming))
    }

    /// Claims the key for one writer.
    ///
    /// # Errors
    ///
    /// `OBJECT_EXISTS` while another upload to the key is in progress.
    pub async fn begin(&self, key: &Key) -> Result<Upload> {
        let name = key.as_str().replace('/', "+");
        let path = self.0.join(&name);
        let upload = spawn_blocking(move || {
            let file = match File::create_new(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists()),
                Err(error) => return Err(super::io(error)),
            };
            let remove = RemoveOnDrop::new(path);
            match file.try_lock() {
                Ok(()) if has_a_name(&file).map_err(Error::internal)? => Ok((remove, file)),
                // A process that is starting has taken the file for a leftover and removed it. The client
                // can try again.
                Ok(()) | Err(TryLockError::WouldBlock) => {
                    Err(Error::unavailable("OBJECTS_UNAVAILABLE", "Files cannot be stored right now."))
                }
                Err(TryLockError::Error(error)) => Err(Error::internal(error)),
            }
        });
        let (remove, file) = upload.await.map_err(Error::internal)??;
        let file = tokio::fs::File::from_std(file);
        let path = ObjectPath::from_iter([FOLDER, &name]);
        Ok(Upload { _remove: remove, file, path })
    }

    pub async fn is_writable(&self) -> io::Result<bool> {
        let found = tokio::fs::metadata(&self.0).await?;
        Ok(found.is_dir() && !found.permissions().readonly())
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn has_a_name(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 0)
}

/// Returns true, because this system cannot remove an open file.
#[cfg(not(unix))]
fn has_a_name(_: &File) -> io::Result<bool> {
    Ok(true)
}
