//! Schedules by which saved reports are sent by mail.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use kit::{Error, Role};
use proto::auth::v1::GetSignUpPolicyRequest;
use proto::settings::v1 as contract;

use super::clients;
use super::error::{Failure, found};
use super::report_settings::ReportFormat;
use super::value::{self, DateTime, known, set_time};
use super::viewer::viewer;

#[derive(Default)]
pub struct ReportSchedulesQuery;

#[Object]
impl ReportSchedulesQuery {
    /// The schedule by which a report setting is sent by mail; null if it has none. Administrators only.
    async fn report_schedule(
        &self,
        ctx: &Context<'_>,
        report_setting_id: String,
    ) -> Result<Option<ReportSchedule>, Failure> {
        let ask = contract::GetReportScheduleRequest { report_setting_id };
        let answer = clients::report_schedules(ctx)?.get_report_schedule(ask).await;
        found(answer)?.map(ReportSchedule::try_from).transpose()
    }
}

#[derive(Default)]
pub struct ReportSchedulesMutation;

#[Object]
impl ReportSchedulesMutation {
    /// Creates or replaces the schedule of a report setting. Reports are then sent on behalf of the caller. Refused
    /// with MAIL_OFF while the organization has no mail server.
    async fn save_report_schedule(
        &self,
        ctx: &Context<'_>,
        input: SaveReportScheduleInput,
    ) -> Result<ReportSchedule, Failure> {
        let SaveReportScheduleInput { report_setting_id, version, schedule } = input;
        let mut service = clients::report_schedules(ctx)?;
        require_mail(ctx).await?;
        let content = Some(schedule.into());
        let ask = contract::SaveReportScheduleRequest { report_setting_id, version, content };
        service.save_report_schedule(ask).await?.into_inner().try_into()
    }

    /// Pauses or resumes a schedule. Who resumes it becomes the person on whose behalf reports are sent. Resuming is
    /// refused with MAIL_OFF while the organization has no mail server.
    async fn pause_report_schedule(
        &self,
        ctx: &Context<'_>,
        input: PauseReportScheduleInput,
    ) -> Result<ReportSchedule, Failure> {
        let PauseReportScheduleInput { report_setting_id, version, paused } = input;
        let mut service = clients::report_schedules(ctx)?;
        if !paused {
            require_mail(ctx).await?;
        }
        let ask = contract::PauseReportScheduleRequest { report_setting_id, version, paused };
        service.pause_report_schedule(ask).await?.into_inner().try_into()
    }

    /// Deletes the schedule of a report setting. Returns the id of the report setting.
    async fn delete_report_schedule(
        &self,
        ctx: &Context<'_>,
        input: DeleteReportScheduleInput,
    ) -> Result<String, Failure> {
        let DeleteReportScheduleInput { report_setting_id: id, version } = input;
        let ask = contract::DeleteReportScheduleRequest { report_setting_id: id.clone(), version };
        clients::report_schedules(ctx)?.delete_report_schedule(ask).await?;
        Ok(id)
    }

    /// Sends a report to the recipients of its schedule within seconds, in addition to its planned times. Refused
    /// with MAIL_OFF while the organization has no mail server.
    async fn send_report(
        &self,
        ctx: &Context<'_>,
        input: SendReportInput,
    ) -> Result<ReportSchedule, Failure> {
        let SendReportInput { report_setting_id, request_id } = input;
        let mut service = clients::report_schedules(ctx)?;
        require_mail(ctx).await?;
        let ask = contract::SendReportRequest { report_setting_id, request_id };
        service.send_report(ask).await?.into_inner().try_into()
    }
}

/// Refuses a request that no mail would follow.
async fn require_mail(ctx: &Context<'_>) -> Result<(), Failure> {
    let viewer = viewer(ctx)?;
    // Others learn only that they have no access.
    viewer.session()?.require(Role::ADMINS)?;
    let answer = viewer.app.auth_client().get_sign_up_policy(GetSignUpPolicyRequest {}).await?.into_inner();
    if answer.mail_off {
        let text = "Email isn't set up for this organization, so reports can't be sent.";
        return Err(Error::precondition("MAIL_OFF", text).into());
    }
    Ok(())
}

/// When a report is sent by mail, to whom, and what became of it.
#[derive(SimpleObject)]
pub struct ReportSchedule {
    id: String,
    report_setting_id: String,
    cadence: ReportCadence,
    /// The day of a weekly schedule; null for others.
    weekday: Option<Weekday>,
    /// The day of a monthly schedule, 1 to 31; null for others. A month without this day uses its last one.
    month_day: Option<u32>,
    /// HH:MM in the time zone.
    time: String,
    /// Name of the time zone, for example Asia/Manila.
    time_zone: String,
    /// Usernames.
    recipients: Vec<String>,
    /// Format of the attached file: csv or xlsx.
    format: ReportFormat,
    is_paused: bool,
    /// Why the product paused it; null if a person did, or if it is not paused.
    paused_reason: Option<String>,
    /// Username of the person on whose behalf reports are sent. They must be active and may see reports.
    owner: String,
    /// When the report is sent next; null while paused.
    next_at: Option<DateTime>,
    /// Whether the report is being sent on request.
    is_sending: bool,
    /// When the report was last sent; null if it never was.
    sent_at: Option<DateTime>,
    /// Number of people who got the last report.
    sent_count: u32,
    /// Who did not get the last report, and why; null if everybody did.
    skipped: Option<String>,
    /// When sending last failed; null if it never did.
    failed_at: Option<DateTime>,
    /// Why sending last failed.
    failure: Option<String>,
    created_at: DateTime,
    created_by: String,
    updated_at: DateTime,
    updated_by: String,
    version: u64,
}

impl TryFrom<contract::ReportSchedule> for ReportSchedule {
    type Error = Failure;

    fn try_from(row: contract::ReportSchedule) -> Result<Self, Failure> {
        let contract::ReportSchedule {
            id,
            report_setting_id,
            content,
            paused,
            paused_reason,
            owner,
            next_at,
            sending,
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
        let contract::ReportScheduleInput { cadence, weekday, month_day, time, zone, recipients, format } =
            content.unwrap_or_default();
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Self {
            id,
            report_setting_id,
            cadence: known::<contract::ReportCadence, _>(cadence)?,
            weekday: Weekday::of(weekday),
            month_day: Some(month_day).filter(|day| *day > 0),
            time,
            time_zone: zone,
            recipients,
            format: known::<contract::ReportFormat, _>(format)?,
            is_paused: paused,
            paused_reason: some(paused_reason),
            owner,
            next_at: value::time(next_at)?,
            is_sending: sending,
            sent_at: value::time(sent_at)?,
            sent_count,
            skipped: some(skipped),
            failed_at: value::time(failed_at)?,
            failure: some(failure),
            created_at: set_time(created_at)?,
            created_by,
            updated_at: set_time(updated_at)?,
            updated_by,
            version,
        })
    }
}

/// The days on which a report is sent.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum ReportCadence {
    Daily,
    /// Monday to Friday.
    Weekdays,
    Weekly,
    Monthly,
}

proto::same_enum!(contract::ReportCadence => ReportCadence {
    Daily => Daily,
    Weekdays => Weekdays,
    Weekly => Weekly,
    Monthly => Monthly,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "lowercase")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl Weekday {
    const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// Returns the day of this number, counted from 1.
    fn of(number: u32) -> Option<Self> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        Self::ALL.get(at).copied()
    }

    fn number(self) -> u32 {
        Self::ALL.iter().zip(1..).find(|(day, _)| **day == self).map_or(0, |(_, number)| number)
    }
}

#[derive(InputObject)]
pub struct SaveReportScheduleInput {
    report_setting_id: String,
    /// The version that was changed; 0 to create a schedule.
    version: u64,
    schedule: ReportScheduleInput,
}

#[derive(InputObject)]
pub struct ReportScheduleInput {
    cadence: ReportCadence,
    /// Required for a weekly schedule, ignored for others.
    weekday: Option<Weekday>,
    /// 1 to 31. Required for a monthly schedule, ignored for others.
    month_day: Option<u32>,
    /// HH:MM in the time zone.
    time: String,
    /// Name of the time zone, for example Asia/Manila.
    time_zone: String,
    /// Usernames of 1 to 20 accounts.
    recipients: Vec<String>,
    /// Format of the attached file: csv or xlsx.
    format: ReportFormat,
}

impl From<ReportScheduleInput> for contract::ReportScheduleInput {
    fn from(input: ReportScheduleInput) -> Self {
        let ReportScheduleInput { cadence, weekday, month_day, time, time_zone, recipients, format } = input;
        Self {
            cadence: contract::ReportCadence::from(cadence).into(),
            weekday: weekday.map_or(0, Weekday::number),
            month_day: month_day.unwrap_or_default(),
            time,
            zone: time_zone,
            recipients,
            format: contract::ReportFormat::from(format).into(),
        }
    }
}

#[derive(InputObject)]
pub struct PauseReportScheduleInput {
    report_setting_id: String,
    version: u64,
    /// True pauses the schedule, false resumes it.
    paused: bool,
}

#[derive(InputObject)]
pub struct DeleteReportScheduleInput {
    report_setting_id: String,
    version: u64,
}

#[derive(InputObject)]
pub struct SendReportInput {
    report_setting_id: String,
    /// UUID, chosen by the client; a repeated one sends nothing again.
    request_id: String,
}
