//! What became of an occurrence, as jobs keep it and the settings service gets it.

use proto::settings::v1::ReportResult;
use serde::{Deserialize, Serialize};

/// What became of an occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    result: i32,
    sent: u32,
    text: String,
}

impl Outcome {
    pub fn new(result: ReportResult, sent: u32, text: String) -> Self {
        Self { result: result.into(), sent, text }
    }

    pub fn parts(self) -> (ReportResult, u32, String) {
        (ReportResult::try_from(self.result).unwrap_or_default(), self.sent, self.text)
    }
}
