//! Rules for the names, addresses, roles, passwords and PINs of accounts, and for the end of sessions.
//!
//! Uses no database and no clock. Deliberately absent: a rule that passwords must contain certain kinds of
//! characters; length and the check for common passwords do more.

use chrono::{DateTime, Duration, Utc};
use kit::input::text::{self, is_invisible};
use kit::input::{Check, email, limits};
use kit::text::{fold, normalize};
use kit::username;
use kit::{Error, Result, Role};
use proto::auth::v1 as wire;
use proto::auth::v1::{CreateAdminRequest, CreateUserRequest, SignUpRequest};
use secrecy::{ExposeSecret, SecretString};

use crate::{common_passwords, password, pin};

/// Maximum length of an actor's name: a username, or `system:<service>`.
pub const ACTOR_CHARS: usize = 100;
/// Maximum length of an IP address, as text.
pub const ADDRESS_CHARS: usize = 64;
const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 8..=128;
const PIN_DIGITS: std::ops::RangeInclusive<usize> = 6..=12;

::store::text_enum!(
    /// Whether an account may sign in. An invited account has no password yet.
    Status { Active => "active", Disabled => "disabled", Invited => "invited" }
);

proto::same_enum!(wire::UserStatus => Status { Active => Active, Disabled => Disabled, Invited => Invited });

impl Status {
    /// Derives the status from "enabled" and "has a password".
    pub fn of(enabled: bool, has_password: bool) -> Self {
        match (enabled, has_password) {
            (false, _) => Self::Disabled,
            (true, false) => Self::Invited,
            (true, true) => Self::Active,
        }
    }
}

/// What an account signs in with, besides its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    Password,
    /// The PIN of a driver.
    Pin,
}

proto::same_enum!(wire::SecretKind => SecretKind { Password => Password, Pin => Pin });

impl SecretKind {
    /// Checks whether an account of this name may have this password or PIN.
    pub fn check(self, secret: &str, username: &str) -> Result<(), &'static str> {
        match self {
            Self::Password => check_password(secret, username),
            Self::Pin => check_pin(secret),
        }
    }
}

/// Roles that admins assign. The role of drivers is not among them: only the account of a driver has it.
pub const OFFICE_ROLES: [Role; 4] = [Role::Admin, Role::TransportPlanner, Role::Dispatcher, Role::Viewer];

/// Parses role names; returns each role once, in a fixed order.
pub fn parse_roles(names: &[String]) -> Result<Vec<Role>, String> {
    for name in names {
        if !OFFICE_ROLES.iter().any(|role| role.as_str() == name) {
            let known = OFFICE_ROLES.map(Role::as_str).join(", ");
            return Err(format!("Roles must be among {known}"));
        }
    }
    Ok(OFFICE_ROLES.into_iter().filter(|role| names.iter().any(|name| name == role.as_str())).collect())
}

/// Formats roles as one string for filters, in a fixed order: `|admin|viewer|`.
pub fn role_list(roles: &[Role]) -> String {
    let named = Role::ALL.into_iter().filter(|role| roles.contains(role)).map(Role::as_str);
    let names: Vec<&str> = named.collect();
    if names.is_empty() { String::new() } else { format!("|{}|", names.join("|")) }
}

/// A name for signing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Username {
    /// The name as displayed.
    pub shown: String,
    /// The name's unique key.
    pub key: String,
}

impl Username {
    /// Parses a new name.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let shown = username::parse(text)?;
        Ok(Self { key: fold(&shown), shown })
    }

    /// Parses the name of an existing account. Older releases allowed more characters.
    pub fn known(text: &str) -> Result<Self, &'static str> {
        let shown = normalize(username::typed(text)?);
        Ok(Self { key: fold(&shown), shown })
    }

    /// Returns a form of the name that is equal for easily confused names.
    pub fn look(&self) -> String {
        username::look(&self.key)
    }
}

/// Returns the trimmed display name; empty when there is none.
pub fn parse_display_name(text: &str) -> Result<String, String> {
    Ok(text::name("Display name", Some(text), limits::PERSON)?.unwrap_or_default())
}

/// Returns the trimmed address if its syntax is valid.
pub fn parse_email(text: &str) -> Result<String, String> {
    email::required("Email", text)
}

/// Checks whether an account of this name may have this password. Neither trims nor truncates the password.
pub fn check_password(password: &str, username: &str) -> Result<(), &'static str> {
    let password = &password::prepare(password);
    let count = password.chars().count();
    if !PASSWORD_CHARS.contains(&count) {
        return Err("Password must have 8 to 128 characters");
    }
    if common_passwords::is_common(password, username) {
        return Err("This password is too common. Choose another one");
    }
    Ok(())
}

/// Checks whether a driver may have this PIN. Never trims it.
pub fn check_pin(digits: &str) -> Result<(), &'static str> {
    if !PIN_DIGITS.contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err("PIN must have 6 to 12 digits");
    }
    if pin::is_common(digits) {
        return Err("Choose a PIN without repeated or consecutive digits, dates or other common numbers");
    }
    Ok(())
}

/// The validated input for an account with a password.
#[derive(Debug)]
pub struct NewAccount {
    pub username: Username,
    pub email: String,
    pub password: SecretString,
}

impl NewAccount {
    /// Validates name, address and password, and returns all problems together.
    pub fn parse(username: &str, email: &str, password: SecretString) -> Result<Self> {
        let mut check = Check::new();
        let username = check.read("username", Username::parse(username));
        let email = check.read("email", parse_email(email));
        let known = username.as_ref().map_or("", |name| name.key.as_str());
        let secret = check.read("password", check_password(password.expose_secret(), known));
        match (username, email, secret) {
            (Some(username), Some(email), Some(())) => Ok(Self { username, email, password }),
            _ => Err(check.refusal()),
        }
    }
}

/// Ignores the setup token, which is checked before.
impl TryFrom<CreateAdminRequest> for NewAccount {
    type Error = Error;
    fn try_from(request: CreateAdminRequest) -> Result<Self> {
        let CreateAdminRequest { username, email, password, setup_token: _, address: _ } = request;
        Self::parse(&username, &email, password.into())
    }
}

impl TryFrom<SignUpRequest> for NewAccount {
    type Error = Error;
    fn try_from(request: SignUpRequest) -> Result<Self> {
        let SignUpRequest { username, email, password, address: _ } = request;
        Self::parse(&username, &email, password.into())
    }
}

/// The validated input for an account that an admin creates. It has no password until its link is used.
#[derive(Debug)]
pub struct NewUser {
    pub username: Username,
    pub display_name: String,
    pub email: String,
    pub roles: Vec<Role>,
}

impl TryFrom<CreateUserRequest> for NewUser {
    type Error = Error;
    fn try_from(request: CreateUserRequest) -> Result<Self> {
        let CreateUserRequest { username, display_name, email, roles } = request;
        let mut check = Check::new();
        let username = check.read("username", Username::parse(&username));
        let display_name = check.read("displayName", parse_display_name(&display_name));
        let email = check.read("email", parse_email(&email));
        let roles = check.read("roles", parse_roles(&roles));
        match (username, display_name, email, roles) {
            (Some(username), Some(display_name), Some(email), Some(roles)) => {
                Ok(Self { username, display_name, email, roles })
            }
            _ => Err(check.refusal()),
        }
    }
}

/// The validated changes of an account by an admin.
#[derive(Debug)]
pub struct Profile {
    pub display_name: String,
    pub email: String,
}

impl Profile {
    pub fn parse(display_name: &str, email: &str) -> Result<Self> {
        let mut check = Check::new();
        let display_name = check.read("displayName", parse_display_name(display_name));
        let email = check.read("email", parse_email(email));
        match (display_name, email) {
            (Some(display_name), Some(email)) => Ok(Self { display_name, email }),
            _ => Err(check.refusal()),
        }
    }
}

/// Attaches the error's message to this field.
pub fn about(field: &str, error: Error) -> Error {
    let text = error.message.clone();
    error.field(field, text)
}

/// How long a session lasts.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub idle: Duration,
    pub absolute: Duration,
}

impl Limits {
    /// Returns when a session ends even if it is in use. A limit that was lowered applies to existing sessions as well; a
    /// raised one doesn't.
    pub fn ends(&self, created_at: DateTime<Utc>, expires_at: DateTime<Utc>) -> DateTime<Utc> {
        expires_at.min(created_at + self.absolute)
    }

    pub fn is_over(
        &self,
        now: DateTime<Utc>,
        last_used_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
    ) -> bool {
        now >= expires_at || now - last_used_at >= self.idle
    }

    /// Returns the minimum interval between updates of `last_used_at`. A session may end earlier than its
    /// limit by up to this interval, but never later.
    pub fn note_every(&self) -> Duration {
        Duration::seconds(60).min(self.idle / 10)
    }
}

/// Prepares a text from a browser for storage: removes control characters, truncates to `chars`.
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
    fn password_length_is_in_characters() {
        assert!(check_password("ééééééé", "").is_err(), "7 characters, 14 bytes");
        assert!(check_password("ñoñoñúñi", "").is_ok());
        assert!(
            check_password("e\u{301}e\u{301}e\u{301}e\u{301}i\u{301}", "").is_err(),
            "5 letters, however written"
        );
        assert!(check_password(&"tubig sa".repeat(16), "").is_ok(), "128 characters");
        assert!(check_password(&format!("{}.", "tubig sa".repeat(16)), "").is_err(), "129 characters");
        assert!(check_password("   leading and trailing   ", "").is_ok());
    }

    #[test]
    fn pins() {
        for good in ["482913", "108765", "907856", "604182739501"] {
            assert!(check_pin(good).is_ok(), "{good}");
        }
        for wrong in [
            "",
            "48291",
            "4829134829134",
            "48291a",
            "482 913",
            " 482913",
            "４８２９１３",
            "-482913",
            "111111",
            "112233",
        ] {
            assert!(check_pin(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn roles_are_known_and_each_once() {
        let parse =
            |names: &[&str]| parse_roles(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(parse(&["viewer", "admin", "viewer"]).unwrap(), [Role::Admin, Role::Viewer]);
        assert_eq!(parse(&[]).unwrap(), []);
        for wrong in ["driver", "Admin", "root", "", "admin ", "|admin|"] {
            let text = parse(&["admin", wrong]).unwrap_err();
            assert_eq!(text, "Roles must be among admin, transport_planner, dispatcher, viewer");
        }
    }

    #[test]
    fn a_list_of_roles_says_where_each_ends() {
        assert_eq!(role_list(&[]), "");
        assert_eq!(role_list(&[Role::Driver]), "|driver|");
        assert_eq!(role_list(&[Role::Viewer, Role::Admin]), "|admin|viewer|");
    }

    #[test]
    fn display_names() {
        assert_eq!(parse_display_name("  Maria Ángeles ").unwrap(), "Maria Ángeles");
        assert_eq!(parse_display_name("").unwrap(), "");
        assert!(parse_display_name(&"ñ".repeat(100)).is_ok());
        for wrong in [&"n".repeat(101), "a\nb", "a\u{202e}b"] {
            assert!(parse_display_name(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn everything_wrong_is_reported_at_once() {
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
        assert_eq!((limits.ends(start, end + second), limits.ends(start, end - second)), (end, end - second));
        assert_eq!(limits.note_every(), Duration::minutes(1));
    }

    #[test]
    fn notes_are_cut_and_clean() {
        assert_eq!(note("Mozilla\0/5.0\r\n", 200), "Mozilla/5.0");
        assert_eq!(note(&"é".repeat(300), 200).chars().count(), 200);
    }
}
