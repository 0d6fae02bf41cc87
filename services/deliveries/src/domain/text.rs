//! Texts that people enter about a delivery, with the same limits as for imports; and which names are the same.

use kit::input::{limits, text};
use kit::text::fold;

/// Validates a name, which is one line.
pub fn name(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::line(label, value, limits::NAME)
}

/// Validates a note of a few sentences, which may have line breaks.
pub fn note(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::lines(label, value, limits::NOTE)
}

/// Compares names and ids the way keys are compared: trimmed, and ignoring case. Most are ASCII and need no
/// copy; this matters because a line may be compared with thousands of items.
pub fn same_name(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.trim().eq_ignore_ascii_case(other.trim());
    }
    fold(one) == fold(other)
}

/// Returns the known name if the new one is the same in another spelling, otherwise the new one. Ignores invisible
/// characters of the known name, except `kept`: earlier releases stored them, and new names come without.
pub fn keep_spelling<'a>(known: &'a str, new: &'a str, kept: &[char]) -> &'a str {
    if same_name(known, new) || same_name(&text::visible(known, kept), new) { known } else { new }
}

/// Validates an id or a code.
pub fn code(label: &str, value: Option<&str>) -> Result<Option<String>, String> {
    text::line(label, value, limits::CODE)
}
