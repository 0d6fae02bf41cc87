//! Texts that people and devices send.
//!
//! Texts are stored trimmed, composed (NFC) and with U+000A as line break. An empty text counts as missing.

use std::borrow::Cow;

use crate::text::normalize;

/// The joiners of Persian and Indic scripts, which names of customers keep; see [`visible`].
pub const JOINERS: &[char] = &['\u{200c}', '\u{200d}'];

/// Returns one line of at most `most` characters; `None` when it is empty.
///
/// Joiners and direction marks are kept: some scripts and many emoji need them.
pub fn line(label: &str, text: Option<&str>, most: usize) -> Result<Option<String>, String> {
    let Some(text) = text.map(normalize).filter(|text| !text.is_empty()) else { return Ok(None) };
    check_length(label, &text, most)?;
    if text.chars().any(is_hidden) {
        return Err(format!("{label} must not contain line breaks or control characters"));
    }
    Ok(Some(text))
}

/// Returns several lines of at most `most` characters, which may contain tabs; `None` when empty.
pub fn lines(label: &str, text: Option<&str>, most: usize) -> Result<Option<String>, String> {
    let text = text.map(|text| with_plain_breaks(&normalize(text))).filter(|text| !text.is_empty());
    let Some(text) = text else { return Ok(None) };
    check_length(label, &text, most)?;
    if text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')) {
        return Err(format!("{label} must not contain control characters"));
    }
    Ok(Some(text))
}

/// Returns a required line, which must have a visible character.
pub fn required(label: &str, text: &str, most: usize) -> Result<String, String> {
    let missing = || format!("{label} is required");
    if is_blank(text) {
        return Err(missing());
    }
    line(label, Some(text), most)?.ok_or_else(missing)
}

/// Returns one line that identifies somebody or something; `None` when it is empty. Refuses invisible
/// characters, so that two names that look the same are the same.
pub fn name(label: &str, text: Option<&str>, most: usize) -> Result<Option<String>, String> {
    let text = line(label, text, most)?;
    if text.as_deref().is_some_and(|text| text.chars().any(is_invisible)) {
        return Err(format!("{label} must not contain control characters"));
    }
    Ok(text)
}

/// Returns a required name.
pub fn required_name(label: &str, text: &str, most: usize) -> Result<String, String> {
    let text = required(label, text, most)?;
    name(label, Some(&text), most)?.ok_or_else(|| format!("{label} is required"))
}

/// Removes invisible characters other than `kept`. For identifiers that people enter: one that was copied from an email
/// or a PDF may have such characters, which nobody can see or delete.
///
/// Not for looking something up, because identifiers that earlier releases stored may have them. Control characters, line
/// breaks and characters that reverse text stay, so that they are refused.
pub fn visible<'a>(text: &'a str, kept: &[char]) -> Cow<'a, str> {
    let stays = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202d}' | '\u{202e}');
    let is_removed = |c: char| is_invisible(c) && !stays(c) && !kept.contains(&c);
    if text.contains(is_removed) { text.replace(is_removed, "").into() } else { text.into() }
}

/// Returns the text with U+000A as line break, whatever system it was written on.
pub fn with_plain_breaks(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

fn check_length(label: &str, text: &str, most: usize) -> Result<(), String> {
    if text.chars().count() > most {
        return Err(format!("{label} must have no more than {most} characters"));
    }
    Ok(())
}

/// Returns whether one line of text must not contain the character: control characters, which include line
/// breaks and tabs, and characters that hide or reorder text on screen or paper.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Returns whether a name must not contain the character: those of [`is_hidden`], and those that make
/// different names look the same, such as joiners, soft hyphens, fillers and direction marks.
pub fn is_invisible(c: char) -> bool {
    is_hidden(c) || shows_nothing(c) && !is_variation_selector(c)
}

/// Returns whether the text has no visible character.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || shows_nothing(c))
}

fn shows_nothing(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether the character selects the shape of the one before it, as in emoji and in Japanese names.
fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = "👩\u{200d}👧 می\u{200c}خواهم";

    #[test]
    fn space_around_is_nothing() {
        assert_eq!(line("Name", None, 9), Ok(None));
        assert_eq!(line("Name", Some(" \n "), 9), Ok(None));
        assert_eq!(lines("Note", Some(" \r\n "), 9), Ok(None));
        assert_eq!(line("Name", Some("  Jose\u{301}  "), 4), Ok(Some("José".to_owned())));
        assert_eq!(name("Name", Some(" Nena "), 4), Ok(Some("Nena".to_owned())));
    }

    #[test]
    fn length_counts_characters_as_they_are_kept() {
        assert!(line("Name", Some(&"e\u{301}".repeat(200)), 200).is_ok());
        let long = Err("Name must have no more than 200 characters".to_owned());
        assert_eq!(line("Name", Some(&"é".repeat(201)), 200), long);
        assert_eq!(lines("Name", Some(&"é".repeat(201)), 200), long);
        assert!(lines("Note", Some(&"a\r\n".repeat(100)), 200).is_ok(), "199 characters are kept");
    }

    #[test]
    fn a_line_is_one_line_and_lines_end_alike() {
        for bad in ["a\nb", "a\r\nb", "a\tb", "a\u{2028}b", "a\u{85}b"] {
            let refused = "Title must not contain line breaks or control characters".to_owned();
            assert_eq!(line("Title", Some(bad), 9), Err(refused), "{bad:?}");
        }
        let two = lines("Note", Some("At the gate\r\nat\tnoon\rtoday"), 99);
        assert_eq!(two, Ok(Some("At the gate\nat\tnoon\ntoday".to_owned())));
    }

    #[test]
    fn what_hides_or_turns_text_is_refused_and_joiners_are_not() {
        for hidden in ['\0', '\u{1b}', '\u{200b}', '\u{202e}', '\u{2060}', '\u{2067}', '\u{feff}'] {
            let text = format!("a{hidden}b");
            let refused = "Note must not contain control characters".to_owned();
            assert_eq!(lines("Note", Some(&text), 9), Err(refused), "{hidden:?}");
            assert!(line("Note", Some(&text), 9).is_err(), "{hidden:?}");
            assert!(name("Name", Some(&text), 9).is_err(), "{hidden:?}");
        }
        assert_eq!(line("Title", Some(FAMILY), 99), Ok(Some(FAMILY.to_owned())));
        let refused = Err("Name must not contain control characters".to_owned());
        assert_eq!(name("Name", Some(FAMILY), 99), refused);
        assert_eq!(name("Name", Some("a\u{ad}b"), 99), refused);
    }

    #[test]
    fn an_identifier_loses_invisible_characters() {
        for (text, read) in [
            ("D-1001", "D-1001"),
            ("\u{feff}D-10\u{ad}01\u{200e}", "D-1001"),
            ("\u{202a}D-1001\u{202c}\u{3164}", "D-1001"),
            ("D-1\n\u{202e}2", "D-1\n\u{202e}2"),
            ("葛\u{e0100}城", "葛\u{e0100}城"),
        ] {
            assert_eq!(visible(text, &[]), read, "{text:?}");
        }
        assert_eq!(visible("می\u{200c}خواهم\u{200f}", JOINERS), "می\u{200c}خواهم");
        assert!(name("Name", Some("DRV-1\u{3164}"), 9).is_err());
        assert_eq!(name("Name", Some("❤\u{fe0f} Cebu"), 9), Ok(Some("❤\u{fe0f} Cebu".to_owned())));
    }

    #[test]
    fn what_must_be_there_must_be_seen() {
        for blank in ["", " \t ", "\u{200b}\u{2060}\u{3164}", "\u{2800}"] {
            assert_eq!(required("Title", blank, 9), Err("Title is required".to_owned()), "{blank:?}");
            assert_eq!(required_name("Title", blank, 9), Err("Title is required".to_owned()), "{blank:?}");
        }
    }

    #[test]
    fn what_no_text_may_hold_no_name_may() {
        assert!(('\0'..=char::MAX).all(|c| !is_hidden(c) || is_invisible(c)));
    }
}
