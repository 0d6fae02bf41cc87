//! The job that sends one report: it runs the query, writes the file and sends a mail to each recipient.
//!
//! Who got their mail is in the checkpoint, and auth refuses to send a mail again under the same key. So an
//! attempt that follows a crash, or a further job of the occurrence, sends only what is missing.

use std::time::{Duration, Instant};

use ::store::jobs::{Halt, Hold, Job, Progress, Work};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use kit::input::limits;
use kit::{Error, Kind, Result};
use proto::auth::v1::{ReportMailState, SendReportMailRequest};
use proto::settings::v1::{DueReport, DueReportKey, ReportFormat, ReportResult, ReportSettingInput};
use serde::{Deserialize, Serialize};

use super::outcome::{Mailed, Outcome};
use super::peers::Peers;
use super::query::{self, DayRange, Members, ROW_LIMIT};
use super::{KIND, Payload, enqueue, further_id, job_id, renamed, table};
use crate::Context;
use crate::query::check::check;
use crate::query::run::{self, Within};

/// Time limit of the query.
const LONGEST: Duration = Duration::from_secs(30);

/// Prefix of an occurrence that was requested, not planned.
const REQUESTED: &str = "now:";
/// For how long a planned report is sent again to recipients whose mail is delayed. Ends before the next occurrence,
/// which replaces this one: a day with a clock change has 23 hours.
const RETRY_PLANNED: TimeDelta = TimeDelta::hours(20);
/// The same for a report that somebody asked for. Short, because nobody can ask again meanwhile.
const RETRY_REQUESTED: TimeDelta = TimeDelta::hours(1);
/// The pause before the first further attempt. Each pause is twice as long as the one before.
const DELAY: Duration = Duration::from_secs(60);
const MAX_DELAY: Duration = Duration::from_secs(3_600);

/// Sends reports.
pub struct SendReport {
    context: Context,
    peers: Peers,
}

/// How far a job is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Usernames of those who got the report.
    sent: Vec<String>,
    /// Who did not get it, and why.
    skipped: Vec<(String, Why)>,
    /// Number of attempts in which the mail server refused somebody's mail for now.
    #[serde(default)]
    delays: u32,
    /// What is sent; `None` before the first attempt.
    mailed: Option<Mailed>,
    /// What is reported to the settings service; `None` while mails are still to be sent.
    pub result: Option<Outcome>,
}

/// Why somebody did not get a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Why {
    NoReader,
    Refused,
    Uncertain,
    Delayed,
    CutShort,
}

impl Why {
    fn text(self) -> &'static str {
        match self {
            Self::NoReader => "no active account with an email address that may see reports",
            Self::Refused => "the mail server refused the address or the mail",
            Self::Uncertain => "the connection to the mail server broke, so the mail may not have arrived",
            Self::Delayed => "the mail server kept asking to try again later; the mailbox may be full",
            Self::CutShort => {
                "sending ended early because the schedule or report was changed, or the next report was due"
            }
        }
    }
}

impl Checkpoint {
    pub fn of(job: &Job) -> Result<Self> {
        match job.checkpoint.clone() {
            Some(checkpoint) => serde_json::from_value(checkpoint).map_err(Error::internal),
            None => Ok(payload_of(job)?.earlier),
        }
    }

    /// Returns where a further job of the occurrence begins.
    pub fn for_further_job(self) -> Self {
        Self { sent: self.sent, mailed: self.mailed, ..Self::default() }
    }

    fn has(&self, name: &str) -> bool {
        self.sent.iter().any(|it| it == name) || self.skipped.iter().any(|(it, _)| it == name)
    }

    async fn save(&self, hold: &Hold) -> Result<(), Halt> {
        let held = hold.begin().await?;
        let checkpoint = Some(serde_json::to_value(self).map_err(Error::internal)?);
        held.advance(Progress { done: self.sent.len() as u64, total: None, checkpoint }).await?;
        held.commit().await?;
        Ok(())
    }

    /// Returns a result with the number of people who got the report so far.
    pub fn ended(&self, result: ReportResult, text: String) -> Outcome {
        let sent = u32::try_from(self.sent.len()).unwrap_or(u32::MAX);
        Outcome::new(result, sent, text, self.mailed.clone())
    }

    /// Returns the result of an occurrence that is no longer due; `None` if nobody got the report.
    fn cut_short(&mut self) -> Option<Outcome> {
        if self.sent.is_empty() {
            return None;
        }
        let recipients = self.mailed.iter().flat_map(|it| &it.recipients);
        let left: Vec<String> = recipients.filter(|name| !self.has(name)).cloned().collect();
        self.skipped.extend(left.into_iter().map(|name| (name, Why::CutShort)));
        Some(self.outcome())
    }

    /// Returns the result once every recipient got the report or was skipped.
    fn outcome(&self) -> Outcome {
        let skipped: Vec<String> =
            self.skipped.iter().map(|(name, why)| format!("{name}: {}", why.text())).collect();
        let skipped = skipped.join("; ");
        match (self.sent.is_empty(), self.skipped.iter().all(|(_, why)| *why == Why::NoReader)) {
            (true, true) => {
                let text = format!(
                    "Nobody is left who may get this report ({skipped}). Choose recipients and resume it."
                );
                self.ended(ReportResult::Paused, text)
            }
            (true, false) => self.ended(ReportResult::Failed, skipped),
            (false, _) => self.ended(ReportResult::Sent, skipped),
        }
    }
}

fn payload_of(job: &Job) -> Result<Payload> {
    serde_json::from_value(job.payload.clone()).map_err(Error::internal)
}

/// A file, and what the mail says about it.
struct Rendered {
    name: String,
    bytes: Vec<u8>,
    text: String,
    is_xlsx: bool,
}

#[async_trait]
impl Work for SendReport {
    fn kind(&self) -> &'static str {
        KIND
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        let key = payload_of(job)?.key();
        let mut at = Checkpoint::of(job)?;
        if at.result.is_none() {
            let result = match self.peers.report(key.clone()).await {
                // A newer occurrence took its place, or somebody disabled the report, or paused or deleted the
                // schedule. If it is due again, `look` makes a further job, unless the report was mailed already.
                Err(error) if error.kind == Kind::NotFound => match at.cut_short() {
                    Some(result) => result,
                    None => return Ok(()),
                },
                report => self.attempt(&key, hold, &report?, &mut at).await?,
            };
            at.result = Some(result);
            at.save(hold).await?;
        }
        if let Some(result) = at.result.clone() {
            let is_outdated = self.peers.note(key.clone(), result).await?;
            // Not left to `look`: if the schedule is paused first, nobody would record who got the report.
            if is_outdated && !at.sent.is_empty() {
                enqueue(&self.context, further_id(job.id), key, at.for_further_job()).await?;
            }
        }
        Ok(())
    }
}

/// Returns the result for a refusal that ends the job as it should; fails with all other errors.
fn ended_by(error: Error, at: &Checkpoint) -> Result<Outcome> {
    match error.reason.as_str() {
        "REPORT_OWNER_GONE" => Ok(at.ended(ReportResult::Paused, error.message.to_string())),
        "MAIL_OFF" => Ok(at.ended(ReportResult::Failed, error.message.to_string())),
        _ => Err(error),
    }
}

/// Returns the error with which a job waits after this many attempts with delayed mails.
fn later(delays: u32) -> Error {
    let pause = DELAY.saturating_mul(2_u32.saturating_pow(delays.saturating_sub(1))).min(MAX_DELAY);
    let text = "The mail server asks to send the report to some recipients later.";
    Error { retry_after: Some(pause), ..Error::unavailable("REPORT_MAIL_DELAYED", text) }
}

/// Returns when an occurrence gives up recipients whose mail is delayed.
fn retried_until(key: &DueReportKey, report: &DueReport) -> Result<DateTime<Utc>> {
    let is_requested = key.occurrence.starts_with(REQUESTED);
    Ok(time_of(report)? + if is_requested { RETRY_REQUESTED } else { RETRY_PLANNED })
}

/// Returns the planned time of a report, or when sending was requested.
fn time_of(report: &DueReport) -> Result<DateTime<Utc>> {
    report.at.and_then(proto::instant).ok_or_else(|| Error::internal("a due report came without its time"))
}

impl SendReport {
    pub fn of(context: &Context) -> Self {
        Self { context: context.clone(), peers: Peers::of(context) }
    }

    /// Sends the report and returns the result.
    async fn attempt(
        &self,
        key: &DueReportKey,
        hold: &Hold,
        report: &DueReport,
        at: &mut Checkpoint,
    ) -> Result<Outcome, Halt> {
        at.mailed = Some(report.into());
        let result = match self.send_all(key, hold, report, at).await {
            Err(Halt::Failed(error)) => ended_by(error, at)?,
            sent => {
                sent?;
                at.outcome()
            }
        };
        Ok(result.of_version(report.version))
    }

    /// Sends the report to everybody who did not get it yet. Fails with `REPORT_MAIL_DELAYED` if the mail server
    /// refused somebody's mail for now and it is to be sent again.
    async fn send_all(
        &self,
        key: &DueReportKey,
        hold: &Hold,
        report: &DueReport,
        at: &mut Checkpoint,
    ) -> Result<(), Halt> {
        let left = report.recipients.iter().filter(|name| !at.has(name)).cloned().collect();
        let found = self.peers.check(&report.owner, left).await?;
        at.skipped.extend(found.skipped.into_iter().map(|name| (name, Why::NoReader)));
        if found.recipients.is_empty() {
            return Ok(());
        }
        let setting = report.setting.clone().unwrap_or_default();
        let content = setting.content.unwrap_or_default();
        let rendered = self.render(&content, report, hold).await?;
        let mut delayed = Vec::new();
        for recipient in found.recipients {
            hold.check()?;
            let mail = SendReportMailRequest {
                // The same for all jobs of the occurrence.
                key: format!("{}:{recipient}", job_id(key)),
                owner: report.owner.clone(),
                recipient: recipient.clone(),
                report: content.name.clone(),
                text: rendered.text.clone(),
                file_name: rendered.name.clone(),
                file: rendered.bytes.clone(),
                path: format!("/report?setting={}", setting.id),
                is_xlsx: rendered.is_xlsx,
                knows_delayed: true,
            };
            match self.peers.send(mail).await? {
                ReportMailState::Sent => at.sent.push(recipient),
                ReportMailState::Refused => at.skipped.push((recipient, Why::Refused)),
                ReportMailState::Uncertain => at.skipped.push((recipient, Why::Uncertain)),
                ReportMailState::Skipped | ReportMailState::Unspecified => {
                    at.skipped.push((recipient, Why::NoReader));
                }
                ReportMailState::Delayed => {
                    delayed.push(recipient);
                    continue;
                }
            }
            at.save(hold).await?;
        }
        if delayed.is_empty() {
            return Ok(());
        }
        if self.context.clock.now() < retried_until(key, report)? {
            at.delays = at.delays.saturating_add(1);
            at.save(hold).await?;
            return Err(later(at.delays).into());
        }
        at.skipped.extend(delayed.into_iter().map(|name| (name, Why::Delayed)));
        Ok(())
    }

    /// Runs the query and writes the file.
    async fn render(
        &self,
        content: &ReportSettingInput,
        report: &DueReport,
        hold: &Hold,
    ) -> Result<Rendered, Halt> {
        let zone: Tz = report.zone.parse().map_err(|_| Error::internal("unknown zone of a schedule"))?;
        let at = time_of(report)?;
        let days = DayRange::up_to(at.with_timezone(&zone).date_naive(), content.range_days);
        let asked = check(&query::text(content, days, zone.name()), self.context.clock.now())?;
        let within = Within { until: Instant::now() + LONGEST, stop: hold.interrupted().clone() };
        let rows = match run::run(&self.context.db, &asked.queries, &within).await {
            Err(error) if error.reason == run::STOPPED => return Err(hold.interruption()),
            rows => rows?.into_iter().next(),
        };
        let rows = rows.ok_or_else(|| Error::internal("a query without an answer"))?;
        let is_xlsx = report.format() == ReportFormat::Xlsx;
        let name = table::name(&content.name, days, is_xlsx);
        let mut text = covers(days, rows.rows.len(), report.missed, at.with_timezone(&zone));
        if let Some(note) = renamed::note(&self.context.db, &asked.queries).await? {
            text = format!("{text}\n\n{note}");
        }
        let shows_reasons = Members::of(content).dimensions.contains(&table::REASON);
        let reasons = if shows_reasons { self.peers.reasons().await? } else { Vec::new() };
        let content = content.clone();
        let bytes = tokio::task::spawn_blocking(move || table::file(&content, &rows, &reasons, is_xlsx));
        let bytes = bytes.await.map_err(Error::internal)??;
        if bytes.len() > limits::REPORT_FILE_BYTES {
            let text = "The file is too large to be sent by email. Choose fewer columns or a shorter range.";
            return Err(Error::precondition("REPORT_TOO_LARGE", text).into());
        }
        Ok(Rendered { name, bytes, text, is_xlsx })
    }
}

/// Says what a file covers.
fn covers(days: DayRange, rows: usize, missed: u32, at: DateTime<Tz>) -> String {
    let day = |day: NaiveDate| day.format("%B %-d, %Y").to_string();
    let mut text = match days.first == days.last {
        true => format!("It covers {}.", day(days.last)),
        false => format!("It covers {} to {}.", day(days.first), day(days.last)),
    };
    if rows == 0 {
        text += " No deliveries match it in this time.";
    }
    if rows >= ROW_LIMIT {
        text += &format!(" It has only the first {ROW_LIMIT} rows.");
    }
    if missed > 0 {
        let (times, were) = if missed == 1 { ("time", "was") } else { ("times", "were") };
        // The zone's name, because abbreviations are ambiguous: PST is the time of Manila and of Los Angeles.
        let (zone, at) = (at.timezone().name(), at.format("%B %-d, %Y at %-I:%M %p"));
        text += &format!(
            "\n\nSending was interrupted: {missed} earlier {times} {were} skipped. This is the report planned for {at} ({zone})."
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_says_what_its_file_covers() {
        let at: DateTime<Utc> = "2026-11-21T23:30:00Z".parse().unwrap();
        let at = at.with_timezone(&chrono_tz::Asia::Manila);
        let days = DayRange::up_to("2026-11-21".parse().unwrap(), 7);
        assert_eq!(covers(days, 3, 0, at), "It covers November 15, 2026 to November 21, 2026.");
        let one = DayRange::up_to("2026-11-21".parse().unwrap(), 1);
        assert_eq!(
            covers(one, 0, 0, at),
            "It covers November 21, 2026. No deliveries match it in this time."
        );
        let text = covers(days, ROW_LIMIT, 2, at);
        assert!(
            text.contains("only the first 5000 rows") && text.contains("2 earlier times were skipped"),
            "{text}"
        );
        assert!(text.ends_with("planned for November 22, 2026 at 7:30 AM (Asia/Manila)."), "{text}");
    }

    #[test]
    fn pauses_for_delayed_mails_grow_up_to_an_hour() {
        let minutes: Vec<u64> =
            [1, 2, 3, 6, 7, u32::MAX].map(|delays| later(delays).retry_after.unwrap().as_secs() / 60).into();
        assert_eq!(minutes, [1, 2, 4, 32, 60, 60]);
    }

    #[test]
    fn a_result_follows_from_who_got_the_report() {
        let of = |sent: &[&str], skipped: &[(&str, Why)]| {
            let sent = sent.iter().map(|it| (*it).to_owned()).collect();
            let skipped = skipped.iter().map(|(name, why)| ((*name).to_owned(), *why)).collect();
            Checkpoint { sent, skipped, ..Checkpoint::default() }.outcome().parts()
        };
        assert_eq!(of(&["ana"], &[]), (ReportResult::Sent, 1, String::new()));
        let (result, sent, text) = of(&["ana"], &[("ben", Why::NoReader)]);
        assert_eq!((result, sent), (ReportResult::Sent, 1));
        assert_eq!(text, "ben: no active account with an email address that may see reports");
        assert_eq!(of(&[], &[("ben", Why::NoReader)]).0, ReportResult::Paused);
        assert_eq!(of(&[], &[("ben", Why::NoReader), ("ana", Why::Refused)]).0, ReportResult::Failed);
    }
}
