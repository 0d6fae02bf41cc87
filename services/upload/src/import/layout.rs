//! A file waits for a person who chooses its columns when its header is unknown and nobody has decided about
//! the same header before, or when the person wants to.

use ::store::Tx;
use ::store::jobs::{End, Halt, Hold, Job, Work};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kit::blob::{self, Key};
use kit::{Error, Result};
use tracing::Instrument;

use super::folder::Folder;
use super::rows::Source;
use super::{blocking, limits, same_file};
use crate::entity::upload_log::{Model as UploadLog, Status};
use crate::file::columns::Chosen;
use crate::file::layout::{self, Layout, Preview};
use crate::{Context, store};

/// Reads files for people who choose the columns themselves.
pub(super) struct Previewer {
    pub context: Context,
}

#[async_trait]
impl Work for Previewer {
    fn kind(&self) -> &'static str {
        store::PREVIEW
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let Some(log) = store::open(&self.context.db, store::log_of(job)).await? else { return Ok(()) };
        let span = tracing::info_span!("upload.preview", upload.id = %log.id);
        show(&self.context, &log, hold).instrument(span).await
    }

    async fn ended(&self, tx: &Tx, job: &Job, end: &End) -> Result<()> {
        match end {
            // The import waits; it has not ended.
            End::Done => Ok(()),
            _ => store::finish(tx, store::log_of(job), end, self.context.clock.now()).await,
        }
    }
}

async fn show(context: &Context, log: &UploadLog, hold: &Hold) -> Result<(), Halt> {
    let folder = Folder::new().map_err(blob::io)?;
    let path = folder.file();
    store::set_status(hold, log, Status::Parsing, context.clock.now()).await?;
    context.blob.download(&Key::parse(&log.object_key)?, &path, context.imports.max_file_bytes).await?;
    same_file(context, log, hold, &path).await?;
    let (filename, limits) = (log.filename.clone(), limits(&context.imports));
    let preview = blocking(move || layout::preview(&path, &filename, &limits)).await??;
    store::wait_for_columns(hold, log, &preview).await?;
    drop(folder);
    Ok(())
}

/// Parses a person's decision about the file of an import.
pub(super) fn decided(text: &str) -> Result<Layout> {
    Layout::parse(text).map_err(Error::internal)
}

/// Returns the layout without the readings that were chosen for an earlier file, if the values of this file
/// contradict them.
pub(super) fn without_readings(layout: &Layout, error: &Error) -> Option<Layout> {
    let contradicts = ["FILE_DATES_CONTRADICT", "FILE_NUMBERS_CONTRADICT"].contains(&error.reason.as_str());
    let chosen = layout.chosen != Chosen::default();
    (contradicts && chosen).then(|| Layout { chosen: Chosen::default(), ..layout.clone() })
}

/// Returns whether a person can help by matching columns. Nobody is asked twice: after a decision, the file
/// fails like any other.
pub(super) fn may_decide(log: &UploadLog, error: &Error) -> bool {
    log.layout.is_none()
        && ["HEADER_MISSING_COLUMNS", "HEADER_REPEATED_COLUMN"].contains(&error.reason.as_str())
}

/// Makes an import wait for a person if another sheet of its file seems to have the items. Returns whether it
/// waits.
pub(super) async fn ask_for_items(
    log: &UploadLog,
    hold: &Hold,
    source: &Source,
    header_line: u32,
) -> Result<bool, Halt> {
    let preview = previewed(source).await?;
    let likely = preview.sheet(None).and_then(|sheet| {
        let fields: Vec<_> = sheet.columns(header_line, None).iter().map(|it| it.proposed).collect();
        preview.likely_items(sheet, &fields)
    });
    if likely.is_some() {
        store::wait_for_columns(hold, log, &preview).await?;
    }
    Ok(likely.is_some())
}

/// Makes an import wait for a person because its file lacks the sheet that an earlier file had for its items.
pub(super) async fn ask(log: &UploadLog, hold: &Hold, source: &Source) -> Result<(), Halt> {
    store::wait_for_columns(hold, log, &previewed(source).await?).await
}

async fn previewed(source: &Source) -> Result<Preview, Halt> {
    let file = source.clone();
    Ok(blocking(move || layout::preview(&file.path, &file.filename, &file.limits)).await??)
}

/// Returns the decision for files with this header; `None` when the import now waits for a person.
pub(super) async fn known_or_ask(
    log: &UploadLog,
    hold: &Hold,
    source: &Source,
    now: DateTime<Utc>,
) -> Result<Option<Layout>, Halt> {
    store::known_layout_or_wait(hold, log, &previewed(source).await?, now).await
}
