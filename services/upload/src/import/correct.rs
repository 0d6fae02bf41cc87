//! Imports corrected rows that were refused.
//!
//! The file is read again with the corrected cells in place, so that dates, numbers and places of lines mean
//! what they meant when it was imported. Only rows that are still refused are sent. Their batches are
//! numbered after those of the import, and each confirmed batch stores the line to continue after.
//! Corrections cannot change meanwhile, so a process that takes over the job builds the same batches.
//! Between two jobs they can: starting a job skips a batch number, because deliveries may have stored a batch
//! of the previous job under that number.

use std::path::PathBuf;

use ::store::Tx;
use ::store::jobs::{End, Halt, Hold, Job, MAX_ATTEMPTS, Work};
use async_trait::async_trait;
use kit::blob::{self, Key};
use kit::{Error, Result};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::batches::Batches;
use super::corrections::{Corrections, apply};
use super::documents::RefusedDocuments;
use super::folder::Folder;
use super::rows::{Source, SourceEdits};
use super::split::{self, DocumentRuns, SplitDocuments};
use super::values::Replacements;
use super::{AHEAD, blocking, carry, layout, limits, sha256};
use crate::Context;
use crate::entity::upload_log::Model as UploadLog;
use crate::file::refused;
use crate::file::row::check;
use crate::settings::Reading;
use crate::store;

/// Works on imports of corrected rows.
pub(super) struct Corrector {
    pub context: Context,
}

#[async_trait]
impl Work for Corrector {
    fn kind(&self) -> &'static str {
        store::CORRECT
    }

    async fn run(&self, job: &Job, hold: &Hold) -> std::result::Result<(), Halt> {
        let Some(log) = store::correcting(&self.context.db, store::log_of(job)).await? else { return Ok(()) };
        let checkpoint = job.checkpoint.as_ref().and_then(|it| it.get("after")?.as_i64());
        let span = tracing::info_span!("upload.correct", upload.id = %log.id);
        // Deliveries records the person who corrected the rows, not the one who imported the file.
        let log = UploadLog { imported_by: Some(job.created_by.clone()), ..log };
        import(&self.context, &log, hold, checkpoint.unwrap_or_default()).instrument(span).await
    }

    async fn ended(&self, tx: &Tx, job: &Job, end: &End) -> Result<()> {
        store::finish_corrected(tx, job, end, self.context.clock.now()).await
    }

    fn gave_up(&self) -> Error {
        Error::precondition(
            "IMPORT_STOPPED_REPEATEDLY",
            format!(
                "The import of corrected rows stopped {MAX_ATTEMPTS} times without making progress. Start it \
                 again. If it stops again, ask an administrator to check the log."
            ),
        )
    }
}

async fn import(
    context: &Context,
    log: &UploadLog,
    hold: &Hold,
    after: i64,
) -> std::result::Result<(), Halt> {
    let reading = log.reading.as_deref().map(Reading::parse).transpose()?.filter(Reading::is_current);
    let reading = reading.ok_or_else(|| {
        Error::precondition(
            "IMPORT_OF_OLDER_RELEASE",
            "Waybill has been updated since this file was imported. Download the refused rows, correct them \
             and import them as a file.",
        )
    })?;
    let folder = Folder::new().map_err(blob::io)?;
    let path = folder.file();
    context.blob.download(&Key::parse(&log.object_key)?, &path, context.imports.max_file_bytes).await?;
    require_same(log, path.clone()).await?;
    let layout = log.layout.as_deref().map(layout::decided).transpose()?;
    let (filename, limits) = (log.filename.clone(), limits(&context.imports));
    let edits = SourceEdits::of(context, log).await?;
    let source = Source { path, filename, limits, layout, edits };
    let rows = |after| Corrections::new(context.db.clone(), log.id, after);

    let (file, all, read, stop) = (source.clone(), rows(0), reading.clone(), hold.interrupted().clone());
    let found = blocking(move || survey(&file, &read, all, &stop)).await??;
    let (documents, split) = found.ok_or_else(|| hold.interruption())?;
    // With partial documents, deliveries compares these rows with the part that is stored.
    let split = if reading.partial_documents { SplitDocuments::default() } else { split };
    let batches = Batches {
        source,
        reading: reading.clone(),
        replacements: Replacements::new(store::chosen(&context.db, log.id).await?),
        first: log.next_batch,
        corrections: Some(rows(after)),
    };
    let (mut batches, mut documents) = split::compare(batches, Some(rows(0)), split, documents, hold).await?;
    // Rows after this line still have the reasons of before.
    documents.add_stored(&context.db, log.id, after).await?;
    let (send, mut receive) = mpsc::channel(AHEAD);
    let producer = tokio::task::spawn_blocking(move || batches.read(&send));
    let mut done = after;
    while let Some(batch) = receive.recv().await {
        hold.check()?;
        let last = i64::from(batch.last);
        let step = carry::answered(context, log, hold, &reading, &mut documents, batch).await?;
        store::confirm_corrected(hold, log, step, (done, last)).await?;
        done = last;
    }
    producer.await.map_err(Error::internal)??;
    drop(folder);
    Ok(())
}

async fn require_same(log: &UploadLog, path: PathBuf) -> std::result::Result<(), Halt> {
    let hash = blocking(move || sha256(&path)).await?.map_err(blob::io)?;
    if log.sha256.as_ref().is_none_or(|first| *first == hash) {
        return Ok(());
    }
    Err(Halt::Failed(Error::precondition(
        "FILE_CHANGED",
        "The file has been replaced since it was imported. Download the refused rows, correct them and \
         import them as a file.",
    )))
}

/// Returns the documents that still have a refused row after all corrections, and those of refused rows that may be in
/// several batches; `None` when stopped.
fn survey(
    source: &Source,
    reading: &Reading,
    mut corrections: Corrections,
    stop: &CancellationToken,
) -> std::result::Result<Option<(RefusedDocuments, SplitDocuments)>, Halt> {
    let mut rows = source.open()?;
    let mapping = rows.mapping().clone();
    let context = reading.rows();
    let (mut documents, mut runs) = (RefusedDocuments::default(), DocumentRuns::default());
    while let Some(mut row) = rows.next()? {
        if stop.is_cancelled() {
            return Ok(None);
        }
        let Some(corrected) = corrections.of(row.line)? else { continue };
        apply(&mut row, corrected, &mapping);
        let delivery = refused::delivery_of(&row, &mapping);
        runs.add(delivery.as_deref(), &row);
        if check(&row, &mapping, &context).is_err()
            && let Some(delivery) = delivery
        {
            documents.add(&delivery, row.line);
        }
    }
    Ok(Some((documents, runs.split())))
}
