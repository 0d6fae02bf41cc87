//! Imports, dry runs and undos as jobs. An import has the id of its upload log; the others refer to the
//! log.

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::prelude::Json;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::entity::upload_log::{Column, Entity, Model, Status};
use ::store::jobs::{self, NewJob, job};
use ::store::{Db, Tx, db};

/// The kind of job for imports.
pub const KIND: &str = "import";
/// The kind of job for imports for which people matched values. A process of the previous release would import
/// the values instead of the chosen records.
pub const MATCHED: &str = "matched_import";
/// The kind of job for imports of files whose cells people changed. A process of the previous release would import
/// the cells of the file.
pub const EDITED: &str = "edited_import";
/// The kind of job for dry runs. If it were `import`, a process of the previous release would import the
/// file.
pub const CHECK: &str = "check";
/// The kind for reading a file for a person who chooses its columns. A process of the previous release would
/// import the file without asking.
pub const PREVIEW: &str = "preview";
/// The kind for undos.
pub const UNDO: &str = "undo";
/// The kind for imports of corrected rows.
pub const CORRECT: &str = "correct";
const LOG: &str = "uploadLog";
/// Number of logs adopted at a time.
const ADOPTED: u64 = 100;

/// Queues an import, or the preview before it, as `kind` says.
pub(super) async fn enqueue(tx: &Tx, kind: &'static str, log: &Model) -> Result<()> {
    let new = NewJob {
        id: log.id,
        kind,
        payload: Json::Object(Default::default()),
        created_by: log.importer(),
        created_at: log.created_at,
    };
    jobs::enqueue(tx, new).await.map(|_| ())
}

/// Queues a dry run, a preview, an undo or an import of corrected rows, as `kind` says. Returns the job's id.
pub(super) async fn enqueue_other(
    tx: &Tx,
    kind: &'static str,
    log: Uuid,
    created_by: &str,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    let id = kit::clock::new_id();
    let payload = serde_json::json!({ LOG: log });
    jobs::enqueue(tx, NewJob { id, kind, payload, created_by, created_at: now }).await?;
    Ok(id)
}

/// Returns the upload log of a job.
pub fn log_of(job: &jobs::Job) -> Uuid {
    let named = job.payload.get(LOG).and_then(|id| id.as_str()).and_then(|id| id.parse().ok());
    named.unwrap_or(job.id)
}

/// Returns an import that has not ended.
pub async fn open(db_: &Db, id: Uuid) -> Result<Option<Model>> {
    Entity::find().filter(is_open(id)).one(db_.read()).await.map_err(db)
}

pub(super) fn is_open(id: Uuid) -> Condition {
    Condition::all().add(Column::Id.eq(id)).add(Column::Status.is_in(Status::OPEN))
}

/// Queues jobs for imports that the previous release started, because that release did not create jobs.
/// Returns the number of imports.
pub async fn adopt(db_: &Db) -> Result<usize> {
    let queued = Query::select().column(job::Column::Id).from(job::Entity).to_owned();
    let orphans = Entity::find()
        .filter(Column::Status.is_in(Status::IMPORTING))
        // An import that waited for its columns has a job of its own, whatever became of its first one.
        .filter(Column::JobId.is_null())
        .filter(Expr::col((Entity, Column::Id)).not_in_subquery(queued))
        .order_by_asc(Column::CreatedAt)
        .limit(ADOPTED)
        .all(db_.read())
        .await
        .map_err(db)?;
    if orphans.is_empty() {
        return Ok(0);
    }
    let tx = db_.begin().await?;
    for log in &orphans {
        enqueue(&tx, KIND, log).await?;
    }
    tx.commit().await?;
    Ok(orphans.len())
}

/// Returns whether an importer of the previous release works on an import. Such an importer renews its lease
/// of thirty seconds by its own clock; a lease that ends much later was written by a wrong clock.
pub fn is_with_release_before(log: &Model, now: DateTime<Utc>) -> bool {
    let longest = chrono::Duration::minutes(5);
    log.claimed_until.is_some_and(|until| until > now && until <= now + longest)
}
