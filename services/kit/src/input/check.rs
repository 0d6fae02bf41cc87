//! Collects the problems of a request.

use super::{email, text};
use crate::error::Fields;
use crate::{Error, Result};

/// Maximum number of problems that an error's message lists. Each problem is also listed under its field.
const TEXTS: usize = 10;

/// Collects all problems of a request under the names of its fields, so that a person corrects them in one
/// go.
#[derive(Debug, Default)]
pub struct Check {
    wrong: Fields,
    prefix: String,
}

impl Check {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a prefix for the field names that follow, such as `items.3.`.
    pub fn set_prefix(&mut self, prefix: impl Into<String>) {
        self.prefix = prefix.into();
    }

    pub fn refuse(&mut self, field: &str, text: impl Into<String>) {
        self.wrong.entry(format!("{}{field}", self.prefix)).or_default().push(text.into());
    }

    /// Adds `text` as a problem of the field unless `good`.
    pub fn require(&mut self, good: bool, field: &str, text: impl Into<String>) {
        if !good {
            self.refuse(field, text);
        }
    }

    /// Returns the value; on an error, adds its text to the field and returns `None`.
    pub fn read<T>(&mut self, field: &str, value: Result<T, impl Into<String>>) -> Option<T> {
        value.map_err(|text| self.refuse(field, text)).ok()
    }

    /// Reads one line of at most `most` characters; see [`text::line`].
    pub fn line(&mut self, field: &str, label: &str, value: Option<&str>, most: usize) -> Option<String> {
        self.read(field, text::line(label, value, most)).flatten()
    }

    /// Reads several lines of at most `most` characters; see [`text::lines`].
    pub fn lines(&mut self, field: &str, label: &str, value: Option<&str>, most: usize) -> Option<String> {
        self.read(field, text::lines(label, value, most)).flatten()
    }

    /// Reads one required line; returns an empty string if it is refused. See [`text::required`].
    pub fn required(&mut self, field: &str, label: &str, value: &str, most: usize) -> String {
        self.read(field, text::required(label, value, most)).unwrap_or_default()
    }

    /// Reads a line without invisible characters; see [`text::name`].
    pub fn name(&mut self, field: &str, label: &str, value: Option<&str>, most: usize) -> Option<String> {
        self.read(field, text::name(label, value, most)).flatten()
    }

    /// Reads a required name; returns an empty string if it is refused.
    pub fn required_name(&mut self, field: &str, label: &str, value: &str, most: usize) -> String {
        self.read(field, text::required_name(label, value, most)).unwrap_or_default()
    }

    /// Reads an e-mail address; see [`email::email`].
    pub fn email(&mut self, field: &str, label: &str, value: Option<&str>) -> Option<String> {
        self.read(field, email::email(label, value)).flatten()
    }

    pub fn is_wrong(&self, field: &str) -> bool {
        self.wrong.contains_key(&format!("{}{field}", self.prefix))
    }

    /// Returns how many fields have problems so far.
    pub fn count(&self) -> usize {
        self.wrong.len()
    }

    /// Returns the value, or the error with all problems.
    pub fn done<T>(self, good: T) -> Result<T> {
        if self.wrong.is_empty() { Ok(good) } else { Err(self.refusal()) }
    }

    /// Returns the error for a request that is known to have problems.
    pub fn refusal(self) -> Error {
        refusal(self.wrong)
    }

    /// Returns the fields that have problems, with the texts of the problems.
    pub fn into_fields(self) -> Fields {
        self.wrong
    }
}

/// Returns the error `INVALID_FIELDS`. Its message makes sense by itself: it contains the first texts and the
/// number of further ones.
pub fn refusal(fields: Fields) -> Error {
    let mut texts: Vec<&str> = fields.values().flatten().map(String::as_str).collect();
    let more = texts.len().saturating_sub(TEXTS);
    texts.truncate(TEXTS);
    let mut message = texts.join("; ");
    if more > 0 {
        message.push_str(&format!("; and {more} more"));
    }
    Error { fields, ..Error::invalid("INVALID_FIELDS", message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn everything_wrong_is_reported_at_once_under_its_field() {
        let mut check = Check::new();
        assert_eq!(check.line("note", "Note", Some(" at the gate "), 20).as_deref(), Some("at the gate"));
        assert_eq!(check.required("name", "Name", " ", 20), "");
        check.set_prefix("items.3.");
        assert_eq!(check.email("email", "Email", Some("nobody")), None);
        check.require(1 > 0, "quantity", "Quantity must be positive");
        assert!(check.is_wrong("email") && !check.is_wrong("name"));
        check.set_prefix("");
        assert!(check.is_wrong("name") && check.count() == 2);
        let error = check.done(()).unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::InvalidInput, "INVALID_FIELDS"));
        assert_eq!(error.message, "Email must be formatted like an email address; Name is required");
        assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["items.3.email", "name"]);
    }

    #[test]
    fn nothing_wrong_is_no_error() {
        let mut check = Check::new();
        assert_eq!(check.read::<u8>("count", Ok::<_, String>(3)), Some(3));
        assert_eq!(check.done("kept").unwrap(), "kept");
    }

    #[test]
    fn the_message_names_ten_and_counts_the_rest() {
        let mut check = Check::new();
        for index in 0..12 {
            check.refuse(&format!("positions[{index:02}].lat"), format!("Latitude {index} is wrong"));
        }
        let error = check.refusal();
        assert_eq!(error.fields.len(), 12);
        assert!(error.message.ends_with("Latitude 9 is wrong; and 2 more"), "{}", error.message);
    }
}
