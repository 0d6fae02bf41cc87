//! Carries the lines of an uploaded file to the deliveries service, batch by batch.
//!
//! Batch `n` is the same stretch of the file each time it is read, deliveries answers the same
//! batch the same way, and a batch is confirmed here with its counts in one transaction. So an
//! importer may die anywhere: the next one reads the file again, skips what is confirmed and
//! goes on, and every line still ends exactly once.
//!
//! A thread reads and checks ahead of the batch that is under way, by two batches at most: that
//! bounds the memory. Before the first batch the whole file is read once, so that a file that
//! breaks off in the middle imports nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kit::blob::Key;
use kit::{Error, Kind, Result};
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::{ImportAction, ImportDeliveriesRequest, ImportDeliveriesResponse, ImportRow};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::Context;
use crate::entity::upload_log::{Model as UploadLog, Status};
use crate::entity::upload_row::{Message, Messages};
use crate::file::ordinals::Ordinals;
use crate::file::row::{RowContext, check};
use crate::file::{self, Field, FileError, Limits};
use crate::settings::Reading;
use crate::store::{self, End, Step};

/// Lines per batch, good and bad: one transaction of deliveries.
const BATCH: usize = 1_000;
const AHEAD: usize = 2;
const POLL: Duration = Duration::from_secs(2);
/// How often an unavailable deliveries service is asked again before the upload waits.
const RETRIES: u32 = 8;
/// How long an upload waits after that.
const LATER: chrono::Duration = chrono::Duration::seconds(10);

pub async fn run(context: Context, stop: CancellationToken) -> Result<()> {
    store::forget_leases(&context.db).await?;
    let workers = (0..context.imports.workers).map(|_| work(context.clone(), stop.clone()));
    futures::future::join_all(workers).await;
    Ok(())
}

async fn work(context: Context, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match store::claim(&context.db, context.clock.now()).await {
            Ok(Some(log)) => {
                let span = tracing::info_span!("upload.import", upload.id = %log.id, upload.filename = %log.filename);
                one(&context, log, &stop).instrument(span).await;
                continue;
            }
            Ok(None) => {}
            Err(error) => tracing::warn!("cannot look for uploads: {error}"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = context.work.notified() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

/// How far an import came this time.
enum Progress {
    Ended,
    /// Stopped, or another importer has it.
    Left,
}

async fn one(context: &Context, log: UploadLog, stop: &CancellationToken) {
    let id = log.id;
    let outcome = import(context, &log, stop).await;
    let now = context.clock.now();
    let settled = match outcome {
        Ok(Progress::Ended) => {
            tracing::info!("import finished");
            store::finish(&context.db, id, End::Done, now).await
        }
        Ok(Progress::Left) => store::release(&context.db, id, None).await,
        Err(Failure::File(error)) => {
            let text = match error.line {
                Some(line) => format!("Line {line}: {}", error.text),
                None => error.text,
            };
            store::finish(&context.db, id, End::Failed { code: error.code.to_owned(), text }, now).await
        }
        Err(Failure::Other(error)) if again(&error) => {
            tracing::warn!("import waits: {error}");
            store::release(&context.db, id, Some(now + LATER)).await
        }
        Err(Failure::Other(error)) => {
            error.log();
            let end = End::Failed { code: error.reason, text: error.message };
            store::finish(&context.db, id, end, now).await
        }
    };
    if let Err(error) = settled {
        // Its lease runs out, and then the import is taken up again.
        tracing::warn!("the state of an import could not be written: {error}");
    }
}

enum Failure {
    File(FileError),
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Other(error)
    }
}

/// Whether the same call may go well later. A key made by another import at the same moment is
/// known at the next try.
fn again(error: &Error) -> bool {
    matches!(error.kind, Kind::Unavailable | Kind::RateLimited | Kind::StorageFull | Kind::AlreadyExists)
}

async fn import(
    context: &Context,
    log: &UploadLog,
    stop: &CancellationToken,
) -> std::result::Result<Progress, Failure> {
    let folder = tempfile::tempdir().map_err(Error::internal)?;
    let path = folder.path().join("upload");
    let key = Key::parse(&log.object_key)?;
    store::touch(&context.db, log.id, Status::Parsing, context.clock.now()).await?;
    context.blob.download(&key, &path, context.imports.max_file_bytes).await?;
    same_file(context, log, &path).await?;

    let reader = Reader {
        path,
        filename: log.filename.clone(),
        limits: limits(&context.imports),
        rows: reading(context, log).await?.rows(),
        first: log.next_batch,
    };
    if log.next_batch == 0 {
        let probe = reader.clone();
        blocking(move || probe.read_through()).await?.map_err(Failure::File)?;
    }
    store::touch(&context.db, log.id, Status::Importing, context.clock.now()).await?;

    let (send, mut receive) = mpsc::channel(AHEAD);
    let reading = tokio::task::spawn_blocking(move || reader.read(&send));
    while let Some(batch) = receive.recv().await {
        if stop.is_cancelled() {
            return Ok(Progress::Left);
        }
        if !carry(context, log, batch, stop).await? {
            return Ok(Progress::Left);
        }
    }
    reading.await.map_err(Error::internal)?.map_err(Failure::File)?;
    // The folder lives until the reader is done with it.
    drop(folder);
    Ok(Progress::Ended)
}

/// As this import was begun, or as files are read now.
async fn reading(context: &Context, log: &UploadLog) -> Result<Reading> {
    if let Some(begun) = &log.reading {
        return Reading::parse(begun);
    }
    let reading = Reading::now(context);
    store::note_reading(&context.db, log.id, &reading.text()?).await?;
    Ok(reading)
}

/// Batches are the same stretches only of the same file, and an object store may let a link be
/// used twice: what was read first is what goes on being imported.
async fn same_file(context: &Context, log: &UploadLog, path: &Path) -> std::result::Result<(), Failure> {
    let path = path.to_owned();
    let hash = blocking(move || sha256(&path)).await?.map_err(Error::internal)?;
    match &log.sha256 {
        None => Ok(store::note_hash(&context.db, log.id, &hash).await?),
        Some(first) if *first == hash => Ok(()),
        Some(_) => Err(Failure::Other(Error::precondition(
            "FILE_CHANGED",
            "The file was replaced while it was imported. Upload it again; what is imported already is skipped.",
        ))),
    }
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

/// Sends one batch and confirms it. False when the import is no longer ours.
async fn carry(context: &Context, log: &UploadLog, batch: Batch, stop: &CancellationToken) -> Result<bool> {
    let mut step = Step { batch: batch.number, bytes_read: batch.bytes_read, ..Step::default() };
    step.refused = batch.refused;
    if !batch.rows.is_empty() {
        let docs: Vec<String> = batch.rows.iter().map(|row| row.delivery_id.clone()).collect();
        let request = ImportDeliveriesRequest {
            upload_log_id: log.id.to_string(),
            batch: batch.number.unsigned_abs(),
            source_id: log.source_id.to_string(),
            uploaded_by: log.uploaded_by.clone(),
            rows: batch.rows,
        };
        let Some(answer) = send(context, log, request, stop).await? else { return Ok(false) };
        tally(&mut step, answer, docs, &batch.labels);
        step.refused.sort_by_key(|(line, ..)| *line);
    }
    store::confirm(&context.db, log.id, step, context.clock.now()).await
}

/// Calls deliveries, patiently. Nothing when told to stop meanwhile.
async fn send(
    context: &Context,
    log: &UploadLog,
    request: ImportDeliveriesRequest,
    stop: &CancellationToken,
) -> Result<Option<ImportDeliveriesResponse>> {
    let mut tries = 0;
    loop {
        let token = context.identity.token()?;
        let mut client = DeliveriesServiceClient::new(context.deliveries.with_token(token.into()))
            .max_decoding_message_size(16 << 20);
        let error = match client.import_deliveries(request.clone()).await {
            Ok(answer) => return Ok(Some(answer.into_inner())),
            Err(status) => Error::from(status),
        };
        tries += 1;
        if !again(&error) || tries > RETRIES {
            return Err(error);
        }
        tracing::debug!(tries, "deliveries did not take the batch: {error}");
        let pause = Duration::from_millis(100 << tries.min(5));
        tokio::select! {
            () = stop.cancelled() => return Ok(None),
            () = tokio::time::sleep(pause) => {}
        }
        store::touch(&context.db, log.id, Status::Importing, context.clock.now()).await?;
    }
}

fn tally(step: &mut Step, answer: ImportDeliveriesResponse, docs: Vec<String>, labels: &Labels) {
    step.deliveries_created = i32::try_from(answer.deliveries_created).unwrap_or(i32::MAX);
    step.items_created = i32::try_from(answer.items_created).unwrap_or(i32::MAX);
    for (row, doc) in answer.rows.into_iter().zip(docs) {
        match row.action() {
            ImportAction::Created => step.created += 1,
            ImportAction::Updated => step.updated += 1,
            ImportAction::Skipped => step.skipped += 1,
            ImportAction::Refused | ImportAction::Unspecified => {
                let message = Message { column: labels.in_file(&row.column), code: row.code, text: row.text };
                step.refused.push((row.line, Some(doc), Messages(vec![message])));
            }
        }
    }
}

/// From our name of a field to the header that the file has for it.
#[derive(Clone)]
struct Labels(std::sync::Arc<Vec<(&'static str, String)>>);

impl Labels {
    fn of(mapping: &file::Mapping) -> Self {
        let known =
            Field::all().filter_map(|field| Some((field.label(), mapping.header_of(field)?.to_owned())));
        Self(std::sync::Arc::new(known.collect()))
    }

    fn in_file(&self, label: &str) -> Option<String> {
        let found = self.0.iter().find(|(known, _)| *known == label).map(|(_, header)| header.clone());
        found.or_else(|| (!label.is_empty()).then(|| label.to_owned()))
    }
}

/// A stretch of the file: what can be sent, and what was refused by its looks.
struct Batch {
    number: i32,
    rows: Vec<ImportRow>,
    refused: Vec<(u32, Option<String>, Messages)>,
    bytes_read: u64,
    labels: Labels,
}

/// Reads a file into batches, always the same ones. Blocks.
#[derive(Clone)]
struct Reader {
    path: PathBuf,
    filename: String,
    limits: Limits,
    rows: RowContext,
    /// Batches before this one are confirmed.
    first: i32,
}

impl Reader {
    /// Reads everything and keeps nothing: does the file hold to its end?
    fn read_through(&self) -> std::result::Result<(), FileError> {
        let mut rows = self.open(&self.path)?;
        while rows.next()?.is_some() {}
        Ok(())
    }

    fn open(&self, path: &Path) -> std::result::Result<file::Rows, FileError> {
        file::open(path, &self.filename, &self.limits)
    }

    /// Sends every batch that is not confirmed; ends early when nobody listens any more.
    fn read(&self, send: &mpsc::Sender<Batch>) -> std::result::Result<(), FileError> {
        let mut rows = self.open(&self.path)?;
        let labels = Labels::of(rows.mapping());
        let mapping = rows.mapping().clone();
        let mut ordinals = Ordinals::new();
        for number in 0.. {
            let mut batch = Batch {
                number,
                rows: Vec::new(),
                refused: Vec::new(),
                bytes_read: 0,
                labels: labels.clone(),
            };
            let mut lines = 0;
            while lines < BATCH {
                let Some(raw) = rows.next()? else { break };
                lines += 1;
                match check(&raw, &mapping, &self.rows) {
                    Ok(mut row) => {
                        // Confirmed lines count too: numbers depend on all that came before.
                        ordinals.number(&mut row);
                        row.line = raw.line;
                        batch.rows.push(row);
                    }
                    Err(messages) => batch.refused.push(refused(&raw, &mapping, messages)),
                }
            }
            batch.bytes_read = rows.bytes_read();
            if lines == 0 {
                return Ok(());
            }
            if number >= self.first && send.blocking_send(batch).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn refused(
    raw: &file::RawRow,
    mapping: &file::Mapping,
    messages: Vec<file::row::Message>,
) -> (u32, Option<String>, Messages) {
    let messages = messages
        .into_iter()
        .map(|it| Message { column: it.column, code: it.code.to_owned(), text: it.text })
        .collect();
    (raw.line, doc_of(raw, mapping), Messages(messages))
}

/// The Delivery Doc of a bad line as far as it can be read, to find the line by.
fn doc_of(raw: &file::RawRow, mapping: &file::Mapping) -> Option<String> {
    let text = match raw.cells.get(mapping.column(Field::DeliveryId)?)? {
        file::Cell::Text(text) => text.clone(),
        file::Cell::Number(number) => number.to_string(),
        _ => return None,
    };
    let text: String = text.trim().chars().filter(|c| !c.is_control()).take(64).collect();
    (!text.is_empty()).then_some(text)
}
