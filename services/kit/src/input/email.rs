//! Email addresses: checks the syntax only. Whether an address exists shows only when a mail is sent.

use unicode_normalization::char::is_combining_mark;

use super::limits;
use super::text::{self, is_invisible};

/// Returns the trimmed address; `None` when it is empty.
pub fn email(label: &str, text: Option<&str>) -> Result<Option<String>, String> {
    let Some(text) = text::line(label, text, limits::EMAIL)? else { return Ok(None) };
    if is_email(&text) { Ok(Some(text)) } else { Err(not_an_email(label)) }
}

/// Returns a required address.
pub fn required(label: &str, text: &str) -> Result<String, String> {
    email(label, Some(text))?.ok_or_else(|| not_an_email(label))
}

fn not_an_email(label: &str) -> String {
    format!("{label} must be formatted like an email address")
}

/// Returns whether a text is one address. Quoted local parts and addresses in brackets are refused: hardly
/// any mail program handles them.
pub fn is_email(text: &str) -> bool {
    let refused = |c: char| c.is_whitespace() || is_invisible(c) || ",:;<>()[]\\\"@".contains(c);
    // Some scripts write vowels as combining marks.
    let of_host = |c: char| c.is_alphanumeric() || c == '-' || is_combining_mark(c);
    let label = |label: &str| {
        (1..=63).contains(&label.chars().count())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(of_host)
    };
    text.chars().count() <= limits::EMAIL
        && text.split_once('@').is_some_and(|(local, domain)| {
            local.chars().count() <= 64
                && !local.contains(refused)
                && !domain.contains(refused)
                && local.split('.').all(|part| !part.is_empty())
                && domain.contains('.')
                && domain.split('.').all(label)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart_from_other_texts() {
        for good in [
            "a@b.c",
            "maria.d+x@mail.example.ph",
            "ñ@ü.example",
            "o'brien@b.co",
            "_a_@b.co",
            "a@हिन्दी.example",
        ] {
            assert!(is_email(good), "{good}");
            assert_eq!(email("Email", Some(&format!(" {good} "))), Ok(Some(good.to_owned())));
        }
        let long_name = format!("{}@b.co", "a".repeat(65));
        let long_label = format!("a@{}.co", "b".repeat(64));
        for bad in [
            "a",
            "a@b",
            "@b.c",
            "a@",
            "a@b..c",
            "a@.c",
            "a@c.",
            "a b@c.d",
            "a@b c.d",
            "a@b@c.d",
            "a@b.c,d@e.f",
            "<a@b.co>",
            ".a@b.c",
            "a.@b.c",
            "a..b@c.d",
            "a@-b.c",
            "a@b-.c",
            "a@b.c/",
            "a@b.c'",
            "a@b_c.d",
            "a@b\u{200d}c.d",
            "a\u{200d}b@c.d",
            "a:b@c.d",
            "a(b)@c.d",
            "\"a\"@b.c",
            "a@[10.0.0.1]",
            &long_name,
            &long_label,
        ] {
            assert!(!is_email(bad), "{bad}");
            assert!(email("Email", Some(bad)).is_err(), "{bad}");
        }
        assert_eq!(email("Email", Some(" ")), Ok(None));
        assert_eq!(required("Email", " "), Err("Email must be formatted like an email address".to_owned()));
    }

    #[test]
    fn length_is_bounded_in_all() {
        let of = |count: usize| format!("{}@{}.example", "a".repeat(64), "b.".repeat((count - 74) / 2) + "b");
        assert_eq!(of(254).chars().count(), 254);
        assert!(is_email(&of(254)));
        assert!(!is_email(&of(256)));
        let long = Err("Email must have no more than 254 characters".to_owned());
        assert_eq!(email("Email", Some(&of(256))), long);
    }
}
