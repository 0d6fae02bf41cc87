//! Files and folders that survive a power failure.
//!
//! The name of a file or folder is part of the parent folder's content. Until the parent is synced, a file
//! system may lose the name, and with it everything below that name, even data that was synced.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Returns the folder of a file or folder, whose path may be a bare name.
pub fn of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a folder and its missing parents, and waits until their names are on disk. Leaves an existing
/// folder unchanged. A new folder whose name could not be synced is removed: the next attempt would find it, and take it
/// for one that is on disk.
pub fn create(path: &Path, mode: u32) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = of(path);
    create(above, mode)?;
    match DirBuilder::new().mode(mode).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| sync(above).inspect_err(|_| drop(fs::remove_dir(path)))),
    }
}

/// Writes a file that only its owner may read, replacing its content, and waits until the content is on disk. For the
/// name of a new file, also [`sync`] the folder.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Waits until the names in a folder are on disk.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
