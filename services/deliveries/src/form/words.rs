//! Formats values like the screens do.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::domain::attachment::Kind;
use crate::domain::delivery::Status;
use crate::domain::line::Condition;
use crate::domain::state::Relation;

pub fn status(status: Status) -> &'static str {
    status.label()
}

pub fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Recipient => "Recipient",
        Relation::Family => "Family",
        Relation::Colleague => "Colleague",
        Relation::Security => "Security",
        Relation::Neighbour => "Neighbor",
        Relation::SafePlace => "Safe place",
        Relation::Mailbox => "Mailbox",
        Relation::PickupPoint => "Pickup point",
        Relation::Other => "Other",
    }
}

pub fn file(kind: Kind) -> &'static str {
    match kind {
        Kind::Signature => "Signature",
        Kind::Photo => "Photo",
        Kind::Document => "Document",
        Kind::BarcodeImage => "Barcode",
        Kind::IdCheck => "ID check",
        Kind::Other => "File",
    }
}

/// Formats a condition; `None` for goods in order.
pub fn condition(condition: Condition) -> Option<&'static str> {
    match condition {
        Condition::Ok => None,
        Condition::Damaged => Some("Damaged"),
        Condition::WrongItem => Some("Wrong item"),
        Condition::Expired => Some("Expired"),
    }
}

pub fn date_time(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%b %-d, %Y %-I:%M %p").to_string()
}

pub fn date(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%b %-d, %Y").to_string()
}

pub fn time(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%-I:%M %p").to_string()
}

/// Formats the time, with its date only if the date differs from that of `day_of`.
pub fn time_beside(at: DateTime<Utc>, day_of: DateTime<Utc>, zone: Tz) -> String {
    match date(at, zone) == date(day_of, zone) {
        true => time(at, zone),
        false => date_time(at, zone),
    }
}

/// Formats thousandths: `1,234.5`.
pub fn quantity(thousandths: i128) -> String {
    let sign = if thousandths < 0 { "−" } else { "" };
    let digits = (thousandths.unsigned_abs() / 1000).to_string();
    let mut whole = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            whole.push(',');
        }
        whole.push(digit);
    }
    let rest = format!("{:03}", thousandths.unsigned_abs() % 1000);
    match rest.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        rest => format!("{sign}{whole}.{rest}"),
    }
}

/// Formats a difference with its sign.
pub fn difference(thousandths: i128) -> String {
    let plus = if thousandths > 0 { "+" } else { "" };
    format!("{plus}{}", quantity(thousandths))
}

/// Formats a distance with its accuracy.
pub fn distance(metres: f64, accuracy: Option<f64>) -> String {
    let spelled = |metres: f64| match metres {
        metres if metres < 999.5 => format!("{metres:.0} m"),
        metres => format!("{:.1} km", metres / 1000.0),
    };
    match accuracy {
        Some(accuracy) => format!("{} ± {}", spelled(metres), spelled(accuracy)),
        None => spelled(metres),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_grouped_and_short() {
        for (thousandths, text) in [
            (0, "0"),
            (40_000, "40"),
            (2_500, "2.5"),
            (1, "0.001"),
            (-2_000, "−2"),
            (999_000, "999"),
            (1_234_500, "1,234.5"),
            (1_000_000_000_000, "1,000,000,000"),
        ] {
            assert_eq!(quantity(thousandths), text);
        }
        assert_eq!(difference(3_000), "+3");
        assert_eq!(difference(-1_500), "−1.5");
        assert_eq!(difference(0), "0");
    }

    #[test]
    fn times_are_those_of_the_organization() {
        let at = DateTime::from_timestamp(1_795_178_940, 0).unwrap();
        assert_eq!(date_time(at, Tz::UTC), "Nov 20, 2026 12:49 PM");
        let manila: Tz = "Asia/Manila".parse().unwrap();
        assert_eq!(date_time(at, manila), "Nov 20, 2026 8:49 PM");
        let next = DateTime::from_timestamp(1_795_178_940 + 4 * 3600, 0).unwrap();
        assert_eq!(time_beside(next, at, Tz::UTC), "4:49 PM");
        assert_eq!(time_beside(next, at, manila), "Nov 21, 2026 12:49 AM");
    }

    #[test]
    fn distances_are_in_metres_then_in_kilometres() {
        assert_eq!(distance(38.4, None), "38 m");
        assert_eq!(distance(999.6, None), "1.0 km");
        assert_eq!(distance(12_345.0, Some(12.0)), "12.3 km ± 12 m");
    }
}
