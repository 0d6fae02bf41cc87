//! Texts that people enter about a delivery; lengths are those of an import.

use kit::input::{limits, text};

/// A name, on one line.
pub fn name(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::line(label, value, limits::NAME)
}

/// A few sentences, line breaks and all.
pub fn note(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::lines(label, value, limits::NOTE)
}

/// An id or a code.
pub fn code(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::line(label, value, limits::CODE)
}
