//! Texts that people type.

/// One line of at most that many characters, without the space around it; empty when there is
/// nothing else.
pub fn line(label: &str, text: &str, most: usize) -> Result<String, String> {
    let text = text.trim();
    if text.chars().count() > most {
        return Err(format!("{label} must have no more than {most} characters"));
    }
    if text.chars().any(is_refused) {
        return Err(format!("{label} must not contain line breaks or control characters"));
    }
    Ok(text.to_owned())
}

/// The same, of what has to be there, and to be seen.
pub fn required(label: &str, text: &str, most: usize) -> Result<String, String> {
    let text = line(label, text, most)?;
    if text.chars().all(|c| c.is_whitespace() || is_blank(c)) {
        return Err(format!("{label} is required"));
    }
    Ok(text)
}

/// Controls, line breaks and what turns the text around it. Joiners stay: some scripts and many emoji
/// are written with them.
fn is_refused(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Shows nothing by itself.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_without_the_space_around_it() {
        assert_eq!(required("Title", " Gate 3 is closed ", 120), Ok("Gate 3 is closed".to_owned()));
        assert_eq!(required("Title", " \t ", 120), Err("Title is required".to_owned()));
        assert_eq!(required("Title", "\u{200b}\u{2060}\u{3164}", 120), Err("Title is required".to_owned()));
        assert_eq!(line("Label", " ", 9), Ok(String::new()));
        for bad in ["a\nb", "a\r\nb", "a\tb", "a\0b", "a\u{2028}b", "a\u{202e}b", "a\u{2066}b", "a\u{85}b"] {
            let refused = Err("Title must not contain line breaks or control characters".to_owned());
            assert_eq!(required("Title", bad, 120), refused, "{bad:?}");
        }
        let family = "👩\u{200d}👧 می\u{200c}خواهم";
        assert_eq!(required("Title", family, 120), Ok(family.to_owned()));
    }

    #[test]
    fn length_counts_characters() {
        assert!(required("Title", &"é".repeat(120), 120).is_ok());
        let long = required("Title", &"é".repeat(121), 120);
        assert_eq!(long, Err("Title must have no more than 120 characters".to_owned()));
    }
}
