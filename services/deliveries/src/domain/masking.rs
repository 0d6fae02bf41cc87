//! Masks secrets in bodies shown to administrators, and restores them in edited bodies.
//!
//! A secret is the value of a JSON key that is `auth` or `pwd` or contains one of `NAMES`. Secrets are found
//! in the text without parsing all of it, because bodies are truncated at a limit, and because a shown body
//! must differ from the sent one only in secrets. JSON inside strings is masked as well, because malformed
//! messages are stored in a string.
//!
//! Masks are numbered, so that an edit may move them. Secrets in texts other than JSON are deliberately not
//! masked.

use kit::{Error, Result};
use serde::de::IgnoredAny;

/// Replaces a secret; the secret's number follows.
const MASK: &str = "••••";
/// Parts of keys, in lower case and without separators.
const NAMES: [&str; 11] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "authorization",
    "apikey",
    "credential",
    "privatekey",
    "accesskey",
    "cookie",
];
/// Nesting limit of JSON in strings.
const DEPTH: u32 = 3;

/// Returns the text with a mask for each secret.
pub fn mask(text: &str) -> String {
    hide(text).0
}

/// Returns the edited text with masks replaced by the original's secrets.
///
/// # Errors
///
/// Fails for a mask that matches no secret.
pub fn unmask(edited: &str, original: &str) -> Result<String> {
    let (_, secrets) = hide(original);
    let whole = rewrite(edited, DEPTH, &mut |value| {
        let at = (1..=secrets.len()).find(|number| placeholder(*number) == value)?;
        secrets.get(at - 1).cloned()
    });
    if whole.contains(MASK) && !original.contains(MASK) {
        let text = "A hidden value (••••) is in a field where it can't be filled in. Put it back under its \
                    own name, or enter the value.";
        return Err(Error::invalid_field("payload", text));
    }
    Ok(whole)
}

/// Returns the masked text, and the secrets in the order of their numbers.
fn hide(text: &str) -> (String, Vec<String>) {
    let mut secrets = Vec::new();
    let masked = rewrite(text, DEPTH, &mut |secret| {
        secrets.push(secret.to_owned());
        Some(placeholder(secrets.len()))
    });
    (masked, secrets)
}

fn placeholder(number: usize) -> String {
    format!("\"{MASK}{number}\"")
}

fn is_secret(key: &str) -> bool {
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    plain == "auth" || plain == "pwd" || NAMES.iter().any(|name| plain.contains(name))
}

/// Replaces each value of a secret key by the result of `with`, in JSON text that may be malformed.
fn rewrite(text: &str, depth: u32, with: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let new = go_along(text, depth, with);
    if serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return new;
    }
    // After an unmatched quote, the text between two strings looks like a string, so rewrite that, too.
    match new.find('"') {
        Some(first) => format!("{}{}", &new[..=first], go_along(&new[first + 1..], depth, with)),
        None => new,
    }
}

fn go_along(text: &str, depth: u32, with: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        let (before, from) = rest.split_at(quote);
        let (string, after) = from.split_at(string_end(from));
        out.push_str(before);
        rest = after;
        let Some(colon) = colon_end(after) else {
            out.push_str(&within(string, depth, with).unwrap_or_else(|| string.to_owned()));
            continue;
        };
        let (between, value) = after.split_at(colon);
        out.push_str(string);
        out.push_str(between);
        rest = value;
        if decoded(string).is_some_and(|key| is_secret(&key)) {
            let (secret, after) = value.split_at(value_end(value));
            rest = after;
            let is_empty = matches!(secret, "" | "null" | "\"\"");
            let new = if is_empty { None } else { with(secret) };
            out.push_str(new.as_deref().unwrap_or(secret));
        }
    }
    out.push_str(rest);
    out
}

/// Rewrites JSON inside a string; `None` if it has no secrets.
fn within(string: &str, depth: u32, with: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    if depth == 0 || !string.contains("\\\"") {
        return None;
    }
    let inner = decoded(string)?;
    let new = rewrite(&inner, depth - 1, with);
    if new == inner { None } else { serde_json::to_string(&new).ok() }
}

fn decoded(string: &str) -> Option<String> {
    serde_json::from_str(string).ok()
}

/// Returns the end of the string at the start of the text; the text's length if the string is cut off.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the end of the colon and spaces at the start of the text; `None` if there is no colon, because
/// then the string before the text is not a key.
fn colon_end(text: &str) -> Option<usize> {
    let value = text.trim_start().strip_prefix(':')?.trim_start();
    Some(text.len() - value.len())
}

/// Returns the end of the value at the start of the text; the text's length if the value is cut off.
fn value_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' => {
                at += string_end(&text[at..]);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 0 => return at,
            '}' | ']' if depth == 1 => return at + 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => return at,
            c if depth == 0 && c.is_whitespace() => return at,
            _ => {}
        }
        at += c.len_utf8();
    }
    at
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn secrets_are_hidden_whatever_their_form_and_place() {
        let body = r#"{ "order": 12345678901234567890123, "Password" : "a\"b}", "list": [{"api_key": 7, "x": "token"}],
            "auth": {"access-token": "t", "deep": [1, {"a": "}"}]}, "secret": null, "clientSecret": "", "set-cookie": ["a"],
            "X-Authorization": true, "note": "the password is on the wall" }"#;
        let shown = mask(body);
        let expected = r#"{ "order": 12345678901234567890123, "Password" : "••••1", "list": [{"api_key": "••••2", "x": "token"}],
            "auth": "••••3", "secret": null, "clientSecret": "", "set-cookie": "••••4",
            "X-Authorization": "••••5", "note": "the password is on the wall" }"#;
        assert_eq!(shown, expected);
        assert_eq!(unmask(&shown, body).unwrap(), body, "to the last digit");
    }

    #[test]
    fn what_is_cut_off_or_no_json_is_hidden_as_far_as_it_goes() {
        assert_eq!(mask(r#"{"password": "hunt"#), r#"{"password": "••••1""#);
        assert_eq!(mask(r#"{"token": {"a": [1, "x"#), r#"{"token": "••••1""#);
        assert_eq!(mask(r#"{"a": 1, "passw"#), r#"{"a": 1, "passw"#);
        assert_eq!(mask(r#"an " too many {"token": "t"}"#), r#"an " too many {"token": "••••1"}"#);
        for plain in ["", "<html lang=\"en\">", "\"", "{\"token\"", "{\"token\":", "not \"found\": 404"] {
            assert_eq!(mask(plain), plain);
        }
    }

    #[test]
    fn a_json_text_in_a_string_is_looked_into() {
        let inner = r#"{"deliveryId":"D-1","token":"t-1""#;
        let body = json!({ "key": "k", "message": inner, "secret": "s" }).to_string();
        let shown: Value = serde_json::from_str(&mask(&body)).unwrap();
        assert_eq!(shown["message"], r#"{"deliveryId":"D-1","token":"••••1""#);
        assert!(!mask(&body).contains("t-1"));
        assert_eq!(unmask(&mask(&body), &body).unwrap(), body);
    }

    #[test]
    fn an_edit_keeps_secrets_wherever_it_moves_them_and_can_replace_them() {
        let original = r#"{"list":[{"name":"a","token":"first"},{"name":"b","token":"second"}]}"#;
        let moved = r#"{"list":[{"name":"b","token":"••••2"},{"name":"c","token":"new"}]}"#;
        let whole = unmask(moved, original).unwrap();
        assert_eq!(whole, r#"{"list":[{"name":"b","token":"second"},{"name":"c","token":"new"}]}"#);
        // A mask under another name would reveal the secret; an unknown mask has no secret to send.
        for wrong in [r#"{"name":"••••2"}"#, r#"{"token":"••••3"}"#, r#"{"token":"••••"}"#]
        {
            assert!(unmask(wrong, original).unwrap_err().fields.contains_key("payload"), "{wrong}");
        }
        assert_eq!(unmask("{}", original).unwrap(), "{}");
    }

    #[test]
    fn names_of_secrets_are_known_in_any_spelling() {
        for name in ["api_key", "apiKey", "API-KEY", "passwd", "x-auth-token", "Authorization", "pwd", "auth"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in ["author", "order", "pass", "key", "deliveryId", "pin"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
