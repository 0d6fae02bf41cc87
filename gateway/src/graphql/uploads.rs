//! Upload logs, their refused rows and warnings.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use proto::deliveries::v1 as delivery;
use proto::upload::v1 as contract;

use super::clients;
use super::error::{Failure, found};
use super::page::{self, Count, Filter, PageOptions};
use super::parties::Source;
use super::upload_reading::UploadColumn;
use super::upload_rows::{UploadRow, UploadWarning};
use super::value::{DateTime, known, set_time, time};
use super::viewer::loaders;

#[derive(Default)]
pub struct UploadsQuery;

#[Object]
impl UploadsQuery {
    async fn upload_log(&self, ctx: &Context<'_>, id: String) -> Result<Option<UploadLog>, Failure> {
        let answer = clients::uploads(ctx)?.get_upload_log(contract::GetUploadLogRequest { id }).await;
        Ok(found(answer)?.map(UploadLog))
    }

    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn upload_logs(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<UploadLog>, Failure> {
        let mut client = clients::uploads(ctx)?;
        let ask = contract::ListUploadLogsRequest { page: Some(page::page(page)?) };
        let found = client.list_upload_logs(ask).await?.into_inner().upload_logs;
        Ok(found.into_iter().map(UploadLog).collect())
    }

    async fn upload_logs_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::uploads(ctx)?.count_upload_logs(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }

    /// The refused rows of one upload, in file order.
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn upload_rows(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        page: Option<PageOptions>,
    ) -> Result<Vec<UploadRow>, Failure> {
        let mut client = clients::uploads(ctx)?;
        let page = Some(page::page(page)?);
        let ask = contract::ListUploadRowsRequest { upload_log_id: upload_log, page };
        let found = client.list_upload_rows(ask).await?.into_inner().rows;
        Ok(found.into_iter().map(UploadRow).collect())
    }

    async fn upload_rows_count(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let r#where = page::filters(r#where);
        let ask = contract::CountUploadRowsRequest { upload_log_id: upload_log, r#where };
        Ok(clients::uploads(ctx)?.count_upload_rows(ask).await?.into_inner().into())
    }

    /// The first 500 warnings of an import, in the order they were found. Supports limit and offset only.
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn upload_warnings(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        page: Option<PageOptions>,
    ) -> Result<Vec<UploadWarning>, Failure> {
        let mut client = clients::uploads(ctx)?;
        let page = Some(page::page(page)?);
        let ask = contract::ListUploadWarningsRequest { upload_log_id: upload_log, page };
        let found = client.list_upload_warnings(ask).await?.into_inner().warnings;
        Ok(found.into_iter().map(UploadWarning::from).collect())
    }

    /// The first 100 fields that the import would change, found by a dry run.
    #[graphql(complexity = "page::times(100, child_complexity)")]
    async fn upload_changes(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
    ) -> Result<Vec<UploadChange>, Failure> {
        let ask = contract::ListUploadChangesRequest { upload_log_id: upload_log };
        let found = clients::uploads(ctx)?.list_upload_changes(ask).await?.into_inner().changes;
        Ok(found.into_iter().map(UploadChange::from).collect())
    }

    /// Deliveries that an undo left unchanged, sorted by id. Supports limit and offset only.
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn undo_exceptions(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        page: Option<PageOptions>,
    ) -> Result<Vec<UndoException>, Failure> {
        let mut client = clients::deliveries(ctx)?;
        let page = Some(page::page(page)?);
        let ask = delivery::ListUndoExceptionsRequest { upload_log_id: upload_log, page };
        let found = client.list_undo_exceptions(ask).await?.into_inner().exceptions;
        found.into_iter().map(UndoException::try_from).collect()
    }
}

#[derive(Default)]
pub struct UploadsMutation;

#[Object]
impl UploadsMutation {
    /// Imports a file after its dry run.
    async fn commit_upload(&self, ctx: &Context<'_>, input: CommitUploadInput) -> Result<UploadLog, Failure> {
        let ask = contract::CommitImportRequest { id: input.id };
        Ok(UploadLog(clients::uploads(ctx)?.commit_import(ask).await?.into_inner()))
    }

    /// Ends an import, a dry run or an undo early. Changes made so far stay. An import that waits for a person ends, and
    /// nothing of it is imported.
    async fn cancel_upload(&self, ctx: &Context<'_>, input: CancelUploadInput) -> Result<UploadLog, Failure> {
        let ask = contract::CancelUploadRequest { id: input.id };
        Ok(UploadLog(clients::uploads(ctx)?.cancel_upload(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct CommitUploadInput {
    id: String,
}

#[derive(InputObject)]
pub struct CancelUploadInput {
    id: String,
}

pub struct UploadLog(pub(super) contract::UploadLog);

#[Object]
impl UploadLog {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn filename(&self) -> &str {
        &self.0.filename
    }
    async fn status(&self) -> Result<UploadStatus, Failure> {
        known::<contract::UploadStatus, _>(self.0.status)
    }
    async fn source_id(&self) -> &str {
        &self.0.source_id
    }
    async fn source(&self, ctx: &Context<'_>) -> Result<Option<Source>, Failure> {
        Ok(loaders(ctx)?.sources.one(&self.0.source_id).await?.map(Source))
    }
    /// Size of the file in bytes. A Float, because an Int ends at 2 GiB.
    async fn size_bytes(&self) -> f64 {
        self.0.size_bytes as f64
    }
    async fn bytes_read(&self) -> f64 {
        self.0.bytes_read as f64
    }
    async fn rows_total(&self) -> u32 {
        self.0.rows_total
    }
    async fn rows_created(&self) -> u32 {
        self.0.rows_created
    }
    async fn rows_updated(&self) -> u32 {
        self.0.rows_updated
    }
    async fn rows_skipped(&self) -> u32 {
        self.0.rows_skipped
    }
    async fn rows_failed(&self) -> u32 {
        self.0.rows_failed
    }
    async fn deliveries_created(&self) -> u32 {
        self.0.deliveries_created
    }
    async fn items_created(&self) -> u32 {
        self.0.items_created
    }
    async fn failure_code(&self) -> Option<&str> {
        self.0.failure_code.as_deref()
    }
    async fn failure_text(&self) -> Option<&str> {
        self.0.failure_text.as_deref()
    }
    async fn started_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.started_at)
    }
    async fn finished_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.finished_at)
    }
    async fn uploaded_by(&self) -> &str {
        &self.0.uploaded_by
    }
    async fn created_at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.created_at)
    }
    /// Number of all warnings, of which the first 500 can be read.
    async fn warnings(&self) -> u32 {
        self.0.warnings
    }
    /// Headings of the file, in column order.
    async fn headings(&self) -> &[String] {
        &self.0.headings
    }
    /// Columns whose dates or numbers were ambiguous, and how each of these columns was read.
    async fn columns(&self) -> Result<Vec<UploadColumn>, Failure> {
        self.0.columns.iter().map(UploadColumn::of).collect()
    }
    /// Index of the column that holds the Delivery Doc, from 0. Null until the file has been read, and for files read by
    /// earlier releases.
    async fn document_column(&self) -> Option<u32> {
        self.0.document_column
    }
    async fn mode(&self) -> Result<UploadMode, Failure> {
        known::<contract::UploadMode, _>(self.0.mode)
    }
    /// Until when the person who imported the file may undo the import. Administrators may undo it later.
    async fn undoable_until(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.undoable_until)
    }
    /// Whether the caller may undo the import now.
    async fn undo_allowed(&self) -> bool {
        self.0.undo_allowed
    }
    /// When the undo ended.
    async fn undone_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.undone_at)
    }
    async fn undone_by(&self) -> Option<&str> {
        self.0.undone_by.as_deref()
    }
    /// What the undo has done so far; null until an undo is started.
    async fn undo_report(&self) -> Option<UndoReport> {
        self.0.undo.map(UndoReport::from)
    }
    /// Whether somebody decides or decided about its columns.
    async fn columns_chosen(&self) -> bool {
        self.0.columns_chosen
    }
    /// Whether a dry run comes or came before the import.
    async fn dry_run(&self) -> bool {
        self.0.dry_run
    }
    /// Number of values that `importValues` lists.
    async fn values_to_match(&self) -> u32 {
        self.0.values_to_match
    }
    /// Number of these values for which nobody has chosen yet.
    async fn values_undecided(&self) -> u32 {
        self.0.values_undecided
    }
    /// Whether values were matched or cells were changed after the last check.
    async fn changed_since_check(&self) -> bool {
        self.0.changed_since_check
    }
    /// Why the undo ended early.
    async fn undo_failure_text(&self) -> Option<&str> {
        self.0.undo_failure_text.as_deref()
    }
}

/// Numbers of deliveries that the import created or changed. After the undo, each delivery counts in exactly
/// one of `reversed`, `kept` and `errored`.
#[derive(SimpleObject)]
pub struct UndoReport {
    reversed: u32,
    /// Deliveries that were left unchanged, because somebody changed them after the import.
    kept: u32,
    /// Deliveries that could not be reversed, because they or their previous values are gone.
    errored: u32,
    total: u32,
}

impl From<contract::UploadUndo> for UndoReport {
    fn from(undo: contract::UploadUndo) -> Self {
        let contract::UploadUndo { reversed, kept, failed, total } = undo;
        Self { reversed, kept, errored: failed, total }
    }
}

#[derive(SimpleObject)]
pub struct UndoException {
    delivery_id: String,
    result: UndoResult,
    /// One of DELIVERY_TOUCHED, PREVIOUS_VALUES_NOT_KEPT and DELIVERY_NOT_FOUND.
    code: String,
    touched_by: Option<String>,
    touched_at: Option<DateTime>,
}

impl TryFrom<delivery::UndoException> for UndoException {
    type Error = Failure;

    fn try_from(row: delivery::UndoException) -> Result<Self, Failure> {
        let delivery::UndoException { delivery_id, failed, code, touched_by, touched_at } = row;
        let result = if failed { UndoResult::Errored } else { UndoResult::Kept };
        Ok(Self { delivery_id, result, code, touched_by, touched_at: time(touched_at)? })
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum UndoResult {
    Kept,
    Errored,
}

#[derive(SimpleObject)]
pub struct UploadChange {
    delivery_id: String,
    item_number: Option<String>,
    field: String,
    before: Option<String>,
    after: Option<String>,
}

impl From<contract::UploadChange> for UploadChange {
    fn from(change: contract::UploadChange) -> Self {
        let contract::UploadChange { delivery_id, item_number, field, before, after } = change;
        Self { delivery_id, item_number, field, before, after }
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum UploadMode {
    Upsert,
    CreateOnly,
    SkipExisting,
}

proto::same_enum!(contract::UploadMode => UploadMode {
    Upsert => Upsert,
    CreateOnly => CreateOnly,
    SkipExisting => SkipExisting,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum UploadStatus {
    Uploaded,
    Parsing,
    Importing,
    Imported,
    ImportedWithErrors,
    Failed,
    Checking,
    Validated,
    Undoing,
    Undone,
    PartlyUndone,
    NeedsMapping,
    Correcting,
}

proto::same_enum!(contract::UploadStatus => UploadStatus {
    Uploaded => Uploaded,
    Parsing => Parsing,
    Importing => Importing,
    Imported => Imported,
    ImportedWithErrors => ImportedWithErrors,
    Failed => Failed,
    Checking => Checking,
    Validated => Validated,
    Undoing => Undoing,
    Undone => Undone,
    PartlyUndone => PartlyUndone,
    NeedsMapping => NeedsMapping,
    Correcting => Correcting,
});
