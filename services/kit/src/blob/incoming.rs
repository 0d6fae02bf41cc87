//! Uploads under way in the folder of objects: one writer for each object, in whichever process.
//!
//! The file of an upload is named by the upload's key, so a second writer finds it there. Its writer
//! holds a lock on it, which the system releases when the process dies: a file that nobody has locked
//! was left by a crash.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use object_store::path::Path as ObjectPath;
use tokio::task::spawn_blocking;

use super::unfinished::RemoveOnDrop;
use super::{Key, exists};
use crate::{Error, Result};

/// No key can start with a dot, so no link reaches in here.
const FOLDER: &str = ".incoming";

pub struct Incoming(PathBuf);

/// An upload under way. Its file goes away with it.
pub struct Upload {
    // Before the file, whose lock ends when it is closed: an unlocked file would count as left behind.
    _remove: RemoveOnDrop,
    pub file: tokio::fs::File,
    path: ObjectPath,
}

impl Upload {
    /// Where its file lies, from the root of all objects.
    pub fn path(&self) -> &ObjectPath {
        &self.path
    }
}

impl Incoming {
    /// Makes the folder if needed, and removes what a crash left in it.
    pub fn open(root: &Path) -> io::Result<Self> {
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder)?;
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            match File::open(&path) {
                // The lock is held until the file is gone: `begin` notices that.
                Ok(file) if file.try_lock().is_ok() => remove(&path)?,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self(folder))
    }

    /// Takes the key for one writer.
    ///
    /// # Errors
    ///
    /// `OBJECT_EXISTS` while there is another writer.
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
                // A process that starts at this very moment took it for a leftover.
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

/// An open file cannot be removed here.
#[cfg(not(unix))]
fn has_a_name(_: &File) -> io::Result<bool> {
    Ok(true)
}
