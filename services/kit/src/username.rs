//! Which new usernames are allowed.
//!
//! Two names that look the same let one person pass for another. So a new name has letters of one alphabet
//! only, and [`look`] compares names as people see them. Existing accounts keep their names: signing in
//! checks none of this.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;
use unicode_security::{GeneralSecurityProfile, MixedScript};

use crate::input::limits::USERNAME;
use crate::input::text::is_invisible;

/// What the names of services begin with where records say who acted.
const SYSTEM: &str = "system:";

/// Returns a new username as it is stored, with full-width letters replaced by plain ones. The error explains
/// why the name is not allowed.
pub fn parse(text: &str) -> Result<String, &'static str> {
    let name: String = typed(text)?.nfkc().collect();
    let name = name.trim();
    let letter = |c: char| (c.is_alphanumeric() || is_combining_mark(c)) && c.identifier_allowed();
    if !name.chars().all(|c| c == ' ' || c.is_ascii_graphic() || letter(c)) {
        return Err("Username can only have letters, digits, spaces and plain punctuation");
    }
    if !name.is_single_script() {
        return Err("Username mixes letters of several alphabets. Use letters of one alphabet");
    }
    if look(name).starts_with(look(SYSTEM).as_str()) {
        return Err("Username can't begin with system:");
    }
    Ok(name.to_owned())
}

/// Returns a typed username without surrounding space. The error explains why no account can have this name.
pub fn typed(text: &str) -> Result<&str, &'static str> {
    let text = text.trim();
    if !(1..=USERNAME).contains(&text.chars().count()) {
        return Err("Username must have 1 to 64 characters");
    }
    if text.chars().any(is_invisible) {
        return Err("Username must not contain control characters");
    }
    Ok(text)
}

/// Returns what a name looks like: the result is equal for names that are easily confused.
pub fn look(name: &str) -> String {
    let look: String = skeleton(&crate::text::fold(name)).collect();
    // Fold again, because the skeleton of a zero is a capital O.
    crate::text::fold(&look)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_alphabet_are_names() {
        for name in [
            "Maria Ángeles",
            "o'brien-2@mail.example",
            "Jürgen Groß",
            "Мария Иванова",
            "Ελένη",
            "田中 さくら",
            "김민준",
            "أحمد",
            "नरेन्द्र",
            "Nguyễn Thị",
            "user_1+a",
        ] {
            assert_eq!(parse(name).as_deref(), Ok(name));
        }
        assert_eq!(parse(" ＭＡＲＩＡ　１ ").as_deref(), Ok("MARIA 1"));
        assert_eq!(parse("Jose\u{301}").as_deref(), Ok("José"));
    }

    #[test]
    fn what_only_looks_like_a_name_is_refused() {
        let mixed = "Username mixes letters of several alphabets. Use letters of one alphabet";
        // Each name contains a Cyrillic or a Greek letter.
        for name in ["maр", "αdmin", "admin\u{430}", "раypal"] {
            assert_eq!(parse(name), Err(mixed), "{name}");
        }
        let odd = "Username can only have letters, digits, spaces and plain punctuation";
        for name in ["ad\u{2011}min", "ma\u{336}ria", "maria\u{b7}", "a\u{2044}b", "maria🚚", "ǃmaria"] {
            assert_eq!(parse(name), Err(odd), "{name}");
        }
        // The last one has an r and an n for the m.
        for name in ["system:auth", " System:auth", "ＳＹＳＴＥＭ：auth", "systern:auth"] {
            assert_eq!(parse(name), Err("Username can't begin with system:"), "{name}");
        }
        for name in ["system", "system auth", "maria.system:auth"] {
            assert_eq!(parse(name).as_deref(), Ok(name));
        }
        for name in ["", "  ", "a\u{200b}b", "a\nb", "a\u{34f}b", &"n".repeat(65)] {
            assert!(parse(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn names_that_are_taken_for_each_other_look_the_same() {
        for (one, other) in [
            ("сора", "copa"),
            ("Paul1", "paull"),
            ("d0n", "don"),
            ("ＡＮＡ", "ana"),
            ("barn", "bam"),
            ("ı", "i"),
        ] {
            assert_eq!(look(one), look(other), "{one} {other}");
        }
        for (one, other) in [("ana", "anna"), ("peña", "pena"), ("user-1", "user-2")] {
            assert_ne!(look(one), look(other), "{one} {other}");
        }
    }
}
