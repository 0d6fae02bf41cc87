//! Adds, cancels and reads jobs.

use std::sync::atomic::Ordering;

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::Page;
use sea_orm::ActiveValue::Set;
use sea_orm::prelude::Json;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter};
use uuid::Uuid;

use super::State;
use super::table::job::{ActiveModel, Column, Entity, Model};
use crate::page::window;
use crate::{Db, Tx, db, list as lists};

#[derive(Debug, Clone)]
pub struct NewJob<'a> {
    /// The job's id, chosen by the caller. Adding a job with the same id again changes nothing.
    pub id: Uuid,
    pub kind: &'static str,
    pub payload: Json,
    /// The person or service that requested the job. Workers are shared fairly among them.
    pub created_by: &'a str,
    pub created_at: DateTime<Utc>,
}

/// Adds a job in the transaction; workers of this process wake after the commit. Returns false if a job
/// with this id exists, which stays unchanged.
pub async fn enqueue(tx: &Tx, new: NewJob<'_>) -> Result<bool> {
    let row = ActiveModel {
        id: Set(new.id),
        kind: Set(new.kind.to_owned()),
        payload: Set(new.payload),
        created_by: Set(new.created_by.to_owned()),
        created_at: Set(new.created_at),
        state: Set(State::Waiting),
        progress_done: Set(0),
        progress_total: Set(None),
        checkpoint: Set(None),
        attempts: Set(0),
        not_before: Set(None),
        lease_owner: Set(None),
        lease_until: Set(None),
        claimed_at: Set(None),
        failure_code: Set(None),
        failure_text: Set(None),
        cancel_requested: Set(false),
        finished_at: Set(None),
    };
    let once = OnConflict::column(Column::Id).do_nothing().to_owned();
    let added = Entity::insert(row).on_conflict(once).exec_without_returning(&**tx).await.map_err(db)?;
    kit::fail_point("store.job.added");
    tx.jobs.store(true, Ordering::Relaxed);
    Ok(added == 1)
}

/// Cancels a job. A waiting job ends immediately, a running one when its work begins its next transaction.
/// Returns false if the job has ended or is being canceled.
pub async fn cancel(tx: &Tx, id: Uuid) -> Result<bool> {
    let asked = Entity::update_many()
        .col_expr(Column::CancelRequested, Expr::value(true))
        .filter(Column::Id.eq(id))
        .filter(Column::FinishedAt.is_null())
        .filter(Column::CancelRequested.eq(false))
        .exec(&**tx)
        .await
        .map_err(db)?;
    tx.jobs.store(true, Ordering::Relaxed);
    Ok(asked.rows_affected > 0)
}

/// Reads a job.
///
/// # Errors
///
/// `JOB_NOT_FOUND`, also for a job that ended so long ago that it was deleted.
pub async fn get(db_: &Db, id: Uuid) -> Result<Model> {
    let found = Entity::find_by_id(id).one(db_.read()).await.map_err(db)?;
    found.ok_or_else(|| Error::not_found("JOB_NOT_FOUND", "There is no such job"))
}

/// Criteria for listing jobs; `None` selects all jobs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    pub kind: Option<&'a str>,
    pub state: Option<State>,
    pub created_by: Option<&'a str>,
}

/// Lists a page of jobs, newest first, and whether there are more. Filters and sorts of `page` are ignored.
pub async fn list(db_: &Db, wanted: Wanted<'_>, page: &Page) -> Result<(Vec<Model>, bool)> {
    let condition = Condition::all()
        .add_option(wanted.kind.map(|kind| Column::Kind.eq(kind)))
        .add_option(wanted.state.map(|state| Column::State.eq(state)))
        .add_option(wanted.created_by.map(|by| Column::CreatedBy.eq(by)));
    let order = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];
    lists::page::<Entity, _>(db_, condition, &order, Column::Id, window(page)?).await
}
