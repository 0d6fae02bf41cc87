//! What became of an occurrence, as jobs keep it and the settings service gets it.

use proto::settings::v1::ReportResult;
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
}

impl Outcome {
    pub fn new(result: ReportResult, sent: u32, text: String) -> Self {
        Self { result: result.into(), sent, text, version: 0 }
    }

    /// Returns the outcome as one of this version of the schedule.
    pub fn of_version(self, version: u64) -> Self {
        Self { version, ..self }
    }

    pub fn parts(self) -> (ReportResult, u32, String) {
        (ReportResult::try_from(self.result).unwrap_or_default(), self.sent, self.text)
    }
}
