//! The free space that an upgrade of SQLite files needs.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use kit::{Error, Result};

/// Returns the free bytes on the disk of a folder.
pub fn free(folder: &Path) -> Result<u64> {
    kit::disk::free(folder).map_err(Error::internal)
}

/// Fails unless each disk has room for all bytes that are going to be written beside these files.
///
/// # Errors
///
/// `STORAGE_FULL`.
pub fn require<'a>(
    needs: impl IntoIterator<Item = (&'a Path, u64)>,
    free: impl Fn(&Path) -> Result<u64>,
) -> Result<()> {
    let mut disks: BTreeMap<u64, (&Path, u64)> = BTreeMap::new();
    for (file, bytes) in needs {
        let folder = kit::folder::of(file);
        let disk = fs::metadata(folder).map_err(Error::internal)?.dev();
        let (_, needed) = disks.entry(disk).or_insert((folder, 0));
        *needed = needed.saturating_add(bytes);
    }
    for (folder, needed) in disks.into_values() {
        let what = format!("Copying and upgrading the databases in {}", folder.display());
        kit::disk::require(&what, needed, free(folder)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_without_room_for_everything_is_refused_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let files = ["auth.db", "drivers.db"].map(|name| dir.path().join(name));
        let needs = || files.iter().map(|file| (file.as_path(), 10_u64 << 20));
        require(needs(), |_| Ok(20 << 20)).unwrap();
        let error = require(needs(), |_| Ok((20 << 20) - 1)).unwrap_err();
        assert_eq!(error.kind, kit::Kind::StorageFull);
        let said = format!("databases in {} needs 20 MiB", dir.path().display());
        assert!(error.message.contains(&said), "{}", error.message);
        require([(files[0].as_path(), 0)], free).unwrap();
    }
}
