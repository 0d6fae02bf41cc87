//! Uploads of which nothing is imported. Those that wait for a person end after a while, and what was found in their
//! files is deleted. The sweep of links deletes the files.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use super::parts::KEPT;
use super::progress::end_waiting_import;
use crate::entity::upload_log::{Column, Entity, Status, came_to_nothing};
use crate::entity::upload_row::Texts;
use crate::entity::{upload_change, upload_edit, upload_part, upload_row, upload_value, upload_warning};
use ::store::clearing::{Doubts, delete_in_steps};
use ::store::jobs::End;
use ::store::{Db, db};

/// Up to this many imports always end: so many may expire while the program is off. With a wrong clock, people upload
/// their files again.
const FEW: u64 = 20;
/// Uploads per run; the next one follows in an hour.
const AT_ONCE: u64 = 200;

/// Ends imports that nobody continues, unless there are implausibly many, and deletes what was found in files of which
/// nothing was imported. Returns how many imports ended and rows were deleted.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    Ok(end(db_, now, doubts).await? + clear(db_).await?)
}

/// Ends imports that waited for a person for [`KEPT`]; returns how many.
async fn end(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    let before = now - KEPT;
    let plausible = doubts.allow_old_or_few::<Entity>(db_, Column::StartedAt, waits(before), before, FEW);
    if !plausible.await? {
        return Ok(0);
    }
    let abandoned = || Entity::find().filter(Column::StartedAt.lt(before)).filter(waits(before));
    let mut ended = 0;
    for id in oldest(db_, abandoned(), Column::StartedAt).await? {
        let tx = db_.begin().await?;
        // Somebody may have gone on with it in the meantime.
        let log = abandoned().filter(Column::Id.eq(id)).lock_exclusive().one(&*tx).await.map_err(db)?;
        let Some(log) = log else { continue };
        let expired = Error::precondition(
            "IMPORT_CANCELLED",
            "Nobody continued this import for 30 days, so it was canceled. Nothing was imported. Upload the file again \
             if you still need it.",
        );
        end_waiting_import(&tx, &log, &End::Failed(expired), now).await?;
        tx.commit().await?;
        ended += 1;
    }
    Ok(ended)
}

/// Returns the ids of the first of these uploads by `time`.
async fn oldest(db_: &Db, uploads: Select<Entity>, time: Column) -> Result<Vec<Uuid>> {
    let ids = uploads.select_only().column(Column::Id).order_by_asc(time).limit(AT_ONCE);
    ids.into_tuple().all(db_.read()).await.map_err(db)
}

/// Selects imports that wait for a person, except files that were checked or edited later than `before`.
fn waits(before: DateTime<Utc>) -> Condition {
    let of_log = Expr::col((upload_edit::Entity, upload_edit::Column::UploadLogId));
    let edited = Query::select()
        .column(upload_edit::Column::Place)
        .from(upload_edit::Entity)
        .and_where(of_log.equals((Entity, Column::Id)))
        .and_where(upload_edit::Column::EditedAt.gte(before))
        .take();
    let checked =
        Condition::all().add(Column::Status.eq(Status::Validated)).add(Column::FinishedAt.lt(before));
    Condition::all()
        .add(Condition::any().add(Column::Status.eq(Status::NeedsMapping)).add(checked))
        .add(Expr::exists(edited).not())
}

/// Deletes what was found in files of which nothing was imported, and their counts; returns how many rows were deleted.
async fn clear(db_: &Db) -> Result<u64> {
    let is_left = Condition::any().add(Column::Headings.is_not_null()).add(Column::Layout.is_not_null());
    let ended = Entity::find().filter(came_to_nothing()).filter(is_left);
    let mut gone = 0;
    for id in oldest(db_, ended, Column::FinishedAt).await? {
        gone += delete::<upload_row::Entity>(db_, upload_row::Column::UploadLogId, id).await?;
        gone += delete::<upload_change::Entity>(db_, upload_change::Column::UploadLogId, id).await?;
        gone += delete::<upload_value::Entity>(db_, upload_value::Column::UploadLogId, id).await?;
        gone += delete::<upload_warning::Entity>(db_, upload_warning::Column::UploadLogId, id).await?;
        gone += delete::<upload_part::Entity>(db_, upload_part::Column::UploadLogId, id).await?;
        gone += delete::<upload_edit::Entity>(db_, upload_edit::Column::UploadLogId, id).await?;
        forget(db_, id).await?;
    }
    Ok(gone)
}

async fn delete<E: EntityTrait>(db_: &Db, of: E::Column, log: Uuid) -> Result<u64> {
    delete_in_steps::<E>(db_, Query::select().and_where(of.eq(log)).take()).await
}

/// Removes the counts and the columns of an upload. Without its columns, an upload is not cleared again.
async fn forget(db_: &Db, id: Uuid) -> Result<()> {
    let mut update = Entity::update_many()
        .col_expr(Column::Headings, Expr::value(None::<Texts>))
        .col_expr(Column::Layout, Expr::value(None::<String>))
        .col_expr(Column::Reading, Expr::value(None::<String>))
        .filter(Column::Id.eq(id));
    for count in [
        Column::RowsTotal,
        Column::RowsSkipped,
        Column::RowsFailed,
        Column::Warnings,
        Column::ValuesToMatch,
        Column::ValuesUndecided,
    ] {
        update = update.col_expr(count, Expr::value(0));
    }
    let tx = db_.begin().await?;
    update.exec(&*tx).await.map_err(db)?;
    tx.commit().await
}
