//! Rules for deliveries, their proof and their imports. Some of them can change while the program runs: see
//! the catalogue of settings.

use serde::{Deserialize, Serialize};

use super::check::Problems;
use crate::input::limits;

/// Kinds of proof that the outcome of a delivery may require.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Proof {
    Signature,
    Photo,
    RecipientName,
    Scan,
    Location,
    Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedAttemptProof {
    PhotoOrNote,
    Photo,
    Note,
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deliveries {
    pub allow_over_delivery: bool,
    pub pod_requirement: Vec<Proof>,
    pub failed_attempt_proof: FailedAttemptProof,
    pub max_attempts: i32,
    pub undelivered_is_final: bool,
    pub max_attachments: u64,
    pub max_attachment_bytes: u64,
    pub max_open_uploads: usize,
    pub private_endpoints: bool,
}

impl Default for Deliveries {
    /// Returns the same values as `defaults.toml`, as a test checks.
    fn default() -> Self {
        Self {
            allow_over_delivery: false,
            pod_requirement: Vec::new(),
            failed_attempt_proof: FailedAttemptProof::PhotoOrNote,
            max_attempts: 3,
            undelivered_is_final: false,
            max_attachments: 20,
            max_attachment_bytes: 10_485_760,
            max_open_uploads: 50,
            private_endpoints: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    Mdy,
    Dmy,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Imports {
    pub date_order: DateOrder,
    pub max_file_bytes: u64,
    pub max_rows: u32,
    pub max_columns: usize,
    pub max_unpacked_bytes: u64,
    pub workers: usize,
    pub max_open_uploads: usize,
}

impl Deliveries {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("deliveries.max_attempts", self.max_attempts, limits::ATTEMPTS);
        problems.range("deliveries.max_attachments", self.max_attachments, limits::ATTACHMENTS);
        let most = limits::ATTACHMENT_MIB.end() << 20;
        problems.range("deliveries.max_attachment_bytes", self.max_attachment_bytes, 1..=most);
        problems.range("deliveries.max_open_uploads", self.max_open_uploads, 1..=1_000);
    }
}

impl Imports {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("imports.max_open_uploads", self.max_open_uploads, 1..=1_000);
        problems.range("imports.workers", self.workers, 1..=64);
        let positive = self.max_file_bytes > 0 && self.max_rows > 0 && self.max_columns > 0;
        problems.want(positive, "imports: limits must be positive");
    }
}
