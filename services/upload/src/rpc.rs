//! The contract's handlers. The first line of each is its access rule.

use std::str::FromStr;

use ::store::audit::Actor;
use kit::blob::{Key, LINK_TTL};
use kit::clock::new_id;
use kit::input::limits::FILENAME;
use kit::principal::{Caller, Principal, Role, principal};
use kit::{Error, Kind, Result};
use proto::common::v1::{Count, CountRequest, Filter, Page};
use proto::deliveries::v1::parties_service_client::PartiesServiceClient;
use proto::deliveries::v1::{self as deliveries, ListSourcesRequest, UndoCounts};
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::entity::upload_log::{self, Mode};
use crate::settings::{Reading, require_open};
use crate::store::IdempotencyKey;
use crate::{Context, import, store};
use places::Sheets;

mod applied;
mod mapping;
mod places;
mod review;
pub mod saved_mappings;
mod values;

/// Prefix of the keys of imported files.
const PREFIX: &str = "imports/";

pub struct Service {
    pub context: Context,
}

#[tonic::async_trait]
impl UploadService for Service {
    async fn request_link(
        &self,
        request: Request<RequestLinkRequest>,
    ) -> Result<Response<RequestLinkResponse>, Status> {
        let user = principal(&request)?.require(Role::EDITORS)?.id();
        let filename = checked_filename(&request.get_ref().filename)?;
        // The object gets a name that we choose: the user's file name does not influence its key.
        let extension = match filename.rsplit_once('.') {
            Some((_, extension)) if extension.eq_ignore_ascii_case("xlsx") => "xlsx",
            Some((_, extension)) if extension.eq_ignore_ascii_case("xls") => "xls",
            Some((_, extension)) if extension.eq_ignore_ascii_case("ods") => "ods",
            _ => "csv",
        };
        let key =
            Key::parse(&format!("{PREFIX}{}{}.{extension}", new_id().simple(), kit::random::suffix()?))?;
        let imports = &self.context.imports;
        store::add_link(&self.context.db, key.as_str(), &user, imports.max_open_uploads).await?;
        let url = self.context.blob.presign_put(&key, LINK_TTL, imports.max_file_bytes).await?;
        Ok(Response::new(RequestLinkResponse { url }))
    }

    async fn start_import(
        &self,
        request: Request<StartImportRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let actor = Actor::from(kit::principal::caller(&request)?);
        let caller = request.extensions().get::<Caller>().cloned();
        let StartImportRequest { url, filename, source_id, mode, dry_run, idempotency_key, choose_columns } =
            request.into_inner();
        let filename = checked_filename(&filename)?;
        let mode = checked_mode(mode)?;
        let mut asked = vec![url.as_str(), &filename, &source_id, mode.as_str()];
        asked.push(if dry_run { "check" } else { "" });
        asked.extend(choose_columns.then_some("columns"));
        let once = IdempotencyKey::of(&who.id(), "import", &idempotency_key, &asked)?;
        if let Some(key) = &once
            && let Some(log) = key.answered(&self.context.db).await?
        {
            return Ok(Response::new(self.shown(log, &who)));
        }
        require_open(&self.context)?;
        let not_uploaded = || Error::invalid_field("url", "The file was not uploaded. Upload it again.");
        let key = self.context.blob.key_of(&url).map_err(|_| not_uploaded())?;
        if !store::has_link(&self.context.db, key.as_str(), &who.id()).await? {
            return Err(not_uploaded().into());
        }
        let object = self.context.blob.head(&key).await?.ok_or_else(not_uploaded)?;
        let limit = self.context.imports.max_file_bytes;
        if object.size > limit {
            let text = format!("The file is larger than {} MB. Split it into several files.", limit >> 20);
            return Err(Error::invalid("FILE_TOO_LARGE", text.clone()).field("file", text).into());
        }
        let token =
            caller.map(|caller| caller.token).ok_or_else(|| Error::unauthenticated("TOKEN_MISSING"))?;
        let source_id = self.source(token, &source_id).await?;
        let new = store::NewLog {
            object_key: key.as_str().to_owned(),
            filename,
            source_id,
            size_bytes: object.size,
            uploaded_by: who.actor(),
            uploaded_by_id: who.id(),
            mode,
            dry_run,
            choose_columns,
            key: once,
        };
        let log = store::create(&self.context.db, new, actor.at(self.context.clock.now())).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn commit_import(
        &self,
        request: Request<CommitImportRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let actor = Actor::from(kit::principal::caller(&request)?);
        require_open(&self.context)?;
        let (id, now) = (log_id(&request.into_inner().id)?, Reading::now(&self.context));
        let importer = store::Importer { id: &who.id(), by: actor.at(self.context.clock.now()) };
        let log = store::commit_checked(&self.context.db, id, now, importer).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn choose_columns(
        &self,
        request: Request<ChooseColumnsRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let (id, now) = (log_id(&request.into_inner().id)?, self.context.clock.now());
        let log = store::choose_columns(&self.context.db, id, now).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn get_mapping(
        &self,
        request: Request<GetMappingRequest>,
    ) -> Result<Response<UploadMapping>, Status> {
        principal(&request)?.require(Role::EDITORS)?;
        Ok(Response::new(mapping::proposed(&self.context, request.into_inner()).await?))
    }

    async fn save_mapping(
        &self,
        request: Request<SaveMappingRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let actor = Actor::from(kit::principal::caller(&request)?);
        let request = request.into_inner();
        let id = log_id(&request.id)?;
        let importer = store::Importer { id: &who.id(), by: actor.at(self.context.clock.now()) };
        let log = mapping::save(&self.context, id, request, importer).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn list_upload_values(
        &self,
        request: Request<ListUploadValuesRequest>,
    ) -> Result<Response<ListUploadValuesResponse>, Status> {
        principal(&request)?.require(Role::EDITORS)?;
        let log = log_id(&request.into_inner().upload_log_id)?;
        Ok(Response::new(values::listed(&self.context, log).await?))
    }

    async fn match_values(
        &self,
        request: Request<MatchValuesRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let MatchValuesRequest { upload_log_id, values } = request.into_inner();
        let (log, now) = (log_id(&upload_log_id)?, self.context.clock.now());
        let decisions = values::decisions(&self.context, values).await?;
        let log = store::match_values(&self.context.db, log, decisions, &who.actor(), now).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn check_again(&self, request: Request<CheckAgainRequest>) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let (id, now) = (log_id(&request.into_inner().id)?, self.context.clock.now());
        let log = store::check_again(&self.context.db, id, now).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn preview_undo(
        &self,
        request: Request<PreviewUndoRequest>,
    ) -> Result<Response<UploadUndo>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let log = store::get(&self.context.db, &request.into_inner().id).await?;
        self.require_undoable(&log, &who)?;
        let UndoCounts { reversed, kept, failed } = self.expected(&log).await?;
        let total = reversed + kept + failed;
        Ok(Response::new(UploadUndo { reversed, kept, failed, total }))
    }

    async fn start_undo(&self, request: Request<StartUndoRequest>) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let actor = Actor::from(kit::principal::caller(&request)?);
        let StartUndoRequest { id, idempotency_key } = request.into_inner();
        let key = IdempotencyKey::of(&who.id(), "undo", &idempotency_key, &[&id])?;
        if let Some(key) = &key
            && let Some(log) = key.answered(&self.context.db).await?
        {
            return Ok(Response::new(self.shown(log, &who)));
        }
        let log = store::get(&self.context.db, &id).await?;
        // A request that is repeated while the undo runs means the same undo.
        let expected = if log.status == upload_log::Status::Undoing {
            None
        } else {
            self.require_undoable(&log, &who)?;
            Some(self.expected(&log).await?)
        };
        let by = actor.at(self.context.clock.now());
        let start = store::StartUndo { log: log.id, expected, key, by };
        let log = store::start_undo(&self.context.db, start).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn cancel_upload(
        &self,
        request: Request<CancelUploadRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let actor = Actor::from(kit::principal::caller(&request)?);
        let log = store::get(&self.context.db, &request.into_inner().id).await?;
        store::cancel(&self.context.db, &log, actor.at(self.context.clock.now())).await?;
        let log = store::get(&self.context.db, &log.id.to_string()).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn list_upload_changes(
        &self,
        request: Request<ListUploadChangesRequest>,
    ) -> Result<Response<ListUploadChangesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let log = log_id(&request.into_inner().upload_log_id)?;
        let changes = store::changes(&self.context.db, log).await?.into_iter().map(Into::into).collect();
        Ok(Response::new(ListUploadChangesResponse { changes }))
    }

    async fn get_upload_log(
        &self,
        request: Request<GetUploadLogRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::STAFF)?.clone();
        let log = store::get(&self.context.db, &request.into_inner().id).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn list_upload_logs(
        &self,
        request: Request<ListUploadLogsRequest>,
    ) -> Result<Response<ListUploadLogsResponse>, Status> {
        let who = principal(&request)?.require(Role::STAFF)?.clone();
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = store::list(&self.context.db, &page).await?;
        let upload_logs = rows.into_iter().map(|row| self.shown(row, &who)).collect();
        Ok(Response::new(ListUploadLogsResponse { upload_logs, more }))
    }

    async fn count_upload_logs(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        Ok(Response::new(store::count(&self.context.db, &request.into_inner().r#where).await?))
    }

    async fn list_upload_rows(
        &self,
        request: Request<ListUploadRowsRequest>,
    ) -> Result<Response<ListUploadRowsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ListUploadRowsRequest { upload_log_id, page } = request.into_inner();
        let page = page.unwrap_or_default();
        let log = log_id(&upload_log_id)?;
        let (rows, more) = store::rows(&self.context.db, log, &page).await?;
        let numbers: Vec<i64> = rows.iter().map(|row| row.row_number).collect();
        let mut corrections = review::changes_of(&self.context, log, &numbers).await?;
        let sheets = Sheets::of(&self.context, log).await?;
        let rows = rows.into_iter().map(|row| {
            let corrections = corrections.remove(&row.row_number).unwrap_or_default();
            sheets.row(UploadRow { corrections, ..row.into() })
        });
        Ok(Response::new(ListUploadRowsResponse { rows: rows.collect(), more }))
    }

    async fn count_upload_rows(
        &self,
        request: Request<CountUploadRowsRequest>,
    ) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let CountUploadRowsRequest { upload_log_id, r#where } = request.into_inner();
        let log = log_id(&upload_log_id)?;
        Ok(Response::new(store::count_rows(&self.context.db, log, &r#where).await?))
    }

    async fn list_review_rows(
        &self,
        request: Request<ListReviewRowsRequest>,
    ) -> Result<Response<ListReviewRowsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        Ok(Response::new(review::listed(&self.context, request.into_inner()).await?))
    }

    async fn correct_rows(
        &self,
        request: Request<CorrectRowsRequest>,
    ) -> Result<Response<CorrectRowsResponse>, Status> {
        principal(&request)?.require(Role::EDITORS)?;
        let actor = Actor::from(kit::principal::caller(&request)?);
        let CorrectRowsRequest { upload_log_id, corrections } = request.into_inner();
        let edits = corrections.into_iter().map(|CellCorrection { row_number, column, value }| store::Edit {
            row: row_number,
            place: column,
            value,
        });
        let (log, by) = (log_id(&upload_log_id)?, actor.at(self.context.clock.now()));
        let changed = store::correct(&self.context.db, log, edits.collect(), by).await?;
        Ok(Response::new(CorrectRowsResponse { changed }))
    }

    async fn replace_in_column(
        &self,
        request: Request<ReplaceInColumnRequest>,
    ) -> Result<Response<CorrectRowsResponse>, Status> {
        principal(&request)?.require(Role::EDITORS)?;
        let actor = Actor::from(kit::principal::caller(&request)?);
        let ReplaceInColumnRequest { upload_log_id, column, find, value, whole_cell, dry_run } =
            request.into_inner();
        let replace = store::Replace { place: column, find, value, whole_cell, dry_run };
        let (log, by) = (log_id(&upload_log_id)?, actor.at(self.context.clock.now()));
        let changed = store::replace(&self.context.db, log, replace, by).await?;
        Ok(Response::new(CorrectRowsResponse { changed }))
    }

    async fn import_corrected_rows(
        &self,
        request: Request<ImportCorrectedRowsRequest>,
    ) -> Result<Response<UploadLog>, Status> {
        let who = principal(&request)?.require(Role::EDITORS)?.clone();
        let actor = Actor::from(kit::principal::caller(&request)?);
        require_open(&self.context)?;
        let (log, now) = (log_id(&request.into_inner().id)?, Reading::now(&self.context));
        let by = actor.at(self.context.clock.now());
        let log = store::start_corrected(&self.context.db, log, now, by).await?;
        Ok(Response::new(self.shown(log, &who)))
    }

    async fn list_upload_warnings(
        &self,
        request: Request<ListUploadWarningsRequest>,
    ) -> Result<Response<ListUploadWarningsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ListUploadWarningsRequest { upload_log_id, page } = request.into_inner();
        let page = page.unwrap_or_default();
        let log = log_id(&upload_log_id)?;
        let (rows, more) = store::warnings(&self.context.db, log, &page).await?;
        let sheets = Sheets::of(&self.context, log).await?;
        let warnings = rows.into_iter().map(|row| sheets.warning(row.into())).collect();
        Ok(Response::new(ListUploadWarningsResponse { warnings, more }))
    }
}

impl Service {
    /// Returns the log, with `undo_allowed` set if the caller may undo the import.
    fn shown(&self, log: upload_log::Model, who: &Principal) -> UploadLog {
        let undo_allowed = log.has_more_to_undo() && self.require_undoable(&log, who).is_ok();
        UploadLog { undo_allowed, ..log.into() }
    }

    /// Refuses to undo somebody else's import, or an old one; administrators always may.
    fn require_undoable(&self, log: &upload_log::Model, who: &Principal) -> Result<()> {
        if who.require(&[Role::Admin]).is_ok() {
            return Ok(());
        }
        who.require(Role::EDITORS)?;
        let own = log.is_imported_by(&who.id(), &who.actor());
        let now = self.context.clock.now();
        if !own || log.undoable_until().is_some_and(|until| now >= until) {
            let text =
                "Only an administrator can undo this import: others can undo their own imports for 24 hours.";
            return Err(Error::new(Kind::Forbidden, "UNDO_NOT_ALLOWED", text));
        }
        Ok(())
    }

    /// Returns what an undo would do now.
    async fn expected(&self, log: &upload_log::Model) -> Result<UndoCounts> {
        if !log.has_more_to_undo() {
            return Err(store::nothing_to_undo());
        }
        let request = deliveries::PreviewUndoRequest { upload_log_id: log.id.to_string() };
        let expected = import::client(&self.context)?.preview_undo(request).await?.into_inner();
        if expected.reversed + expected.kept + expected.failed == 0 {
            return Err(store::nothing_to_undo());
        }
        Ok(expected)
    }

    /// Returns the chosen source, or the one named Default; it must be active.
    async fn source(&self, token: std::sync::Arc<str>, chosen: &str) -> Result<Uuid> {
        let (key, value) = if chosen.is_empty() { ("name", "Default") } else { ("id", chosen) };
        let filter =
            Filter { key: key.to_owned(), operator: "equals".to_owned(), values: vec![value.to_owned()] };
        let page = Page { r#where: vec![filter], limit: 1, ..Page::default() };
        let mut client = PartiesServiceClient::new(self.context.deliveries.with_token(token));
        let found = client.list_sources(ListSourcesRequest { page: Some(page) }).await?.into_inner();
        let refuse = |text: String| Error::invalid_field("sourceId", text);
        let source = found
            .sources
            .into_iter()
            .next()
            .ok_or_else(|| refuse("The source does not exist. Choose another one.".into()))?;
        if !source.is_active {
            return Err(refuse(format!(
                "The source {} is disabled. Enable it or choose another one.",
                source.name
            )));
        }
        Uuid::from_str(&source.id).map_err(Error::internal)
    }
}

fn checked_mode(mode: i32) -> Result<Mode> {
    match UploadMode::try_from(mode) {
        Ok(UploadMode::Unspecified) => Ok(Mode::Upsert),
        known => known.ok().and_then(|mode| mode.try_into().ok()).ok_or_else(|| {
            Error::invalid_field("mode", "The mode must be upsert, create_only or skip_existing")
        }),
    }
}

fn log_id(text: &str) -> Result<Uuid> {
    text.parse().map_err(|_| Error::not_found("UPLOAD_LOG_NOT_FOUND", "There is no such upload"))
}

/// Validates a name for display; it is never used as a path.
fn checked_filename(filename: &str) -> Result<String> {
    let name = filename.trim();
    if name.is_empty() {
        return Err(Error::invalid_field("filename", "Filename is required"));
    }
    if name.chars().count() > FILENAME || name.chars().any(char::is_control) {
        return Err(Error::invalid_field(
            "filename",
            format!("A file name is at most {FILENAME} plain characters"),
        ));
    }
    Ok(name.to_owned())
}
