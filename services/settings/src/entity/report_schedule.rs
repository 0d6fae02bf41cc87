use chrono::NaiveTime;
use kit::{Error, Result};
use proto::settings::v1 as wire;
use sea_orm::entity::prelude::*;

use super::announcement::Usernames;
use crate::domain::report_schedule::{Cadence, Plan, ReportSchedule};
use crate::domain::report_setting::Format;

/// The schedule of a report setting, which has at most one.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "report_schedule")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub report_setting_id: Uuid,
    pub cadence: Cadence,
    pub weekday: i32,
    pub month_day: i32,
    /// HH:MM in the zone.
    pub local_time: String,
    pub zone: String,
    pub recipients: Usernames,
    pub format: Format,
    pub is_paused: bool,
    /// Why the product paused it; empty if a person did.
    pub paused_reason: String,
    /// Username of the person on whose behalf reports are sent: who saved or resumed the schedule last.
    pub owner: String,
    /// The first occurrence without a result; NULL while paused.
    pub next_at: Option<DateTimeUtc>,
    /// The last request to send the report at once.
    pub send_request: Option<Uuid>,
    /// When it was made; NULL once it has a result.
    pub send_requested_at: Option<DateTimeUtc>,
    pub sent_at: Option<DateTimeUtc>,
    pub sent_count: i32,
    /// Who did not get the last delivery, and why.
    pub skipped: String,
    pub failed_at: Option<DateTimeUtc>,
    pub failure: String,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    /// Incremented by changes of administrators, but not by results.
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Parses the columns that an administrator can change.
    pub fn content(&self) -> Result<ReportSchedule> {
        let time = NaiveTime::parse_from_str(&self.local_time, "%H:%M").map_err(Error::internal)?;
        let zone = self.zone.parse().map_err(|_| Error::internal(format!("unknown zone {}", self.zone)))?;
        let plan = Plan {
            cadence: self.cadence,
            weekday: self.weekday.unsigned_abs(),
            month_day: self.month_day.unsigned_abs(),
            time,
            zone,
        };
        Ok(ReportSchedule { plan, recipients: self.recipients.0.clone(), format: self.format })
    }
}

impl From<Model> for wire::ReportSchedule {
    fn from(row: Model) -> Self {
        let Model {
            id,
            report_setting_id,
            cadence,
            weekday,
            month_day,
            local_time,
            zone,
            recipients,
            format,
            is_paused,
            paused_reason,
            owner,
            next_at,
            send_request: _,
            send_requested_at,
            sent_at,
            sent_count,
            skipped,
            failed_at,
            failure,
            created_at,
            created_by,
            updated_at,
            updated_by,
            version,
        } = row;
        wire::ReportSchedule {
            id: id.to_string(),
            report_setting_id: report_setting_id.to_string(),
            content: Some(wire::ReportScheduleInput {
                cadence: wire::ReportCadence::from(cadence).into(),
                weekday: weekday.unsigned_abs(),
                month_day: month_day.unsigned_abs(),
                time: local_time,
                zone,
                recipients: recipients.0,
                format: wire::ReportFormat::from(format).into(),
            }),
            paused: is_paused,
            paused_reason,
            owner,
            next_at: next_at.map(proto::timestamp),
            sending: send_requested_at.is_some(),
            sent_at: sent_at.map(proto::timestamp),
            sent_count: sent_count.unsigned_abs(),
            skipped,
            failed_at: failed_at.map(proto::timestamp),
            failure,
            created_at: Some(proto::timestamp(created_at)),
            created_by,
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
        }
    }
}
