//! Distinguishes number formats of a workbook that show a date from those that show a number, and reads such
//! a date.

use calamine::ExcelDateTime;
use chrono::{NaiveDate, NaiveTime, TimeDelta};

use super::Cell;

/// What a number format makes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Number,
    /// A number with leading zeros, up to this many digits.
    Padded(u8),
    /// A date, a time of day, or both.
    Moment,
    /// An elapsed time, such as `[h]:mm`.
    Duration,
}

/// Returns what a format shows that is known by its number only.
pub(super) fn built_in(id: u16) -> Shown {
    match id {
        14..=22 | 27..=36 | 45 | 47 | 50..=58 => Shown::Moment,
        46 => Shown::Duration,
        _ => Shown::Number,
    }
}

/// Returns what a format shows, such as `dd/mm/yyyy hh:mm`. Its first section, for positive numbers, decides.
pub(super) fn of_code(code: &str) -> Shown {
    let first = code.split(';').next().unwrap_or_default();
    if first.len() > 1 && first.bytes().all(|b| b == b'0') {
        return u8::try_from(first.len()).map_or(Shown::Number, Shown::Padded);
    }
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c.to_ascii_lowercase() {
            ';' => break,
            '"' => {
                chars.by_ref().find(|c| *c == '"');
            }
            // The next character is shown, or gives a width.
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let within: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let unit = within.chars().next().map(|c| c.to_ascii_lowercase());
                let repeated = within.chars().all(|c| Some(c.to_ascii_lowercase()) == unit);
                if repeated && matches!(unit, Some('h' | 'm' | 's')) {
                    return Shown::Duration;
                }
            }
            'd' | 'm' | 'y' | 'h' | 's' => return Shown::Moment,
            _ => {}
        }
    }
    Shown::Number
}

/// Returns the cell for a number that is shown with at least this many digits: a text if that gives it leading zeros,
/// which belong to a document number.
pub(super) fn padded(value: f64, digits: u8) -> Cell {
    // Larger numbers have lost digits, which `row` reports.
    if value.fract() != 0.0 || !(0.0..1e15).contains(&value) {
        return Cell::Number(value);
    }
    // Without `abs`, negative zero would show its sign.
    let text = format!("{:0>width$}", value.abs(), width = usize::from(digits));
    if text.starts_with('0') { Cell::Text(text) } else { Cell::Number(value) }
}

/// Converts a number whose format shows a date, a time of day or a duration.
pub(super) fn to_date(at: &ExcelDateTime) -> Cell {
    let value = at.as_f64();
    let number = if value.is_finite() { Cell::Number(value) } else { Cell::Text(value.to_string()) };
    if (0.0..1.0).contains(&value) {
        // A time of day must not depend on the workbook's date system.
        let time = TimeDelta::milliseconds((value * 86_400_000.0).round() as i64);
        let day = NaiveDate::from_ymd_opt(1899, 12, 31).unwrap_or_default();
        return Cell::DateTime(day.and_time(NaiveTime::MIN) + time);
    }
    // An elapsed time ("[h]:mm") is not an instant.
    match at.as_datetime() {
        Some(moment) if at.is_datetime() => Cell::DateTime(moment),
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_dates_count_outside_of_texts_and_brackets() {
        for code in ["dd/mm/yyyy", "D.M.YY", "h:mm AM/PM", "[$-409]d-mmm-yy;@", "[Red]yyyy", "\"at\" hh:mm"] {
            assert_eq!(of_code(code), Shown::Moment, "{code}");
        }
        for code in ["[h]:mm", "[mm]:ss", "[Red][HH]:MM:SS"] {
            assert_eq!(of_code(code), Shown::Duration, "{code}");
        }
        for code in [
            "General",
            "0.00E+00",
            "#,##0.00 [$€-407]",
            "0\" days\"",
            "0\\d",
            "_d0",
            "0;yyyy",
            "@",
            "\"never closed d",
            "[never closed h",
            "",
        ] {
            assert_eq!(of_code(code), Shown::Number, "{code}");
        }
        assert_eq!(of_code("0"), Shown::Number);
        for code in ["0000000000", "0000000000;@", "0000000000;-0000000000"] {
            assert_eq!(of_code(code), Shown::Padded(10), "{code}");
        }
        for code in ["000-000", "0000.0", "[Red]0000", "#000", "0;0000", &"0".repeat(300)] {
            assert_eq!(of_code(code), Shown::Number, "{code}");
        }
        assert_eq!(
            [13, 14, 46, 47, 49].map(built_in).map(|it| it == Shown::Number),
            [true, false, false, false, true]
        );
    }

    #[test]
    fn leading_zeros_are_kept_as_they_are_shown() {
        let text = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(padded(80_001_234.0, 10), text("0080001234"));
        assert_eq!(padded(0.0, 3), text("000"));
        for (value, digits) in
            [(80_001_234.0, 8), (1_234.0, 3), (12.5, 6), (-7.0, 4), (1e15, 20), (f64::NAN, 4)]
        {
            assert!(matches!(padded(value, digits), Cell::Number(_)), "{value}");
        }
    }
}
