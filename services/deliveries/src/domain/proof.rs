//! Proof requirements, and which proof is missing.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::Iterable;

use super::delivery::text_enum;

text_enum!(
    #[derive(PartialOrd, Ord)]
    Proof {
        Signature => "signature",
        Photo => "photo",
        RecipientName => "recipientName",
        Scan => "scan",
        Location => "location",
        Note => "note",
    }
);

impl Proof {
    /// Returns the form field for this kind of proof.
    pub fn field(self) -> &'static str {
        match self {
            Proof::Signature => "signature",
            Proof::Photo => "photos",
            Proof::RecipientName => "receivedBy",
            Proof::Scan => "scanmode",
            Proof::Location => "location",
            Proof::Note => "outcomeNote",
        }
    }

    /// Returns the text to show under the form field for this kind of proof.
    pub fn text(self) -> &'static str {
        match self {
            Proof::Signature => "Signature is required",
            Proof::Photo => "Photo is required",
            Proof::RecipientName => "Name of the recipient is required",
            Proof::Scan => "Scan of the document or its items is required",
            Proof::Location => "Location is required",
            Proof::Note => "Note is required",
        }
    }
}

impl From<kit::config::Proof> for Proof {
    fn from(proof: kit::config::Proof) -> Self {
        match proof {
            kit::config::Proof::Signature => Self::Signature,
            kit::config::Proof::Photo => Self::Photo,
            kit::config::Proof::RecipientName => Self::RecipientName,
            kit::config::Proof::Scan => Self::Scan,
            kit::config::Proof::Location => Self::Location,
            kit::config::Proof::Note => Self::Note,
        }
    }
}

/// The proof that a completed delivery needs. An empty set means that it needs none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodRequirement(BTreeSet<Proof>);

impl PodRequirement {
    pub fn of(proofs: &[Proof]) -> Self {
        Self(proofs.iter().copied().collect())
    }

    /// Parses the names in a setting or a form; reports the first unknown one.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let known = |name: &str| Proof::iter().find(|proof| proof.as_str() == name);
        let proofs = names.into_iter().map(|name| {
            known(name).ok_or_else(|| {
                let text = format!("Proof {name:?} is unknown; use one of {}", Proof::SPELLINGS.join(", "));
                Error::invalid_field("podRequirement", text)
            })
        });
        proofs.collect::<Result<_>>().map(Self)
    }

    /// Returns the names of the proofs, always in the same order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|proof| proof.as_str())
    }

    /// Returns the requirement that applies: the customer's, otherwise the source's, otherwise the setting's.
    pub fn resolve<'a>(customer: Option<&'a Self>, source: Option<&'a Self>, default: &'a Self) -> &'a Self {
        customer.or(source).unwrap_or(default)
    }

    pub fn missing(&self, given: &BTreeSet<Proof>) -> Vec<Proof> {
        self.0.difference(given).copied().collect()
    }
}

text_enum!(
    /// The proof that a failed attempt needs.
    FailedAttemptProof {
        PhotoOrNote => "photo_or_note",
        Photo => "photo",
        Note => "note",
        Nothing => "nothing",
    }
);

impl From<kit::config::FailedAttemptProof> for FailedAttemptProof {
    fn from(proof: kit::config::FailedAttemptProof) -> Self {
        match proof {
            kit::config::FailedAttemptProof::PhotoOrNote => Self::PhotoOrNote,
            kit::config::FailedAttemptProof::Photo => Self::Photo,
            kit::config::FailedAttemptProof::Note => Self::Note,
            kit::config::FailedAttemptProof::Nothing => Self::Nothing,
        }
    }
}

impl FailedAttemptProof {
    /// Returns the input field and the error text for the proof that is missing; `None` if nothing is
    /// missing.
    pub fn missing(self, given: &BTreeSet<Proof>) -> Option<(&'static str, &'static str)> {
        let has = |proof| given.contains(&proof);
        let named = |proof: Proof| Some((proof.field(), proof.text()));
        match self {
            Self::PhotoOrNote if !has(Proof::Photo) && !has(Proof::Note) => {
                Some((Proof::Note.field(), "Photo or note is required"))
            }
            Self::Photo if !has(Proof::Photo) => named(Proof::Photo),
            Self::Note if !has(Proof::Note) => named(Proof::Note),
            _ => None,
        }
    }
}

/// Returns whether a proof must be marked as added later: the server received it after the outcome. Uses the
/// server's clock, because a device can claim any time for a photo.
pub fn added_after_completion(
    outcome_received_at: Option<DateTime<Utc>>,
    received_at: DateTime<Utc>,
) -> bool {
    outcome_received_at.is_some_and(|outcome| received_at > outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    #[test]
    fn the_customer_decides_before_the_source_and_the_setting() {
        let signature = PodRequirement::of(&[Proof::Signature]);
        let photo = PodRequirement::of(&[Proof::Photo]);
        let nothing = PodRequirement::default();
        assert_eq!(PodRequirement::resolve(Some(&signature), Some(&photo), &nothing), &signature);
        assert_eq!(PodRequirement::resolve(None, Some(&photo), &signature), &photo);
        assert_eq!(PodRequirement::resolve(None, None, &signature), &signature);
        assert_eq!(PodRequirement::resolve(Some(&nothing), Some(&photo), &signature), &nothing);
    }

    #[test]
    fn names_are_read_and_written() {
        let requirement = PodRequirement::parse(["photo", "signature", "photo"]).unwrap();
        assert_eq!(requirement, PodRequirement::of(&[Proof::Signature, Proof::Photo]));
        assert_eq!(requirement.names().collect::<Vec<_>>(), ["signature", "photo"]);
        let all = PodRequirement::parse(Proof::SPELLINGS.iter().copied()).unwrap();
        assert_eq!(all.names().count(), 6);
        let error = PodRequirement::parse(["photo", "pin"]).unwrap_err();
        assert!(error.fields["podRequirement"][0].contains("\"pin\""), "{error}");
    }

    #[test]
    fn what_is_required_and_not_given_is_missing() {
        let requirement = PodRequirement::of(&[Proof::Signature, Proof::Photo, Proof::RecipientName]);
        let given = BTreeSet::from([Proof::Photo, Proof::Note]);
        assert_eq!(requirement.missing(&given), [Proof::Signature, Proof::RecipientName]);
        assert_eq!(PodRequirement::default().missing(&BTreeSet::new()), []);
    }

    #[test]
    fn a_failed_attempt_needs_a_photo_or_a_note() {
        use FailedAttemptProof::{Note, Nothing, Photo, PhotoOrNote};
        let nothing = BTreeSet::new();
        let photo = BTreeSet::from([Proof::Photo]);
        let note = BTreeSet::from([Proof::Note]);
        let signature = BTreeSet::from([Proof::Signature]);
        for (rule, given, missing) in [
            (PhotoOrNote, &nothing, Some("outcomeNote")),
            (PhotoOrNote, &signature, Some("outcomeNote")),
            (PhotoOrNote, &photo, None),
            (PhotoOrNote, &note, None),
            (Photo, &note, Some("photos")),
            (Photo, &photo, None),
            (Note, &photo, Some("outcomeNote")),
            (Note, &note, None),
            (Nothing, &nothing, None),
        ] {
            assert_eq!(rule.missing(given).map(|(field, _)| field), missing, "{rule:?} {given:?}");
        }
    }

    #[test]
    fn an_attachment_after_the_outcome_is_marked() {
        let at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        assert!(!added_after_completion(None, at));
        assert!(!added_after_completion(Some(at), at));
        assert!(!added_after_completion(Some(at), at - TimeDelta::seconds(1)));
        assert!(added_after_completion(Some(at), at + TimeDelta::microseconds(1)));
    }
}
