//! What a value of a setting must satisfy beyond its type.

use std::ops::RangeInclusive;

use chrono::NaiveDate;
use kit::config::Proof;

use super::value::{self, Type};

#[derive(Debug, Clone, Copy)]
pub enum Rule {
    Any,
    /// Maximum number of characters.
    Length(usize),
    /// A whole number in this range, bounds included.
    Whole(i64, i64),
    OneOf(&'static [&'static str]),
    /// A time zone of the IANA database.
    Zone,
    /// "none", or kinds of proof, separated by commas.
    Proofs,
    /// A day that must not be earlier than this one.
    From(&'static str),
}

const NO_PROOF: &str = "none";
const PROOFS: [(&str, Proof); 6] = [
    ("signature", Proof::Signature),
    ("photo", Proof::Photo),
    ("recipientName", Proof::RecipientName),
    ("scan", Proof::Scan),
    ("location", Proof::Location),
    ("note", Proof::Note),
];
/// A regular expression in the browser's syntax, which must match the whole value.
const PROOFS_PATTERN: &str = "none|(signature|photo|recipientName|scan|location|note)\
                              (\\s*,\\s*(signature|photo|recipientName|scan|location|note))*";
const WHOLE_PATTERN: &str = "[0-9]+";

/// Returns the rule for a whole number in this range, which the configuration also uses.
pub const fn whole(range: &RangeInclusive<u64>) -> Rule {
    Rule::Whole(*range.start() as i64, *range.end() as i64)
}

impl Rule {
    /// Returns a value of this type in the form that is stored, or what is wrong with it.
    pub fn check(self, kind: Type, text: String) -> Result<String, String> {
        match self {
            Self::Length(most) if text.chars().count() > most => {
                Err(format!("Value must have no more than {most} characters"))
            }
            Self::Whole(min, max) if !is_whole_within(&text, min, max) => {
                Err(format!("Value must be a whole number from {min} to {max}"))
            }
            Self::OneOf(options) if !options.contains(&text.as_str()) => {
                Err(format!("Value must be one of {}", options.join(", ")))
            }
            Self::Zone if text.parse::<chrono_tz::Tz>().is_err() => {
                Err("Value must be a time zone such as Asia/Manila".to_owned())
            }
            Self::Proofs => proofs(&text),
            Self::From(first) if day_of(kind, &text) < value::date(first) => {
                Err(format!("Value must not be before {first}"))
            }
            _ => Ok(text),
        }
    }

    pub fn min(self, kind: Type) -> Option<String> {
        match self {
            Self::Whole(min, _) => Some(min.to_string()),
            Self::From(first) if kind == Type::DateTime => Some(format!("{first}T00:00")),
            Self::From(first) => Some(first.to_owned()),
            _ => None,
        }
    }

    pub fn max(self) -> Option<String> {
        match self {
            Self::Whole(_, max) => Some(max.to_string()),
            Self::Length(most) => Some(most.to_string()),
            _ => None,
        }
    }

    pub fn pattern(self) -> Option<&'static str> {
        match self {
            Self::Whole(..) => Some(WHOLE_PATTERN),
            Self::Proofs => Some(PROOFS_PATTERN),
            _ => None,
        }
    }

    /// Returns the values to choose from; empty if the rule has no list of values. Time zones are listed,
    /// because nobody knows their spelling by heart.
    pub fn options(self) -> Vec<String> {
        match self {
            Self::OneOf(options) => options.iter().map(|it| (*it).to_owned()).collect(),
            Self::Zone => chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name().to_owned()).collect(),
            _ => Vec::new(),
        }
    }
}

fn is_whole_within(text: &str, min: i64, max: i64) -> bool {
    text.parse::<i64>().is_ok_and(|number| (min..=max).contains(&number))
}

fn day_of(kind: Type, text: &str) -> Option<NaiveDate> {
    match kind {
        Type::DateTime => value::date_time(text).map(|it| it.date()),
        _ => value::date(text),
    }
}

/// Returns each kind of proof once, in the order of [`PROOFS`], so that equal requirements have equal values.
fn proofs(text: &str) -> Result<String, String> {
    if text == NO_PROOF {
        return Ok(text.to_owned());
    }
    let named: Vec<&str> = text.split(',').map(str::trim).collect();
    if let Some(unknown) = named.iter().find(|name| !PROOFS.iter().any(|(known, _)| known == *name)) {
        let known: Vec<&str> = PROOFS.iter().map(|(name, _)| *name).collect();
        let known = known.join(", ");
        return Err(format!(
            "{unknown} isn't a type of proof; use {NO_PROOF}, or any of {known}, separated by commas"
        ));
    }
    let named = PROOFS.iter().map(|(name, _)| *name).filter(|name| named.contains(name));
    Ok(named.collect::<Vec<_>>().join(","))
}

/// Returns required kinds of proof as a value of a setting.
pub fn proof_text(required: &[Proof]) -> String {
    let named = PROOFS.iter().filter(|(_, proof)| required.contains(proof)).map(|(name, _)| *name);
    let named: Vec<&str> = named.collect();
    if named.is_empty() { NO_PROOF.to_owned() } else { named.join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_is_kept_in_one_spelling() {
        assert_eq!(proofs(" note , photo,note ").as_deref(), Ok("photo,note"));
        assert_eq!(proof_text(&[Proof::Note, Proof::Signature]), "signature,note");
    }

    /// The browser sends only values that match the pattern.
    #[test]
    fn the_pattern_allows_the_spaces_around_commas_that_are_removed() {
        assert_eq!(proofs("signature, photo").as_deref(), Ok("signature,photo"));
        let kind = format!("({})", PROOFS.map(|(name, _)| name).join("|"));
        let pattern = format!(r"none|{kind}(\s*,\s*{kind})*");
        assert_eq!(Rule::Proofs.pattern(), Some(pattern.as_str()));
    }
}
