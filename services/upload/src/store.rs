//! Queries: links, logs with their leases and counts, refused lines.

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page};
use proto::events::ImportFinished;
use proto::events::envelope::Payload;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, OnConflict, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter};
use uuid::Uuid;

use crate::entity::upload_link;
use crate::entity::upload_log::{ActiveModel, Column, Entity, Model, Status};
use crate::entity::upload_row::{self, Messages};
use crate::fields;
use ::store::filter::{condition, fold};
use ::store::outbox::{self, Fact};
use ::store::page::{order, window};
use ::store::{Db, bulk, db, list};

/// An importer that says nothing for this long counts as dead.
pub const LEASE: chrono::Duration = chrono::Duration::seconds(30);

pub async fn add_link(db_: &Db, object_key: &str, user: &str, now: DateTime<Utc>) -> Result<()> {
    let tx = db_.begin().await?;
    let row = upload_link::ActiveModel {
        object_key: Set(object_key.to_owned()),
        requested_by: Set(user.to_owned()),
        created_at: Set(now),
    };
    upload_link::Entity::insert(row).exec_without_returning(&*tx).await.map_err(db)?;
    tx.commit().await
}

/// Whether this user was given a link to this place.
pub async fn has_link(db_: &Db, object_key: &str, user: &str) -> Result<bool> {
    let link = upload_link::Entity::find_by_id(object_key.to_owned()).one(db_.read()).await.map_err(db)?;
    Ok(link.is_some_and(|link| link.requested_by == user))
}

pub struct NewLog {
    pub object_key: String,
    pub filename: String,
    pub source_id: Uuid,
    pub size_bytes: u64,
    pub uploaded_by: String,
}

/// The log of an object: a new one, or the one there is.
pub async fn create(db_: &Db, new: NewLog, now: DateTime<Utc>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = ActiveModel {
        id: Set(new_id()),
        object_key: Set(new.object_key.clone()),
        filename_key: Set(fold(&new.filename)),
        filename: Set(new.filename),
        status: Set(Status::Uploaded),
        source_id: Set(new.source_id),
        size_bytes: Set(i64::try_from(new.size_bytes).unwrap_or(i64::MAX)),
        sha256: Set(None),
        reading: Set(None),
        bytes_read: Set(0),
        next_batch: Set(0),
        rows_total: Set(0),
        rows_created: Set(0),
        rows_updated: Set(0),
        rows_skipped: Set(0),
        rows_failed: Set(0),
        deliveries_created: Set(0),
        items_created: Set(0),
        failure_code: Set(None),
        failure_text: Set(None),
        started_at: Set(None),
        finished_at: Set(None),
        uploaded_by_key: Set(fold(&new.uploaded_by)),
        uploaded_by: Set(new.uploaded_by),
        created_at: Set(now),
        claimed_until: Set(None),
    };
    Entity::insert(row)
        .on_conflict(OnConflict::column(Column::ObjectKey).do_nothing().to_owned())
        .exec_without_returning(&*tx)
        .await
        .map_err(db)?;
    let log = Entity::find()
        .filter(Column::ObjectKey.eq(new.object_key))
        .one(&*tx)
        .await
        .map_err(db)?
        .ok_or_else(|| Error::internal("an upload log vanished"))?;
    tx.commit().await?;
    Ok(log)
}

pub async fn get(db_: &Db, id: &str) -> Result<Model> {
    let unknown = || Error::not_found("UPLOAD_LOG_NOT_FOUND", "There is no such upload");
    let id: Uuid = id.parse().map_err(|_| unknown())?;
    Entity::find_by_id(id).one(db_.read()).await.map_err(db)?.ok_or_else(unknown)
}

pub async fn list(db_: &Db, page: &Page) -> Result<(Vec<Model>, bool)> {
    let condition = condition(fields::UPLOAD_LOGS, &page.r#where)?;
    let order = order(fields::UPLOAD_LOGS, &page.sort, (Column::CreatedAt, Order::Desc), Column::Id)?;
    list::page::<Entity, _>(db_, condition, &order, Column::Id, window(page)?).await
}

pub async fn count(db_: &Db, filters: &[Filter]) -> Result<Count> {
    list::count::<Entity>(db_, condition(fields::UPLOAD_LOGS, filters)?, Column::Id).await
}

/// Refused lines of one upload, in file order unless sorted otherwise.
pub async fn rows(db_: &Db, log: Uuid, page: &Page) -> Result<(Vec<upload_row::Model>, bool)> {
    use upload_row::Column as C;
    let condition = of_log(log, condition(fields::UPLOAD_ROWS, &page.r#where)?);
    let order = order(fields::UPLOAD_ROWS, &page.sort, (C::RowNumber, Order::Asc), C::RowNumber)?;
    list::page::<upload_row::Entity, _>(db_, condition, &order, C::RowNumber, window(page)?).await
}

pub async fn count_rows(db_: &Db, log: Uuid, filters: &[Filter]) -> Result<Count> {
    let condition = of_log(log, condition(fields::UPLOAD_ROWS, filters)?);
    list::count::<upload_row::Entity>(db_, condition, upload_row::Column::RowNumber).await
}

fn of_log(log: Uuid, condition: Condition) -> Condition {
    Condition::all().add(upload_row::Column::UploadLogId.eq(log)).add(condition)
}

/// Leases of a process before this one: on SQLite nobody else can hold them.
pub async fn forget_leases(db_: &Db) -> Result<()> {
    if db_.is_postgres() {
        return Ok(());
    }
    let tx = db_.begin().await?;
    Entity::update_many()
        .col_expr(Column::ClaimedUntil, Expr::value(None::<DateTime<Utc>>))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// Takes the oldest upload that has work left and no importer, for as long as the lease.
pub async fn claim(db_: &Db, now: DateTime<Utc>) -> Result<Option<Model>> {
    let due = Condition::all()
        .add(Column::Status.is_in(Status::OPEN))
        .add(Condition::any().add(Column::ClaimedUntil.is_null()).add(Column::ClaimedUntil.lt(now)));
    let mut first = Query::select();
    first.column(Column::Id).from(Entity).cond_where(due).order_by(Column::CreatedAt, Order::Asc).limit(1);
    if db_.is_postgres() {
        first.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    }
    let tx = db_.begin().await?;
    let taken = Entity::update_many()
        .col_expr(Column::ClaimedUntil, Expr::value(now + LEASE))
        .col_expr(Column::StartedAt, Expr::col(Column::StartedAt).if_null(now))
        .filter(Expr::col(Column::Id).in_subquery(first))
        .exec_with_returning(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await?;
    Ok(taken.into_iter().next())
}

/// Gives an upload back, to be taken up again by anyone after a while.
pub async fn release(db_: &Db, id: Uuid, until: Option<DateTime<Utc>>) -> Result<()> {
    let tx = db_.begin().await?;
    Entity::update_many()
        .col_expr(Column::ClaimedUntil, Expr::value(until))
        .filter(Column::Id.eq(id))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// Keeps the lease and says what is being done.
pub async fn touch(db_: &Db, id: Uuid, status: Status, now: DateTime<Utc>) -> Result<()> {
    let tx = db_.begin().await?;
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::ClaimedUntil, Expr::value(now + LEASE))
        .filter(Column::Id.eq(id))
        .filter(Column::Status.is_in(Status::OPEN))
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// Notes what the file is, the first time it is read.
/// How the file is read, until the import has ended.
pub async fn note_reading(db_: &Db, id: Uuid, reading: &str) -> Result<()> {
    let tx = db_.begin().await?;
    Entity::update_many()
        .col_expr(Column::Reading, Expr::value(reading))
        .filter(Column::Id.eq(id))
        .filter(Column::Reading.is_null())
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

pub async fn note_hash(db_: &Db, id: Uuid, sha256: &str) -> Result<()> {
    let tx = db_.begin().await?;
    Entity::update_many()
        .col_expr(Column::Sha256, Expr::value(sha256))
        .filter(Column::Id.eq(id))
        .filter(Column::Sha256.is_null())
        .exec(&*tx)
        .await
        .map_err(db)?;
    tx.commit().await
}

/// What one batch adds to the log.
#[derive(Debug, Default)]
pub struct Step {
    pub batch: i32,
    pub bytes_read: u64,
    pub created: i32,
    pub updated: i32,
    pub skipped: i32,
    pub deliveries_created: i32,
    pub items_created: i32,
    /// Line, its delivery if it names one, and what is wrong.
    pub refused: Vec<(u32, Option<String>, Messages)>,
}

/// Confirms a batch: its counts, its refused lines and the place to go on from, together.
/// False when another importer confirmed it before: the caller has lost its lease.
pub async fn confirm(db_: &Db, id: Uuid, step: Step, now: DateTime<Utc>) -> Result<bool> {
    let failed = i32::try_from(step.refused.len()).unwrap_or(i32::MAX);
    let add = |column: Column, by: i32| (column, Expr::col(column).add(by));
    let tx = db_.begin().await?;
    let mut update = Entity::update_many()
        .filter(Column::Id.eq(id))
        .filter(Column::NextBatch.eq(step.batch))
        .filter(Column::Status.is_in(Status::OPEN))
        .col_expr(Column::Status, Expr::value(Status::Importing))
        .col_expr(Column::BytesRead, Expr::value(i64::try_from(step.bytes_read).unwrap_or(i64::MAX)))
        .col_expr(Column::ClaimedUntil, Expr::value(now + LEASE));
    for (column, value) in [
        add(Column::NextBatch, 1),
        add(Column::RowsTotal, step.created + step.updated + step.skipped + failed),
        add(Column::RowsCreated, step.created),
        add(Column::RowsUpdated, step.updated),
        add(Column::RowsSkipped, step.skipped),
        add(Column::RowsFailed, failed),
        add(Column::DeliveriesCreated, step.deliveries_created),
        add(Column::ItemsCreated, step.items_created),
    ] {
        update = update.col_expr(column, value);
    }
    if update.exec(&*tx).await.map_err(db)?.rows_affected == 0 {
        return Ok(false);
    }
    let rows = step
        .refused
        .into_iter()
        .map(|(line, delivery_id, messages)| upload_row::ActiveModel {
            upload_log_id: Set(id),
            row_number: Set(line.into()),
            delivery_id_key: Set(delivery_id.as_deref().map(fold)),
            delivery_id: Set(delivery_id),
            messages: Set(messages),
        })
        .collect();
    bulk::insert(&*tx, rows, 5).await?;
    tx.commit().await?;
    Ok(true)
}

/// How an import ended.
pub enum End {
    Done,
    Failed { code: String, text: String },
}

/// Ends an import, with its event. Ending it twice does nothing.
pub async fn finish(db_: &Db, id: Uuid, end: End, now: DateTime<Utc>) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(log) =
        Entity::find_by_id(id).filter(Column::Status.is_in(Status::OPEN)).one(&*tx).await.map_err(db)?
    else {
        return Ok(());
    };
    let (status, code, text) = match end {
        End::Done if log.rows_failed > 0 => (Status::ImportedWithErrors, None, None),
        End::Done => (Status::Imported, None, None),
        End::Failed { code, text } => (Status::Failed, Some(code), Some(text)),
    };
    let bytes_read = if status == Status::Failed { log.bytes_read } else { log.size_bytes };
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(status))
        .col_expr(Column::BytesRead, Expr::value(bytes_read))
        .col_expr(Column::FailureCode, Expr::value(code))
        .col_expr(Column::FailureText, Expr::value(text))
        .col_expr(Column::FinishedAt, Expr::value(now))
        .col_expr(Column::ClaimedUntil, Expr::value(None::<DateTime<Utc>>))
        .filter(Column::Id.eq(id))
        .exec(&*tx)
        .await
        .map_err(db)?;
    let payload = Payload::ImportFinished(ImportFinished {
        upload_log_id: id.to_string(),
        status: status.as_str().to_owned(),
        rows_total: log.rows_total.unsigned_abs(),
        rows_created: log.rows_created.unsigned_abs(),
        rows_updated: log.rows_updated.unsigned_abs(),
        rows_skipped: log.rows_skipped.unsigned_abs(),
        rows_failed: log.rows_failed.unsigned_abs(),
    });
    let fact = Fact {
        service: crate::NAME,
        actor: &log.uploaded_by,
        aggregate_id: &id.to_string(),
        aggregate_version: log.next_batch.unsigned_abs().into(),
        occurred_at: now,
        payload,
    };
    outbox::add(&tx, fact).await?;
    tx.commit().await
}
