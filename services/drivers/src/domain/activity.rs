//! The kinds of entries in the driver log, and which of them a driver's device may report.

use chrono::{DateTime, Duration, Utc};
use kit::input::{Check, limits, position};
use kit::{Error, Result};
use proto::drivers::v1 as wire;
use uuid::Uuid;

/// Maximum number of entries per request.
const MAX_ENTRIES: usize = 500;
const VERSION_CHARS: usize = 40;
const DETAIL_BYTES: usize = 4_000;
/// Number of wrong fields after which validation stops.
const MAX_WRONG: usize = 20;
/// How far a device's clock may be ahead of the server's.
const AHEAD: Duration = Duration::minutes(2);

::store::text_enum!(
    Activity {
        Login => "login",
        Logout => "logout",
        LoginFailed => "login_failed",
        Blocked => "blocked",
        Unblocked => "unblocked",
        PasswordReset => "password_reset",
        Assigned => "assigned",
        Unassigned => "unassigned",
        OpenedDelivery => "opened_delivery",
        Arrived => "arrived",
        Departed => "departed",
        Scan => "scan",
        SignatureCaptured => "signature_captured",
        PhotoCaptured => "photo_captured",
        OutcomeSubmitted => "outcome_submitted",
        SyncLate => "sync_late",
        LocationOff => "location_off",
        LocationOn => "location_on",
        LowBattery => "low_battery",
        AppVersion => "app_version",
    }
);

impl Activity {
    pub fn parse(text: &str) -> Option<Self> {
        use sea_orm::Iterable;
        Self::iter().find(|it| it.as_str() == text)
    }
}

/// Activities that a device may report. The server records all others itself: auth reports failed sign-ins and
/// new PINs.
const BY_DEVICE: [Activity; 13] = [
    Activity::Login,
    Activity::Logout,
    Activity::OpenedDelivery,
    Activity::Arrived,
    Activity::Departed,
    Activity::Scan,
    Activity::SignatureCaptured,
    Activity::PhotoCaptured,
    Activity::SyncLate,
    Activity::LocationOff,
    Activity::LocationOn,
    Activity::LowBattery,
    Activity::AppVersion,
];

/// An activity that the driver's device reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub client_event_id: Uuid,
    pub activity: Activity,
    pub delivery_id: Option<String>,
    pub occurred_at: DateTime<Utc>,
    pub place: Option<(f64, f64)>,
    pub device_id: Option<String>,
    pub app_version: Option<String>,
    /// Further details, as a JSON object.
    pub detail: String,
}

/// Validates all entries of a request. The error contains the wrong fields, each with the index of its entry.
pub fn entries(inputs: Vec<wire::DriverLogInput>, received_at: DateTime<Utc>) -> Result<Vec<Entry>> {
    if inputs.is_empty() || inputs.len() > MAX_ENTRIES {
        return Err(Error::invalid_field("logs", format!("1 to {MAX_ENTRIES} entries at once")));
    }
    let mut check = Check::new();
    let mut entries = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.into_iter().enumerate() {
        check.set_prefix(format!("logs[{index}]."));
        entries.extend(entry(&mut check, input, received_at));
        if check.count() > MAX_WRONG {
            break;
        }
    }
    check.done(entries)
}

/// Returns the validated entry; `None` if a required field is wrong.
fn entry(check: &mut Check, input: wire::DriverLogInput, received_at: DateTime<Utc>) -> Option<Entry> {
    let client_event_id =
        Uuid::try_parse(&input.client_event_id).map_err(|_| "Client event id must be a UUID");
    let client_event_id = check.read("clientEventId", client_event_id);
    let activity = BY_DEVICE
        .into_iter()
        .find(|it| it.as_str() == input.activity)
        .ok_or_else(|| format!("Activity must be one of {}", BY_DEVICE.map(Activity::as_str).join(", ")));
    let activity = check.read("activity", activity);
    let occurred_at = input.occurred_at.and_then(proto::instant).ok_or("Time is required");
    let occurred_at = check.read("occurredAt", occurred_at);
    let place = match (input.lat, input.lng) {
        (None, None) => Ok(None),
        (Some(lat), Some(lng)) if position::LATITUDE.contains(&lat) && position::LONGITUDE.contains(&lng) => {
            Ok(Some((lat, lng)))
        }
        _ => Err("Location must be a latitude and a longitude in degrees"),
    };
    let place = check.read("lat", place).flatten();
    let delivery_id = check.line("deliveryId", "Delivery Doc", input.delivery_id.as_deref(), limits::CODE);
    let device_id = check.name("deviceId", "Device ID", input.device_id.as_deref(), limits::DEVICE_ID);
    let app_version = check.line("appVersion", "App version", input.app_version.as_deref(), VERSION_CHARS);
    let detail = check.read("detail", detail(&input.detail)).unwrap_or_default();
    // Limit the time, so that a device whose clock is ahead cannot create entries of tomorrow.
    let occurred_at = occurred_at.map(|at| at.min(received_at + AHEAD));
    Some(Entry {
        client_event_id: client_event_id?,
        activity: activity?,
        delivery_id,
        occurred_at: occurred_at?,
        place,
        device_id,
        app_version,
        detail,
    })
}

fn detail(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Ok("{}".to_owned());
    }
    let too_long = || Err(format!("Detail must have no more than {DETAIL_BYTES} bytes"));
    // An escape has up to six bytes and stands for one or more.
    if text.len() > 6 * DETAIL_BYTES {
        return too_long();
    }
    let Ok(object) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text) else {
        return Err("Detail must be a JSON object".to_owned());
    };
    let compact = serde_json::Value::Object(object).to_string();
    if compact.len() > DETAIL_BYTES { too_long() } else { Ok(compact) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000, 0).unwrap()
    }

    fn input() -> wire::DriverLogInput {
        wire::DriverLogInput {
            client_event_id: "0192d3a0-0000-7000-8000-000000000001".into(),
            activity: "arrived".into(),
            delivery_id: Some(" DR-1 ".into()),
            occurred_at: Some(proto::timestamp(now())),
            detail: " {\"gate\": 3} ".into(),
            ..Default::default()
        }
    }

    #[test]
    fn an_entry_is_read() {
        let read = entries(vec![input()], now()).unwrap().remove(0);
        assert_eq!((read.activity, read.delivery_id.as_deref()), (Activity::Arrived, Some("DR-1")));
        assert_eq!(read.detail, "{\"gate\":3}");
        let ahead = wire::DriverLogInput {
            occurred_at: Some(proto::timestamp(now() + Duration::days(3))),
            ..input()
        };
        assert_eq!(entries(vec![ahead], now()).unwrap()[0].occurred_at, now() + AHEAD);
    }

    #[test]
    fn the_limit_of_a_detail_is_for_what_is_stored() {
        let of = |letters: usize| detail(&format!("{{ \"a\": \"{}\" }}", "\\u0041".repeat(letters)));
        let most = DETAIL_BYTES - "{\"a\":\"\"}".len();
        assert_eq!(of(most).unwrap().len(), DETAIL_BYTES);
        for letters in [most + 1, 2 * DETAIL_BYTES] {
            assert!(of(letters).unwrap_err().contains("no more than 4000 bytes"), "{letters}");
        }
    }

    #[test]
    fn facts_of_the_server_are_not_told_by_a_device() {
        for activity in ["blocked", "assigned", "outcome_submitted", "password_reset", "flying", ""] {
            let error = entries(vec![wire::DriverLogInput { activity: activity.into(), ..input() }], now());
            assert!(error.unwrap_err().fields.contains_key("logs[0].activity"), "{activity}");
        }
    }

    #[test]
    fn everything_wrong_is_told_with_its_place() {
        let bad = wire::DriverLogInput {
            client_event_id: "1".into(),
            occurred_at: None,
            lat: Some(14.0),
            detail: "[]".into(),
            delivery_id: Some("7".repeat(65)),
            ..input()
        };
        let error = entries(vec![input(), bad], now()).unwrap_err();
        let fields: Vec<_> = error.fields.keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            [
                "logs[1].clientEventId",
                "logs[1].deliveryId",
                "logs[1].detail",
                "logs[1].lat",
                "logs[1].occurredAt"
            ]
        );
    }
}
