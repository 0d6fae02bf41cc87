//! Planned times of a schedule that pass while its report is off.

use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::entity::report_schedule::{ActiveModel, Column, Entity};
use ::store::{Tx, db};

/// Skips the planned times between `since` and `now`, while the report was off, so that nothing is sent late. A
/// time that was due before stays due if it is still the newest, because a job may be sending it. The caller has
/// locked the row of the report setting.
pub async fn skip(tx: &Tx, setting: Uuid, since: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
    let found = Entity::find().filter(Column::ReportSettingId.eq(setting)).lock_exclusive();
    let Some(row) = found.one(&**tx).await.map_err(db)? else { return Ok(()) };
    let Some(first) = row.next_at.filter(|first| *first <= now && !row.is_paused) else { return Ok(()) };
    let plan = row.content()?.plan;
    if plan.newest(first, now).0 <= since {
        return Ok(());
    }
    let next = ActiveModel {
        id: sea_orm::Unchanged(row.id),
        next_at: Set(plan.next_after(now)),
        ..Default::default()
    };
    next.update(&**tx).await.map_err(db)?;
    Ok(())
}
