//! When a report is sent by mail, to whom, and in which format.

use chrono::{DateTime, Datelike, Duration, NaiveDate, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;
use kit::Result;
use kit::input::{Check, limits, text};
use proto::settings::v1 as wire;
use store::filter::fold;

use super::report_setting::Format;
use super::value;

/// How far to look for the next day of a schedule. Every schedule has a day in each month.
const MAX_DAYS: i64 = 40;
/// The longest time that a clock change has skipped: a whole day, where the date line was moved.
const MAX_SKIPPED_MINUTES: i64 = 25 * 60;
/// How far clocks of replicas may differ, or one may be set back, before a planned time counts as too late. Without it,
/// reports would be sent twice.
const SLACK: Duration = Duration::hours(1);
/// Missed occurrences are counted this far back.
const COUNTED_DAYS: i64 = 400;

::store::text_enum!(
    /// The days on which a report is sent.
    Cadence { Daily => "daily", Weekdays => "weekdays", Weekly => "weekly", Monthly => "monthly" }
);

proto::same_enum!(wire::ReportCadence => Cadence {
    Daily => Daily,
    Weekdays => Weekdays,
    Weekly => Weekly,
    Monthly => Monthly,
});

/// Everything that can be changed about a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSchedule {
    pub plan: Plan,
    /// Usernames as typed.
    pub recipients: Vec<String>,
    pub format: Format,
}

/// The local times at which a report is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub cadence: Cadence,
    /// The day of a weekly plan, 1 to 7 from Monday; otherwise 0.
    pub weekday: u32,
    /// The day of a monthly plan, 1 to 31; otherwise 0. A month without this day uses its last one.
    pub month_day: u32,
    pub time: NaiveTime,
    pub zone: Tz,
}

impl Plan {
    /// Returns the first occurrence after a time.
    pub fn next_after(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        // Start a day early: a clock change may move an occurrence into the next day.
        let first = at.with_timezone(&self.zone).date_naive() - Duration::days(1);
        let days = (0..MAX_DAYS).filter_map(|day| first.checked_add_signed(Duration::days(day)));
        days.filter(|day| self.is_on(*day)).filter_map(|day| self.occurrence(day)).find(|next| *next > at)
    }

    /// Returns the next occurrence: `at` as planned, or a new one if `at` is later than any that can be planned now,
    /// because the clock was ahead when it was planned.
    pub fn planned(&self, at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let latest = self.next_after(now + SLACK);
        at.filter(|at| latest.is_none_or(|latest| *at <= latest)).or_else(|| self.next_after(now))
    }

    /// Returns the newest occurrence up to `now`, and the number of occurrences before it, from `first` on.
    /// Counts no further back than [`COUNTED_DAYS`].
    pub fn newest(&self, first: DateTime<Utc>, now: DateTime<Utc>) -> (DateTime<Utc>, u32) {
        let recent = self.next_after(now - Duration::days(COUNTED_DAYS));
        let mut newest = recent.filter(|recent| *recent <= now).map_or(first, |recent| recent.max(first));
        let mut missed = 0;
        while let Some(next) = self.next_after(newest).filter(|next| *next <= now) {
            newest = next;
            missed += 1;
        }
        (newest, missed)
    }

    fn is_on(&self, day: NaiveDate) -> bool {
        match self.cadence {
            Cadence::Daily => true,
            Cadence::Weekdays => day.weekday().number_from_monday() <= 5,
            Cadence::Weekly => day.weekday().number_from_monday() == self.weekday,
            Cadence::Monthly => {
                let is_last = day.succ_opt().is_none_or(|next| next.day() == 1);
                day.day() == self.month_day || (is_last && day.day() < self.month_day)
            }
        }
    }

    /// Returns the instant of an occurrence. A local time that a clock change skips becomes the moment of the
    /// change; of a local time that occurs twice, the first counts.
    fn occurrence(&self, day: NaiveDate) -> Option<DateTime<Utc>> {
        let local = day.and_time(self.time);
        let exists =
            |minutes| self.zone.from_local_datetime(&(local + Duration::minutes(minutes))).earliest();
        (0..=MAX_SKIPPED_MINUTES).find_map(exists).map(|at| at.with_timezone(&Utc))
    }
}

/// Parses a schedule. The error lists all wrong fields.
pub fn read(input: wire::ReportScheduleInput) -> Result<ReportSchedule> {
    let cadence = Cadence::try_from(input.cadence());
    let format = match input.format() {
        wire::ReportFormat::Csv => Ok(Format::Csv),
        wire::ReportFormat::Xlsx => Ok(Format::Xlsx),
        wire::ReportFormat::Pdf | wire::ReportFormat::Unspecified => Err("Format must be csv or xlsx"),
    };
    let wire::ReportScheduleInput { cadence: _, weekday, month_day, time, zone, recipients, format: _ } =
        input;
    let mut check = Check::new();
    let cadence = cadence.map_err(|_| "Days must be daily, weekdays, weekly or monthly");
    let cadence = check.read("cadence", cadence);
    let is_weekly = cadence == Some(Cadence::Weekly);
    let is_monthly = cadence == Some(Cadence::Monthly);
    let good = !is_weekly || (1..=7).contains(&weekday);
    check.require(good, "weekday", "Day of the week must be Monday to Sunday");
    let good = !is_monthly || (1..=31).contains(&month_day);
    check.require(good, "monthDay", "Day of the month must be between 1 and 31");
    let time = value::time(time.trim()).ok_or("Time must be a time such as 07:30");
    let time = check.read("time", time).unwrap_or_default();
    let zone = zone.trim().parse::<Tz>().map_err(|_| "Time zone must be one such as Asia/Manila");
    let zone = check.read("timeZone", zone).unwrap_or(Tz::UTC);
    let recipients = check.read("recipients", usernames(&recipients)).unwrap_or_default();
    let format = check.read("format", format).unwrap_or(Format::Csv);
    let plan = Plan {
        cadence: cadence.unwrap_or(Cadence::Daily),
        weekday: if is_weekly { weekday } else { 0 },
        month_day: if is_monthly { month_day } else { 0 },
        time,
        zone,
    };
    check.done(ReportSchedule { plan, recipients, format })
}

/// Parses usernames; returns each once, ignoring case, in the given order. Whether an account may get reports
/// is decided when a report is sent.
fn usernames(names: &[String]) -> Result<Vec<String>, String> {
    let mut users: Vec<String> = Vec::new();
    if names.len() > limits::REPORT_RECIPIENTS {
        return Err(format!("Choose no more than {} recipients", limits::REPORT_RECIPIENTS));
    }
    for name in names {
        let name = text::required("Username", name, limits::USERNAME)?;
        if !users.iter().any(|other| fold(other) == fold(&name)) {
            users.push(name);
        }
    }
    match users.is_empty() {
        true => Err("Choose at least one recipient".to_owned()),
        false => Ok(users),
    }
}

#[cfg(test)]
#[path = "report_schedule_tests.rs"]
mod tests;
