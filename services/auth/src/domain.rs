//! Which names, addresses and passwords an account may have, and when a session is over.
//!
//! Pure: no database, no clock of its own. Deliberately absent: rules about which kinds of
//! characters a password is made of; length and a list of what everybody tries do more.

use chrono::{DateTime, Duration, Utc};
use kit::error::Fields;
use kit::{Error, Result};
use proto::auth::v1::CreateAdminRequest;
use sea_orm::{DeriveActiveEnum, EnumIter};
use secrecy::{ExposeSecret, SecretString};

use crate::common;

const USERNAME_CHARS: usize = 64;
const EMAIL_CHARS: usize = 254;
const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 8..=128;

/// Whether an account may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum Status {
    #[sea_orm(string_value = "active")]
    Active,
    #[sea_orm(string_value = "disabled")]
    Disabled,
}

/// A name to sign in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Username {
    /// As typed, without the space around it.
    pub shown: String,
    /// What must be unique.
    pub key: String,
}

impl Username {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let shown = text.trim();
        if !(1..=USERNAME_CHARS).contains(&shown.chars().count()) {
            return Err("Username must have 1 to 64 characters");
        }
        if shown.chars().any(is_invisible) {
            return Err("Username must not contain control characters");
        }
        Ok(Self { shown: shown.to_owned(), key: store::filter::fold(shown) })
    }
}

/// Control characters, and those that make two different names look the same or turn the text
/// around them: zero-width, joiners, marks of direction.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The address without the space around it, when it has the shape of one.
pub fn parse_email(text: &str) -> Result<String, &'static str> {
    const WRONG: &str = "Email must be formatted like an email address";
    let text = text.trim();
    let (local, domain) = text.rsplit_once('@').ok_or(WRONG)?;
    let plain = |part: &str| {
        !part.chars().any(|c| c.is_whitespace() || is_invisible(c) || "@,;:<>()[]\\\"".contains(c))
    };
    let labels = domain.split('.').collect::<Vec<_>>();
    let good = text.chars().count() <= EMAIL_CHARS
        && (1..=64).contains(&local.chars().count())
        && plain(local)
        && plain(domain)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && labels.len() >= 2
        && labels.iter().all(|label| {
            (1..=63).contains(&label.chars().count()) && !label.starts_with('-') && !label.ends_with('-')
        });
    if good { Ok(text.to_owned()) } else { Err(WRONG) }
}

/// Whether an account of this name may have this password. It is taken as it is: no trimming,
/// nothing cut off.
pub fn check_password(password: &str, username: &str) -> Result<(), &'static str> {
    let count = password.chars().count();
    if !PASSWORD_CHARS.contains(&count) {
        return Err("Password must have 8 to 128 characters");
    }
    if common::is_common(password, username) {
        return Err("Password is among those that are tried first. Choose another one");
    }
    Ok(())
}

/// An account to be made, checked.
#[derive(Debug)]
pub struct NewAccount {
    pub username: Username,
    pub email: String,
    pub password: SecretString,
}

impl NewAccount {
    /// Checks all three and tells everything that is wrong.
    pub fn parse(username: &str, email: &str, password: SecretString) -> Result<Self> {
        let name = Username::parse(username);
        let address = parse_email(email);
        let known = name.as_ref().map_or("", |name| name.key.as_str());
        let secret = check_password(password.expose_secret(), known);
        match (name, address, secret) {
            (Ok(username), Ok(email), Ok(())) => Ok(Self { username, email, password }),
            (username, email, password) => Err(all_of([
                ("username", username.err()),
                ("email", email.err()),
                ("password", password.err()),
            ])),
        }
    }
}

/// The request without its set-up token.
impl TryFrom<CreateAdminRequest> for NewAccount {
    type Error = Error;
    fn try_from(request: CreateAdminRequest) -> Result<Self> {
        let CreateAdminRequest { username, email, password, setup_token: _ } = request;
        Self::parse(&username, &email, password.into())
    }
}

/// One error for several fields; its message reads alone, too.
fn all_of<const N: usize>(wrong: [(&str, Option<&'static str>); N]) -> Error {
    let mut fields = Fields::new();
    let mut texts = Vec::new();
    for (field, text) in wrong {
        if let Some(text) = text {
            fields.insert(field.to_owned(), vec![text.to_owned()]);
            texts.push(text);
        }
    }
    let mut error = Error::invalid("INVALID_FIELDS", texts.join(". "));
    error.fields = fields;
    error
}

/// How long a session lasts.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub idle: Duration,
    pub absolute: Duration,
}

impl Limits {
    pub fn is_over(
        &self,
        now: DateTime<Utc>,
        last_used_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
    ) -> bool {
        now >= expires_at || now - last_used_at >= self.idle
    }

    /// Use is written down when the last note is this old: each note is a write, and a session
    /// may end by so much too early, never too late.
    pub fn note_every(&self) -> Duration {
        Duration::seconds(60).min(self.idle / 10)
    }
}

/// Text of a browser as it may be kept: without control characters, cut to `chars`.
pub fn note(text: &str, chars: usize) -> String {
    text.chars().filter(|c| !is_invisible(*c)).take(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames() {
        let name = Username::parse("  Maria Ángeles ").unwrap();
        assert_eq!((name.shown.as_str(), name.key.as_str()), ("Maria Ángeles", "maria ángeles"));
        assert!(Username::parse(&"ñ".repeat(64)).is_ok());
        for wrong in ["", "   ", &"n".repeat(65), "a\0b", "a\nb", "a\u{202e}b", "a\u{200b}b"] {
            assert!(Username::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn emails() {
        for good in ["a@b.co", " maria.d+x@mail.example.ph ", "ü@münchen.de"] {
            assert_eq!(parse_email(good).unwrap(), good.trim());
        }
        let long = format!("{}@example.com", "a".repeat(65));
        for wrong in [
            "",
            "a",
            "@b.co",
            "a@",
            "a@b",
            "a@b..co",
            "a@.co",
            "a b@c.de",
            "a@b@c.de",
            "a@b.co\n.x",
            "<a@b.co>",
            ".a@b.co",
            "a@-b.co",
            &long,
        ] {
            assert!(parse_email(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn password_length_is_in_characters() {
        assert!(check_password("ééééééé", "").is_err(), "7 characters, 14 bytes");
        assert!(check_password("ñoñoñúñi", "").is_ok());
        assert!(check_password(&"tubig sa".repeat(16), "").is_ok(), "128 characters");
        assert!(check_password(&format!("{}.", "tubig sa".repeat(16)), "").is_err(), "129 characters");
        assert!(check_password("   leading and trailing   ", "").is_ok());
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let error = NewAccount::parse("", "x", "short".to_owned().into()).unwrap_err();
        assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["email", "password", "username"]);
        assert!(error.message.contains("Username") && error.message.contains("Password"));
    }

    #[test]
    fn a_session_ends_to_the_second() {
        let limits = Limits { idle: Duration::hours(2), absolute: Duration::hours(12) };
        let start = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let end = start + limits.absolute;
        let second = Duration::seconds(1);
        assert!(!limits.is_over(start + limits.idle - second, start, end));
        assert!(limits.is_over(start + limits.idle, start, end));
        assert!(!limits.is_over(end - second, end - second, end));
        assert!(limits.is_over(end, end - second, end));
        assert_eq!(limits.note_every(), Duration::minutes(1));
    }

    #[test]
    fn notes_are_cut_and_clean() {
        assert_eq!(note("Mozilla\0/5.0\r\n", 200), "Mozilla/5.0");
        assert_eq!(note(&"é".repeat(300), 200).chars().count(), 200);
    }
}
