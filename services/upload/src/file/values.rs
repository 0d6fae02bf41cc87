//! Validates a single cell of a row.
//!
//! Here: texts, codes, e-mail addresses, priorities and numbers, each with a message that says how to write
//! it instead. Deliberately absent: which field has which rule (`row`) and times, which depend on more than
//! one cell.

use std::borrow::Cow;

use kit::input::email::is_email;
use kit::input::{limits, text};
use kit::text::normalize;
use proto::deliveries::v1::Priority;

use super::number::{self, Beyond, DecimalSign, NumberError};
use super::quoting::unquoted;
use super::row::{Check, Message, Shape};
use super::time::{self, DateOrder};
use super::{Cell, Field, header};

impl Check<'_> {
    /// Reports too many cells: a separator within an unquoted text moves everything after it one column to
    /// the right. The download of refused rows has the moved cells below headings of their own, which are blank.
    pub(super) fn width(&mut self) {
        let is_filled = |at: &usize| self.row.cells.get(*at).is_some_and(|cell| !cell.is_blank());
        let (width, beyond) = (self.mapping.width(), self.mapping.beyond());
        let text = if let Some(last) = (width..self.row.cells.len()).rfind(is_filled) {
            format!(
                "This line has {} cells, but the header has {width}. Put quotation marks around text that contains the separator.",
                last + 1
            )
        } else if let Some(last) = beyond.clone().rfind(is_filled) {
            format!(
                "This row has {} cells, but its file had {} headings. Join the text that was split, and move the cells behind it back under their headings.",
                last + 1,
                beyond.start
            )
        } else {
            return;
        };
        self.messages.push(Message { column: None, column_index: None, code: "TOO_MANY_CELLS", text });
    }

    pub(super) fn required(&mut self, field: Field, max: usize) -> String {
        if self.cell(field).is_none() {
            self.say_required(field);
        }
        let text = self.text(field, max);
        if text.as_deref().is_some_and(text::is_blank) {
            self.say_required(field);
        }
        text.unwrap_or_default()
    }

    /// Returns the trimmed text of a field; `None` if the cell is blank or was refused. Empty if the cell has only
    /// invisible characters.
    pub(super) fn text(&mut self, field: Field, max: usize) -> Option<String> {
        let (cell, shape) = (self.cell(field)?, Shape::of(field));
        let text = match cell {
            Cell::Text(text) => {
                text::with_plain_breaks(&unquoted(&normalize(&without_invisible(field, text))))
            }
            // A code that lost digits gets an exponent, and is refused below.
            Cell::Number(number) if shape == Shape::Code => number::code(*number),
            Cell::Number(number) => number::shown(*number),
            Cell::DateTime(at) if shape == Shape::Code => {
                self.looks_like_date(field, &at.date().to_string());
                return None;
            }
            Cell::DateTime(at) => at.format("%Y-%m-%d %H:%M").to_string(),
            Cell::Bool(true) => "TRUE".to_owned(),
            Cell::Bool(false) => "FALSE".to_owned(),
            Cell::Empty => return None,
        };
        if self.is_error_value(field, &text) {
            return None;
        }
        if shape == Shape::Code && is_scientific(&text) {
            self.rounded(field, &text);
            return None;
        }
        if shape == Shape::Code && self.mapping.is_download() && is_timestamp(&text) {
            self.looks_like_date(field, &text);
            return None;
        }
        let count = text.chars().count();
        if count > max {
            self.say(
                field,
                "TOO_LONG",
                format!(
                    "{} can have at most {max} characters, but this has {count}{}. Shorten it.",
                    field.label(),
                    if count >= 10_000 { " or more" } else { "" }
                ),
            );
            return None;
        }
        if text.contains('\u{FFFD}') {
            self.say(field, "CHARACTER_UNREADABLE", format!("{} contains a character that was lost before the file was uploaded. Save the file as “CSV UTF-8” and upload it again.", field.label()));
            return None;
        }
        if let Some(c) = text.chars().find(|c| is_refused(*c, shape)) {
            let name = match c {
                '\n' => "a line break".to_owned(),
                '\t' => "a tab".to_owned(),
                c => format!("the invisible character U+{:04X}", u32::from(c)),
            };
            self.say(field, "CONTROL_CHARACTER", format!("{} contains {name}. Remove it.", field.label()));
            return None;
        }
        Some(text)
    }

    fn rounded(&mut self, field: Field, shown: &str) {
        self.say(field, "LOOKS_ROUNDED", format!("{} reads {}: Excel rounded it and its last digits are lost. Format the column as text, enter the value again and upload the file again.", field.label(), header::shorten(shown, 40)));
    }

    fn looks_like_date(&mut self, field: Field, shown: &str) {
        self.say(field, "LOOKS_LIKE_DATE", format!("The spreadsheet turned {} into the date {shown}. Format the column as text, enter the value again and upload the file again.", field.label()));
    }

    pub(super) fn is_error_value(&mut self, field: Field, text: &str) -> bool {
        let is = text.starts_with('#')
            && (ERRORS.contains(&text) || text.bytes().all(|b| b == b'#') && text.len() > 2)
            || text
                .strip_prefix("Err:")
                .is_some_and(|n| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()));
        if is {
            self.say(
                field,
                "CELL_ERROR",
                format!(
                    "{} contains the error {text} instead of a value. Correct the formula or type the value.",
                    field.label()
                ),
            );
        }
        is
    }

    pub(super) fn email(&mut self, field: Field) -> Option<String> {
        let text = self.text(field, limits::EMAIL)?;
        if is_email(&text) {
            return Some(text);
        }
        self.say(
            field,
            "EMAIL_NOT_VALID",
            format!(
                "“{}” is not an email address. Write it as name@company.com, one only.",
                header::shorten(&text, 80)
            ),
        );
        None
    }

    pub(super) fn priority(&mut self) -> Option<i32> {
        let text = self.text(Field::Priority, 40)?;
        let priority = match text.to_ascii_lowercase().as_str() {
            "low" => Priority::Low,
            "normal" => Priority::Normal,
            "high" => Priority::High,
            _ => {
                self.say(
                    Field::Priority,
                    "PRIORITY_UNKNOWN",
                    format!("“{text}” is not a priority. Write low, normal or high."),
                );
                return None;
            }
        };
        Some(priority as i32)
    }

    pub(super) fn number(&mut self, field: Field, max: i64, beyond: Beyond) -> Option<i64> {
        let (text, sign) = match self.cell(field)? {
            Cell::Number(number) => (number::shown(*number), Some(DecimalSign::Point)),
            Cell::Text(text) => (unquoted(text.trim()).into_owned(), self.ctx.columns.decimal(field)),
            Cell::DateTime(at) => (at.to_string(), None),
            Cell::Bool(value) => (value.to_string(), None),
            Cell::Empty => return None,
        };
        if self.is_error_value(field, &text) {
            return None;
        }
        let error = match number::thousandths(&text, max, beyond, sign) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let (label, text) = (field.label(), header::shorten(&text, 40));
        let (code, text) = match error {
            NumberError::NotANumber => (
                "NUMBER_NOT_UNDERSTOOD",
                match sign {
                    Some(DecimalSign::Comma) => format!(
                        "{label} “{text}” is not a number. Write digits only, with a comma before decimals as in the other rows: 1234,5."
                    ),
                    _ => format!(
                        "{label} “{text}” is not a number. Write digits only, with a point before decimals: 1234.5."
                    ),
                },
            ),
            NumberError::Ambiguous => (
                "NUMBER_AMBIGUOUS",
                format!(
                    "{label} “{text}” could be {} or {}. Write it without a comma.",
                    text.replace(',', ""),
                    text.replace(',', ".")
                ),
            ),
            NumberError::Negative => {
                ("NUMBER_NEGATIVE", format!("{label} is {text} and cannot be below zero."))
            }
            NumberError::TooLarge => {
                ("NUMBER_TOO_LARGE", format!("{label} {text} is above the maximum of {max}."))
            }
            NumberError::TooManyDecimals => (
                "NUMBER_TOO_MANY_DECIMALS",
                format!("{label} {text} has more than three decimals. Round it."),
            ),
        };
        self.say(field, code, text);
        None
    }
}

const ERRORS: [&str; 11] = [
    "#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!", "#ERROR!",
    "#DATA!",
];

/// Returns whether the text is a long number as Excel shows it: `8.00012E+11`. Its exponent always has a
/// sign, unlike a document number such as `12E5`.
fn is_scientific(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
        return false;
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let mantissa = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, decimals) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    digits(whole) && digits(decimals) && exponent.strip_prefix(['+', '-']).is_some_and(digits)
}

/// Returns whether the text shows a date with a time of day, or a time with seconds. In the download of refused rows, a
/// code that a spreadsheet had turned into one is written like this (`refused`).
fn is_timestamp(text: &str) -> bool {
    let colons = text.matches(':').count();
    let parsed = |order| time::parse(text, order).is_ok_and(|it| it.date.is_some() || colons == 2);
    colons > 0 && (parsed(DateOrder::Mdy) || parsed(DateOrder::Dmy))
}

/// Returns the text without invisible characters if the field identifies something of ours.
pub(super) fn without_invisible(field: Field, text: &str) -> Cow<'_, str> {
    match field {
        Field::DeliveryId | Field::ShipmentNumber | Field::ItemNumber | Field::DriverId => {
            text::visible(text, &[])
        }
        Field::CustomerName => text::visible(text, text::JOINERS),
        _ => text.into(),
    }
}

/// Returns whether the character is forbidden in texts of a file.
fn is_refused(c: char, shape: Shape) -> bool {
    text::is_hidden(c) && !(shape == Shape::Lines && matches!(c, '\n' | '\t'))
}
