//! Sends the lines of an uploaded file to deliveries, batch by batch.
//!
//! Batch `n` is the same part of the file in every pass, deliveries answers the same batch the same way, and
//! a batch is confirmed here with its counts in one transaction. So an importer may die anywhere: the next
//! one reads the file again, skips what is confirmed and continues, and every line still has exactly one
//! result.
//!
//! An import is a job (`store::jobs`), which decides who works on it, when it is retried and when it is given
//! up. The same holds for a dry run, which asks deliveries what would happen, for an undo (`undo`) and for
//! the import of corrected rows (`correct`). This module does the work itself: `survey` reads a file through
//! before the first batch, `batches` splits it, `carry` sends a batch and confirms it. `documents` has the documents with
//! a refused row, and `split` compares the rows of documents in several batches. `rows` reads rows for all of them, from a
//! file in a `folder`.

mod batches;
mod carry;
mod correct;
mod corrections;
mod documents;
mod folder;
mod layout;
mod matching;
mod rows;
mod split;
mod survey;
mod undo;
mod values;

use std::path::Path;

use ::store::Tx;
use ::store::jobs::{End, Halt, Hold, Job, Jobs, MAX_ATTEMPTS, Work};
use async_trait::async_trait;
use kit::blob::{self, Key};
use kit::{Error, Result};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::Context;
use crate::entity::upload_log::{Model as UploadLog, Status};
use crate::file::{self, Layout, Limits};
use crate::settings::Reading;
use crate::store::{self, Begun, Known, NewWarning};
use batches::Batches;
pub use carry::client;
use correct::Corrector;
use folder::Folder;
use layout::Previewer;
pub use matching::existing;
use rows::{Source, SourceEdits};
use survey::Survey;
use undo::Undoer;
use values::Replacements;

/// Number of batches that wait in the channel. The reader reads the next one only when it has a place there, so it is
/// one batch ahead.
const AHEAD: usize = 1;

/// Works on imports until stopped.
pub async fn run(context: Context, stop: CancellationToken) -> Result<()> {
    blocking(folder::remove_leftovers).await?;
    jobs(&context).run(stop).await
}

fn jobs(context: &Context) -> Jobs {
    let importer = |kind| Importer { context: context.clone(), kind };
    Jobs::new(crate::NAME, context.db.clone(), context.clock.clone())
        .with(importer(store::KIND))
        .with(importer(store::MATCHED))
        .with(importer(store::EDITED))
        .with(importer(store::CHECK))
        .with(Undoer { context: context.clone() })
        .with(Corrector { context: context.clone() })
        .with(Previewer { context: context.clone() })
}

/// Works on imports, or on dry runs. All imports share workers, because each holds much of a file in memory; dry
/// runs share others, because somebody waits for them.
struct Importer {
    context: Context,
    kind: &'static str,
}

#[async_trait]
impl Work for Importer {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn pool(&self) -> &'static str {
        if self.kind == store::CHECK { store::CHECK } else { store::KIND }
    }

    fn workers(&self) -> usize {
        self.context.imports.workers
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        kit::fail_point("upload.import.claimed");
        // `None` when a process of the previous release has ended the import.
        let Some(log) = store::open(&self.context.db, store::log_of(job)).await? else { return Ok(()) };
        if store::is_with_release_before(&log, self.context.clock.now()) {
            return Err(store::elsewhere());
        }
        // Leave out the name of the file, because it may contain the name of a person.
        let span = tracing::info_span!("upload.import", upload.id = %log.id);
        import(&self.context, &log, hold).instrument(span).await
    }

    async fn ended(&self, tx: &Tx, job: &Job, end: &End) -> Result<()> {
        store::finish(tx, store::log_of(job), end, self.context.clock.now()).await
    }

    fn gave_up(&self) -> Error {
        Error::precondition(
            "IMPORT_STOPPED_REPEATEDLY",
            format!(
                "The import stopped {MAX_ATTEMPTS} times without making progress. Import the file again; \
                 rows that were imported are skipped. If it stops again, ask an administrator to check the \
                 log."
            ),
        )
    }
}

async fn import(context: &Context, log: &UploadLog, hold: &Hold) -> Result<(), Halt> {
    let folder = Folder::new().map_err(blob::io)?;
    let path = folder.file();
    let key = Key::parse(&log.object_key)?;
    store::set_status(hold, log, Status::Parsing, context.clock.now()).await?;
    context.blob.download(&key, &path, context.imports.max_file_bytes).await?;
    kit::fail_point("upload.import.downloaded");
    let earlier = same_file(context, log, hold, &path).await?;

    let layout = log.layout.as_deref().map(layout::decided).transpose()?;
    let limits = limits(&context.imports);
    let edits = SourceEdits::of(context, log).await?;
    let mut source = Source { path, filename: log.filename.clone(), limits, layout, edits };
    let found = decided(context, log, hold, &mut source).await?;
    let Some((Decided { reading, is_new }, survey)) = found else { return Ok(()) };
    if is_new {
        let warnings = earlier.into_iter().chain(survey.warnings.iter().map(new_warning)).collect();
        let values = matching::found(context, log, hold, &survey).await?;
        let (reading, headings) = (reading.text()?, survey.mapping.headings().to_vec());
        let (columns_key, at) = (survey.columns_key, context.clock.now());
        let begun = Begun { reading, headings, columns_key, warnings, values, at };
        store::begin(hold, log, begun).await?;
    }
    store::set_status(hold, log, Status::Importing, context.clock.now()).await?;
    // Only the beginning needs the values of the file.
    drop(survey.values);
    let batches = Batches {
        source,
        reading: reading.clone(),
        replacements: Replacements::new(store::chosen(&context.db, log.id).await?),
        first: log.next_batch,
        corrections: None,
    };
    let (mut batches, mut documents) =
        split::compare(batches, None, survey.split, survey.refused, hold).await?;
    documents.add_stored(&context.db, log.id, i64::MAX).await?;
    let (send, mut receive) = mpsc::channel(AHEAD);
    let producer = tokio::task::spawn_blocking(move || batches.read(&send));
    let mut answered = None;
    loop {
        // While deliveries stores a batch, the one before is confirmed.
        let next = async {
            let Some(batch) = receive.recv().await else { return Ok(None) };
            hold.check()?;
            carry::answered(context, log, hold, &reading, &mut documents, batch).await.map(Some)
        };
        let confirmed = async {
            match answered.take() {
                Some(step) => store::confirm(hold, log, step).await,
                None => Ok(()),
            }
        };
        let (confirmed, next) = tokio::join!(confirmed, next);
        confirmed?;
        answered = next?;
        if answered.is_none() {
            break;
        }
    }
    producer.await.map_err(Error::internal)??;
    if log.status == Status::Checking {
        // Nothing was imported, so it is not too late to cancel.
        hold.check()?;
    }
    // The folder must outlive the reader of the file in it.
    drop(folder);
    Ok(())
}

/// How a file is read, and whether the import begins with it.
struct Decided {
    reading: Reading,
    is_new: bool,
}

/// Reads the whole file, as somebody decided about it or about an earlier file with the same header. Sets the
/// decision of `source`. Returns `None` when the import now waits for a person.
async fn decided(
    context: &Context,
    log: &UploadLog,
    hold: &Hold,
    source: &mut Source,
) -> Result<Option<(Decided, Survey)>, Halt> {
    let now = context.clock.now();
    let known = match survey(context, log, hold, source).await {
        Err(Halt::Failed(error)) if layout::may_decide(log, &error) => {
            let Some(known) = layout::known_or_ask(log, hold, source, now).await? else { return Ok(None) };
            known
        }
        Ok((found, survey)) if found.is_new && source.layout.is_none() && !was_checked(log) => {
            let line = survey.header_line;
            match store::remembered_layout(hold, &survey.mapping, line, now).await? {
                Known::Otherwise(saved) => saved,
                Known::Nothing
                    if survey.leaves_out_sheets()
                        && layout::ask_for_items(log, hold, source, line).await? =>
                {
                    return Ok(None);
                }
                Known::Nothing | Known::AsNamed => return Ok(Some((found, survey))),
            }
        }
        found => return found.map(Some),
    };
    source.layout = Some(known.clone());
    let (found, kept) = match survey(context, log, hold, source).await {
        Err(Halt::Failed(error)) if error.reason == "ITEMS_SHEET_MISSING" => {
            layout::ask(log, hold, source).await?;
            return Ok(None);
        }
        Err(Halt::Failed(error)) => {
            let kept = layout::without_readings(&known, &error).ok_or(Halt::Failed(error))?;
            source.layout = Some(kept.clone());
            (survey(context, log, hold, source).await?, kept)
        }
        found => (found?, known),
    };
    let sheet = found.1.deliveries_sheet.clone().or(kept.sheet);
    store::keep_layout(hold, log, &Layout { sheet, ..kept }).await?;
    Ok(Some(found))
}

/// Returns whether this is the import of a file after its dry run. It reads the file as the dry run did.
fn was_checked(log: &UploadLog) -> bool {
    log.dry_run && log.status != Status::Checking
}

/// Reads the whole file. Uses the reading that was stored when the import or its dry run began, or else the
/// current settings.
async fn survey(
    context: &Context,
    log: &UploadLog,
    hold: &Hold,
    source: &Source,
) -> Result<(Decided, Survey), Halt> {
    let begun = log.reading.as_deref().map(Reading::parse).transpose()?.filter(Reading::is_current);
    if begun.is_none() && log.next_batch > 0 {
        return Err(Halt::Failed(Error::precondition(
            "IMPORT_OF_OLDER_RELEASE",
            "Waybill was updated while this file was imported. Import it again; rows that were imported are skipped.",
        )));
    }
    let now = Reading::now(context);
    let (source, stop) = (source.clone(), hold.interrupted().clone());
    let is_new = begun.is_none() || (was_checked(log) && log.next_batch == 0);
    let found = blocking(move || survey::read(&source, begun, now, &stop)).await??;
    let (reading, survey) = found.ok_or_else(|| hold.interruption())?;
    Ok((Decided { reading, is_new }, survey))
}

fn new_warning(warning: &file::Warning) -> NewWarning {
    let file::Warning { line, column, code, text } = warning.clone();
    NewWarning { line, column, code: code.to_owned(), text }
}

/// Checks that the file is the same as before: batches are the same only for the same file, and an object
/// store may let a link be used twice. Returns a warning if the same file was imported before.
async fn same_file(
    context: &Context,
    log: &UploadLog,
    hold: &Hold,
    path: &Path,
) -> Result<Option<NewWarning>, Halt> {
    let path = path.to_owned();
    let hash = blocking(move || sha256(&path)).await?.map_err(blob::io)?;
    if log.sha256.as_ref().is_some_and(|first| *first != hash) {
        return Err(Halt::Failed(Error::precondition(
            "FILE_CHANGED",
            "The file was replaced while it was imported. Upload it again; rows that were imported are skipped.",
        )));
    }
    let earlier = store::note_hash(hold, log, &hash).await?;
    let zone = Reading::now(context).rows().timezone;
    Ok(earlier.map(|earlier| {
        let at = earlier.finished_at.unwrap_or(earlier.created_at).with_timezone(&zone);
        let at = at.format("%B %-d, %Y at %-I:%M %p");
        new_warning(&file::Warning::new(
            "FILE_IMPORTED_BEFORE",
            format!("This file was already imported on {at} as “{}”.", earlier.filename),
        ))
    }))
}

fn sha256(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut digest = ring::digest::Context::new(&ring::digest::SHA256);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match std::io::Read::read(&mut file, &mut buffer)? {
            0 => return Ok(hex::encode(digest.finish())),
            read => digest.update(&buffer[..read]),
        }
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

fn limits(config: &kit::config::Imports) -> Limits {
    Limits {
        max_bytes: config.max_file_bytes,
        max_rows: config.max_rows,
        max_columns: config.max_columns,
        max_unpacked_bytes: config.max_unpacked_bytes,
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests;
