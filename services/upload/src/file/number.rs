//! Parses decimal numbers exactly, as people write them.
//!
//! Here: text to an integer of thousandths, and which decimal sign a text shows. Deliberately absent:
//! floating point, which would turn 0.29 kg into 289 g, and guessing: "1,234" may be a thousand or slightly
//! more than one, and only the other values of its column show which (`columns`).

use serde::{Deserialize, Serialize};

use super::fit::Fit;

/// The decimal sign; the other sign groups thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecimalSign {
    Point,
    Comma,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberError {
    NotANumber,
    Negative,
    /// One comma and three digits, which may be thousands or decimals.
    Ambiguous,
    TooManyDecimals,
    TooLarge,
}

/// What to do with decimals beyond the third.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    Refuse,
    /// Round to the nearest thousandth, halves up.
    Round,
}

/// Returns the number in thousandths, if its whole part is at most `max`.
///
/// Spaces, apostrophes and the sign that is not decimal may group thousands, in groups of three. If the
/// column shows no decimal sign, a number that allows only one reading is read that way. Otherwise a single
/// point is the decimal sign, because our own files and every English one use it, and a single comma before
/// three digits is refused.
pub(super) fn thousandths(
    text: &str,
    max: i64,
    beyond: Beyond,
    sign: Option<DecimalSign>,
) -> Result<i64, NumberError> {
    let (negative, text) = unsigned(text);
    let sign = sign_of(text, sign).ok_or(NumberError::Ambiguous)?;
    let (whole, decimals) = digits(text, sign).ok_or(NumberError::NotANumber)?;
    let significant = decimals.trim_end_matches('0');
    if significant.len() > 3 && beyond == Beyond::Refuse {
        return Err(NumberError::TooManyDecimals);
    }
    let digit = |at: usize| significant.as_bytes().get(at).map_or(0, |b| i64::from(b - b'0'));
    let mut fraction = digit(0) * 100 + digit(1) * 10 + digit(2);
    if digit(3) >= 5 {
        fraction += 1;
    }
    let whole = whole.trim_start_matches('0');
    // Twelve digits and three decimals easily fit into an `i64`.
    if whole.len() > 12 {
        return Err(NumberError::TooLarge);
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| NumberError::NotANumber)? };
    let value = whole * 1000 + fraction;
    if negative && value > 0 {
        return Err(NumberError::Negative);
    }
    if value > max.saturating_mul(1000) {
        return Err(NumberError::TooLarge);
    }
    Ok(value)
}

/// Returns the decimal sign with which a number is read; `None` if it may be either.
fn sign_of(text: &str, decided: Option<DecimalSign>) -> Option<DecimalSign> {
    match (decided, fit(text)) {
        (Some(sign), _) | (None, Fit::Only(sign)) => Some(sign),
        (None, Fit::Open) if text.contains(',') => None,
        (None, _) => Some(DecimalSign::Point),
    }
}

/// Returns which decimal sign a text shows.
pub(super) fn fit(text: &str) -> Fit<DecimalSign> {
    let (_, text) = unsigned(text);
    if !text.contains(['.', ',']) {
        return Fit::Any;
    }
    match (digits(text, DecimalSign::Point), digits(text, DecimalSign::Comma)) {
        (Some(_), Some(_)) => Fit::Open,
        (Some(_), None) => Fit::Only(DecimalSign::Point),
        (None, Some(_)) => Fit::Only(DecimalSign::Comma),
        (None, None) => Fit::Any,
    }
}

/// Formats a number with digits and a decimal point, so that it can be read without knowing the column's
/// decimal sign. `None` when the text is not a number with this sign.
pub(super) fn plainly(text: &str, sign: DecimalSign) -> Option<String> {
    let (negative, text) = unsigned(text);
    let (whole, decimals) = digits(text, sign)?;
    let minus = if negative { "-" } else { "" };
    Some(if decimals.is_empty() { format!("{minus}{whole}") } else { format!("{minus}{whole}.{decimals}") })
}

/// Reads a number that is written as [`plainly`] writes one with decimals. Returns `None` for any other text, and for
/// more digits than a workbook's number keeps.
pub(super) fn plain(text: &str) -> Option<f64> {
    let text = text.trim();
    let (whole, decimals) = text.strip_prefix('-').unwrap_or(text).split_once('.')?;
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(decimals) || decimals.is_empty() || whole.len() + decimals.len() > 15
    {
        return None;
    }
    text.parse().ok()
}

/// Formats a number as [`plainly`] does, with the sign that its column shows or else its own text, as [`thousandths`]
/// reads it.
pub(super) fn unambiguous(text: &str, decided: Option<DecimalSign>) -> Option<String> {
    plainly(text, sign_of(text, decided)?)
}

/// Reads a number whose decimal sign only its own text can show, as [`thousandths`] does without a sign.
pub(super) fn alone(text: &str) -> Option<f64> {
    unambiguous(text, None)?.parse().ok()
}

/// Formats a number for people, with a decimal point and commas between thousands. If no sign is decided, a
/// single comma before three digits gives `None`, as in [`thousandths`].
pub(super) fn spelled(text: &str, sign: Option<DecimalSign>) -> Option<String> {
    let plain = unambiguous(text, sign)?;
    let (whole, decimals) = plain.split_once('.').map_or((plain.as_str(), None), |(a, b)| (a, Some(b)));
    let (minus, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut grouped = String::from(minus);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(decimals) = decimals {
        grouped.push('.');
        grouped.push_str(decimals);
    }
    Some(grouped)
}

fn unsigned(text: &str) -> (bool, &str) {
    let text = text.trim();
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Returns the digits before and after the decimal sign; `None` when the text is not a number with this sign.
fn digits(text: &str, sign: DecimalSign) -> Option<(String, &str)> {
    let (sign, other) = match sign {
        DecimalSign::Point => ('.', ','),
        DecimalSign::Comma => (',', '.'),
    };
    let (whole, decimals) = text.split_once(sign).unwrap_or((text, ""));
    let whole = ungroup(whole, other)?;
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let some = !(whole.is_empty() && decimals.is_empty());
    (some && all_digits(&whole) && all_digits(decimals)).then_some((whole, decimals))
}

/// Returns the digits of a whole number. Its thousands may be grouped, with the same sign between all groups.
fn ungroup(whole: &str, grouping: char) -> Option<String> {
    const SPACES: [char; 6] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\'', '’'];
    let Some(sign) = whole.chars().find(|c| *c == grouping || SPACES.contains(c)) else {
        return Some(whole.to_owned());
    };
    let mut groups = whole.split(sign);
    let first = groups.next().unwrap_or_default();
    if !(1..=3).contains(&first.len()) || first.starts_with('0') {
        return None;
    }
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 {
            return None;
        }
        digits.push_str(group);
    }
    Some(digits)
}

/// Formats a workbook's number as Excel shows it: fifteen significant digits, no exponent. `0.1+0.2` is
/// "0.3", 80001234.0 is "80001234".
pub(super) fn shown(number: f64) -> String {
    format!("{}", rounded(number))
}

/// Formats a code that a workbook has as a number. Excel keeps fifteen digits. A longer code lost the others when it was
/// typed, so it is shown with an exponent, as in "1.23456789012346E+17".
pub(super) fn code(number: f64) -> String {
    if number.abs() < 1e15 {
        return shown(number);
    }
    format!("{:e}", rounded(number)).replace('e', "E+")
}

fn rounded(number: f64) -> f64 {
    let rounded = format!("{number:.14e}").parse::<f64>().unwrap_or(number);
    // Without this, negative zero would show its sign.
    if rounded == 0.0 { 0.0 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<i64, NumberError> {
        thousandths(text, 1_000_000_000, Beyond::Refuse, None)
    }

    #[test]
    fn what_people_write() {
        for (text, expected) in [
            ("12", 12_000),
            ("12.5", 12_500),
            ("12,5", 12_500),
            ("0.375", 375),
            ("0,375", 375),
            (".5", 500),
            ("7.", 7_000),
            ("12.375", 12_375),
            ("1234,567", 1_234_567),
            ("1,234.5", 1_234_500),
            ("1.234,5", 1_234_500),
            ("1 234", 1_234_000),
            ("1\u{a0}234,5", 1_234_500),
            ("1'234.5", 1_234_500),
            ("1,234,567", 1_234_567_000),
            ("1.234.567,25", 1_234_567_250),
            ("12.5000", 12_500),
            ("+3", 3_000),
            ("-0", 0),
            (" 007 ", 7_000),
            ("0.29", 290),
            ("1000000000", 1_000_000_000_000),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn plain_numbers_have_a_point_and_nothing_else() {
        for (text, number) in [("452.125", 452.125), (" -0.5 ", -0.5), (".5", 0.5), ("1234.0", 1_234.0)] {
            assert_eq!(plain(text).map(f64::to_bits), Some(f64::to_bits(number)), "{text}");
        }
        for text in
            ["452", "452,125", "1,234.5", "1.234.567", ".", "7.", "1.5 kg", "1e3.5", "0.1234567890123456"]
        {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_refused() {
        use NumberError::*;
        for (text, expected) in [
            ("", NotANumber),
            (".", NotANumber),
            ("ten", NotANumber),
            ("10 pcs", NotANumber),
            ("1e3", NotANumber),
            ("1,23,456", NotANumber),
            ("1,234.567,8", NotANumber),
            ("12 34", NotANumber),
            ("(5)", NotANumber),
            ("٣", NotANumber),
            ("-5", Negative),
            ("−0,5", Negative),
            ("1,234", Ambiguous),
            ("12.3456", TooManyDecimals),
            ("1000000000.001", TooLarge),
            ("99999999999999999999", TooLarge),
        ] {
            assert_eq!(read(text), Err(expected), "{text}");
        }
        assert_eq!(thousandths("3.33333", 9, Beyond::Round, None), Ok(3_333));
        assert_eq!(thousandths("3.9995", 9, Beyond::Round, None), Ok(4_000));
    }

    /// The column decides what "1,234" means, and thereby what "1.234" means.
    #[test]
    fn a_sign_that_the_column_shows_holds_for_all_its_values() {
        use DecimalSign::{Comma, Point};
        for (text, point, comma) in [
            ("452,125", Some(452_125_000), Some(452_125)),
            ("1.234", Some(1_234), Some(1_234_000)),
            ("12", Some(12_000), Some(12_000)),
            ("1.204,50", None, Some(1_204_500)),
            ("1,204.50", Some(1_204_500), None),
            ("1.234.567", None, Some(1_234_567_000)),
            ("0,375", None, Some(375)),
            ("007.125", Some(7_125), None),
        ] {
            let under = |sign| thousandths(text, 1_000_000_000, Beyond::Refuse, Some(sign)).ok();
            assert_eq!((under(Point), under(Comma)), (point, comma), "{text}");
        }
        for (text, expected) in [
            ("452,125", Fit::Open),
            ("1.234", Fit::Open),
            ("1.204,50", Fit::Only(Comma)),
            ("-1,204.50", Fit::Only(Point)),
            ("12,5", Fit::Only(Comma)),
            ("0.375", Fit::Only(Point)),
            ("12", Fit::Any),
            ("n/a", Fit::Any),
            ("a, b", Fit::Any),
        ] {
            assert_eq!(fit(text), expected, "{text}");
        }
        assert_eq!(plainly("1.204,50", Comma).as_deref(), Some("1204.50"));
        assert_eq!(plainly(" -452,125", Point).as_deref(), Some("-452125"));
    }

    #[test]
    fn numbers_of_workbooks() {
        for (number, text) in [
            (80_001_234.0, "80001234"),
            (0.1 + 0.2, "0.3"),
            (12.345, "12.345"),
            (-0.0, "0"),
            (1e15, "1000000000000000"),
            (1e-7, "0.0000001"),
        ] {
            assert_eq!(shown(number), text);
        }
        for (number, text) in [
            (80_001_234.0, "80001234"),
            (999_999_999_999_999.0, "999999999999999"),
            (1e15, "1E+15"),
            (123_456_789_012_345_680.0, "1.23456789012346E+17"),
            (-4e20, "-4E+20"),
        ] {
            assert_eq!(code(number), text);
        }
    }

    proptest! {
        #[test]
        fn every_value_survives_every_way_of_writing(value in 0i64..=1_000_000_000_000) {
            let (whole, fraction) = (value / 1000, value % 1000);
            prop_assert_eq!(read(&format!("{whole}.{fraction:03}")), Ok(value));
            let grouped = |sign: char| {
                let digits = whole.to_string();
                let mut out = String::new();
                for (i, c) in digits.chars().enumerate() {
                    if i > 0 && (digits.len() - i).is_multiple_of(3) {
                        out.push(sign);
                    }
                    out.push(c);
                }
                out
            };
            prop_assert_eq!(read(&format!("{}.{fraction:03}", grouped(','))), Ok(value));
            prop_assert_eq!(read(&format!("{},{fraction:03}", grouped(' '))), match (whole, whole < 1000 && whole > 0) {
                (_, true) => Err(NumberError::Ambiguous),
                _ => Ok(value),
            });
        }

        #[test]
        fn never_panics(text in "\\PC{0,24}", digits in "[-0-9., ']{0,30}") {
            let _ = read(&text);
            let _ = read(&digits);
        }
    }
}
