//! Files whose header needs a decision, and decisions about earlier files with the same header.

use chrono::{DateTime, Duration, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, UpdateMany};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::queue::{self, is_open};
use super::saved_mappings;
use super::start::{self, Importer};
use super::undo::{clear_check, lock, read};
use crate::entity::header_mapping;
use crate::entity::upload_log::{Column, Entity, Model, Status};
use crate::file::Mapping;
use crate::file::columns::Chosen;
use crate::file::layout::{self, Defaults, ItemsSheet, Layout, Preview, Sheet};
use crate::file::saved::SavedMapping;
use crate::file::transform::Transform;
use crate::settings::Reading;
use ::store::audit::By;
use ::store::clearing::Doubts;
use ::store::jobs::{Halt, Hold};
use ::store::{Db, Tx, db};

/// How long an unused mapping is kept.
const REMEMBERED: Duration = Duration::days(365);

/// Returns the key of what is remembered for files with these headings.
pub(super) fn header_digest(headings: &[String]) -> String {
    digest(&layout::fingerprint(headings))
}

/// Returns the key of what is remembered for downloads of refused rows with these headings. It is another one, because
/// the decision about a download has the default values of its file also for columns that an ordinary file has itself.
fn download_digest(headings: &[String]) -> String {
    digest(&format!("download\n{}", layout::fingerprint(headings)))
}

fn digest(text: &str) -> String {
    hex::encode(ring::digest::digest(&ring::digest::SHA256, text.as_bytes()))
}

/// Returns the key of a decision about a file with these headings.
fn own_digest(headings: &[String]) -> String {
    if layout::is_download(headings) { download_digest(headings) } else { header_digest(headings) }
}

/// Returns the keys of decisions that apply to a file with these headings, the preferred one first.
fn digests(headings: &[String]) -> Vec<String> {
    let mut digests = vec![own_digest(headings), header_digest(headings)];
    digests.dedup();
    digests
}

/// A decision about an earlier file with the same headings.
pub struct Remembered {
    /// The field name for each column.
    pub columns: Vec<Option<String>>,
    pub chosen: Chosen,
    pub defaults: Defaults,
    pub items: Option<ItemsSheet>,
}

/// What is remembered besides the columns. The previous release reads and saves only `chosen`.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct Further {
    #[serde(default, flatten)]
    chosen: Chosen,
    #[serde(default, skip_serializing_if = "Defaults::is_empty")]
    defaults: Defaults,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<ItemsSheet>,
}

impl Remembered {
    /// Parses the decision for a file with these headings.
    fn of(row: header_mapping::Model, headings: &[String]) -> Result<Self> {
        let parse = |text: &str| serde_json::from_str(text).map_err(Error::internal);
        let columns = serde_json::from_str(&row.columns).map_err(Error::internal)?;
        let Further { chosen, defaults, items } =
            row.readings.as_deref().map(parse).transpose()?.unwrap_or_default();
        // The download of refused rows has a decimal point, whatever the file had.
        let decimal_sign = chosen.decimal_sign.filter(|_| !layout::is_download(headings));
        let chosen = Chosen { decimal_sign, ..chosen };
        Ok(Self { columns, chosen, defaults, items })
    }

    fn layout(self, header_line: u32) -> Layout {
        let Self { columns, chosen, defaults, items } = self;
        Layout { header_line, columns, sheet: None, chosen, defaults, items }
    }
}

/// Returns the mapping saved for the header of the first sheet; if there is none, makes the import wait for a
/// person.
pub async fn known_layout_or_wait(
    hold: &Hold,
    log: &Model,
    preview: &Preview,
    now: DateTime<Utc>,
) -> Result<Option<Layout>, Halt> {
    if let Some(sheet) = preview.sheet(None) {
        let tx = hold.begin().await?;
        let line = remembered_line(&**tx, sheet).await?.unwrap_or_else(|| sheet.header_line());
        let headings = sheet.headings(line).unwrap_or_default();
        let known = remembered(&**tx, headings).await?;
        let fits =
            |layout: &Layout| preview.joined(layout).and_then(|(sheet, layout)| sheet.check(&layout)).is_ok();
        let layout = known.map(|known| known.layout(line)).filter(fits);
        if layout.is_some() {
            note_use(&tx, headings, now).await?;
            tx.commit().await?;
            return Ok(layout);
        }
    }
    wait_for_columns(hold, log, preview).await?;
    Ok(None)
}

/// What is remembered about a header whose columns are all known.
pub enum Known {
    Nothing,
    /// Somebody decided what the headings say.
    AsNamed,
    /// Somebody decided something else.
    Otherwise(Layout),
}

/// Returns the decision saved for a header whose columns are all known.
pub async fn remembered_layout(
    hold: &Hold,
    mapping: &Mapping,
    header_line: u32,
    now: DateTime<Utc>,
) -> Result<Known, Halt> {
    let tx = hold.begin().await?;
    let Some(known) = remembered(&**tx, mapping.headings()).await? else { return Ok(Known::Nothing) };
    let layout = known.layout(header_line);
    if layout.items.is_none() {
        let Ok(saved) = Transform::of(mapping.headings(), &layout) else { return Ok(Known::Nothing) };
        if saved.mapping.assigns_like(mapping) && !saved.changes_rows() && layout.chosen == Chosen::default()
        {
            return Ok(Known::AsNamed);
        }
    }
    note_use(&tx, mapping.headings(), now).await?;
    tx.commit().await?;
    Ok(Known::Otherwise(layout))
}

/// Keeps what is remembered for files with these headings for another year.
pub(super) async fn note_use(tx: &Tx, headings: &[String], now: DateTime<Utc>) -> Result<()> {
    let digests = [header_digest(headings), download_digest(headings)];
    let used = header_mapping::Entity::update_many()
        .col_expr(header_mapping::Column::UsedAt, Expr::value(now))
        .filter(header_mapping::Column::Fingerprint.is_in(digests));
    used.exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// Stores the decision with which an import reads its file.
pub async fn keep_layout(hold: &Hold, log: &Model, layout: &Layout) -> Result<(), Halt> {
    let text = layout.to_text().map_err(Error::internal)?;
    note_header(hold, log, Entity::update_many().col_expr(Column::Layout, Expr::value(text))).await
}

/// Makes an import wait for a person to choose its columns.
pub async fn wait_for_columns(hold: &Hold, log: &Model, preview: &Preview) -> Result<(), Halt> {
    let text = serde_json::to_string(preview).map_err(Error::internal)?;
    let update = Entity::update_many()
        .col_expr(Column::Status, Expr::value(Status::NeedsMapping))
        .col_expr(Column::Preview, Expr::value(text));
    note_header(hold, log, update).await
}

async fn note_header(hold: &Hold, log: &Model, update: UpdateMany<Entity>) -> Result<(), Halt> {
    let tx = hold.begin().await?;
    update.filter(is_open(log.id)).exec(&**tx).await.map_err(db)?;
    kit::fail_point("upload.import.header_noted");
    Ok(tx.commit().await?)
}

/// Returns the decision about earlier files with these headings.
pub async fn remembered(
    connection: &impl ConnectionTrait,
    headings: &[String],
) -> Result<Option<Remembered>> {
    use header_mapping::{Column as C, Entity};
    let digests = digests(headings);
    let found = Entity::find().filter(C::Fingerprint.is_in(&digests)).all(connection).await.map_err(db)?;
    let preferred =
        found.into_iter().min_by_key(|row| digests.iter().position(|digest| *digest == row.fingerprint));
    preferred.map(|row| Remembered::of(row, headings)).transpose()
}

/// Returns the line whose headings somebody decided about before. Of several, it is the likeliest one.
pub async fn remembered_line(connection: &impl ConnectionTrait, sheet: &Sheet) -> Result<Option<u32>> {
    use header_mapping::{Column as C, Entity};
    let digests_of = |line: u32| digests(sheet.headings(line).unwrap_or_default());
    let lines: Vec<(u32, Vec<String>)> = sheet.header_lines().map(|line| (line, digests_of(line))).collect();
    let any = C::Fingerprint.is_in(lines.iter().flat_map(|(_, digests)| digests));
    let found = Entity::find().select_only().column(C::Fingerprint).filter(any).into_tuple::<String>();
    let found = found.all(connection).await.map_err(db)?;
    let is_known = |(_, digests): &(u32, Vec<String>)| digests.iter().any(|digest| found.contains(digest));
    Ok(lines.into_iter().find(is_known).map(|(line, _)| line))
}

/// Returns the decision about the file of an upload, in its stored form.
pub async fn layout_of(db_: &Db, id: Uuid) -> Result<Option<String>> {
    let found = Entity::find_by_id(id).select_only().column(Column::Layout).into_tuple::<Option<String>>();
    Ok(found.one(db_.read()).await.map_err(db)?.flatten())
}

/// Returns the first rows of a waiting file.
pub fn preview_of(log: &Model) -> Result<Preview> {
    let waits = Some(&log.preview).filter(|_| log.status == Status::NeedsMapping);
    let Some(Some(text)) = waits else { return Err(nothing_to_decide()) };
    Preview::parse(text).map_err(Error::internal)
}

fn nothing_to_decide() -> Error {
    Error::precondition("MAPPING_NOT_NEEDED", "The columns of this file are already matched.")
}

/// Makes a checked file wait for a person to choose its columns. A repeated request returns the log.
pub async fn choose_columns(db_: &Db, id: Uuid, now: DateTime<Utc>) -> Result<Model> {
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    match log.status {
        Status::Validated => {}
        Status::Checking | Status::NeedsMapping => return Ok(log),
        _ => {
            return Err(Error::precondition(
                "IMPORT_ALREADY_STARTED",
                "The import of this file has started, so its columns can't be changed any more. Undo the import, then import the file again.",
            ));
        }
    }
    let job = queue::enqueue_other(&tx, queue::PREVIEW, id, &log.uploaded_by, now).await?;
    clear_check(&tx, id, Status::Checking, Some(job), None).await?;
    let log = read(&tx, id).await?;
    tx.commit().await?;
    Ok(log)
}

/// Saves a decision, which also applies to files with the same header, and continues the import. `reading`
/// says how values are read that do not show it themselves, `saved` is the id of the saved mapping from which the
/// decision comes, or empty.
pub async fn save_layout(
    db_: &Db,
    id: Uuid,
    layout: Layout,
    saved: &str,
    reading: &Reading,
    importer: Importer<'_>,
) -> Result<Model> {
    let By { actor: by, now, .. } = importer.by;
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    let preview = preview_of(&log)?;
    let sheet = preview.sheet(layout.sheet.as_deref()).ok_or_else(unknown_sheet)?;
    let layout = preview.with_fingerprint(preview.with_stored_name(layout, sheet));
    let fingerprint = own_digest(sheet.headings(layout.header_line).unwrap_or_default());
    let (sheet, joined) =
        preview.joined(&layout).map_err(|error| Error::invalid_field("items", error.text))?;
    if let Some(problem) = sheet.problem_of_defaults(&joined, &reading.rows()) {
        return Err(Error::invalid_field("defaults", problem.text));
    }
    sheet.check(&joined).map_err(|error| Error::invalid_field("fields", error.text))?;
    if let Some(problem) = sheet.readings(&joined, reading.order()).problem {
        return Err(Error::invalid(problem.code, problem.text));
    }
    remember(&tx, &fingerprint, &layout, by, now).await?;
    let (headings, download) =
        sheet.download(&joined).map_err(|error| Error::invalid_field("fields", error.text))?;
    let of_download = download_digest(&headings);
    if of_download != fingerprint {
        remember(&tx, &of_download, &download, by, now).await?;
    }
    saved_mappings::count_use(&tx, saved, now).await?;
    // A dry run has its own job, and continues as a dry run.
    let status = if log.is_check() { Status::Checking } else { Status::Uploaded };
    if status == Status::Uploaded && !log.is_imported_by(importer.id, by) {
        start::start(&tx, log, importer).await?;
    }
    let job = queue::enqueue_other(&tx, queue::CHECK, id, by, now).await?;
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::JobId, Expr::value(job))
        .col_expr(Column::Layout, Expr::value(layout.to_text().map_err(Error::internal)?))
        .col_expr(Column::Preview, Expr::value(None::<String>))
        .filter(Column::Id.eq(id))
        .exec(&*tx)
        .await
        .map_err(db)?;
    let log = read(&tx, id).await?;
    kit::fail_point("upload.import.header_decided");
    tx.commit().await?;
    Ok(log)
}

/// Keeps choices about a waiting file, which may be unfinished, until somebody goes on with them. If none are made yet,
/// these are the ones of `saved`.
pub async fn keep_draft(
    db_: &Db,
    id: Uuid,
    mut layout: Layout,
    saved: Option<&SavedMapping>,
) -> Result<Model> {
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    let preview = preview_of(&log)?;
    let sheet = preview.sheet(layout.sheet.as_deref()).ok_or_else(unknown_sheet)?;
    let headings = headings_of(sheet, layout.header_line)?;
    if let Some(saved) = saved.filter(|_| layout.columns.is_empty()) {
        let Layout { columns, chosen, defaults, .. } = saved.layout(headings, layout.header_line);
        layout = Layout { columns, chosen, defaults, ..layout };
    }
    let known = layout.fields().into_iter().take(headings.len());
    let columns = known.map(|field| field.map(|field| field.name().to_owned())).collect();
    let layout = preview.with_stored_name(Layout { columns, ..layout }, sheet);
    check_unfinished(headings, &layout)?;
    Entity::update_many()
        .col_expr(Column::Layout, Expr::value(layout.to_text().map_err(Error::internal)?))
        .filter(Column::Id.eq(id))
        .exec(&*tx)
        .await
        .map_err(db)?;
    let log = read(&tx, id).await?;
    tx.commit().await?;
    Ok(log)
}

/// Returns the headings of a line that can be the header.
pub fn headings_of(sheet: &Sheet, line: u32) -> Result<&[String]> {
    sheet.headings(line).ok_or_else(|| {
        Error::invalid_field("headerLine", "This row can't be the header. Choose one of the listed rows.")
    })
}

/// Checks choices that may be unfinished.
pub fn check_unfinished(headings: &[String], layout: &Layout) -> Result<()> {
    let checked = Transform::unfinished(headings, layout);
    checked.map(|_| ()).map_err(|error| Error::invalid_field("fields", error.text))
}

pub fn unknown_sheet() -> Error {
    Error::invalid_field("sheet", "The file has no sheet with this name. Choose one of the listed sheets.")
}

async fn remember(tx: &Tx, fingerprint: &str, layout: &Layout, by: &str, now: DateTime<Utc>) -> Result<()> {
    use header_mapping::{ActiveModel, Column as C, Entity};
    let defaults = layout.lasting_defaults();
    let further = Further { chosen: layout.chosen, defaults, items: layout.items.clone() };
    let further = Some(further).filter(|further| *further != Further::default());
    let row = ActiveModel {
        fingerprint: Set(fingerprint.to_owned()),
        columns: Set(serde_json::to_string(&layout.columns).map_err(Error::internal)?),
        saved_by: Set(by.to_owned()),
        used_at: Set(now),
        readings: Set(further.map(|it| serde_json::to_string(&it)).transpose().map_err(Error::internal)?),
    };
    let again = OnConflict::column(C::Fingerprint)
        .update_columns([C::Columns, C::SavedBy, C::UsedAt, C::Readings])
        .to_owned();
    Entity::insert(row).on_conflict(again).exec_without_returning(&**tx).await.map_err(db)?;
    Ok(())
}

/// Deletes mappings that were unused for long, unless there are implausibly many. Returns how many were
/// deleted.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    use header_mapping::{Column as C, Entity};
    doubts.delete_old::<Entity>(db_, C::UsedAt, now - REMEMBERED).await
}
