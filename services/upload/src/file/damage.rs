//! Errors of unreadable workbooks.

use super::{FileError, Limits, header};

/// Reports a workbook that is inconsistent or uses unsupported features.
pub(super) fn damaged(why: &str) -> FileError {
    FileError::new(
        "FILE_NOT_READABLE",
        format!(
            "The workbook cannot be read ({}). Open it, save it again as Excel Workbook (.xlsx) or as CSV, and upload that.",
            header::shorten(why, 120)
        ),
    )
}

/// Reports a workbook that would take too much memory or time. `what` follows "The workbook".
pub(super) fn too_complex(what: &str) -> FileError {
    FileError::new(
        "FILE_TOO_COMPLEX",
        format!("The workbook {what}. Save the sheet with the deliveries as CSV and upload that."),
    )
}

pub(super) fn protected() -> FileError {
    FileError::new(
        "FILE_PROTECTED",
        "The workbook is protected by a password. Remove the password, save the workbook and upload it again.",
    )
}

pub(super) fn unpacked_too_large(limits: &Limits) -> FileError {
    FileError::new(
        "FILE_UNPACKED_TOO_LARGE",
        format!(
            "The workbook unpacks to more than {} MB. Remove pictures and sheets that do not belong to the deliveries, or save it as CSV, and upload it again.",
            limits.max_unpacked_bytes >> 20
        ),
    )
}
