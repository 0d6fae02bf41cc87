//! The lines of a delivery: expected quantities, counted quantities, and what these imply.
//!
//! Quantities are in thousandths. Nothing is counted before an outcome, nor after the next attempt has
//! begun.

use std::collections::{BTreeMap, BTreeSet};

use kit::error::Fields;
use kit::input::text::required;
use kit::input::{Check, limits};

use super::delivery::{Status, text_enum};
use super::document::key;
use super::reason::{AppliesTo, Catalogue, PRICE_OR_DOCUMENT_MISMATCH};
use super::text;

/// The form field for the lines.
pub const LINES: &str = "lines";
/// The field of a count that names its item.
const NUMBER: &str = "itemNumber";

/// What is wrong with fields of a count.
type Wrong = Vec<(&'static str, String)>;

text_enum!(
    /// The condition of the goods.
    Condition { Ok => "ok", Damaged => "damaged", WrongItem => "wrong_item", Expired => "expired" }
);

proto::same_enum!(proto::deliveries::v1::Condition => Condition {
    Ok => Ok,
    Damaged => Damaged,
    WrongItem => WrongItem,
    Expired => Expired,
});

text_enum!(
    VarianceKind {
        Short => "short",
        Over => "over",
        Damaged => "damaged",
        WrongItem => "wrong_item",
        RejectedLine => "rejected_line",
        Document => "document",
        Other => "other",
    }
);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub item_number: String,
    pub expected: i64,
    pub delivered: i64,
    pub rejected: i64,
    pub condition: Condition,
    /// Reason code for a variance.
    pub reason: Option<String>,
    pub note: Option<String>,
}

impl Line {
    /// Creates a line with nothing counted.
    pub fn open(item_number: impl Into<String>, expected: i64) -> Self {
        Self {
            item_number: item_number.into(),
            expected,
            delivered: 0,
            rejected: 0,
            condition: Condition::Ok,
            reason: None,
            note: None,
        }
    }

    pub fn extra(&self) -> i64 {
        (self.delivered + self.rejected - self.expected).max(0)
    }

    /// Returns whether the line is a variance.
    pub fn differs(&self) -> bool {
        self.delivered != self.expected || self.condition != Condition::Ok
    }

    /// Returns whether the line was neither expected nor counted, and so says nothing about the delivery.
    fn is_silent(&self) -> bool {
        self.expected == 0 && self.rejected == 0 && !self.differs()
    }

    /// Returns the kind of variance that matters most: condition, then surplus, then a mismatch of documents,
    /// then refusal.
    fn kind(&self) -> VarianceKind {
        match self.condition {
            Condition::Damaged => VarianceKind::Damaged,
            Condition::WrongItem => VarianceKind::WrongItem,
            Condition::Expired => VarianceKind::Other,
            Condition::Ok if self.extra() > 0 => VarianceKind::Over,
            Condition::Ok if self.reason.as_deref() == Some(PRICE_OR_DOCUMENT_MISMATCH) => {
                VarianceKind::Document
            }
            Condition::Ok if self.rejected > 0 => VarianceKind::RejectedLine,
            Condition::Ok => VarianceKind::Short,
        }
    }
}

/// Returns the lines with nothing counted.
pub fn opened(lines: &[Line]) -> Vec<Line> {
    lines.iter().map(|line| Line::open(line.item_number.clone(), line.expected)).collect()
}

/// Returns the lines with everything delivered as expected.
pub fn all_delivered(lines: &[Line]) -> Vec<Line> {
    opened(lines).into_iter().map(|line| Line { delivered: line.expected, ..line }).collect()
}

/// Returns the lines with everything refused.
pub fn all_rejected(lines: &[Line]) -> Vec<Line> {
    opened(lines).into_iter().map(|line| Line { rejected: line.expected, ..line }).collect()
}

/// Returns the counts that a status implies if no lines are given; `None` for a variance, whose counts have
/// to be given.
pub fn usual(lines: &[Line], to: Status) -> Option<Vec<Line>> {
    match to {
        Status::CompleteWithVariance => None,
        Status::CompleteNoVariance => Some(all_delivered(lines)),
        Status::Rejected => Some(all_rejected(lines)),
        Status::Undelivered | Status::Pending => Some(opened(lines)),
    }
}

/// Returns the one status that fits the counts; `None` if nothing was expected and nothing came, because then
/// several statuses fit.
pub fn implied(lines: &[Line]) -> Option<Status> {
    if lines.iter().all(Line::is_silent) {
        return None;
    }
    if lines.iter().any(|line| line.delivered > 0) {
        return Some(match lines.iter().any(Line::differs) {
            true => Status::CompleteWithVariance,
            false => Status::CompleteNoVariance,
        });
    }
    let refused =
        lines.iter().any(|line| line.rejected > 0) && lines.iter().all(|line| line.rejected >= line.expected);
    Some(if refused { Status::Rejected } else { Status::Undelivered })
}

/// Returns the status that counts imply if the quantities that were expected are not known. Takes a count as short
/// only if it has a reason.
pub fn implied_alone(counts: &[Count]) -> Option<Status> {
    let has_reason = |count: &Count| count.reason.as_deref().is_some_and(|code| !code.trim().is_empty());
    let differs = |count: &Count| count.rejected > 0 || count.condition != Condition::Ok || has_reason(count);
    if counts.is_empty() {
        return None;
    }
    if counts.iter().any(|count| count.delivered > 0) {
        return Some(match counts.iter().any(differs) {
            true => Status::CompleteWithVariance,
            false => Status::CompleteNoVariance,
        });
    }
    let refused = counts.iter().all(|count| count.rejected > 0);
    Some(if refused { Status::Rejected } else { Status::Undelivered })
}

/// A count of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub item_number: String,
    pub delivered: i64,
    pub rejected: i64,
    pub condition: Condition,
    pub reason: Option<String>,
    pub note: Option<String>,
}

/// Rules for counts.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    pub reasons: &'a Catalogue,
    /// The setting `delivery-allow-over-delivery`.
    pub over_delivery: bool,
}

/// Returns whether a line may have this quantity, in thousandths.
pub fn is_quantity(thousandths: i64) -> bool {
    (0..=limits::QUANTITY_THOUSANDTHS).contains(&thousandths)
}

pub fn beyond_quantity(label: &str) -> String {
    format!("{label} must be between 0 and {}", limits::QUANTITY_THOUSANDTHS / 1_000)
}

/// Returns the name of a field of the count at this index.
pub fn field(index: usize, name: &str) -> String {
    format!("{LINES}.{index}.{name}")
}

/// Returns the lines with the counts applied; lines without a count stay. Errors are reported under the field
/// of the count. Whether a variance needs a reason depends on the status and is not checked here.
pub fn counted(lines: &[Line], counts: &[Count], rules: Rules) -> Result<Vec<Line>, Fields> {
    if counts.len() > lines.len() {
        return Err(too_many(format!("the {} of the delivery", lines.len())));
    }
    applied(lines, counts, |count, line| match line {
        Some(line) => put(count, line, rules),
        None => Err(vec![(NUMBER, "The delivery has no item with this number".to_owned())]),
    })
}

/// Returns the lines with the counts applied. The counts may be from before the items were last changed, so
/// only their form is checked, and counts of items that are gone become lines at the end.
pub fn reported(lines: &[Line], counts: &[Count]) -> Result<Vec<Line>, Fields> {
    if counts.len() > limits::ITEMS {
        return Err(too_many(limits::ITEMS.to_string()));
    }
    applied(lines, counts, |count, line| match line {
        Some(line) => read(count, line),
        None => {
            let number = required("Item number", &count.item_number, limits::CODE);
            read(count, &Line::open(number.map_err(|text| vec![(NUMBER, text)])?, 0))
        }
    })
}

fn too_many(most: String) -> Fields {
    Fields::from([(LINES.to_owned(), vec![format!("Lines must be no more than {most}")])])
}

/// Applies each count with `apply`, which gets the line with the same item number, if there is one. The result
/// replaces that line or is added at the end.
fn applied(
    lines: &[Line],
    counts: &[Count],
    apply: impl Fn(&Count, Option<&Line>) -> Result<Line, Wrong>,
) -> Result<Vec<Line>, Fields> {
    let mut check = Check::new();
    let mut after = lines.to_vec();
    let places: BTreeMap<String, usize> =
        lines.iter().enumerate().map(|(place, line)| (key(&line.item_number), place)).collect();
    let mut named = BTreeSet::new();
    for (index, count) in counts.iter().enumerate() {
        let number = key(&count.item_number);
        let place = places.get(&number).copied();
        let line = match named.insert(number) {
            true => apply(count, place.map(|place| &lines[place])),
            false => Err(vec![(NUMBER, "Item number appears twice".to_owned())]),
        };
        match (line, place) {
            (Ok(line), Some(place)) => after[place] = line,
            (Ok(line), None) => after.push(line),
            (Err(wrong), _) => {
                for (name, text) in wrong {
                    check.refuse(&field(index, name), text);
                }
            }
        }
    }
    if check.count() == 0 { Ok(after) } else { Err(check.into_fields()) }
}

/// Returns the line as counted, or which fields of the count are malformed.
fn read(count: &Count, line: &Line) -> Result<Line, Wrong> {
    let mut wrong = Vec::new();
    for (name, label, quantity) in [
        ("quantityDelivered", "Delivered quantity", count.delivered),
        ("quantityRejected", "Rejected quantity", count.rejected),
    ] {
        if !is_quantity(quantity) {
            wrong.push((name, beyond_quantity(label)));
        }
    }
    let mut good = |name, text: Result<Option<String>, String>| {
        text.unwrap_or_else(|text| {
            wrong.push((name, text));
            None
        })
    };
    let reason = good("varianceReason", text::code("Reason", count.reason.as_deref()));
    let note = good("varianceNote", text::note("Note", count.note.as_deref()));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    Ok(Line {
        delivered: count.delivered,
        rejected: count.rejected,
        condition: count.condition,
        reason,
        note,
        ..line.clone()
    })
}

/// Returns the line as counted, or what is wrong with fields of the count.
fn put(count: &Count, line: &Line, rules: Rules) -> Result<Line, Wrong> {
    let counted = read(count, line)?;
    // The rules may be stricter by now than when the line was recorded, and forms send every line.
    if counted == *line {
        return Ok(counted);
    }
    let mut wrong = Vec::new();
    let extra = counted.extra() > 0;
    let is_too_much = !rules.over_delivery && counted.extra() > line.extra();
    if is_too_much {
        let text = "Delivered and rejected must not be more than expected";
        wrong.push(("quantityDelivered", text.to_owned()));
    }
    match counted.reason.as_deref() {
        None if extra && !is_too_much => {
            wrong.push((
                "varianceReason",
                "Reason is required where more than expected was counted".to_owned(),
            ));
        }
        None => {}
        Some(_) if !counted.differs() && !extra => {
            wrong.push(("varianceReason", "Reason must be left empty where nothing differs".to_owned()));
        }
        Some(code) => match rules.reasons.find(AppliesTo::Variance, code) {
            // A reason that is no longer in use may stay where it is recorded.
            Some(reason) if !reason.is_active && line.reason.as_deref() != Some(code) => {
                wrong.push(("varianceReason", reason.out_of_use()));
            }
            Some(reason) if reason.requires_note && counted.note.is_none() => {
                wrong.push(("varianceNote", format!("Note is required with the reason {:?}", reason.label)));
            }
            Some(_) => {}
            None => wrong.push(("varianceReason", format!("Reason {code:?} isn't a reason for a line"))),
        },
    }
    if wrong.is_empty() { Ok(counted) } else { Err(wrong) }
}

/// Returns the item numbers without a count.
pub fn uncounted<'a>(lines: &'a [Line], counts: &[Count]) -> Vec<&'a str> {
    let named: BTreeSet<String> = counts.iter().map(|count| key(&count.item_number)).collect();
    let rest = lines.iter().filter(|line| !named.contains(&key(&line.item_number)));
    rest.map(|line| line.item_number.as_str()).collect()
}

/// A reason with the label that is stored beside its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedReason {
    pub applies_to: AppliesTo,
    pub code: String,
    pub label: String,
}

/// A line that differs from what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variance {
    /// `None` means the whole delivery: no line has the outcome's reason.
    pub item_number: Option<String>,
    pub kind: VarianceKind,
    pub expected: i64,
    pub actual: i64,
    /// Counted minus expected; negative when something is missing.
    pub difference: i64,
    /// The line's own reason, otherwise that of the outcome.
    pub reason: Option<NamedReason>,
    pub note: Option<String>,
}

/// Returns the variances of counted lines. A line without its own reason gets that of the outcome: nobody is
/// asked why each line of a refused delivery was refused. If no line has the outcome's reason, because no
/// line differs or each has its own, the reason is recorded for the whole delivery.
pub fn variances(lines: &[Line], outcome: Option<(AppliesTo, &str)>, reasons: &Catalogue) -> Vec<Variance> {
    let named = |(applies_to, code): (AppliesTo, &str)| NamedReason {
        applies_to,
        code: code.to_owned(),
        label: reasons.find(applies_to, code).map_or(code, |reason| &reason.label).to_owned(),
    };
    let differing = lines.iter().filter(|line| line.differs());
    let of_lines = differing.clone().map(|line| Variance {
        item_number: Some(line.item_number.clone()),
        kind: line.kind(),
        expected: line.expected,
        actual: line.delivered,
        difference: line.delivered - line.expected,
        reason: line.reason.as_deref().map(|code| (AppliesTo::Variance, code)).or(outcome).map(named),
        note: line.note.clone(),
    });
    let mut all: Vec<Variance> = of_lines.collect();
    if let (Some(reason), true) = (outcome, differing.clone().all(|line| line.reason.is_some())) {
        all.push(Variance {
            item_number: None,
            kind: VarianceKind::Other,
            expected: 0,
            actual: 0,
            difference: 0,
            reason: Some(named(reason)),
            note: None,
        });
    }
    all
}
