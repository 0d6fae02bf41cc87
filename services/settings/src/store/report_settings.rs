//! Report definitions.
//!
//! A change begins with a lock on the row.

use kit::clock::new_id;
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, DbErr, EntityTrait, Order, QueryFilter, QuerySelect,
};
use serde_json::Value;
use uuid::Uuid;

use super::{By, Creation, skipped_times};
use crate::domain::report_setting::{Columns, Filters, MOST, Members, ReportSetting, Sorts};
use crate::entity::report_setting::{ActiveModel, Column, Entity, Model};
use crate::fields;
use ::store::audit::{self, Act, Changes, Fields};
use ::store::error::is_unique_violation;
use ::store::filter::{condition, fold};
use ::store::page::{order, window};
use ::store::{Db, Tx, counter, db, list};

pub const COUNTER: &str = "report_setting";

/// Which definitions the caller may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    All,
    /// Only active definitions.
    Active,
}

impl Sight {
    fn condition(self) -> Condition {
        match self {
            Self::All => Condition::all(),
            Self::Active => Condition::all().add(Column::IsActive.eq(true)),
        }
    }
}

pub async fn page(db_: &Db, page: &Page, sight: Sight) -> Result<(Vec<Model>, bool)> {
    let window = window(page)?;
    let order = order(fields::REPORT_SETTINGS, &page.sort, (Column::NameKey, Order::Asc), Column::Id)?;
    let matching = condition(fields::REPORT_SETTINGS, &page.r#where)?.add(sight.condition());
    list::page::<Entity, _>(db_, matching, &order, Column::Id, window).await
}

pub async fn count(db_: &Db, filters: &[Filter], sight: Sight) -> Result<Count> {
    let matching = condition(fields::REPORT_SETTINGS, filters)?.add(sight.condition());
    list::count::<Entity>(db_, matching, Column::Id).await
}

pub async fn get(db_: &Db, id: &str, sight: Sight) -> Result<Model> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let found = Entity::find_by_id(known).filter(sight.condition()).one(db_.read()).await;
    found.map_err(db)?.ok_or_else(|| not_found(id))
}

/// Creates a definition. A retry returns the existing one in its current form.
pub async fn create(db_: &Db, creation: Creation, form: ReportSetting, by: By<'_>) -> Result<Model> {
    let name = form.name.clone();
    if let Some(row) = make(db_, &creation, form, by).await? {
        return Ok(row);
    }
    // Either this is a retry, or the name is taken.
    let there =
        Entity::find().filter(Column::CreationId.eq(creation.id)).one(db_.read()).await.map_err(db)?;
    let row = there.ok_or_else(|| taken(&name))?;
    creation.require_same(&row.creation_fingerprint)?;
    Ok(row)
}

async fn make(db_: &Db, creation: &Creation, form: ReportSetting, by: By<'_>) -> Result<Option<Model>> {
    let tx = db_.begin().await?;
    let row = ActiveModel {
        id: Set(new_id()),
        creation_id: Set(creation.id),
        creation_fingerprint: Set(creation.fingerprint.clone()),
        created_at: Set(by.now),
        created_by: Set(by.actor.to_owned()),
        version: Set(1),
        ..columns_of(form, by)
    };
    let row = match row.insert(&*tx).await {
        Ok(row) => row,
        Err(error) if is_unique_violation(&error) => return Ok(None),
        Err(error) => return Err(db(error)),
    };
    record(&tx, "report_setting.created", &row, Changes::created(fields_of(&row)?), by).await?;
    counter::add(&*tx, COUNTER, 1).await?;
    if counter::get(&*tx, COUNTER).await? > MOST {
        let text = format!("There are already {MOST} report settings. Delete some that nobody uses.");
        return Err(Error::precondition("TOO_MANY_REPORT_SETTINGS", text));
    }
    kit::fail_point("settings.report_setting.created");
    tx.commit().await?;
    Ok(Some(row))
}

/// Replaces everything that was entered. Refuses an edit of an old version.
pub async fn update(db_: &Db, id: &str, version: u64, form: ReportSetting, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = lock_existing(&tx, id).await?;
    require_version(&row, version)?;
    let (name, before) = (form.name.clone(), fields_of(&row)?);
    let off_since = (!row.is_active).then_some(row.updated_at);
    let next =
        ActiveModel { id: sea_orm::Unchanged(row.id), version: Set(row.version + 1), ..columns_of(form, by) };
    let refused = |error: DbErr| if is_unique_violation(&error) { taken(&name) } else { db(error) };
    let row = next.update(&*tx).await.map_err(refused)?;
    if let Some(since) = off_since {
        skipped_times::skip(&tx, row.id, since, by.now).await?;
    }
    let changes = Changes::between(before, fields_of(&row)?);
    record(&tx, "report_setting.updated", &row, changes, by).await?;
    kit::fail_point("settings.report_setting.updated");
    tx.commit().await?;
    Ok(row)
}

/// Deletes a definition with its schedule; a missing definition is no error.
pub async fn delete(db_: &Db, id: &str, version: u64, by: By<'_>) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(row) = lock(&tx, id).await? else { return Ok(()) };
    require_version(&row, version)?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    record(&tx, "report_setting.deleted", &row, Changes::deleted(fields_of(&row)?), by).await?;
    counter::add(&*tx, COUNTER, -1).await?;
    kit::fail_point("settings.report_setting.deleted");
    tx.commit().await
}

/// Locks a definition, also for changes of its schedule.
pub(super) async fn lock_existing(tx: &Tx, id: &str) -> Result<Model> {
    lock(tx, id).await?.ok_or_else(|| not_found(id))
}

pub(super) async fn lock(tx: &Tx, id: &str) -> Result<Option<Model>> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(None) };
    Entity::find_by_id(id).lock_exclusive().one(&**tx).await.map_err(db)
}

fn columns_of(form: ReportSetting, by: By<'_>) -> ActiveModel {
    let ReportSetting {
        name,
        report_key,
        columns,
        default_filters,
        range_days,
        granularity,
        group_by,
        sort,
        format,
        is_active,
    } = form;
    ActiveModel {
        name_key: Set(fold(&name)),
        name: Set(name),
        report_key: Set(report_key),
        columns: Set(Columns(columns)),
        default_filters: Set(Filters(default_filters)),
        range_days: Set(i32::try_from(range_days).unwrap_or(i32::MAX)),
        granularity: Set(granularity),
        group_by: Set(Members(group_by)),
        sort: Set(Sorts(sort)),
        format: Set(format),
        is_active: Set(is_active),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        updated_by_key: Set(fold(by.actor)),
        ..Default::default()
    }
}

async fn record(tx: &Tx, action: &str, row: &Model, changes: Changes, by: By<'_>) -> Result<()> {
    let (entity, entity_id) = ("report_setting", &row.id.to_string());
    let act = Act { service: crate::NAME, action, entity, entity_id, entity_name: &row.name, changes };
    audit::record(tx, by, act).await
}

/// Returns the fields for the audit log.
fn fields_of(row: &Model) -> Result<Fields> {
    let list = |list: serde_json::Result<Value>| list.map_err(Error::internal);
    Ok(vec![
        ("name", row.name.as_str().into()),
        ("reportKey", row.report_key.as_str().into()),
        ("columns", list(serde_json::to_value(&row.columns))?),
        ("defaultFilters", list(serde_json::to_value(&row.default_filters))?),
        ("rangeDays", row.range_days.into()),
        ("granularity", row.granularity.map(|it| it.as_str()).into()),
        ("groupBy", list(serde_json::to_value(&row.group_by))?),
        ("sort", list(serde_json::to_value(&row.sort))?),
        ("format", row.format.as_str().into()),
        ("isActive", row.is_active.into()),
    ])
}

fn require_version(row: &Model, version: u64) -> Result<()> {
    ::store::require_version(row.version, version, "REPORT_SETTING_CHANGED", &row.name)
}

fn taken(name: &str) -> Error {
    let text = format!("A report setting named {name} already exists. Choose another name.");
    Error::already_exists("REPORT_SETTING_EXISTS", text.clone()).field("name", text)
}

fn not_found(id: &str) -> Error {
    Error::not_found("REPORT_SETTING_NOT_FOUND", format!("There is no report setting {id}"))
}
