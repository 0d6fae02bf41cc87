//! The settings that deliveries obey. What somebody set holds, and otherwise the configuration.

use chrono_tz::Tz;
use kit::Result;
use kit::blob::{Key, MAX_LOGO_BYTES};
use kit::config::{self, FailedAttemptProof, Proof};
use tokio::task::spawn_blocking;

use crate::Context;
use crate::form::{Organization, picture};

pub const OBEYED: &[&str] = &[
    NAME,
    TIME_ZONE,
    LOGO,
    EMAIL,
    WEBSITE,
    MAX_ATTEMPTS,
    OVER_DELIVERY,
    UNDELIVERED_IS_FINAL,
    PROOF,
    FAILED_ATTEMPT_PROOF,
    MAX_ATTACHMENTS,
    MAX_ATTACHMENT_SIZE,
];

const NAME: &str = "organization-name";
const TIME_ZONE: &str = "organization-time-zone";
const LOGO: &str = "customer-logo-information";
const EMAIL: &str = "organization-email";
const WEBSITE: &str = "organization-website";
const MAX_ATTEMPTS: &str = "delivery-max-attempts";
const OVER_DELIVERY: &str = "delivery-over-delivery";
const UNDELIVERED_IS_FINAL: &str = "delivery-undelivered-is-final";
const PROOF: &str = "delivery-proof";
const FAILED_ATTEMPT_PROOF: &str = "delivery-failed-attempt-proof";
const MAX_ATTACHMENTS: &str = "delivery-max-attachments";
const MAX_ATTACHMENT_SIZE: &str = "delivery-max-attachment-size";

impl Context {
    /// As it is at this moment: whoever decides something asks once.
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
        }
    }

    /// Who issues forms: how to reach them is printed once somebody set it. A logo that cannot be fetched
    /// is no reason to print nothing: name and mark stand in.
    pub(crate) async fn issuer(&self) -> Organization {
        let name = self.settings.get(NAME).unwrap_or_else(|| self.organization.name.clone());
        let lines = [EMAIL, WEBSITE].into_iter().filter_map(|id| self.settings.get(id)).collect();
        let logo = self.logo().await.unwrap_or_else(|error| {
            tracing::warn!("a form is printed without the logo: {error}");
            None
        });
        Organization { name, lines, logo }
    }

    /// A drawing cannot be printed yet; a picture can.
    async fn logo(&self) -> Result<Option<picture::Picture>> {
        let Some(file) = self.settings.get(LOGO).as_deref().and_then(logo_file) else { return Ok(None) };
        let bytes = self.blob.get(&Key::parse(&format!("logos/{file}"))?, MAX_LOGO_BYTES).await?;
        spawn_blocking(move || picture::photo(&bytes)).await.map_err(kit::Error::internal)
    }

    pub(crate) fn zone(&self) -> Tz {
        self.settings.parsed(TIME_ZONE).unwrap_or_else(|| self.organization.zone())
    }
}

/// Name of the object, named by its content, that the setting's address leads to.
fn logo_file(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let (_, file) = value["url"].as_str()?.rsplit_once("/logo/")?;
    let digest = file.strip_suffix(".png")?;
    (digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit())).then(|| file.to_owned())
}

/// "none", or names with commas.
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
        let file = logo_file(&value(&format!("https://waybill.example/logo/{digest}.png")));
        assert_eq!(file, Some(format!("{digest}.png")));
        for other in
            ["", "/logo/x.png", "/logo/../forms/a.png", &format!("/logo/{digest}.svg"), "javascript:alert(1)"]
        {
            assert_eq!(logo_file(&value(other)), None, "{other}");
        }
        assert_eq!(logo_file("no json"), None);
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
