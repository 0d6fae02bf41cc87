//! What may be announced, who sees it, and when.

use chrono::{DateTime, Utc};
use kit::input::{Check, limits, text, time};
use kit::principal::{Principal, Role};
use kit::{Error, Result};
use proto::settings::v1 as wire;
use store::filter::fold;

const TITLE_CHARS: usize = 120;
const MESSAGE_CHARS: usize = 500;
const MAX_USERS: usize = 200;
/// Maximum number of announcements that one call may mark as seen or dismissed.
const MAX_MARKED: usize = 100;
/// Maximum number of announcements that are kept. Beyond it, somebody has to delete ended ones first.
pub const MOST: u64 = 1_000;
/// Maximum number of announcements that are shown to a reader.
pub const MOST_SHOWN: u64 = 20;

::store::text_enum!(
    /// The severity of an announcement.
    Severity { Info => "info", Warning => "warning", Critical => "critical" }
);

proto::same_enum!(wire::AnnouncementSeverity => Severity { Info => Info, Warning => Warning, Critical => Critical });

::store::text_enum!(
    /// The state of an announcement at some time.
    State { Active => "active", Scheduled => "scheduled", Ended => "ended", Off => "off" }
);

/// Everything that can be changed about an announcement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    pub title: String,
    pub message: String,
    pub severity: Severity,
    pub audience: Audience,
    /// The announcement is visible from this time on.
    pub starts_at: DateTime<Utc>,
    /// The announcement is visible until this time.
    pub ends_at: Option<DateTime<Utc>>,
    pub is_active: bool,
    pub dismissible: bool,
}

/// The audience: people who have one of the roles or are one of the users; everybody if both lists are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audience {
    pub roles: Vec<Role>,
    /// The usernames as typed.
    pub users: Vec<String>,
}

const EVERYBODY: &str = "everybody";

impl Audience {
    /// Returns the keys of this audience. A reader belongs to it if [`Reader::audiences`] contains one of
    /// them.
    pub fn keys(&self) -> Vec<String> {
        if self.roles.is_empty() && self.users.is_empty() {
            return vec![EVERYBODY.to_owned()];
        }
        let roles = self.roles.iter().map(|role| of_role(*role));
        roles.chain(self.users.iter().map(|name| of_user(name))).collect()
    }
}

fn of_role(role: Role) -> String {
    format!("role:{role}")
}

fn of_user(name: &str) -> String {
    format!("user:{}", fold(name))
}

/// An office user who reads announcements.
#[derive(Debug, Clone)]
pub struct Reader {
    pub user_id: String,
    /// Keys of all audiences to which the reader belongs.
    pub audiences: Vec<String>,
}

impl Reader {
    pub fn of(principal: &Principal) -> Result<Self> {
        let Principal::User { id, username, roles, .. } = principal.require_office()? else {
            return Err(Error::forbidden("ROLE_MISSING"));
        };
        let roles = roles.iter().filter(|role| Role::STAFF.contains(role)).map(|role| of_role(*role));
        let audiences = [EVERYBODY.to_owned(), of_user(username)].into_iter().chain(roles).collect();
        Ok(Self { user_id: id.clone(), audiences })
    }
}

/// Parses an announcement. The error lists all wrong fields.
pub fn read(input: wire::AnnouncementInput) -> Result<Announcement> {
    let severity = Severity::try_from(input.severity());
    let wire::AnnouncementInput {
        title,
        message,
        severity: _,
        audience_roles,
        audience_users,
        starts_at,
        ends_at,
        is_active,
        dismissible,
    } = input;
    let mut check = Check::new();
    let title = check.required("title", "Title", &title, TITLE_CHARS);
    let message = check.required("message", "Message", &message, MESSAGE_CHARS);
    let severity = severity.map_err(|_| "Severity must be info, warning or critical");
    let severity = check.read("severity", severity).unwrap_or(Severity::Info);
    let roles = check.read("audienceRoles", roles(&audience_roles)).unwrap_or_default();
    let users = check.read("audienceUsers", users(&audience_users)).unwrap_or_default();
    let starts_at = starts_at.ok_or_else(|| "Start is required".to_owned());
    let starts_at = starts_at.and_then(|at| time::instant("Start", proto::instant(at)));
    let starts_at = check.read("startsAt", starts_at).unwrap_or(DateTime::UNIX_EPOCH);
    let ends_at = ends_at.map(|at| time::instant("End", proto::instant(at)));
    let ends_at = ends_at.and_then(|end| check.read("endsAt", end));
    check.require(ends_at.is_none_or(|end| end > starts_at), "endsAt", "End must be after the start");
    let audience = Audience { roles, users };
    check.done(Announcement {
        title,
        message,
        severity,
        audience,
        starts_at,
        ends_at,
        is_active,
        dismissible,
    })
}

/// Parses the ids of the announcements to mark. Skips malformed ids, because unknown ids are skipped as well.
pub fn marked(ids: &[String]) -> Result<Vec<uuid::Uuid>> {
    if ids.len() > MAX_MARKED {
        return Err(Error::invalid_field("ids", format!("at most {MAX_MARKED} at once")));
    }
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

/// Parses roles; returns each role once, in a fixed order.
fn roles(names: &[String]) -> Result<Vec<Role>, String> {
    if let Some(name) = names.iter().find(|name| !Role::STAFF.iter().any(|role| role.as_str() == *name)) {
        let known: Vec<_> = Role::STAFF.iter().map(|role| role.as_str()).collect();
        let name: String = name.chars().take(40).filter(|c| !c.is_control()).collect();
        return Err(format!("Audience has no role “{name}”; there are {}", known.join(", ")));
    }
    let named = |role: &Role| names.iter().any(|name| name == role.as_str());
    Ok(Role::STAFF.iter().copied().filter(named).collect())
}

/// Parses usernames; returns each once, ignoring case, in the given order. The users need not exist yet.
fn users(names: &[String]) -> Result<Vec<String>, String> {
    if names.len() > MAX_USERS {
        return Err(format!("Audience must have no more than {MAX_USERS} users"));
    }
    let mut users: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let name = text::required("Username", name, limits::USERNAME)?;
        if !users.iter().any(|other| fold(other) == fold(&name)) {
            users.push(name);
        }
    }
    Ok(users)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> prost_types::Timestamp {
        proto::timestamp(text.parse().unwrap())
    }

    fn input() -> wire::AnnouncementInput {
        wire::AnnouncementInput {
            title: " Gate 3 ".into(),
            message: " Gate 3 is closed until noon. ".into(),
            severity: wire::AnnouncementSeverity::Warning.into(),
            starts_at: Some(at("2026-11-21T00:00:00Z")),
            ends_at: Some(at("2026-11-21T04:00:00Z")),
            ..Default::default()
        }
    }

    fn refused(change: impl FnOnce(&mut wire::AnnouncementInput)) -> Vec<(String, String)> {
        let mut input = input();
        change(&mut input);
        let error = read(input).unwrap_err();
        assert_eq!(error.reason, "INVALID_FIELDS");
        error
            .fields
            .into_iter()
            .flat_map(|(key, texts)| texts.into_iter().map(move |it| (key.clone(), it)))
            .collect()
    }

    fn one(field: &str, text: &str) -> Vec<(String, String)> {
        vec![(field.to_owned(), text.to_owned())]
    }

    #[test]
    fn texts_are_trimmed_and_the_audience_is_everybody_unless_named() {
        let it = read(input()).unwrap();
        assert_eq!((it.title.as_str(), it.message.as_str()), ("Gate 3", "Gate 3 is closed until noon."));
        assert_eq!(it.audience.keys(), ["everybody"]);
        let names = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let it = read(wire::AnnouncementInput {
            audience_roles: names(&["viewer", "admin", "viewer"]),
            audience_users: names(&[" Maria ", "MARIA", "ben"]),
            ..input()
        });
        let audience = it.unwrap().audience;
        assert_eq!(audience.keys(), ["role:admin", "role:viewer", "user:maria", "user:ben"]);
        assert_eq!(audience.users, ["Maria", "ben"]);
    }

    #[test]
    fn bounds_are_exact() {
        let long = |count: usize| "é".repeat(count);
        assert!(read(wire::AnnouncementInput { title: long(120), message: long(500), ..input() }).is_ok());
        let text = "Title must have no more than 120 characters";
        assert_eq!(refused(|it| it.title = long(121)), one("title", text));
        let text = "Message must have no more than 500 characters";
        assert_eq!(refused(|it| it.message = long(501)), one("message", text));
        assert_eq!(refused(|it| it.title = " ".into()), one("title", "Title is required"));
        assert_eq!(refused(|it| it.message = String::new()), one("message", "Message is required"));
        for bad in ["one\ntwo", "one\u{2029}two", "one\u{202e}two", "one\u{2067}two", "one\u{7}two"] {
            let text = "Message must not contain line breaks or control characters";
            assert_eq!(refused(|it| it.message = bad.into()), one("message", text), "{bad:?}");
        }
        let users = |count: usize| (0..count).map(|it| format!("user-{it}")).collect::<Vec<_>>();
        assert!(read(wire::AnnouncementInput { audience_users: users(200), ..input() }).is_ok());
        let text = "Audience must have no more than 200 users";
        assert_eq!(refused(|it| it.audience_users = users(201)), one("audienceUsers", text));
        let text = "Username must have no more than 64 characters";
        assert_eq!(refused(|it| it.audience_users = vec![long(65)]), one("audienceUsers", text));
    }

    #[test]
    fn only_roles_of_the_office_are_an_audience() {
        for bad in ["driver", "Admin", "", "root"] {
            let fields = refused(|it| it.audience_roles = vec![bad.into()]);
            assert_eq!(fields[0].0, "audienceRoles", "{bad}");
        }
    }

    #[test]
    fn the_end_is_after_the_start_and_both_are_in_our_times() {
        let after = "End must be after the start";
        assert_eq!(refused(|it| it.ends_at = it.starts_at), one("endsAt", after));
        assert_eq!(refused(|it| it.ends_at = Some(at("2026-11-20T23:59:59Z"))), one("endsAt", after));
        assert_eq!(refused(|it| it.starts_at = None), one("startsAt", "Start is required"));
        let far = prost_types::Timestamp { seconds: i64::MAX, nanos: 0 };
        let text = "End must be between the years 2000 and 2100";
        assert_eq!(refused(|it| it.ends_at = Some(far)), one("endsAt", text));
        let text = "Start must be between the years 2000 and 2100";
        let fields = refused(|it| it.starts_at = Some(at("2101-01-02T00:00:00Z")));
        assert_eq!(fields[0], one("startsAt", text)[0]);
        assert!(read(wire::AnnouncementInput { ends_at: None, ..input() }).unwrap().ends_at.is_none());
    }

    #[test]
    fn everything_wrong_is_told_at_once() {
        let fields = read(wire::AnnouncementInput::default()).unwrap_err().fields;
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["message", "severity", "startsAt", "title"]);
    }

    #[test]
    fn a_reader_is_somebody_of_the_office() {
        let user = |roles: &[Role]| Principal::User {
            id: "u1".into(),
            username: "Maria".into(),
            roles: roles.to_vec(),
            session: "s1".into(),
            driver_id: None,
        };
        let reader = Reader::of(&user(&[Role::Viewer, Role::Dispatcher])).unwrap();
        assert_eq!(reader.audiences, ["everybody", "user:maria", "role:viewer", "role:dispatcher"]);
        assert!(Reader::of(&user(&[Role::Driver])).is_err());
        assert_eq!(Reader::of(&user(&[])).unwrap().audiences, ["everybody", "user:maria"]);
        assert!(Reader::of(&Principal::Service { name: "gateway".into() }).is_err());
    }

    #[test]
    fn a_hundred_ids_are_marked_at_once_and_what_is_none_is_passed_over() {
        let id = "0190a1b2-0000-7000-8000-000000000001".to_owned();
        assert_eq!(marked(&[id.clone(), "nonsense".into()]).unwrap().len(), 1);
        assert_eq!(marked(&vec![id.clone(); 100]).unwrap().len(), 100);
        assert!(marked(&vec![id; 101]).is_err());
    }
}
