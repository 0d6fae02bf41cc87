//! Changes cells: of any row before the file is imported (`edits`), and of refused rows afterwards (`corrections`).
//!
//! Every change locks the row of the log and checks its status, so that nothing changes while the file is read.

use kit::{Error, Result};
use uuid::Uuid;

use super::cells::{Edit, Replace, checked};
use super::undo::lock;
use super::{corrections, edits, get};
use crate::entity::upload_log::Status;
use ::store::Db;
use ::store::audit::By;

/// Maximum cells corrected by one request.
const MOST_EDITS: usize = 1_000;

/// Stores changed cells; returns how many changed.
pub async fn correct(db_: &Db, id: Uuid, edits: Vec<Edit>, by: By<'_>) -> Result<u32> {
    if edits.len() > MOST_EDITS {
        let text = format!("A request corrects at most {MOST_EDITS} cells");
        return Err(Error::invalid_field("edits", text));
    }
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    let changed = match log.status {
        Status::Validated => edits::change(&tx, &log, edits, by).await?,
        _ => corrections::change(&tx, &log, edits, by).await?,
    };
    kit::fail_point("upload.correct.kept");
    tx.commit().await?;
    Ok(u32::try_from(changed).unwrap_or(u32::MAX))
}

/// Replaces a value in one column of all rows that can be corrected; returns how many cells change.
pub async fn replace(db_: &Db, id: Uuid, replace: Replace, by: By<'_>) -> Result<u32> {
    if replace.find.is_empty() && !replace.whole_cell {
        return Err(Error::invalid_field("find", "Enter the text to look for."));
    }
    let replace = Replace { value: checked(replace.value)?, ..replace };
    if replace.dry_run {
        // Counting goes through a whole file, so it must not lock anything.
        let log = get(db_, &id.to_string()).await?;
        if log.status == Status::Validated {
            let count = edits::count(db_, &log, &replace).await?;
            return Ok(u32::try_from(count).unwrap_or(u32::MAX));
        }
    }
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    let changed = match log.status {
        Status::Validated => edits::replace(&tx, &log, &replace, by).await?,
        _ => corrections::replace(&tx, &log, &replace, by).await?,
    };
    tx.commit().await?;
    Ok(u32::try_from(changed).unwrap_or(u32::MAX))
}
