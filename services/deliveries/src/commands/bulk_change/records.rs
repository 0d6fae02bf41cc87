//! The deliveries of a bulk change.
//!
//! They are recorded when the change begins, so that the change covers the deliveries that matched then. When
//! a delivery is changed, its record gets its previous values: an undo restores the deliveries that nobody
//! else changed since. If a person changes a delivery again under the same id, the record keeps the values from
//! before the first change. Records are kept for a week.

use std::collections::BTreeMap;

use ::store::bulk;
use ::store::clearing::Doubts;
use ::store::{Db, Tx, db};
use chrono::{DateTime, Duration, Utc};
use kit::{Error, Result};
use proto::common::v1::Filter;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, FromQueryResult, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
};
use uuid::Uuid;

use crate::domain::allowed::Standing;
use crate::domain::bulk::{Candidate, Verb};
use crate::domain::delivery::Status;
use crate::entity::bulk_row::{ActiveModel, Column, Entity, Model, Undoable};
use crate::entity::delivery;
use crate::queries::deliveries::LIST;

/// Maximum number of deliveries in one change.
pub const MOST: u64 = 100_000;
const KEPT: Duration = Duration::days(7);

/// A matching delivery, with the columns that the verdict reads.
#[derive(Debug, Clone, FromQueryResult)]
pub struct Match {
    pub id_key: String,
    pub version: i64,
    deliverystatus: Status,
    attempt: i32,
    max_attempts: i32,
    linecount: i32,
    form_version: i32,
    driver_id_key: Option<String>,
    scheduledatetime: DateTime<Utc>,
    conflict: bool,
}

impl Match {
    pub fn candidate(&self) -> Candidate<'_> {
        Candidate {
            standing: Standing {
                status: self.deliverystatus,
                attempt: self.attempt,
                max_attempts: self.max_attempts,
                has_lines: self.linecount > 0,
                has_form: self.form_version > 0,
            },
            driver: self.driver_id_key.as_deref(),
            scheduledatetime: self.scheduledatetime,
            conflict: self.conflict,
        }
    }
}

impl<'a> From<&'a delivery::Model> for Candidate<'a> {
    fn from(row: &'a delivery::Model) -> Self {
        Self {
            standing: row.into(),
            driver: row.driver_id_key.as_deref(),
            scheduledatetime: row.scheduledatetime,
            conflict: row.conflict,
        }
    }
}

/// Returns all deliveries that match the filters, as the list would.
///
/// # Errors
///
/// `BULK_TOO_MANY` beyond [`MOST`], and the errors of the list.
pub async fn matching(db_: &Db, filters: &[Filter]) -> Result<Vec<Match>> {
    use delivery::Column as C;
    let columns = [
        C::IdKey,
        C::Version,
        C::Deliverystatus,
        C::Attempt,
        C::MaxAttempts,
        C::Linecount,
        C::FormVersion,
        C::DriverIdKey,
        C::Scheduledatetime,
        C::Conflict,
    ];
    let rows = LIST.columns(db_, filters, &columns, MOST + 1).await?;
    if rows.len() as u64 > MOST {
        let text = "More than 100,000 deliveries match. Narrow the filters and make the change in parts.";
        return Err(Error::precondition("BULK_TOO_MANY", text));
    }
    Ok(rows)
}

/// Records the deliveries of a change. Existing records of this change stay as they are.
pub async fn begin(tx: &Tx, change: Uuid, by: &str, rows: &[Match], now: DateTime<Utc>) -> Result<()> {
    let new = |row: &Match| ActiveModel {
        change_id: Set(change),
        delivery_key: Set(row.id_key.clone()),
        version_seen: Set(row.version),
        version_after: Set(None),
        changed_by: Set(by.to_owned()),
        noted_at: Set(now),
        undoable: Set(None),
        driver_before: Set(None),
        dispatch_before: Set(None),
        window_start_before: Set(None),
        window_end_before: Set(None),
    };
    let once = || OnConflict::columns([Column::ChangeId, Column::DeliveryKey]).do_nothing().to_owned();
    for some in bulk::chunks::<Entity, _>(rows) {
        Entity::insert_many(some.iter().map(new))
            .on_conflict(once())
            .exec_without_returning(&**tx)
            .await
            .map_err(db)?;
    }
    Ok(())
}

/// Returns the condition for the deliveries of a person's change. Clients choose the ids of changes, so
/// another person may have used the same one.
fn of(change: Uuid, by: &str) -> Condition {
    Condition::all().add(Column::ChangeId.eq(change)).add(Column::ChangedBy.eq(by))
}

/// Fails if another person's change has this id. `field` names the id in the request.
pub async fn require_own(db_: &Db, change: Uuid, by: &str, field: &str) -> Result<()> {
    let theirs = Entity::find().filter(Column::ChangeId.eq(change)).filter(Column::ChangedBy.ne(by));
    match theirs.one(db_.read()).await.map_err(db)? {
        None => Ok(()),
        Some(_) => Err(Error::invalid_field(field, "Another person's change has this ID. Use a new one.")),
    }
}

/// Returns the next deliveries of a person's change after a key, in key order.
pub async fn after(tx: &Tx, change: Uuid, by: &str, last: &str, limit: u64) -> Result<Vec<Model>> {
    Entity::find()
        .filter(of(change, by))
        .filter(Column::DeliveryKey.gt(last))
        .order_by_asc(Column::DeliveryKey)
        .limit(limit)
        .all(&**tx)
        .await
        .map_err(db)
}

/// Returns the next deliveries that a person's change changed and that can be restored.
pub async fn undoable_after(tx: &Tx, change: Uuid, by: &str, last: &str, limit: u64) -> Result<Vec<Model>> {
    Entity::find()
        .filter(undoable(change, by))
        .filter(Column::DeliveryKey.gt(last))
        .order_by_asc(Column::DeliveryKey)
        .limit(limit)
        .all(&**tx)
        .await
        .map_err(db)
}

fn undoable(change: Uuid, by: &str) -> Condition {
    of(change, by).add(Column::Undoable.is_not_null())
}

/// Returns how many deliveries of a person's change can be restored, and when the last of them was changed.
pub async fn undoable_by(db_: &Db, change: Uuid, by: &str) -> Result<Option<(u64, DateTime<Utc>)>> {
    let theirs = undoable(change, by);
    let last: Option<DateTime<Utc>> = Entity::find()
        .select_only()
        .column(Column::NotedAt)
        .filter(theirs.clone())
        .order_by_desc(Column::NotedAt)
        .limit(1)
        .into_tuple()
        .one(db_.read())
        .await
        .map_err(db)?;
    let Some(last) = last else { return Ok(None) };
    Ok(Some((Entity::find().filter(theirs).count(db_.read()).await.map_err(db)?, last)))
}

/// Locks the deliveries of these rows until the transaction ends, in key order, as imports do.
pub async fn lock(tx: &Tx, rows: &[Model]) -> Result<BTreeMap<String, delivery::Model>> {
    let held = delivery::Entity::find()
        .filter(delivery::Column::IdKey.is_in(rows.iter().map(|row| row.delivery_key.as_str())))
        .order_by_asc(delivery::Column::IdKey)
        .lock_exclusive()
        .all(&**tx)
        .await
        .map_err(db)?;
    Ok(held.into_iter().map(|row| (row.id_key.clone(), row)).collect())
}

/// Returns the row of a changed delivery, with its previous values.
pub fn changed(
    (change, by): (Uuid, &str),
    verb: &Verb,
    before: &delivery::Model,
    after: &delivery::Model,
    now: DateTime<Utc>,
) -> Model {
    let undoable = match verb {
        Verb::Assign { .. } => Some(Undoable::Driver),
        Verb::Dispatch { .. } => Some(Undoable::Dispatch),
        // A reschedule cannot be undone: it ended the previous attempt, and the history shows its failure.
        Verb::Reschedule { .. } => None,
    };
    Model {
        change_id: change,
        delivery_key: before.id_key.clone(),
        version_seen: before.version,
        version_after: Some(after.version),
        changed_by: by.to_owned(),
        noted_at: now,
        undoable,
        driver_before: before.driver_id.clone(),
        dispatch_before: Some(before.scheduledatetime),
        window_start_before: before.time_window_start,
        window_end_before: before.time_window_end,
    }
}

/// Returns the row of a delivery that a person's change changed and that has not changed since.
pub async fn unchanged_since(
    tx: &Tx,
    (change, by): (Uuid, &str),
    held: &delivery::Model,
) -> Result<Option<Model>> {
    Entity::find()
        .filter(of(change, by))
        .filter(Column::DeliveryKey.eq(held.id_key.as_str()))
        .filter(Column::VersionAfter.eq(held.version))
        .one(&**tx)
        .await
        .map_err(db)
}

/// Joins the rows of two successive changes of a delivery, so that an undo restores the values from before the
/// first.
pub fn joined(earlier: Option<Model>, later: Model) -> Model {
    match earlier.filter(|first| first.undoable == later.undoable) {
        Some(first) => Model { version_after: later.version_after, noted_at: later.noted_at, ..first },
        None => later,
    }
}

/// Writes the rows of deliveries that one change of one person changed.
pub async fn note(tx: &Tx, rows: Vec<Model>) -> Result<()> {
    let keys: Vec<String> = rows.iter().map(|row| row.delivery_key.clone()).collect();
    let Some(noted) = rows.first().map(|row| of(row.change_id, &row.changed_by)) else { return Ok(()) };
    Entity::delete_many()
        .filter(noted)
        .filter(Column::DeliveryKey.is_in(keys))
        .exec(&**tx)
        .await
        .map_err(db)?;
    bulk::insert(&**tx, rows.into_iter().map(|row| row.into_active_model().reset_all()).collect()).await
}

/// Deletes rows that are too old for an undo, unless there are implausibly many; returns how many.
pub async fn clear(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    doubts.delete_old::<Entity>(db_, Column::NotedAt, now - KEPT).await
}
