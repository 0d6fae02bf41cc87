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
use crate::clock::new_id;
use crate::{Error, Result, disk, folder};

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

    /// Locks and links a file, and removes it again: every upload needs both. A failure for another reason than the kind
    /// of disk is only logged, because the objects can still be read, and a full disk may get room.
    ///
    /// # Errors
    ///
    /// `DISK_UNSUITABLE`, with the path of the root.
    pub fn require_links(&self) -> Result<()> {
        let cause = match try_out(&self.0, |file, name| fs::hard_link(file, name)) {
            Ok(()) => return Ok(()),
            Err(cause) => cause,
        };
        let root = self.0.parent().unwrap_or(&self.0);
        if let Some(error) = disk::unsuitable(root, &cause) {
            return Err(error);
        }
        tracing::warn!("the disk of uploads could not be tried out: {cause}");
        Ok(())
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

/// Locks a new file and gives it a second name, by `link`. Leaves nothing behind.
fn try_out(folder: &Path, link: impl Fn(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    let path = folder.join(format!(".trial-{}", new_id()));
    let name = path.with_extension("linked");
    // Whether a file can be made at all says nothing about the kind of disk.
    let Ok(file) = File::create_new(&path) else { return Ok(()) };
    // Both are removed while the lock is held, as in `Upload`.
    let _remove = [path.clone(), name.clone()].map(RemoveOnDrop::new);
    match file.try_lock() {
        Ok(()) => link(&path, &name),
        // A process that is starting takes the file for a leftover.
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
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

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_disk_is_tried_out_by_a_hard_link_and_nothing_is_left() {
        let dir = tempfile::tempdir().unwrap();
        try_out(dir.path(), |file, name| fs::hard_link(file, name)).unwrap();
        let refused = try_out(dir.path(), |_, _| Err(Errno::PERM.into())).unwrap_err();
        assert_eq!(disk::unsuitable(dir.path(), &refused).unwrap().reason, "DISK_UNSUITABLE");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
