//! Texts that people type about a delivery.

const CODE_CHARS: usize = 64;
const NAME_CHARS: usize = 200;
const NOTE_CHARS: usize = 2000;

/// Without the space around it; nothing when there is nothing else.
fn optional(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A name, on one line.
pub fn name(label: &str, text: Option<&str>) -> Result<Option<String>, String> {
    checked(label, text, NAME_CHARS, false)
}

/// A few sentences, line breaks and all.
pub fn note(label: &str, text: Option<&str>) -> Result<Option<String>, String> {
    checked(label, text, NOTE_CHARS, true)
}

/// An id or a code.
pub fn code(label: &str, text: Option<&str>) -> Result<Option<String>, String> {
    checked(label, text, CODE_CHARS, false)
}

/// One line of at most that many characters.
pub fn line(label: &str, text: Option<&str>, most: usize) -> Result<Option<String>, String> {
    checked(label, text, most, false)
}

/// Several lines of at most that many characters.
pub fn lines(label: &str, text: Option<&str>, most: usize) -> Result<Option<String>, String> {
    checked(label, text, most, true)
}

fn checked(label: &str, text: Option<&str>, most: usize, breaks: bool) -> Result<Option<String>, String> {
    let Some(text) = optional(text) else { return Ok(None) };
    if text.chars().count() > most {
        return Err(format!("{label} must have no more than {most} characters"));
    }
    if text.chars().any(|c| is_refused(c) && !(breaks && matches!(c, '\n' | '\r' | '\t'))) {
        return Err(format!("{label} must not contain control characters"));
    }
    Ok(Some(text))
}

/// Controls, and what reorders or hides text on a screen or on a printed form.
fn is_refused(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_around_is_nothing() {
        assert_eq!(name("Name", None), Ok(None));
        assert_eq!(name("Name", Some(" \n ")), Ok(None));
        assert_eq!(name("Name", Some("  Nena  ")), Ok(Some("Nena".to_owned())));
    }

    #[test]
    fn length_and_controls_are_bounded() {
        assert!(name("Name", Some(&"é".repeat(200))).is_ok());
        assert_eq!(
            name("Name", Some(&"é".repeat(201))),
            Err("Name must have no more than 200 characters".to_owned())
        );
        assert!(note("Note", Some(&"é".repeat(2000))).is_ok());
        assert!(note("Note", Some(&"é".repeat(2001))).is_err());
        assert!(code("Driver ID", Some(&"7".repeat(64))).is_ok());
        assert!(code("Driver ID", Some(&"7".repeat(65))).is_err());
        assert!(name("Name", Some("Ne\nna")).is_err());
        assert_eq!(note("Note", Some("At the gate\nat noon")), Ok(Some("At the gate\nat noon".to_owned())));
        for hidden in ['\0', '\u{202e}', '\u{200b}', '\u{feff}', '\u{1b}'] {
            assert!(note("Note", Some(&format!("a{hidden}b"))).is_err(), "{hidden:?}");
        }
    }
}
