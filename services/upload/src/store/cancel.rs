//! Cancels what works on an upload, or an import that waits for a person.

use kit::Result;

use super::progress::end_waiting_import;
use super::undo::lock;
use crate::entity::upload_log::Model;
use ::store::audit::{self, Act, By, Changes};
use ::store::jobs::End;
use ::store::{Db, Tx, jobs};

/// Cancels the job that works on an upload. Doesn't wait for the job to end, so the upload log may not show
/// the cancellation yet. An import that waits for a person has no such job: it ends at once.
pub async fn cancel(db_: &Db, log: &Model, by: By<'_>) -> Result<()> {
    let mut log = log.clone();
    if log.status.waits_for_person() {
        // Somebody may have gone on with it in the meantime.
        let Some(now) = end_waiting(db_, &log, by).await? else { return Ok(()) };
        log = now;
    }
    let tx = db_.begin().await?;
    if jobs::cancel(&tx, log.job_id.unwrap_or(log.id)).await? {
        record(&tx, &log, by).await?;
        return tx.commit().await;
    }
    drop(tx);
    // The job may have ended in the meantime, so that the import now waits.
    end_waiting(db_, &log, by).await.map(drop)
}

/// Ends an import if it waits for a person, otherwise returns its log as it is now. Workers lock a job before its log,
/// so no transaction locks the log before the job.
async fn end_waiting(db_: &Db, log: &Model, by: By<'_>) -> Result<Option<Model>> {
    let tx = db_.begin().await?;
    let log = lock(&tx, log.id).await?;
    if !log.status.waits_for_person() {
        return Ok(Some(log));
    }
    end_waiting_import(&tx, &log, &End::Cancelled, by.now).await?;
    record(&tx, &log, by).await?;
    tx.commit().await?;
    Ok(None)
}

/// Records a cancellation for the audit log. The status says whether it ends an import, a check or an undo.
async fn record(tx: &Tx, log: &Model, by: By<'_>) -> Result<()> {
    let act = Act {
        service: crate::NAME,
        action: "import.canceled",
        entity: "import",
        entity_id: &log.id.to_string(),
        entity_name: &log.filename,
        changes: Changes::deleted(vec![("status", log.status.as_str().into())]),
    };
    audit::record(tx, by, act).await
}
