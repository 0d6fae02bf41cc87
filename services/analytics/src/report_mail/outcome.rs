//! What became of an occurrence, as jobs keep it and the settings service gets it.

use proto::settings::v1::{DueReport, MailedReport, ReportResult};
use serde::{Deserialize, Serialize};

/// What became of an occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    result: i32,
    sent: u32,
    text: String,
    /// The version of the schedule that it is about; 0 if unknown.
    #[serde(default)]
    pub version: u64,
    /// What was mailed; `None` from an earlier release.
    pub mailed: Option<Mailed>,
}

impl Outcome {
    pub fn new(result: ReportResult, sent: u32, text: String, mailed: Option<Mailed>) -> Self {
        Self { result: result.into(), sent, text, version: 0, mailed }
    }

    /// Returns the outcome as one of this version of the schedule.
    pub fn of_version(self, version: u64) -> Self {
        Self { version, ..self }
    }

    pub fn parts(self) -> (ReportResult, u32, String) {
        (ReportResult::try_from(self.result).unwrap_or_default(), self.sent, self.text)
    }
}

/// The report that a job sends, kept because its schedule may be changed or deleted meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailed {
    report_setting_id: String,
    name: String,
    owner: String,
    pub recipients: Vec<String>,
}

impl From<&DueReport> for Mailed {
    fn from(report: &DueReport) -> Self {
        let setting = report.setting.clone().unwrap_or_default();
        Self {
            report_setting_id: setting.id,
            name: setting.content.unwrap_or_default().name,
            owner: report.owner.clone(),
            recipients: report.recipients.clone(),
        }
    }
}

impl From<Mailed> for MailedReport {
    fn from(mailed: Mailed) -> Self {
        let Mailed { report_setting_id, name, owner, recipients: _ } = mailed;
        Self { report_setting_id, name, owner }
    }
}
