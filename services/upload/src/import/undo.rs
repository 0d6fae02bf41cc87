//! Reverses an import, part by part.
//!
//! The deliveries service decides and stores the result for each delivery, so a part may be requested again:
//! a process that takes over an undo continues after the last confirmed part.

use ::store::Tx;
use ::store::jobs::{End, Halt, Hold, Job, MAX_ATTEMPTS, Work};
use async_trait::async_trait;
use kit::{Error, Result};
use proto::deliveries::v1::UndoImportRequest;
use tracing::Instrument;

use super::carry::{client, patiently};
use crate::entity::upload_log::Model as UploadLog;
use crate::{Context, store};

/// Works on undos.
pub(super) struct Undoer {
    pub context: Context,
}

#[async_trait]
impl Work for Undoer {
    fn kind(&self) -> &'static str {
        store::UNDO
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let Some(log) = store::undoing(&self.context.db, store::log_of(job)).await? else { return Ok(()) };
        let checkpoint = job.checkpoint.as_ref().and_then(|it| it.get("after")?.as_str());
        let after = checkpoint.unwrap_or_default().to_owned();
        let span = tracing::info_span!("upload.undo", upload.id = %log.id);
        undo(&self.context, &log, job, hold, after).instrument(span).await
    }

    async fn ended(&self, tx: &Tx, job: &Job, end: &End) -> Result<()> {
        store::finish_undo(tx, store::log_of(job), end, self.context.clock.now()).await
    }

    fn gave_up(&self) -> Error {
        Error::precondition(
            "UNDO_STOPPED_REPEATEDLY",
            format!(
                "The undo stopped {MAX_ATTEMPTS} times without making progress. Start it again. If it stops \
                 again, ask an administrator to check the log."
            ),
        )
    }
}

async fn undo(
    context: &Context,
    log: &UploadLog,
    job: &Job,
    hold: &Hold,
    mut after: String,
) -> Result<(), Halt> {
    while after != END {
        hold.check()?;
        let request = UndoImportRequest {
            upload_log_id: log.id.to_string(),
            after: after.clone(),
            undone_by: job.created_by.clone(),
        };
        let answer = patiently(hold, || {
            let (client, request) = (client(context), request.clone());
            async move { Ok(client?.undo_import(request).await?.into_inner()) }
        })
        .await?;
        kit::fail_point("upload.undo.part_answered");
        after = if answer.next.is_empty() { END.to_owned() } else { answer.next };
        store::undo_step(hold, log, &answer.counts.unwrap_or_default(), &after).await?;
    }
    Ok(())
}

/// The checkpoint after the last part is confirmed. It sorts after every key, because keys are folded
/// strings, which never contain this character.
const END: &str = "\u{10FFFF}";
