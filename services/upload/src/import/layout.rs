//! A file with an unknown header waits for a person, unless somebody has decided about the same header
//! before.

use ::store::jobs::{Halt, Hold};
use chrono::{DateTime, Utc};
use kit::{Error, Result};

use super::{Source, blocking};
use crate::entity::upload_log::Model as UploadLog;
use crate::file::layout::{self, Layout};
use crate::store;

/// Parses a person's decision about the file of an import.
pub(super) fn decided(text: &str) -> Result<Layout> {
    serde_json::from_str(text).map_err(Error::internal)
}

/// Returns whether a person can help by matching columns. Nobody is asked twice: after a decision, the file
/// fails like any other.
pub(super) fn may_decide(log: &UploadLog, error: &Error) -> bool {
    log.layout.is_none()
        && ["HEADER_MISSING_COLUMNS", "HEADER_REPEATED_COLUMN"].contains(&error.reason.as_str())
}

/// Returns the decision for files with this header; `None` when the import now waits for a person.
pub(super) async fn known_or_ask(
    log: &UploadLog,
    hold: &Hold,
    source: &Source,
    now: DateTime<Utc>,
) -> Result<Option<Layout>, Halt> {
    let file = source.clone();
    let preview = blocking(move || layout::preview(&file.path, &file.filename, &file.limits)).await??;
    store::known_layout_or_wait(hold, log, &preview, now).await
}
