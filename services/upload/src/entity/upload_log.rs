use proto::upload::v1 as wire;
use sea_orm::Condition;
use sea_orm::entity::prelude::*;

use super::upload_row::Texts;

::store::text_enum!(
    /// The state of an import.
    Status {
        Uploaded => "uploaded",
        Parsing => "parsing",
        Importing => "importing",
        Imported => "imported",
        ImportedWithErrors => "imported_with_errors",
        Failed => "failed",
        Checking => "checking",
        Validated => "validated",
        Undoing => "undoing",
        Undone => "undone",
        PartlyUndone => "partly_undone",
        NeedsMapping => "needs_mapping",
        Correcting => "correcting",
    }
);

::store::text_enum!(
    /// What happens to rows whose delivery exists already.
    Mode {
        Upsert => "upsert",
        CreateOnly => "create_only",
        SkipExisting => "skip_existing",
    }
);

proto::same_enum!(wire::UploadMode => Mode {
    Upsert => Upsert,
    CreateOnly => CreateOnly,
    SkipExisting => SkipExisting,
});

impl Status {
    /// States in which the file is being imported or is waiting to be.
    pub const IMPORTING: [Status; 3] = [Status::Uploaded, Status::Parsing, Status::Importing];
    /// States in which the importer still has work to do.
    pub const OPEN: [Status; 4] = [Status::Uploaded, Status::Parsing, Status::Importing, Status::Checking];
    /// States of an import that has ended and was not undone completely.
    pub const UNDOABLE: [Status; 4] =
        [Status::Imported, Status::ImportedWithErrors, Status::Failed, Status::PartlyUndone];

    /// Returns whether an import goes on only when a person does something.
    pub fn waits_for_person(self) -> bool {
        matches!(self, Status::NeedsMapping | Status::Validated)
    }
}

proto::same_enum!(wire::UploadStatus => Status {
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

/// How long the person who imported a file may undo the import. Administrators may undo it later, too.
pub const UNDOABLE_FOR: chrono::Duration = chrono::Duration::hours(24);

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_log")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub object_key: String,
    pub filename: String,
    pub filename_key: String,
    pub status: Status,
    pub source_id: Uuid,
    pub size_bytes: i64,
    /// Digest of the file when it was first read, in hex, so that a file that changes during an import is
    /// noticed.
    pub sha256: Option<String>,
    /// How the file's columns are read; set once the import has begun.
    pub reading: Option<String>,
    pub bytes_read: i64,
    /// Number of the next batch to import. The rows of all earlier batches are imported, and their counts are
    /// stored here. Each start of an import of corrected rows skips a number.
    pub next_batch: i32,
    pub rows_total: i32,
    pub rows_created: i32,
    pub rows_updated: i32,
    pub rows_skipped: i32,
    pub rows_failed: i32,
    pub deliveries_created: i32,
    pub items_created: i32,
    pub failure_code: Option<String>,
    pub failure_text: Option<String>,
    pub started_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
    pub uploaded_by: String,
    pub uploaded_by_key: String,
    pub created_at: DateTimeUtc,
    /// Set while an importer of the previous release, which has no jobs, works on the import. The next
    /// release drops this column together with `claimed_by` and `attempts`, which nothing reads.
    pub claimed_until: Option<DateTimeUtc>,
    /// Headings of the file, in column order.
    pub headings: Option<Texts>,
    /// Number of all warnings, including those that are not kept.
    pub warnings: i32,
    pub mode: Mode,
    /// The latest job of this log, for example a dry run or an undo. NULL if that is the import job, which
    /// has the same id as the log.
    pub job_id: Option<Uuid>,
    pub undo_reversed: i32,
    pub undo_kept: i32,
    pub undo_failed: i32,
    /// Number of deliveries that the undo covers; NULL until an undo is started.
    pub undo_total: Option<i32>,
    pub undo_failure_text: Option<String>,
    pub undone_at: Option<DateTimeUtc>,
    pub undone_by: Option<String>,
    /// Id of the user who uploaded the file. NULL in logs that are older than this column.
    pub uploaded_by_id: Option<String>,
    /// The first rows of a file that waits for a person to map its columns, in the format of
    /// `file::layout::Preview`.
    pub preview: Option<String>,
    /// The mapping that a person chose, in the format of `file::Layout`.
    pub layout: Option<String>,
    /// Whether a dry run comes before the import. False in logs that are older than this column.
    pub dry_run: bool,
    /// Number of values that match no record, or for which a remembered choice is used.
    pub values_to_match: i32,
    /// Number of these values for which nobody chose.
    pub values_undecided: i32,
    /// Whether a value was matched or a cell was changed after the last dry run. The column is older than
    /// changed cells.
    #[sea_orm(column_name = "values_changed")]
    pub changed_since_check: bool,
    /// Identifies the columns as the file was last read: the places of changed cells refer to them.
    pub columns_key: Option<String>,
    /// Name of the user who started the import. NULL if that is the uploader, and in logs older than this column.
    pub imported_by: Option<String>,
    /// Id of the user who started the import; NULL like `imported_by`.
    pub imported_by_id: Option<String>,
}

impl Model {
    /// Returns whether this is a dry run, also one that waits for a person. A dry run has its own job.
    pub fn is_check(&self) -> bool {
        match self.status {
            Status::Checking | Status::Validated => true,
            Status::NeedsMapping => self.job_id.is_some(),
            _ => false,
        }
    }

    /// Returns the name of the user who started the import.
    pub fn importer(&self) -> &str {
        self.imported_by.as_deref().unwrap_or(&self.uploaded_by)
    }

    /// Returns whether a user started the import. Compares names only in logs that are older than the ids, because a
    /// name may later belong to somebody else.
    pub fn is_imported_by(&self, id: &str, name: &str) -> bool {
        let known = if self.imported_by.is_some() { &self.imported_by_id } else { &self.uploaded_by_id };
        known.as_ref().map_or_else(|| self.importer() == name, |known| known == id)
    }

    /// Returns the time until which the person who imported the file may undo the import.
    pub fn undoable_until(&self) -> Option<DateTimeUtc> {
        let ended = self.finished_at.filter(|_| Status::UNDOABLE.contains(&self.status));
        ended.map(|at| at + UNDOABLE_FOR)
    }

    /// Returns what the undo has done so far; `None` until one is started.
    fn undo(&self) -> Option<wire::UploadUndo> {
        self.undo_total.map(|total| wire::UploadUndo {
            reversed: self.undo_reversed.unsigned_abs(),
            kept: self.undo_kept.unsigned_abs(),
            failed: self.undo_failed.unsigned_abs(),
            total: total.unsigned_abs(),
        })
    }

    /// Returns the fields of the message that aren't stored as they are: about columns, the undo and the values to match.
    fn computed(&self) -> wire::UploadLog {
        let reading = self.reading.as_deref();
        let (columns, document_column) = reading.map(crate::settings::columns_of).unwrap_or_default();
        wire::UploadLog {
            columns,
            document_column,
            undoable_until: self.undoable_until().map(proto::timestamp),
            undone_at: self.undone_at.map(proto::timestamp),
            undone_by: self.undone_by.clone(),
            undo: self.undo(),
            undo_failure_text: self.undo_failure_text.clone(),
            values_to_match: self.values_to_match.unsigned_abs(),
            values_undecided: self.values_undecided.unsigned_abs(),
            changed_since_check: self.changed_since_check,
            ..wire::UploadLog::default()
        }
    }

    /// Returns whether an undo may have something left to do. Only deliveries knows for certain.
    pub fn has_more_to_undo(&self) -> bool {
        let done = self.undo_reversed + self.undo_kept + self.undo_failed;
        let changed = self.rows_created + self.rows_updated > 0 || self.may_have_uncounted_rows();
        Status::UNDOABLE.contains(&self.status) && changed && self.undo_total.is_none_or(|total| done < total)
    }

    /// Returns whether deliveries may have rows that the counts leave out. A batch is counted when its answer
    /// arrives, and a job that is canceled or given up may end before that.
    fn may_have_uncounted_rows(&self) -> bool {
        match self.status {
            Status::Failed => {
                // A dry run changes nothing. It has a job of its own; the import after it has none.
                let was_dry_run = self.dry_run && self.job_id.is_some();
                // No batch is sent before both are set. After a dry run, the reading alone says nothing: the
                // import keeps it.
                self.started_at.is_some() && self.reading.is_some() && !was_dry_run
            }
            // The import itself has ended, so all of its rows are counted. A job may be an import of corrected rows,
            // or only the check before an import.
            Status::Imported | Status::ImportedWithErrors => self.job_id.is_some(),
            // The undo was started because deliveries had rows.
            Status::PartlyUndone => true,
            _ => false,
        }
    }
}

impl ActiveModelBehavior for ActiveModel {}

/// Selects uploads that ended without importing anything, so that their files are not read again: the failed ones of
/// which [`Model::has_more_to_undo`] would return false. A test compares the two.
pub fn came_to_nothing() -> Condition {
    let was_dry_run = Condition::all().add(Column::DryRun.eq(true)).add(Column::JobId.is_not_null());
    let sent_nothing =
        Condition::any().add(Column::StartedAt.is_null()).add(Column::Reading.is_null()).add(was_dry_run);
    Condition::all()
        .add(Column::Status.eq(Status::Failed))
        .add(Column::RowsCreated.eq(0))
        .add(Column::RowsUpdated.eq(0))
        .add(sent_nothing)
}

/// Leaves `undo_allowed` false, because the caller is not known here.
impl From<Model> for wire::UploadLog {
    fn from(row: Model) -> Self {
        let computed = row.computed();
        let Model {
            id,
            object_key: _,
            filename,
            filename_key: _,
            status,
            source_id,
            size_bytes,
            sha256: _,
            reading: _,
            bytes_read,
            next_batch: _,
            rows_total,
            rows_created,
            rows_updated,
            rows_skipped,
            rows_failed,
            deliveries_created,
            items_created,
            failure_code,
            failure_text,
            started_at,
            finished_at,
            uploaded_by,
            uploaded_by_key: _,
            created_at,
            claimed_until: _,
            headings,
            warnings,
            mode,
            job_id: _,
            undo_reversed: _,
            undo_kept: _,
            undo_failed: _,
            undo_total: _,
            undo_failure_text: _,
            undone_at: _,
            undone_by: _,
            uploaded_by_id: _,
            preview: _,
            layout,
            dry_run,
            values_to_match: _,
            values_undecided: _,
            changed_since_check: _,
            columns_key: _,
            imported_by: _,
            imported_by_id: _,
        } = row;
        let headings = headings.map(|it| it.0).unwrap_or_default();
        wire::UploadLog {
            id: id.to_string(),
            filename,
            status: wire::UploadStatus::from(status).into(),
            source_id: source_id.to_string(),
            size_bytes: size_bytes.unsigned_abs(),
            bytes_read: bytes_read.unsigned_abs(),
            rows_total: rows_total.unsigned_abs(),
            rows_created: rows_created.unsigned_abs(),
            rows_updated: rows_updated.unsigned_abs(),
            rows_skipped: rows_skipped.unsigned_abs(),
            rows_failed: rows_failed.unsigned_abs(),
            deliveries_created: deliveries_created.unsigned_abs(),
            items_created: items_created.unsigned_abs(),
            failure_code,
            failure_text,
            started_at: started_at.map(proto::timestamp),
            finished_at: finished_at.map(proto::timestamp),
            uploaded_by,
            created_at: Some(proto::timestamp(created_at)),
            warnings: warnings.unsigned_abs(),
            headings,
            mode: wire::UploadMode::from(mode).into(),
            undo_allowed: false,
            columns_chosen: layout.is_some() || status == Status::NeedsMapping,
            dry_run: dry_run || matches!(status, Status::Checking | Status::Validated),
            ..computed
        }
    }
}
