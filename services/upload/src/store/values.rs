//! Values of a file that match no record, what people chose for them, and the choices for earlier files with the
//! same header.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Duration, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
};
use uuid::Uuid;

use super::layouts::header_digest;
use super::queue;
use super::undo::{clear_check, lock, read};
use crate::entity::upload_log::{self, Model as UploadLog, Status};
use crate::entity::upload_row::Texts;
use crate::entity::upload_value::{ActiveModel, Column, Entity, Model, Target, Targets, ValueField};
use crate::entity::value_mapping;
use ::store::clearing::Doubts;
use ::store::filter::fold;
use ::store::{Db, Tx, bulk, db};

/// Maximum number of values kept per field of an import.
pub const LISTED: usize = 500;
/// Maximum number of choices that are read for a header.
const READ: u64 = 5_000;
/// How long an unused choice is kept.
const REMEMBERED: Duration = Duration::days(365);

/// The field and the folded value that a choice is about.
pub type ValueKey = (ValueField, String);

/// What somebody chose for a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Imports the value as it is in the file.
    Keep,
    /// Imports this record instead.
    Use(Target),
}

impl Choice {
    fn target(self) -> Option<Target> {
        match self {
            Self::Keep => None,
            Self::Use(target) => Some(target),
        }
    }
}

/// A choice that was stored before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The name of the record to import instead; `None` keeps the value.
    pub target: Option<String>,
    /// Whether it was made for an earlier file.
    pub remembered: bool,
}

/// A value of a file that matches no record.
#[derive(Debug, Clone)]
pub struct NewValue {
    pub field: ValueField,
    pub value: String,
    pub rows: u32,
    pub suggestions: Vec<Target>,
    pub choice: Option<Choice>,
    pub remembered: bool,
}

/// A person's decision about a value; without a choice, the value is undecided again.
pub struct Decision {
    pub field: ValueField,
    pub value: String,
    pub choice: Option<Choice>,
}

/// Returns the values of an import, those of most rows first.
pub async fn values(db_: &Db, log: Uuid) -> Result<Vec<Model>> {
    let rows = Entity::find().filter(Column::UploadLogId.eq(log));
    let rows = rows.order_by_desc(Column::RowCount).order_by_asc(Column::ValueKey);
    rows.all(db_.read()).await.map_err(db)
}

/// Returns the choices for the values of an import.
pub async fn chosen(db_: &Db, log: Uuid) -> Result<HashMap<ValueKey, Chosen>> {
    let decided = values(db_, log).await?.into_iter().filter(|row| row.decided);
    let chosen =
        |row: Model| ((row.field, row.value_key), Chosen { target: row.target, remembered: row.remembered });
    Ok(decided.map(chosen).collect())
}

/// Returns the choices for earlier files with these headings.
pub async fn remembered_choices(db_: &Db, headings: &[String]) -> Result<HashMap<ValueKey, Chosen>> {
    use value_mapping::{Column as C, Entity};
    let found = Entity::find()
        .filter(C::Fingerprint.eq(header_digest(headings)))
        .order_by_desc(C::UsedAt)
        .limit(READ)
        .all(db_.read())
        .await
        .map_err(db)?;
    let chosen = |row: value_mapping::Model| {
        ((row.field, row.value_key), Chosen { target: row.target, remembered: true })
    };
    Ok(found.into_iter().map(chosen).collect())
}

/// Stores the values that were found in a file, in place of those of an earlier check.
pub(super) async fn replace(
    tx: &Tx,
    log: Uuid,
    headings: &[String],
    values: Vec<NewValue>,
    now: DateTime<Utc>,
) -> Result<()> {
    Entity::delete_many().filter(Column::UploadLogId.eq(log)).exec(&**tx).await.map_err(db)?;
    note_use(tx, headings, &values, now).await?;
    let undecided = values.iter().filter(|value| value.choice.is_none()).count();
    count(tx, log, values.len(), undecided, false).await?;
    let rows = values.into_iter().map(|value| {
        let NewValue { field, value, rows, suggestions, choice, remembered } = value;
        let decided = choice.is_some();
        let (target, target_label) =
            choice.and_then(Choice::target).map(|target| (target.name, target.label)).unzip();
        ActiveModel {
            upload_log_id: Set(log),
            field: Set(field),
            value_key: Set(fold(&value)),
            value: Set(value),
            row_count: Set(i32::try_from(rows).unwrap_or(i32::MAX)),
            suggestions: Set(Targets(suggestions)),
            decided: Set(decided),
            target: Set(target),
            target_label: Set(target_label),
            remembered: Set(remembered),
        }
    });
    bulk::insert(&**tx, rows.collect()).await
}

/// Keeps the remembered choices that these values use for another year.
async fn note_use(tx: &Tx, headings: &[String], values: &[NewValue], now: DateTime<Utc>) -> Result<()> {
    use value_mapping::{Column as C, Entity};
    let fingerprint = header_digest(headings);
    for field in ValueField::ALL {
        let used = values.iter().filter(|value| value.field == field && value.remembered);
        let used: Vec<String> = used.map(|value| fold(&value.value)).collect();
        for some in bulk::chunks::<Entity, _>(&used) {
            let update = Entity::update_many()
                .col_expr(C::UsedAt, Expr::value(now))
                .filter(C::Fingerprint.eq(&fingerprint))
                .filter(C::Field.eq(field))
                .filter(C::ValueKey.is_in(some));
            update.exec(&**tx).await.map_err(db)?;
        }
    }
    Ok(())
}

async fn count(tx: &Tx, log: Uuid, all: usize, undecided: usize, changed: bool) -> Result<()> {
    use upload_log::{Column as C, Entity};
    let number = |count: usize| Expr::value(i32::try_from(count).unwrap_or(i32::MAX));
    let update = Entity::update_many()
        .col_expr(C::ValuesToMatch, number(all))
        .col_expr(C::ValuesUndecided, number(undecided))
        .col_expr(C::ChangedSinceCheck, Expr::value(changed))
        .filter(C::Id.eq(log));
    update.exec(&**tx).await.map_err(db)?;
    Ok(())
}

/// Stores decisions about values of a checked file, and remembers them for files with the same header.
pub async fn match_values(
    db_: &Db,
    id: Uuid,
    decisions: Vec<Decision>,
    by: &str,
    now: DateTime<Utc>,
) -> Result<UploadLog> {
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    require_checked(&log)?;
    let stored = Entity::find().filter(Column::UploadLogId.eq(id)).all(&*tx).await.map_err(db)?;
    let mut rows: HashMap<ValueKey, Model> =
        stored.into_iter().map(|row| ((row.field, row.value_key.clone()), row)).collect();
    let mut changed: BTreeMap<(&str, String), Model> = BTreeMap::new();
    for Decision { field, value, choice } in decisions {
        let key = (field, fold(&value));
        let row = rows.get_mut(&key).ok_or_else(|| {
            Error::invalid_field("values", format!("The check found no value “{value}” to be matched."))
        })?;
        row.decided = choice.is_some();
        (row.target, row.target_label) =
            choice.and_then(Choice::target).map(|target| (target.name, target.label)).unzip();
        row.remembered = false;
        changed.insert((field.as_str(), key.1), row.clone());
    }
    let changed: Vec<Model> = changed.into_values().collect();
    let Texts(headings) = log.headings.unwrap_or(Texts(Vec::new()));
    remember(&tx, &headings, &changed, by, now).await?;
    let updated = changed.into_iter().map(|row| row.into_active_model().reset_all());
    let again = OnConflict::columns([Column::UploadLogId, Column::Field, Column::ValueKey])
        .update_columns([Column::Decided, Column::Target, Column::TargetLabel, Column::Remembered])
        .to_owned();
    bulk::upsert(&*tx, updated.collect(), &again).await?;
    let undecided = rows.values().filter(|row| !row.decided).count();
    count(&tx, id, rows.len(), undecided, true).await?;
    let log = read(&tx, id).await?;
    tx.commit().await?;
    Ok(log)
}

fn require_checked(log: &UploadLog) -> Result<()> {
    match log.status {
        Status::Validated => Ok(()),
        Status::Checking => Err(Error::precondition(
            "IMPORT_NOT_CHECKED",
            "The file is still being checked. Wait until the check has finished.",
        )),
        _ => Err(Error::precondition(
            "IMPORT_ALREADY_STARTED",
            "The import of this file has started, so its values can't be matched any more. Undo the import, then import the file again.",
        )),
    }
}

/// Remembers choices, and forgets those that were taken back.
async fn remember(
    tx: &Tx,
    headings: &[String],
    changed: &[Model],
    by: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    use value_mapping::{ActiveModel, Column as C, Entity};
    let fingerprint = header_digest(headings);
    for field in ValueField::ALL {
        let open = changed.iter().filter(|row| row.field == field && !row.decided);
        let open: Vec<&String> = open.map(|row| &row.value_key).collect();
        for some in bulk::chunks::<Entity, _>(&open) {
            let gone = Entity::delete_many()
                .filter(C::Fingerprint.eq(&fingerprint))
                .filter(C::Field.eq(field))
                .filter(C::ValueKey.is_in(some.iter().copied()));
            gone.exec(&**tx).await.map_err(db)?;
        }
    }
    let decided = changed.iter().filter(|row| row.decided).map(|row| ActiveModel {
        fingerprint: Set(fingerprint.clone()),
        field: Set(row.field),
        value_key: Set(row.value_key.clone()),
        target: Set(row.target.clone()),
        saved_by: Set(by.to_owned()),
        used_at: Set(now),
    });
    let again = OnConflict::columns([C::Fingerprint, C::Field, C::ValueKey])
        .update_columns([C::Target, C::SavedBy, C::UsedAt])
        .to_owned();
    bulk::upsert(&**tx, decided.collect(), &again).await?;
    Ok(())
}

/// Queues another dry run of a checked file. A repeated request returns the log.
pub async fn check_again(db_: &Db, id: Uuid, now: DateTime<Utc>) -> Result<UploadLog> {
    let tx = db_.begin().await?;
    let log = lock(&tx, id).await?;
    if log.status == Status::Checking {
        return Ok(log);
    }
    require_checked(&log)?;
    let job = queue::enqueue_other(&tx, queue::CHECK, id, &log.uploaded_by, now).await?;
    clear_check(&tx, id, Status::Checking, Some(job), None).await?;
    let log = read(&tx, id).await?;
    tx.commit().await?;
    Ok(log)
}

/// Deletes choices that were unused for long, unless there are implausibly many. Returns how many were deleted.
pub async fn prune(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<u64> {
    use value_mapping::{Column as C, Entity};
    doubts.delete_old::<Entity>(db_, C::UsedAt, now - REMEMBERED).await
}
