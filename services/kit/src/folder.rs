//! Folders that survive a power failure.
//!
//! The name of a file or folder is part of the parent folder's content. Until the parent is synced, a file
//! system may lose the name, and with it everything below that name, even data that was synced.

use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Creates a folder and its missing parents, and waits until their names are on disk. Leaves an existing
/// folder unchanged.
pub fn create(path: &Path, mode: u32) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    create(above, mode)?;
    match DirBuilder::new().mode(mode).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| sync(above)),
    }
}

/// Waits until the names in a folder are on disk.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
