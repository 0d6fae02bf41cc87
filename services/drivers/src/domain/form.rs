//! Validates what the office enters about a driver.

use chrono::{DateTime, NaiveDate, Utc};
use kit::input::{Check, limits};
use kit::text::normalize;
use kit::username;
use kit::{Error, Result};
use proto::drivers::v1 as wire;
use store::filter::fold;

/// Must not be a driver's id. The address of a driver's page contains the id, and `new` is the page for a
/// new driver.
const TAKEN_ID: &str = "new";

/// A string that is unique regardless of case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The string as typed, without surrounding spaces.
    pub shown: String,
    /// The folded string, which must be unique.
    pub key: String,
}

impl Name {
    fn new(shown: String) -> Self {
        Self { key: fold(&shown), shown }
    }
}

/// Everything about a driver that can be edited; the status is changed separately.
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

/// Validates a new driver. The error lists everything that is wrong.
pub fn create(request: wire::CreateDriverRequest) -> Result<(Name, Driver)> {
    let mut check = Check::new();
    let id = Name::new(check.required_name("driverId", "Driver ID", &request.driver_id, limits::CODE));
    check.require(id.key != TAKEN_ID, "driverId", "Driver ID must not be \"new\"");
    let mut driver = read(&mut check, request.driver.unwrap_or_default());
    if !check.is_wrong("username")
        && let Some(shown) = check.read("username", username::parse(&driver.username.shown))
    {
        driver.username = Name::new(shown);
    }
    check.done((id, driver))
}

pub fn update(input: wire::DriverInput) -> Result<Driver> {
    let mut check = Check::new();
    let driver = read(&mut check, input);
    check.done(driver)
}

/// Validates the id that a device sends.
pub fn device(unique_id: &str) -> Result<Name> {
    let mut check = Check::new();
    let id = check.required_name("uniqueId", "Device ID", unique_id, limits::DEVICE_ID);
    check.done(Name::new(id))
}

fn read(check: &mut Check, input: wire::DriverInput) -> Driver {
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
    let phone = check.line("phone", "Phone", phone.as_deref(), limits::PHONE);
    let language = check.name("language", "Language", language.as_deref(), limits::LANGUAGE);
    let consent = tracking_consent_at.map(proto::instant);
    let readable = consent != Some(None);
    check.require(readable, "trackingConsentAt", "Tracking consent must be a date and time");
    let username = check.read("username", known_username(&username)).unwrap_or_default();
    Driver {
        name: check.required_name("name", "Name", &name, limits::PERSON),
        username: Name::new(username),
        phone: check.read("phone", self::phone(phone)).flatten(),
        email: check.email("email", "Email", email.as_deref()),
        trucker: check.line("trucker", "Trucker", trucker.as_deref(), limits::SHORT_NAME),
        licence_number: check.name(
            "licenceNumber",
            "License number",
            licence_number.as_deref(),
            limits::LICENCE_NUMBER,
        ),
        licence_expiry: check.read("licenceExpiry", date(licence_expiry.as_deref())).flatten(),
        vehicle_plate: check.name(
            "vehiclePlate",
            "Vehicle plate",
            vehicle_plate.as_deref(),
            limits::VEHICLE_PLATE,
        ),
        language: check.read("language", self::language(language)).flatten(),
        tracking_consent_at: consent.flatten(),
    }
}

/// Validates a username that the driver may already have; a new one must also pass [`new_username`].
fn known_username(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("Username is required".to_owned());
    }
    Ok(normalize(username::typed(text)?))
}

/// Validates a username that the driver does not have yet, by auth's rules for new accounts.
pub fn new_username(name: &Name) -> Result<Name> {
    let shown = username::parse(&name.shown).map_err(|text| Error::invalid_field("username", text))?;
    Ok(Name::new(shown))
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
    parsed.map(Some).ok_or_else(|| "License expiry must be a date such as 2027-05-31".to_owned())
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
        assert!(known_username(&"é".repeat(64)).is_ok());
        assert_eq!(known_username(&"é".repeat(65)), Err("Username must have 1 to 64 characters".to_owned()));
    }
}
