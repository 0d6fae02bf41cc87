//! Disks: their free space, and the errors for a full one and for one of the wrong kind.

use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::io::Errno;

use crate::{Error, Result};

/// Causes of a failed write that count as a full disk, among them a quota and a limit on file sizes.
pub const FULL: [ErrorKind; 3] = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge];

/// Why a disk that has no hard links or no file locks refuses one: FAT and exFAT with the first, network drives with any.
const UNSUITABLE: [Errno; 5] = [Errno::PERM, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOLCK];

/// Returns whether a write failed because the disk is full, or because of a quota or a limit on file sizes.
pub fn is_full(error: &io::Error) -> bool {
    FULL.contains(&error.kind())
}

/// Returns `STORAGE_FULL` with the path that could not be written, or `None` if the disk is not the cause.
pub fn full(path: &Path, error: &io::Error) -> Option<Error> {
    let text = || {
        format!("{} cannot be written: the disk is full. Free some space, then try again.", path.display())
    };
    is_full(error).then(|| Error::storage_full("STORAGE_FULL", text()))
}

/// Returns `DISK_UNSUITABLE` with the path for a hard link or a file lock that this kind of disk never makes, or `None` if
/// the kind of disk is not the cause.
pub fn unsuitable(path: &Path, error: &io::Error) -> Option<Error> {
    let is_kind = Errno::from_io_error(error).is_some_and(|cause| UNSUITABLE.contains(&cause));
    let unsuitable = || {
        Error::precondition(
            "DISK_UNSUITABLE",
            format!(
                "The disk of {} cannot hold Waybill's data: it has no hard links or no file locks, like FAT, exFAT and some \
                 network drives. Use a folder on a local disk: --data, or WAYBILL__DATA.",
                path.display()
            ),
        )
        .with_source(error.to_string())
    };
    is_kind.then(unsuitable)
}

/// Returns the free space of the disk that has this folder, in bytes.
pub fn free(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Fails with `STORAGE_FULL` unless there is room; both sizes are in bytes. `what` begins the message: what needs the space,
/// such as "Restoring into /srv/waybill". For checks before anything is changed.
pub fn require(what: &str, needed: u64, free: u64) -> Result<()> {
    if free >= needed {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    Err(Error::storage_full(
        "STORAGE_FULL",
        format!(
            "{what} needs {} MiB of free space, and there are {} MiB. This attempt changed nothing; free some space, \
             then try again.",
            mib(needed),
            mib(free)
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_with_the_file_and_other_causes_are_not_taken_for_it() {
        let path = Path::new("/srv/waybill/auth.db");
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
            let error = full(path, &io::Error::from(kind)).unwrap();
            assert_eq!((error.kind, error.reason.as_str()), (crate::Kind::StorageFull, "STORAGE_FULL"));
            assert!(error.message.starts_with("/srv/waybill/auth.db"), "{}", error.message);
            assert!(error.message.contains("disk is full"), "{}", error.message);
        }
        assert!(full(path, &io::Error::from(ErrorKind::PermissionDenied)).is_none());
        assert!(free(Path::new("/")).is_ok());
    }

    #[test]
    fn a_disk_without_links_or_locks_is_named_and_other_causes_are_not_taken_for_it() {
        let path = Path::new("/media/stick/objects");
        for cause in UNSUITABLE {
            let error = unsuitable(path, &cause.into()).unwrap();
            assert_eq!(error.reason, "DISK_UNSUITABLE");
            assert!(error.message.contains("/media/stick/objects"), "{}", error.message);
        }
        for cause in [Errno::NOSPC, Errno::IO, Errno::ACCESS, Errno::ROFS] {
            assert!(unsuitable(path, &cause.into()).is_none(), "{cause}");
        }
    }

    #[test]
    fn work_without_room_is_refused_in_words() {
        assert!(require("Restoring into /srv/waybill", 10 << 20, 10 << 20).is_ok());
        let error = require("Restoring into /srv/waybill", 10 << 20, (10 << 20) - 1).unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (crate::Kind::StorageFull, "STORAGE_FULL"));
        let begin = "Restoring into /srv/waybill needs 10 MiB of free space, and there are 10 MiB.";
        assert!(error.message.starts_with(begin), "{}", error.message);
    }
}
