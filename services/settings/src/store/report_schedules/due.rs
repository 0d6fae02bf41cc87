//! Which reports are due, and what became of them.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::settings::v1 as wire;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::{Occurrence, lock, record};
use crate::domain::report_setting::MOST;
use crate::entity::report_schedule::{ActiveModel, Column, Entity, Model};
use crate::entity::report_setting;
use crate::store::By;
use ::store::audit::Changes;
use ::store::{Db, Tx, db};

/// Maximum number of occurrences in an answer.
const MOST_DUE: usize = 50;
/// Missed occurrences are counted up to this number.
const MOST_MISSED: u32 = 1_000;
/// Maximum length of the text about a result.
const MAX_TEXT: usize = 1_000;

/// Plans schedules anew whose next occurrence is too late, because a clock that has been set back since planned it.
/// Leaves those that were saved in the future: the clock may be behind now, and their reports would be sent again later.
pub async fn plan_again(db_: &Db, now: DateTime<Utc>) -> Result<()> {
    let ahead = Condition::all().add(Column::IsPaused.eq(false)).add(Column::NextAt.gt(now));
    let rows = Entity::find().filter(ahead).filter(Column::UpdatedAt.lte(now)).limit(MOST);
    for row in rows.all(db_.read()).await.map_err(db)? {
        if !is_too_late(&row, now) {
            continue;
        }
        let tx = db_.begin().await?;
        let Some((_, row)) = lock_both(&tx, row.id).await? else { continue };
        if is_too_late(&row, now) {
            let next_at = Set(row.content()?.plan.next_after(now));
            let next = ActiveModel { id: sea_orm::Unchanged(row.id), next_at, ..Default::default() };
            next.update(&*tx).await.map_err(db)?;
            tx.commit().await?;
            tracing::warn!(report_schedule = %row.id, "a report that a wrong clock planned too late is planned anew");
        }
    }
    Ok(())
}

/// Returns whether a schedule's next occurrence is later than any that can be planned now.
fn is_too_late(row: &Model, now: DateTime<Utc>) -> bool {
    let plan = row.content().map(|content| content.plan);
    !row.is_paused && plan.is_ok_and(|plan| plan.planned(row.next_at, now) != row.next_at)
}

/// Returns the occurrences that are due, the longest overdue first.
pub async fn list(db_: &Db, now: DateTime<Utc>) -> Result<Vec<wire::DueReportKey>> {
    let planned = Condition::all().add(Column::IsPaused.eq(false)).add(Column::NextAt.lte(now));
    let due = Condition::any().add(planned).add(Column::SendRequestedAt.is_not_null());
    let rows = Entity::find().filter(due).order_by_asc(Column::NextAt).order_by_asc(Column::Id).limit(MOST);
    let rows = rows.all(db_.read()).await.map_err(db)?;
    let active = active(db_, &rows).await?;
    let mut keys = Vec::new();
    for row in rows {
        let is_active = active.contains(&row.report_setting_id);
        let planned = newest(&row, now)?.filter(|_| is_active).map(|(at, _)| Occurrence::Planned(at));
        for occurrence in requested(&row).into_iter().chain(planned) {
            keys.push(wire::DueReportKey { schedule_id: row.id.to_string(), occurrence: occurrence.text() });
        }
    }
    keys.truncate(MOST_DUE);
    Ok(keys)
}

/// Returns the ids of active report settings that these schedules belong to.
async fn active(db_: &Db, rows: &[Model]) -> Result<HashSet<Uuid>> {
    use report_setting::Column as C;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.report_setting_id).collect();
    let found = report_setting::Entity::find().select_only().column(C::Id);
    let found = found.filter(C::Id.is_in(ids)).filter(C::IsActive.eq(true));
    let ids: Vec<Uuid> = found.into_tuple().all(db_.read()).await.map_err(db)?;
    Ok(ids.into_iter().collect())
}

/// Returns the planned occurrence that is due, and how many before it were missed.
fn newest(row: &Model, now: DateTime<Utc>) -> Result<Option<(DateTime<Utc>, u32)>> {
    match row.next_at.filter(|first| *first <= now && !row.is_paused) {
        Some(first) => Ok(Some(row.content()?.plan.newest(first, now))),
        None => Ok(None),
    }
}

fn requested(row: &Model) -> Option<Occurrence> {
    row.send_request.filter(|_| row.send_requested_at.is_some()).map(Occurrence::Requested)
}

/// Returns what is to be sent for an occurrence that is still due.
pub async fn get(db_: &Db, key: &wire::DueReportKey, now: DateTime<Utc>) -> Result<wire::DueReport> {
    let (id, occurrence) = parse(key)?;
    let row = Entity::find_by_id(id).one(db_.read()).await.map_err(db)?.ok_or_else(not_due)?;
    let (at, missed) = match occurrence {
        Occurrence::Planned(at) => {
            newest(&row, now)?.filter(|(newest, _)| *newest == at).ok_or_else(not_due)?
        }
        own if requested(&row) == Some(own) => (row.send_requested_at.ok_or_else(not_due)?, 0),
        Occurrence::Requested(_) => return Err(not_due()),
    };
    let setting =
        report_setting::Entity::find_by_id(row.report_setting_id).one(db_.read()).await.map_err(db)?;
    let setting = setting.ok_or_else(not_due)?;
    if matches!(occurrence, Occurrence::Planned(_)) && !setting.is_active {
        return Err(not_due());
    }
    Ok(wire::DueReport {
        setting: Some(setting.into()),
        at: Some(proto::timestamp(at)),
        zone: row.zone,
        format: wire::ReportFormat::from(row.format).into(),
        owner: row.owner,
        recipients: row.recipients.0,
        missed: missed.min(MOST_MISSED),
        version: row.version.unsigned_abs(),
    })
}

/// What became of an occurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Sent {
        count: u32,
        skipped: String,
    },
    Failed(String),
    /// Why the schedule is to be paused, and the version of the schedule that this is about; 0 if unknown.
    Paused(String, u64),
}

impl Outcome {
    pub fn read(result: wire::ReportResult, sent_count: u32, text: &str, version: u64) -> Result<Self> {
        let text: String = text.chars().take(MAX_TEXT).collect();
        match result {
            wire::ReportResult::Sent => Ok(Self::Sent { count: sent_count, skipped: text }),
            wire::ReportResult::Failed => Ok(Self::Failed(text)),
            wire::ReportResult::Paused => Ok(Self::Paused(text, version)),
            wire::ReportResult::Unspecified => Err(Error::invalid_field("result", "Result is required")),
        }
    }
}

/// Records the result of an occurrence and plans the next one. Changes nothing if the occurrence has a result
/// already. Returns whether the result is outdated: a schedule that an administrator changed since is not paused for
/// what was wrong before, and the occurrence stays due.
pub async fn note(db_: &Db, key: &wire::DueReportKey, outcome: Outcome, by: By<'_>) -> Result<bool> {
    let (id, occurrence) = parse(key)?;
    let tx = db_.begin().await?;
    let Some((setting, row)) = lock_both(&tx, id).await? else { return Ok(false) };
    let mut next = ActiveModel { id: sea_orm::Unchanged(row.id), ..Default::default() };
    match occurrence {
        Occurrence::Planned(at) if !row.is_paused && row.next_at.is_some_and(|first| first <= at) => {
            next.next_at = Set(row.content()?.plan.next_after(at));
        }
        own @ Occurrence::Requested(_) if requested(&row) == Some(own) => next.send_requested_at = Set(None),
        _ => return Ok(false),
    }
    if matches!(outcome, Outcome::Paused(_, version) if version != 0 && version != row.version.unsigned_abs())
    {
        return Ok(true);
    }
    let changes = Changes::default().made("occurrence", occurrence.text()).made("owner", row.owner.as_str());
    let entry = match outcome {
        Outcome::Sent { count, skipped } => {
            let changes = changes.made("sent", count).made("format", row.format.as_str());
            next.sent_at = Set(Some(by.now));
            next.sent_count = Set(i32::try_from(count).unwrap_or(i32::MAX));
            next.skipped = Set(skipped);
            Some(("report_schedule.report_mailed", changes))
        }
        Outcome::Failed(why) => {
            next.failed_at = Set(Some(by.now));
            next.failure = Set(why);
            None
        }
        Outcome::Paused(why, _) => {
            let changes = changes.made("paused", true).made("reason", why.as_str());
            next.is_paused = Set(true);
            next.paused_reason = Set(why);
            next.next_at = Set(None);
            Some(("report_schedule.schedule_paused", changes))
        }
    };
    next.update(&*tx).await.map_err(db)?;
    if let Some((action, changes)) = entry {
        record(&tx, action, &setting, changes, by).await?;
    }
    tx.commit().await?;
    Ok(false)
}

async fn lock_both(tx: &Tx, id: Uuid) -> Result<Option<(report_setting::Model, Model)>> {
    // Read the id of the report setting first, whose row is locked before that of the schedule.
    let Some(row) = Entity::find_by_id(id).one(&**tx).await.map_err(db)? else { return Ok(None) };
    let setting = report_setting::Entity::find_by_id(row.report_setting_id).lock_exclusive();
    let Some(setting) = setting.one(&**tx).await.map_err(db)? else { return Ok(None) };
    Ok(lock(tx, setting.id).await?.filter(|row| row.id == id).map(|row| (setting, row)))
}

fn parse(key: &wire::DueReportKey) -> Result<(Uuid, Occurrence)> {
    let id = Uuid::try_parse(&key.schedule_id).ok();
    id.zip(Occurrence::parse(&key.occurrence)).ok_or_else(not_due)
}

fn not_due() -> Error {
    Error::not_found("REPORT_NOT_DUE", "This report is no longer due")
}
