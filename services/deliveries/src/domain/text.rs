//! Texts that people enter about a delivery. The limits are the same as for imports.

use kit::input::{limits, text};

/// Validates a name, which is one line.
pub fn name(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::line(label, value, limits::NAME)
}

/// Validates a note of a few sentences, which may have line breaks.
pub fn note(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::lines(label, value, limits::NOTE)
}

/// Validates an id or a code.
pub fn code(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::line(label, value, limits::CODE)
}
