//! What the office enters of a driver, checked.

use chrono::{DateTime, NaiveDate, Utc};
use kit::Result;
use kit::error::Fields;
use proto::drivers::v1 as wire;
use store::filter::fold;

use super::{done, text, wrong};

const DRIVER_ID_CHARS: usize = 64;
const NAME_CHARS: usize = 100;
const USERNAME_CHARS: usize = 64;
const PHONE_CHARS: usize = 40;
const EMAIL_CHARS: usize = 254;
const TRUCKER_CHARS: usize = 200;
const LICENCE_CHARS: usize = 40;
const PLATE_CHARS: usize = 20;
const LANGUAGE_CHARS: usize = 35;
const DEVICE_CHARS: usize = 100;
/// A driver's page is found under their id, and this is where the form for a new one is.
const TAKEN_ID: &str = "new";

/// A text that is unique whatever its case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// As typed, without the space around it.
    pub shown: String,
    /// What must be unique.
    pub key: String,
}

impl Name {
    fn new(shown: String) -> Self {
        Self { key: fold(&shown), shown }
    }
}

/// All that can be changed of a driver but the status.
#[derive(Debug, Clone, PartialEq)]
pub struct Driver {
    pub name: String,
    pub username: Name,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub trucker: Option<String>,
    pub licence_number: Option<String>,
    pub licence_expiry: Option<NaiveDate>,
    pub vehicle_plate: Option<String>,
    pub language: Option<String>,
    pub tracking_consent_at: Option<DateTime<Utc>>,
}

/// A new driver. Everything that is wrong is told at once.
pub fn create(request: wire::CreateDriverRequest) -> Result<(Name, Driver)> {
    let mut fields = Fields::new();
    let id = text::required("Driver ID", &request.driver_id, DRIVER_ID_CHARS);
    let id = id.unwrap_or_else(|text| {
        wrong(&mut fields, "driverId", text);
        String::new()
    });
    let id = Name::new(id);
    if id.key == TAKEN_ID {
        wrong(&mut fields, "driverId", "Driver ID must not be \"new\"");
    }
    let driver = read(&mut fields, request.driver.unwrap_or_default());
    done(fields, (id, driver))
}

pub fn update(input: wire::DriverInput) -> Result<Driver> {
    let mut fields = Fields::new();
    let driver = read(&mut fields, input);
    done(fields, driver)
}

/// The id that a device gives itself.
pub fn device(unique_id: &str) -> Result<Name> {
    let mut fields = Fields::new();
    let id = text::required("Device ID", unique_id, DEVICE_CHARS).unwrap_or_else(|text| {
        wrong(&mut fields, "uniqueId", text);
        String::new()
    });
    done(fields, Name::new(id))
}

fn read(fields: &mut Fields, input: wire::DriverInput) -> Driver {
    let wire::DriverInput {
        name,
        username,
        phone,
        email,
        trucker,
        licence_number,
        licence_expiry,
        vehicle_plate,
        language,
        tracking_consent_at,
    } = input;
    let mut good = |field: &str, value: Result<Option<String>, String>| {
        value.unwrap_or_else(|text| {
            wrong(fields, field, text);
            None
        })
    };
    let name = good("name", text::required("Name", &name, NAME_CHARS).map(Some)).unwrap_or_default();
    let username = good("username", self::username(&username).map(Some)).unwrap_or_default();
    let phone = good("phone", text::line("Phone", phone.as_deref(), PHONE_CHARS).and_then(self::phone));
    let email = good("email", text::line("Email", email.as_deref(), EMAIL_CHARS).and_then(self::email));
    let trucker = good("trucker", text::line("Trucker", trucker.as_deref(), TRUCKER_CHARS));
    let licence_number =
        good("licenceNumber", text::line("Licence number", licence_number.as_deref(), LICENCE_CHARS));
    let vehicle_plate =
        good("vehiclePlate", text::line("Vehicle plate", vehicle_plate.as_deref(), PLATE_CHARS));
    let language = text::line("Language", language.as_deref(), LANGUAGE_CHARS).and_then(self::language);
    let language = good("language", language);
    let licence_expiry = date(licence_expiry.as_deref()).unwrap_or_else(|text| {
        wrong(fields, "licenceExpiry", text);
        None
    });
    let consent = tracking_consent_at.map(proto::instant);
    if consent == Some(None) {
        wrong(fields, "trackingConsentAt", "Tracking consent must be a point in time");
    }
    Driver {
        name,
        username: Name::new(username),
        phone,
        email,
        trucker,
        licence_number,
        licence_expiry,
        vehicle_plate,
        language,
        tracking_consent_at: consent.flatten(),
    }
}

/// As auth wants it of every account.
fn username(text: &str) -> Result<String, String> {
    match text::line("Username", Some(text), USERNAME_CHARS) {
        Ok(Some(name)) => Ok(name),
        Ok(None) => Err("Username is required".to_owned()),
        Err(_) if text.trim().chars().count() > USERNAME_CHARS => {
            Err("Username must have 1 to 64 characters".to_owned())
        }
        Err(text) => Err(text),
    }
}

fn phone(text: Option<String>) -> Result<Option<String>, String> {
    let good = |text: &String| {
        let digits = text.chars().filter(char::is_ascii_digit).count();
        (3..=20).contains(&digits) && text.chars().all(|c| c.is_ascii_digit() || " +()-./".contains(c))
    };
    match text {
        Some(text) if !good(&text) => Err("Phone must be a number such as +63 917 555 0101".to_owned()),
        text => Ok(text),
    }
}

/// The shape only; whether it is someone's, only a mail tells.
fn email(text: Option<String>) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    let bad = |c: char| c.is_whitespace() || ",:;<>()[]\\\"@".contains(c);
    let label = |label: &str| {
        (1..=63).contains(&label.chars().count()) && !label.starts_with('-') && !label.ends_with('-')
    };
    let is_one = text.split_once('@').is_some_and(|(local, domain)| {
        (1..=64).contains(&local.chars().count())
            && !local.contains(bad)
            && !domain.contains(bad)
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..")
            && domain.contains('.')
            && domain.split('.').all(label)
    });
    if is_one { Ok(Some(text)) } else { Err("Email must be formatted like an email address".to_owned()) }
}

fn language(text: Option<String>) -> Result<Option<String>, String> {
    let good = |text: &String| {
        let mut parts = text.split('-');
        let first = parts.next().unwrap_or_default();
        (2..=3).contains(&first.len())
            && first.bytes().all(|b| b.is_ascii_alphabetic())
            && parts
                .all(|part| (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    match text {
        Some(text) if !good(&text) => Err("Language must be a code such as en or fil-PH".to_owned()),
        text => Ok(text),
    }
}

fn date(text: Option<&str>) -> Result<Option<NaiveDate>, String> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let parsed = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| text.len() == 10);
    parsed.map(Some).ok_or_else(|| "Licence expiry must be a date such as 2027-05-31".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> wire::DriverInput {
        wire::DriverInput {
            name: " Nestor Ilagan ".into(),
            username: " Nestor ".into(),
            ..Default::default()
        }
    }

    #[test]
    fn texts_are_trimmed_and_empty_ones_are_none() {
        let it = update(wire::DriverInput {
            phone: Some(" +63 917 555 0101 ".into()),
            email: Some("  ".into()),
            licence_expiry: Some("2027-05-31".into()),
            language: Some("fil-PH".into()),
            ..input()
        });
        let it = it.unwrap();
        assert_eq!((it.name.as_str(), it.username.shown.as_str()), ("Nestor Ilagan", "Nestor"));
        assert_eq!(it.username.key, "nestor");
        assert_eq!((it.phone.as_deref(), it.email), (Some("+63 917 555 0101"), None));
        assert_eq!(it.licence_expiry, NaiveDate::from_ymd_opt(2027, 5, 31));
    }

    #[test]
    fn everything_wrong_is_told_under_its_field() {
        let error = create(wire::CreateDriverRequest {
            driver_id: "7".repeat(65),
            driver: Some(wire::DriverInput {
                name: " ".into(),
                username: "a\u{200b}b".into(),
                phone: Some("call me".into()),
                email: Some("nestor at work".into()),
                trucker: Some("é".repeat(201)),
                licence_number: Some("1\n2".into()),
                licence_expiry: Some("31/05/2027".into()),
                vehicle_plate: Some("P".repeat(21)),
                language: Some("english please".into()),
                tracking_consent_at: Some(prost_types::Timestamp { seconds: i64::MAX, nanos: 0 }),
            }),
        })
        .unwrap_err();
        let fields: Vec<_> = error.fields.keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            [
                "driverId",
                "email",
                "language",
                "licenceExpiry",
                "licenceNumber",
                "name",
                "phone",
                "trackingConsentAt",
                "trucker",
                "username",
                "vehiclePlate"
            ]
        );
        assert_eq!(error.fields["driverId"], ["Driver ID must have no more than 64 characters"]);
        assert_eq!(error.fields["name"], ["Name is required"]);
        assert_eq!(error.fields["username"], ["Username must not contain control characters"]);
    }

    #[test]
    fn the_address_of_the_form_is_no_id() {
        let create =
            |id: &str| create(wire::CreateDriverRequest { driver_id: id.to_owned(), driver: Some(input()) });
        for id in ["new", " New "] {
            let error = create(id).unwrap_err();
            assert_eq!(error.fields["driverId"], ["Driver ID must not be \"new\""], "{id}");
        }
        assert_eq!(create("new-1").unwrap().0.shown, "new-1");
    }

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        for bad in ["2027-02-29", "2027-5-31", "27-05-31", "tomorrow"] {
            assert!(date(Some(bad)).is_err(), "{bad}");
        }
        assert_eq!(date(Some(" ")), Ok(None));
    }

    #[test]
    fn long_usernames_are_refused_as_auth_does() {
        assert!(username(&"é".repeat(64)).is_ok());
        assert_eq!(username(&"é".repeat(65)), Err("Username must have 1 to 64 characters".to_owned()));
    }
}
