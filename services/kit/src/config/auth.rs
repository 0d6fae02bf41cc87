//! Settings of accounts, sessions and their mail.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::AUTO;
use super::check::Problems;
use super::secrets::SHORTEST;
use crate::service_secret::ServiceSecret;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetupToken {
    Auto,
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignUp {
    Off,
    Pending,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    pub service_secret: ServiceSecret,
    pub service_secret_file: String,
    pub session_idle_seconds: i64,
    pub session_absolute_seconds: i64,
    pub token_seconds: i64,
    pub setup_token: SetupToken,
    pub hash_workers: usize,
    pub hash_queue: usize,
    pub sign_up: SignUp,
    pub reset_token_seconds: i64,
    pub reset_link_seconds: i64,
    pub free_attempts: u32,
    pub max_wait_seconds: u32,
    pub address_attempts: u32,
    pub driver_resets_per_day: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    pub smtp_url: SecretString,
    pub smtp_url_file: String,
    pub from: String,
    pub sink: bool,
}

impl Mail {
    /// Returns the address of the SMTP server; `None` when mail is off.
    pub fn smtp(&self) -> Option<&str> {
        let url = self.smtp_url.expose_secret();
        (!url.is_empty()).then_some(url)
    }
}

impl Auth {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("auth.token_seconds", self.token_seconds, 1..=300);
        problems.want(self.session_idle_seconds > 0, "auth.session_idle_seconds: must be positive");
        problems.want(
            self.session_absolute_seconds >= self.session_idle_seconds,
            "auth.session_absolute_seconds: must not be less than session_idle_seconds",
        );
        problems.range("auth.hash_workers", self.hash_workers, 1..=64);
        problems.range("auth.reset_token_seconds", self.reset_token_seconds, 60..=600);
        problems.range("auth.reset_link_seconds", self.reset_link_seconds, 600..=259_200);
        problems.range("auth.free_attempts", self.free_attempts, 1..=20);
        problems.range("auth.max_wait_seconds", self.max_wait_seconds, 1..=86_400);
        problems.want(self.address_attempts > 0, "auth.address_attempts: must be positive");
        let long = self.service_secret.all().all(|secret| secret.len() >= SHORTEST);
        problems.want(
            self.service_secret.first() == AUTO
                || (long && (1..=2).contains(&self.service_secret.all().count())),
            "auth.service_secret: at least 32 characters, or two such secrets on a line each",
        );
    }
}

impl Mail {
    /// Checks the values. `public_url` is the address that links in mails point to.
    pub(super) fn check(&self, public_url: &str, problems: &mut Problems) {
        let smtp = self.smtp();
        problems.want(
            smtp.is_none_or(|url| url.starts_with("smtp://") || url.starts_with("smtps://")),
            "mail.smtp_url: smtp://… or smtps://…",
        );
        problems.want(
            smtp.is_none() || !public_url.is_empty(),
            "http.public_url: must be given when mail.smtp_url is, as mails link to it",
        );
        let domain = self.from.rsplit_once('@').map(|(_, domain)| domain.trim_end_matches('>'));
        problems.want(
            smtp.is_none() || domain.is_none_or(|domain| !domain.eq_ignore_ascii_case("localhost")),
            "mail.from: an address that mail.smtp_url sends for, as most servers refuse localhost",
        );
    }
}
