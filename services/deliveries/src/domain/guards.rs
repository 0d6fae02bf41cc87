//! Collects what an outcome still lacks, by the form field in which it can be entered.

use std::collections::{BTreeMap, BTreeSet};

use super::command::{Policy, RecordOutcome};
use super::delivery::{ScanMode, Status};
use super::document::key;
use super::line::{self, Count, LINES, Line};
use super::proof::Proof;
use super::reason::{AppliesTo, CANCELLED_BY_SHIPPER, Catalogue, Reason};
use super::state::Outcome;

pub const REASON: &str = "outcomeReason";

/// Fields in the order they were checked, with one text each.
#[derive(Debug, Default)]
pub struct Lacking(Vec<(String, String)>);

impl Lacking {
    pub fn one(field: &str, text: &str) -> Self {
        let mut lacking = Self::default();
        lacking.say(field, text);
        lacking
    }

    /// Adds a text; only the first one of a field is kept.
    pub fn say(&mut self, field: &str, text: impl Into<String>) {
        if self.0.iter().all(|(known, _)| known != field) {
            self.0.push((field.to_owned(), text.into()));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, text)| text.as_str())
    }

    pub fn into_fields(self) -> impl Iterator<Item = (String, String)> {
        self.0.into_iter()
    }

    /// Checks whether the lines fit the status.
    pub fn lines(&mut self, to: Status, lines: &[Line], counts: Option<&[Count]>) {
        let (name, text) = match to {
            Status::CompleteWithVariance => ("varianceReason", "Reason is required where an item differs"),
            Status::Rejected => ("quantityRejected", "Rejected quantity must equal the expected quantity"),
            Status::Pending | Status::CompleteNoVariance | Status::Undelivered => return,
        };
        if to == Status::CompleteWithVariance && !lines.iter().any(Line::differs) {
            return self.say(LINES, "Items must include at least one that differs");
        }
        let bad = |line: &&Line| match to {
            Status::CompleteWithVariance => line.differs() && line.reason.is_none(),
            _ => line.rejected != line.expected,
        };
        let mut bad = lines.iter().filter(bad).peekable();
        if bad.peek().is_none() {
            return;
        }
        // Only a line with a count has fields on the form.
        let counts = counts.into_iter().flatten().zip(0..);
        let places: BTreeMap<String, usize> =
            counts.map(|(count, index)| (key(&count.item_number), index)).collect();
        for line in bad {
            match places.get(&key(&line.item_number)) {
                Some(index) => self.say(&line::field(*index, name), text),
                None => self.say(LINES, text),
            }
        }
    }

    /// Checks that the reason is in the list of the status and in use; returns it.
    pub fn reason<'a>(
        &mut self,
        to: Status,
        code: Option<&str>,
        reasons: &'a Catalogue,
    ) -> Option<&'a Reason> {
        match (AppliesTo::of(to), code) {
            (None, None) => None,
            (None, Some(_)) => {
                self.say(REASON, format!("Reason must be left empty with {}", to.label()));
                None
            }
            (Some(_), None) => {
                self.say(REASON, "Reason is required");
                None
            }
            (Some(list), Some(code)) => match reasons.find(list, code) {
                None => {
                    self.say(REASON, format!("Reason {code:?} is not one for {}", to.label()));
                    None
                }
                Some(reason) if !reason.is_active => {
                    self.say(REASON, reason.out_of_use());
                    None
                }
                reason => reason,
            },
        }
    }

    /// Checks reason and proof of an outcome.
    pub fn outcome(
        &mut self,
        to: Status,
        it: &RecordOutcome,
        outcome: &Outcome,
        lines: &[Line],
        policy: Policy,
    ) {
        let given = given(it, outcome);
        let (has_photo, has_note) = (given.contains(&Proof::Photo), given.contains(&Proof::Note));
        let reason = self.reason(to, outcome.reason.as_deref(), policy.reasons);
        self.proof_of_reason(reason, has_photo, has_note);
        match to {
            Status::CompleteNoVariance | Status::CompleteWithVariance => {
                for proof in policy.proof.missing(&given) {
                    self.say(proof.field(), proof.text());
                }
            }
            Status::Undelivered => {
                if let Some((field, text)) = policy.failed_attempt.missing(&given) {
                    self.say(field, text);
                }
            }
            Status::Rejected if !was_reached(outcome) => {
                let text = "Recipient is required: enter who refused";
                self.say(Proof::RecipientName.field(), text);
            }
            Status::Rejected | Status::Pending => {}
        }
        self.proof_of_lines(lines, has_photo, policy.reasons);
    }

    /// Checks the proof that the reason of an outcome requires.
    pub fn proof_of_reason(&mut self, reason: Option<&Reason>, has_photo: bool, has_note: bool) {
        let Some(reason) = reason else { return };
        if reason.requires_photo && !has_photo {
            self.photo_of(reason);
        }
        if reason.requires_note && !has_note {
            let text = format!("Note is required with the reason {:?}", reason.label);
            self.say(Proof::Note.field(), text);
        }
    }

    /// Checks the photo that the reasons of lines require. Their notes are checked where lines are counted.
    pub fn proof_of_lines<'a>(
        &mut self,
        lines: impl IntoIterator<Item = &'a Line>,
        has_photo: bool,
        reasons: &Catalogue,
    ) {
        let codes = lines.into_iter().filter_map(|line| line.reason.as_deref());
        let mut of_lines = codes.filter_map(|code| reasons.find(AppliesTo::Variance, code));
        if !has_photo && let Some(reason) = of_lines.find(|reason| reason.requires_photo) {
            self.photo_of(reason);
        }
    }

    fn photo_of(&mut self, reason: &Reason) {
        let text = format!("Photo is required with the reason {:?}", reason.label);
        self.say(Proof::Photo.field(), text);
    }
}

fn given(it: &RecordOutcome, outcome: &Outcome) -> BTreeSet<Proof> {
    let proofs = [
        (it.signature, Proof::Signature),
        (it.photo, Proof::Photo),
        (outcome.received_by.is_some(), Proof::RecipientName),
        (outcome.scanmode == ScanMode::Yes, Proof::Scan),
        (outcome.place.is_some(), Proof::Location),
        (outcome.note.is_some(), Proof::Note),
    ];
    proofs.into_iter().filter_map(|(is_given, proof)| is_given.then_some(proof)).collect()
}

/// Returns whether a rejection is possible: somebody was there to refuse the goods, or the shipper withdrew
/// them.
fn was_reached(outcome: &Outcome) -> bool {
    let cancelled = outcome.reason.as_deref() == Some(CANCELLED_BY_SHIPPER);
    cancelled
        || match outcome.relation {
            Some(relation) => relation.is_person(),
            None => outcome.received_by.is_some(),
        }
}
