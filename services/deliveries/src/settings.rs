//! The settings that this service uses; the configuration has the values of unset ones.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use kit::blob::{Key, MAX_PUBLISHED_LOGO_BYTES};
use kit::config::{self, FailedAttemptProof, Proof};
use kit::input::limits;
use tokio::task::spawn_blocking;

use crate::Context;
use crate::form::{Organization, picture};

::store::obeyed! {
    NAME = "organization-name";
    TIME_ZONE = "organization-time-zone";
    LOGO = "customer-logo-information";
    EMAIL = "organization-email";
    WEBSITE = "organization-website";
    MAX_ATTEMPTS = "delivery-max-attempts";
    OVER_DELIVERY = "delivery-over-delivery";
    UNDELIVERED_IS_FINAL = "delivery-undelivered-is-final";
    PROOF = "delivery-proof";
    FAILED_ATTEMPT_PROOF = "delivery-failed-attempt-proof";
    MAX_ATTACHMENTS = "delivery-max-attachments";
    MAX_ATTACHMENT_SIZE = "delivery-max-attachment-size";
}

impl Context {
    /// Returns the current values. Read them once per decision.
    pub(crate) fn rules(&self) -> config::Deliveries {
        let (set, given) = (&self.settings, &self.config);
        let max_attachment_bytes = set.parsed::<u64>(MAX_ATTACHMENT_SIZE).map(|size| size << 20);
        config::Deliveries {
            allow_over_delivery: set.parsed(OVER_DELIVERY).unwrap_or(given.allow_over_delivery),
            pod_requirement: set
                .get(PROOF)
                .and_then(|text| proofs(&text))
                .unwrap_or_else(|| given.pod_requirement.clone()),
            failed_attempt_proof: set
                .get(FAILED_ATTEMPT_PROOF)
                .and_then(|text| failed_attempt_proof(&text))
                .unwrap_or(given.failed_attempt_proof),
            max_attempts: set.parsed(MAX_ATTEMPTS).unwrap_or(given.max_attempts),
            undelivered_is_final: set.parsed(UNDELIVERED_IS_FINAL).unwrap_or(given.undelivered_is_final),
            max_attachments: set.parsed(MAX_ATTACHMENTS).unwrap_or(given.max_attachments),
            max_attachment_bytes: max_attachment_bytes.unwrap_or(given.max_attachment_bytes),
            max_open_uploads: given.max_open_uploads,
            private_endpoints: given.private_endpoints,
        }
    }

    /// Returns the values as they apply to an outcome that a driver recorded, or a file that a driver made, at that
    /// time. What a setting allowed or required before it was last changed is not known, so it allows everything and
    /// requires nothing. The size of files is the exception: it protects memory and disk, and a phone can shrink a
    /// picture that is too large.
    pub(crate) fn rules_at(&self, at: DateTime<Utc>) -> config::Deliveries {
        let mut rules = self.rules();
        let has_changed = |id| self.settings.has_changed_since(id, at);
        if has_changed(PROOF) {
            rules.pod_requirement = Vec::new();
        }
        if has_changed(FAILED_ATTEMPT_PROOF) {
            rules.failed_attempt_proof = FailedAttemptProof::Nothing;
        }
        rules.allow_over_delivery |= has_changed(OVER_DELIVERY);
        if has_changed(MAX_ATTACHMENTS) {
            rules.max_attachments = *limits::ATTACHMENTS.end();
        }
        rules
    }

    /// Returns the issuer printed on forms. Contact lines appear once they are set; the logo is loaded
    /// separately.
    pub(crate) fn issuer(&self) -> Organization {
        let name = self.settings.get(NAME).unwrap_or_else(|| self.organization.name.clone());
        let lines = [EMAIL, WEBSITE].into_iter().filter_map(|id| self.settings.get(id)).collect();
        let logo_url = self.settings.get(LOGO).and_then(|text| Some(logo_file(&text)?.url));
        Organization { name, lines, logo_url, logo: None }
    }

    /// Returns the logo for print. An unreadable logo does not prevent printing: the organization's name and
    /// Waybill's mark replace it.
    pub(crate) async fn logo(&self) -> Option<picture::Picture> {
        let file = logo_file(&self.settings.get(LOGO)?)?;
        let read = async {
            let sha256 = hex::decode(&file.digest).map_err(kit::Error::internal)?;
            let key = Key::parse(&format!("logos/{}.{}", file.digest, file.ending))?;
            let bytes = self.blob.get_verified(&key, &sha256, MAX_PUBLISHED_LOGO_BYTES).await?;
            let made =
                move || if file.ending == "svg" { picture::drawing(&bytes) } else { picture::photo(&bytes) };
            spawn_blocking(made).await.map_err(kit::Error::internal)
        };
        read.await.unwrap_or_else(|error: kit::Error| {
            tracing::warn!("a form is printed without the logo: {error:#}");
            None
        })
    }

    pub(crate) fn zone(&self) -> Tz {
        self.settings.parsed(TIME_ZONE).unwrap_or_else(|| self.organization.zone())
    }
}

/// A stored logo, whose name is derived from its content.
struct LogoFile {
    url: String,
    digest: String,
    ending: &'static str,
}

fn logo_file(text: &str) -> Option<LogoFile> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let url = value["url"].as_str()?;
    let (_, file) = url.rsplit_once("/logo/")?;
    let (digest, ending) = file.split_once('.')?;
    let ending = ["png", "svg"].into_iter().find(|known| *known == ending)?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
    is_digest.then(|| LogoFile { url: url.to_owned(), digest: digest.to_owned(), ending })
}

/// Parses "none", or names separated by commas.
fn proofs(text: &str) -> Option<Vec<Proof>> {
    if text == "none" {
        return Some(Vec::new());
    }
    let proof = |name: &str| {
        Some(match name {
            "signature" => Proof::Signature,
            "photo" => Proof::Photo,
            "recipientName" => Proof::RecipientName,
            "scan" => Proof::Scan,
            "location" => Proof::Location,
            "note" => Proof::Note,
            _ => return None,
        })
    };
    text.split(',').map(proof).collect()
}

fn failed_attempt_proof(text: &str) -> Option<FailedAttemptProof> {
    Some(match text {
        "photo_or_note" => FailedAttemptProof::PhotoOrNote,
        "photo" => FailedAttemptProof::Photo,
        "note" => FailedAttemptProof::Note,
        "nothing" => FailedAttemptProof::Nothing,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_picture_of_ours_is_a_logo_to_print() {
        let digest = "0a".repeat(32);
        let value = |url: &str| {
            format!("{{\"url\":\"{url}\",\"size\":130,\"gap\":8,\"vertical\":0,\"urlObject\":\"\"}}")
        };
        for ending in ["png", "svg"] {
            let url = format!("https://waybill.example/logo/{digest}.{ending}");
            let file = logo_file(&value(&url)).unwrap();
            assert_eq!((file.url, file.digest.as_str(), file.ending), (url, digest.as_str(), ending));
        }
        for other in
            ["", "/logo/x.png", "/logo/../forms/a.png", &format!("/logo/{digest}.gif"), "javascript:alert(1)"]
        {
            assert!(logo_file(&value(other)).is_none(), "{other}");
        }
        assert!(logo_file("no json").is_none());
    }

    #[test]
    fn a_requirement_is_read_whole_or_not_at_all() {
        assert_eq!(proofs("none"), Some(Vec::new()));
        assert_eq!(proofs("photo,recipientName"), Some(vec![Proof::Photo, Proof::RecipientName]));
        for unknown in ["photo,pin", "", "photo, note"] {
            assert_eq!(proofs(unknown), None, "{unknown:?}");
        }
    }
}
