//! Schedules of reports, changed by administrators. `due` has the side of the service that sends them.
//!
//! A change begins with locks on the rows of the report setting and the schedule, in this order.

pub mod due;

use chrono::{DateTime, Utc};
use kit::clock::new_id;
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::{By, report_settings};
use crate::domain::report_schedule::ReportSchedule;
use crate::entity::announcement::Usernames;
use crate::entity::report_schedule::{ActiveModel, Column, Entity, Model};
use crate::entity::report_setting;
use ::store::audit::{self, Act, Changes, Fields};
use ::store::{Db, Tx, db};

pub async fn get(db_: &Db, setting: &str) -> Result<Model> {
    let id = Uuid::try_parse(setting).map_err(|_| not_found())?;
    let found = Entity::find().filter(Column::ReportSettingId.eq(id)).one(db_.read()).await;
    found.map_err(db)?.ok_or_else(not_found)
}

/// Creates a schedule, with version 0, or replaces it.
pub async fn save(db_: &Db, setting: &str, version: u64, form: ReportSchedule, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let setting = report_settings::lock_existing(&tx, setting).await?;
    let Some(row) = lock(&tx, setting.id).await? else {
        if version != 0 {
            return Err(not_found());
        }
        return create(tx, &setting, form, by).await;
    };
    let content = row.content()?;
    let next_at = match row.is_paused {
        true => None,
        // An occurrence that is due is still sent.
        false if content.plan == form.plan => form.plan.planned(row.next_at, by.now),
        false => form.plan.next_after(by.now),
    };
    if content == form && row.owner == by.actor && next_at == row.next_at {
        // A repeated request, or a form without a change.
        return Ok(row);
    }
    require_version(&row, &setting, version)?;
    let before = fields_of(&row);
    let next = ActiveModel {
        id: sea_orm::Unchanged(row.id),
        next_at: Set(next_at),
        version: Set(row.version + 1),
        ..columns_of(form, by)
    };
    let row = next.update(&*tx).await.map_err(db)?;
    let changes = Changes::between(before, fields_of(&row));
    record(&tx, "report_schedule.updated", &setting, changes, by).await?;
    tx.commit().await?;
    Ok(row)
}

async fn create(tx: Tx, setting: &report_setting::Model, form: ReportSchedule, by: By<'_>) -> Result<Model> {
    let row = ActiveModel {
        id: Set(new_id()),
        report_setting_id: Set(setting.id),
        is_paused: Set(false),
        paused_reason: Set(String::new()),
        next_at: Set(form.plan.next_after(by.now)),
        send_request: Set(None),
        send_requested_at: Set(None),
        sent_at: Set(None),
        sent_count: Set(0),
        skipped: Set(String::new()),
        failed_at: Set(None),
        failure: Set(String::new()),
        created_at: Set(by.now),
        created_by: Set(by.actor.to_owned()),
        version: Set(1),
        ..columns_of(form, by)
    };
    let row = row.insert(&*tx).await.map_err(db)?;
    record(&tx, "report_schedule.created", setting, Changes::created(fields_of(&row)), by).await?;
    tx.commit().await?;
    Ok(row)
}

/// Pauses or resumes a schedule. Who resumes it becomes its owner.
pub async fn pause(db_: &Db, setting: &str, version: u64, is_paused: bool, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let setting = report_settings::lock_existing(&tx, setting).await?;
    let row = lock(&tx, setting.id).await?.ok_or_else(not_found)?;
    if row.is_paused == is_paused {
        return Ok(row);
    }
    require_version(&row, &setting, version)?;
    let plan = row.content()?.plan;
    let (action, owner, next_at) = match is_paused {
        true => ("report_schedule.paused", row.owner.clone(), None),
        false => ("report_schedule.resumed", by.actor.to_owned(), plan.next_after(by.now)),
    };
    let changes = Changes::default().field("paused", row.is_paused, is_paused).field(
        "owner",
        row.owner.as_str(),
        owner.as_str(),
    );
    let next = ActiveModel {
        id: sea_orm::Unchanged(row.id),
        is_paused: Set(is_paused),
        paused_reason: Set(String::new()),
        owner: Set(owner),
        next_at: Set(next_at),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        version: Set(row.version + 1),
        ..Default::default()
    };
    let row = next.update(&*tx).await.map_err(db)?;
    record(&tx, action, &setting, changes, by).await?;
    tx.commit().await?;
    Ok(row)
}

/// Deletes a schedule; a missing one is no error.
pub async fn delete(db_: &Db, setting: &str, version: u64, by: By<'_>) -> Result<()> {
    let tx = db_.begin().await?;
    let Some(setting) = report_settings::lock(&tx, setting).await? else { return Ok(()) };
    let Some(row) = lock(&tx, setting.id).await? else { return Ok(()) };
    require_version(&row, &setting, version)?;
    Entity::delete_by_id(row.id).exec(&*tx).await.map_err(db)?;
    record(&tx, "report_schedule.deleted", &setting, Changes::deleted(fields_of(&row)), by).await?;
    tx.commit().await
}

/// Requests that the report is sent now. One request at a time; a repeated request has no further effect.
pub async fn send_now(db_: &Db, setting: &str, request: Uuid, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let setting = report_settings::lock_existing(&tx, setting).await?;
    let row = lock(&tx, setting.id).await?.ok_or_else(not_found)?;
    if row.send_request == Some(request) {
        return Ok(row);
    }
    if row.send_requested_at.is_some() {
        let text = format!("{} is being sent already. Wait until it has been sent.", setting.name);
        return Err(Error::precondition("REPORT_BEING_SENT", text));
    }
    let recipients = usernames(&row);
    let next = ActiveModel {
        id: sea_orm::Unchanged(row.id),
        send_request: Set(Some(request)),
        send_requested_at: Set(Some(by.now)),
        ..Default::default()
    };
    let row = next.update(&*tx).await.map_err(db)?;
    let changes = Changes::default().made("recipients", recipients).made("owner", row.owner.as_str());
    record(&tx, "report_schedule.send_requested", &setting, changes, by).await?;
    tx.commit().await?;
    Ok(row)
}

async fn lock(tx: &Tx, setting: Uuid) -> Result<Option<Model>> {
    let found = Entity::find().filter(Column::ReportSettingId.eq(setting));
    found.lock_exclusive().one(&**tx).await.map_err(db)
}

fn columns_of(form: ReportSchedule, by: By<'_>) -> ActiveModel {
    let ReportSchedule { plan, recipients, format } = form;
    let number = |number: u32| i32::try_from(number).unwrap_or_default();
    ActiveModel {
        cadence: Set(plan.cadence),
        weekday: Set(number(plan.weekday)),
        month_day: Set(number(plan.month_day)),
        local_time: Set(plan.time.format("%H:%M").to_string()),
        zone: Set(plan.zone.name().to_owned()),
        recipients: Set(Usernames(recipients)),
        format: Set(format),
        owner: Set(by.actor.to_owned()),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        ..Default::default()
    }
}

/// Records an act. Its entry belongs to the report setting, by which people know a schedule.
async fn record(
    tx: &Tx,
    action: &str,
    setting: &report_setting::Model,
    changes: Changes,
    by: By<'_>,
) -> Result<()> {
    let (entity, entity_id) = ("report_setting", &setting.id.to_string());
    let act = Act { service: crate::NAME, action, entity, entity_id, entity_name: &setting.name, changes };
    audit::record(tx, by, act).await
}

/// Returns the fields for the audit log.
fn fields_of(row: &Model) -> Fields {
    vec![
        ("cadence", row.cadence.as_str().into()),
        ("weekday", row.weekday.into()),
        ("monthDay", row.month_day.into()),
        ("time", row.local_time.as_str().into()),
        ("zone", row.zone.as_str().into()),
        ("recipients", usernames(row).into()),
        ("format", row.format.as_str().into()),
        ("owner", row.owner.as_str().into()),
    ]
}

fn usernames(row: &Model) -> Vec<String> {
    row.recipients.0.clone()
}

fn require_version(row: &Model, setting: &report_setting::Model, version: u64) -> Result<()> {
    let what = format!("The schedule of {}", setting.name);
    ::store::require_version(row.version, version, "REPORT_SCHEDULE_CHANGED", &what)
}

fn not_found() -> Error {
    Error::not_found("REPORT_SCHEDULE_NOT_FOUND", "This report setting has no schedule")
}

/// The occurrence of a schedule that is not a planned one begins like this.
const REQUESTED: &str = "now:";

/// One occurrence of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// At a planned time.
    Planned(DateTime<Utc>),
    /// On request.
    Requested(Uuid),
}

impl Occurrence {
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix(REQUESTED) {
            Some(id) => Uuid::try_parse(id).ok().map(Self::Requested),
            None => text.parse().ok().map(Self::Planned),
        }
    }

    pub fn text(self) -> String {
        match self {
            Self::Planned(at) => at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
            Self::Requested(id) => format!("{REQUESTED}{id}"),
        }
    }
}
