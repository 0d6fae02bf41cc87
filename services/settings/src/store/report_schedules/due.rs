//! Which reports are due, and what became of them.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use kit::clock::derived_id;
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
use ::store::audit::{self, Act, Changes};
use ::store::{Db, Tx, db};

/// Maximum number of occurrences in an answer.
const MOST_DUE: usize = 50;
/// Missed occurrences are counted up to this number.
const MOST_MISSED: u32 = 1_000;
/// Maximum length of the text about a result.
const MAX_TEXT: usize = 1_000;

/// Replans schedules whose next occurrence is too late because the clock was ahead when it was planned. Skips schedules
/// that were saved in the future: the clock may be behind now, and their reports would be sent twice.
pub async fn plan_again(db_: &Db, now: DateTime<Utc>) -> Result<()> {
    let ahead = Condition::all().add(Column::IsPaused.eq(false)).add(Column::NextAt.gt(now));
    let rows = Entity::find().filter(ahead).filter(Column::UpdatedAt.lte(now)).limit(MOST);
    for row in rows.all(db_.read()).await.map_err(db)? {
        if replanned(&row, now).is_none() {
            continue;
        }
        let tx = db_.begin().await?;
        let Some((_, row)) = lock_both(&tx, row.id).await? else { continue };
        if let Some(next_at) = replanned(&row, now) {
            let next_at = Set(Some(next_at));
            let next = ActiveModel { id: sea_orm::Unchanged(row.id), next_at, ..Default::default() };
            next.update(&*tx).await.map_err(db)?;
            tx.commit().await?;
            tracing::warn!(report_schedule = %row.id, "a report that a wrong clock planned too late is planned anew");
        }
    }
    Ok(())
}

/// Returns the new next occurrence of a schedule; `None` if the planned one holds, or if the schedule is paused.
fn replanned(row: &Model, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let plan = row.content().ok()?.plan;
    plan.planned(row.next_at, now).filter(|next_at| !row.is_paused && row.next_at != Some(*next_at))
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
#[derive(Debug)]
pub struct Outcome {
    end: End,
    /// Number of people who got the report, whatever the end.
    sent: u32,
    /// Who did not get it, or why it failed or the schedule is to be paused.
    text: String,
    /// What was mailed, if known.
    mailed: Option<wire::MailedReport>,
}

#[derive(Debug)]
enum End {
    Sent,
    Failed,
    /// The schedule is to be paused. With the version of the schedule that this is about; 0 if unknown.
    Paused(u64),
}

impl Outcome {
    pub fn read(request: wire::RecordReportResultRequest) -> Result<Self> {
        let end = match request.result() {
            wire::ReportResult::Sent => End::Sent,
            wire::ReportResult::Failed => End::Failed,
            wire::ReportResult::Paused => End::Paused(request.version),
            wire::ReportResult::Unspecified => {
                return Err(Error::invalid_field("result", "Result is required"));
            }
        };
        let text = request.text.chars().take(MAX_TEXT).collect();
        Ok(Self { end, sent: request.sent_count, text, mailed: request.mailed })
    }

    fn is_outdated(&self, row: &Model) -> bool {
        matches!(self.end, End::Paused(version) if version != 0 && version != row.version.unsigned_abs())
    }
}

/// Records the result of an occurrence and plans the next one. If the occurrence is no longer due, records only who
/// got the report: mails may have left before an administrator changed or deleted the schedule. A repeated result
/// changes nothing. Returns whether the result is outdated: a schedule that an administrator changed since is not
/// paused for what was wrong before, and the occurrence stays due.
pub async fn note(db_: &Db, key: &wire::DueReportKey, outcome: Outcome, by: By<'_>) -> Result<bool> {
    let (id, occurrence) = parse(key)?;
    let tx = db_.begin().await?;
    let found = lock_both(&tx, id).await?;
    let end_of_due = found.as_ref().map(|(_, row)| end_of(row, occurrence)).transpose()?.flatten();
    let is_due = end_of_due.is_some();
    if is_due && found.as_ref().is_some_and(|(_, row)| outcome.is_outdated(row)) {
        // The next job records who got the report, together with those whom it adds.
        return Ok(true);
    }
    let is_new = outcome.sent > 0 && record_mailed(&tx, key, &outcome, found.as_ref(), by).await?;
    if !is_due && !is_new {
        return Ok(false);
    }
    if let Some((setting, row)) = found {
        let mut next = end_of_due.unwrap_or_else(|| unchanged(&row));
        // A later report was sent while this one waited, and its result stays.
        let is_overtaken = !is_due
            && matches!(occurrence, Occurrence::Planned(at) if row.sent_at.is_some_and(|sent| sent > at));
        let Outcome { end, sent, text, .. } = outcome;
        if sent > 0 && !is_overtaken {
            next.sent_at = Set(Some(by.now));
            next.sent_count = Set(i32::try_from(sent).unwrap_or(i32::MAX));
            next.skipped = Set(String::new());
        }
        match end {
            End::Sent if is_overtaken => {}
            End::Sent => next.skipped = Set(text),
            End::Failed if is_due => {
                next.failed_at = Set(Some(by.now));
                next.failure = Set(text);
            }
            End::Paused(_) if is_due => {
                let changes = changes_of(key, &row.owner).made("paused", true).made("reason", text.as_str());
                record(&tx, "report_schedule.schedule_paused", &setting, changes, by).await?;
                next.is_paused = Set(true);
                next.paused_reason = Set(text);
                next.next_at = Set(None);
            }
            End::Failed | End::Paused(_) => {}
        }
        next.update(&*tx).await.map_err(db)?;
    }
    tx.commit().await?;
    Ok(false)
}

/// Records that a report was mailed, once for each occurrence, even if its schedule is gone. Returns false if that is
/// recorded already.
async fn record_mailed(
    tx: &Tx,
    key: &wire::DueReportKey,
    outcome: &Outcome,
    found: Option<&(report_setting::Model, Model)>,
    by: By<'_>,
) -> Result<bool> {
    const ACTION: &str = "report_schedule.report_mailed";
    let current = found.map(|(setting, row)| wire::MailedReport {
        report_setting_id: setting.id.to_string(),
        name: setting.name.clone(),
        owner: row.owner.clone(),
    });
    // Unknown if the schedule was deleted and an earlier release sent the report.
    let Some(mailed) = outcome.mailed.as_ref().or(current.as_ref()) else { return Ok(false) };
    let mut changes = changes_of(key, &mailed.owner).made("sent", outcome.sent);
    if let Some((_, row)) = found {
        changes = changes.made("format", row.format.as_str());
    }
    let (service, entity) = (crate::NAME, "report_setting");
    let (entity_id, entity_name) = (mailed.report_setting_id.as_str(), mailed.name.as_str());
    let act = Act { service, action: ACTION, entity, entity_id, entity_name, changes };
    let id = derived_id(&[ACTION, &key.schedule_id, &key.occurrence]);
    audit::record_once(tx, id, by, act).await
}

fn changes_of(key: &wire::DueReportKey, owner: &str) -> Changes {
    Changes::default().made("occurrence", key.occurrence.as_str()).made("owner", owner)
}

fn unchanged(row: &Model) -> ActiveModel {
    ActiveModel { id: sea_orm::Unchanged(row.id), ..Default::default() }
}

/// Returns the change that ends an occurrence and plans the next one; `None` if the occurrence is no longer due.
fn end_of(row: &Model, occurrence: Occurrence) -> Result<Option<ActiveModel>> {
    let mut next = unchanged(row);
    match occurrence {
        Occurrence::Planned(at) if !row.is_paused && row.next_at.is_some_and(|first| first <= at) => {
            next.next_at = Set(row.content()?.plan.next_after(at));
        }
        own @ Occurrence::Requested(_) if requested(row) == Some(own) => next.send_requested_at = Set(None),
        _ => return Ok(None),
    }
    Ok(Some(next))
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
