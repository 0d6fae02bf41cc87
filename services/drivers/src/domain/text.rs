//! Texts that people and devices send.

/// One line of at most that many characters, without the space around it; nothing when there is
/// nothing else.
pub fn line(label: &str, text: Option<&str>, most: usize) -> Result<Option<String>, String> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.chars().count() > most {
        return Err(format!("{label} must have no more than {most} characters"));
    }
    if text.chars().any(is_invisible) {
        return Err(format!("{label} must not contain control characters"));
    }
    Ok(Some(text.to_owned()))
}

/// The same, of what has to be there.
pub fn required(label: &str, text: &str, most: usize) -> Result<String, String> {
    line(label, Some(text), most)?.ok_or_else(|| format!("{label} is required"))
}

/// Control characters, and those that make two different names look the same or turn the text
/// around them: zero-width, joiners, marks of direction. As auth has it for usernames.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
